"""Put an assignor into a whole group under faults, and show the smallest schedule that breaks a promise of the group protocol."""

import argparse
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.cli.options import add_http, add_limits, natural, options, positive
from kassay.cli.progress import progress

if TYPE_CHECKING:
    from kassay.engine.verdict import Verdict
    from kassay.output import Block
    from kassay.simulation.group import Simulation
    from kassay.simulation.schedule import Setting
    from kassay.simulation.search.campaign import Campaign, Found

JUDGES = True

EXAMPLE = "kassay simulate consumer --assignor consumer/cooperative-sticky --coordinator kafka@4.4.0 --faults crash,failover"
SHOWN = 100
"""How many lines of a timeline are printed, the last ones; the file and the diagram have all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "use", nargs="?", metavar="USE", help="consumer, connect, streams or single-writer; default: consumer"
    )
    parser.add_argument(
        "--assignor", dest="target", metavar="TARGET",
        help="what the leader assigns by, as `kassay check` takes it; default: the first that fits the use",
    )  # fmt: skip
    parser.add_argument(
        "--named",
        dest="assignor",
        metavar="NAME",
        help="the assignor to take of an exec: program that offers several",
    )
    parser.add_argument(
        "--coordinator",
        default=None,
        metavar="NAME",
        help="proposal, unpersisted or kafka@4.4.0; default: proposal",
    )
    parser.add_argument(
        "--faults", metavar="A,B,...", help="draw only these faults; default: all that fit the use"
    )
    parser.add_argument(
        "--schedules",
        type=positive,
        default=1000,
        metavar="K",
        help="how many schedules are tried; default: 1000",
    )
    parser.add_argument(
        "--seed", type=natural, default=0, metavar="N", help="seed of the schedules; default: 0"
    )
    parser.add_argument(
        "--members", type=natural, default=2, metavar="N", help="members of the group; default: 2"
    )
    parser.add_argument(
        "--partitions", default="2", metavar="N,...", help="partitions (or tasks) of each topic; default: 2"
    )
    parser.add_argument("--static", action="store_true", help="members are static (KIP-345)")
    parser.add_argument(
        "--exhaustive", type=positive, metavar="STEPS",
        help="draw nothing: visit all that can happen in so many steps, in any order, with one failure of the coordinator; for 1 to 3 members",
    )  # fmt: skip
    parser.add_argument(
        "--replay", metavar="FILE", help="run the schedule of this file instead, and show what happens"
    )
    parser.add_argument(
        "--trust", action="store_true", help="run the assignor that the file names, also one that is code"
    )
    parser.add_argument("--strict", action="store_true", help="let known defects fail (status 1), too")
    add_limits(parser)
    add_http(parser)


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield the verdicts on the invariants, then the smallest schedule for each that broke; see the contract for the status."""
    from kassay.files.writing import usable_folder

    if args.folder is not None:
        usable_folder(Path(args.folder))
    return (yield from _kind(args)(args))


def _kind(args: argparse.Namespace) -> "Callable[[argparse.Namespace], Generator[Block, None, int]]":
    if args.replay:
        return _replay
    return _exhaustive if args.exhaustive else _campaign


def _exhaustive(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.engine.verdict import BROKEN, KEPT, SKIPPED, Verdict, exit_status
    from kassay.errors import InputError
    from kassay.oracles.collecting import uncollected
    from kassay.output import Block
    from kassay.simulation.exhaustive.exploring import MOST_MEMBERS
    from kassay.simulation.group import opened
    from kassay.simulation.search.promises import SAFETY

    if args.faults is not None or args.members > MOST_MEMBERS:
        raise InputError(f"--exhaustive: leave out --faults, and give at most {MOST_MEMBERS} --members")
    with opened(_setting(args), args.target, lambda family: options(args, family)) as group, uncollected():
        explored = group.explore(args.exhaustive)
        broken = {name: (sentence, steps) for name, sentence, steps in explored.breaches}
        number = sum(explored.states)
        judged = []
        for name in (one.__name__ for one in SAFETY):
            sentence, steps = broken.get(name, ("", 0))
            outcome = BROKEN if name in broken else KEPT if explored.whole else SKIPPED
            said = (
                f"{sentence}, after {steps} steps"
                if sentence
                else ""
                if explored.whole
                else "too many states"
            )
            judged.append(Verdict(group.name, name, outcome, said, (), number, int(name in broken)))
        yield _table(group, judged, "states")
        text = f"{number:,} states up to {len(explored.states) - 1} steps, {explored.steps:,} steps taken, members alike"
        record = {
            "record": "explored",
            "states": explored.states,
            "steps": explored.steps,
            "whole": explored.whole,
        }
        yield Block(
            text=text + ("" if explored.whole else ": stopped, as there are too many"), records=[record]
        )
    return exit_status(judged, strict=args.strict)


def _campaign(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.engine.verdict import BROKEN, exit_status
    from kassay.oracles.collecting import uncollected
    from kassay.simulation.group import opened
    from kassay.simulation.search.campaign import found, run_all
    from kassay.simulation.search.drawing import drawn, fitting
    from kassay.simulation.search.verdicts import verdicts

    setting, kinds = _setting(args), None if args.faults is None else args.faults.split(",")
    with opened(setting, args.target, lambda family: options(args, family)) as group:
        kinds = fitting(group.setting, kinds)
        with progress([group.name], args.schedules, "schedules") as report, uncollected():
            schedules = ((n, drawn(group.setting, kinds, args.seed, n)) for n in range(args.schedules))
            campaign, whole = run_all(group.run, schedules, lambda done: report(group.name, done))
            findings = found(campaign, group.run)
        judged = verdicts(campaign, findings, group.name, group.promises)
        yield _table(group, judged)
        for one in findings:
            yield _shown(args, group, one)
        yield _tried(args, group, campaign, whole=whole)
    status = exit_status(judged, strict=args.strict)
    return status if whole or any(one.outcome == BROKEN for one in judged) else 130


def _setting(args: argparse.Namespace) -> "Setting":
    from kassay.simulation.group import setting_of

    return setting_of(
        args.use or "consumer",
        args.coordinator or "proposal",
        args.members,
        args.partitions,
        static=args.static,
    )


def _replay(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.engine.verdict import exit_status
    from kassay.errors import InputError
    from kassay.files.trust import refuse_code
    from kassay.simulation.group import opened, read_schedule
    from kassay.simulation.search.campaign import Campaign, Found
    from kassay.simulation.search.promises import met
    from kassay.simulation.search.verdicts import verdicts

    given = [name for name in ("use", "coordinator", "faults") if getattr(args, name) is not None]
    if given:
        raise InputError(f"--replay: the file says all of the group; leave out {', '.join(given)}")
    saved = read_schedule(args.replay)
    if args.target is None:
        refuse_code(f"{args.replay}: target", [saved.target], trust=args.trust, instead="--assignor TARGET")
    schedule = saved.schedule
    with opened(schedule.setting, args.target or saved.target, lambda family: options(args, family)) as group:
        campaign = Campaign()
        outcome = group.run(schedule)
        campaign.add(saved.number, schedule, outcome)
        findings = [
            Found(name, sentence, saved.number, schedule, saved.minimised, met(schedule, name))
            for name, sentence in outcome.breaches
        ]
        judged = verdicts(campaign, findings, group.name, group.promises)
        yield _table(group, judged)
        yield _happened(args, group, Found("", "", saved.number, schedule, saved.minimised, ()))
    return exit_status(judged, strict=args.strict)


def _table(group: "Simulation", judged: "list[Verdict]", of: str = "schedules") -> "Block":
    from kassay.cli.verdicts import verdict_record
    from kassay.output import Block, JUnitCase
    from kassay.shape import TextTable

    rows = [[one.property, one.outcome, f"{one.breaches:,} of {one.judged:,}", one.message] for one in judged]
    return Block(
        f"{group.name} in a group of the use {group.setting.use}, coordinator {group.setting.coordinator}",
        grid=TextTable(["invariant", "verdict", of, "because"], rows),
        records=[verdict_record(one) for one in judged],
        cases=[JUnitCase(one.target, one.property, one.outcome, one.message) for one in judged],
    )


def _shown(args: argparse.Namespace, group: "Simulation", one: "Found") -> "Block":
    """Show a schedule that breaks an invariant: what breaks, the faults, the timeline, and how to see it again."""
    from dataclasses import replace

    from kassay.docstring import first_sentence
    from kassay.simulation.search.promises import INVARIANTS

    does = f"known to break in {'+'.join(one.known)}" if one.known else "broken"
    block = _happened(args, group, one)
    meaning = f"{one.invariant}: {first_sentence(INVARIANTS[one.invariant].__doc__)}"
    return replace(block, title=f"{one.invariant} ({does})", text=f"{meaning}\n{one.sentence}\n{block.text}")


def _happened(args: argparse.Namespace, group: "Simulation", one: "Found") -> "Block":
    from kassay.output import Block
    from kassay.output.block import json_line
    from kassay.simulation.group import save
    from kassay.simulation.picture.timeline import timeline, written
    from kassay.simulation.picture.wording import fault_line

    trace = timeline(group.run(one.schedule, trace=True).trace)
    saved = group.saved(one, args.seed)
    lines = written(trace).splitlines()
    cut = [f"... {len(lines) - SHOWN} lines before"] if len(lines) > SHOWN else []
    faults = [f"  {fault_line(fault)}" for fault in one.schedule.faults] or ["  none"]
    size = "smallest schedule" if one.minimised else "smallest schedule found in the tries there were"
    code = [f"seed {args.seed}, schedule {one.number}, {size}, as JSON: {json_line(saved)}"]
    if args.folder is not None:
        path = save(Path(args.folder), saved, trace)
        trust = " --trust" if ":" in saved.target else ""
        code.append(f"replay: kassay simulate --replay {path}{trust}   (diagram: {path.with_suffix('.svg')})")
    text = "\n".join(["faults:", *faults, "what happens:", *cut, *lines[-SHOWN:]])
    record: dict[str, Any] = {
        "record": "schedule",
        "invariant": one.invariant,
        "known": one.known,
        "schedule": saved,
    }
    return Block("what happens", text, code=code, records=[record])


def _tried(args: argparse.Namespace, group: "Simulation", campaign: "Campaign", *, whole: bool) -> "Block":
    from kassay.output import Block

    rounds = max(campaign.rounds, default=0)
    said = [
        f"{campaign.ran:,} schedules with seed {args.seed}"
        + ("" if whole else f" of {args.schedules:,}: interrupted"),
        f"stable at most {campaign.slowest_ms / 1000:g} s and {rounds} generations after the last fault",
    ]
    said += [f"the assignor failed: {failure}" for failure in group.failures]
    record = {
        "record": "simulated", "target": group.name, "schedules": campaign.ran, "seed": args.seed, "whole": whole,
        "slowest_ms": campaign.slowest_ms, "rounds": rounds, "failures": group.failures,
    }  # fmt: skip
    return Block(text="\n".join(said), records=[record])
