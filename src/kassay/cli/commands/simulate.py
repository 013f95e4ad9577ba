"""Put an assignor into a whole group under faults, and show the smallest schedule that breaks a promise of the group protocol."""

import argparse
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import add_http, add_limits, add_named, natural, options, positive
from kassay.cli.progress import progress
from kassay.cli.requirements import require_pages

if TYPE_CHECKING:
    from kassay.output import Block
    from kassay.simulation.schedule import Saved, Setting

JUDGES = True
CORPUS = 1_000
"""How far below 0 the numbers of schedules begin that are not drawn, but run first."""
LEFT_S = 0.8
"""For how long schedules are made smaller after an interrupt from the keyboard."""

EXAMPLE = "kassay simulate consumer --target consumer/cooperative-sticky --coordinator kafka@4.4.0 --faults crash,failover"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "use", nargs="?", metavar="USE", help="consumer, connect, streams or single-writer; default: consumer"
    )
    parser.add_argument(
        "--target", metavar="TARGET",
        help="what the leader assigns by, as `kassay check` takes it; default: the first that fits the use",
    )  # fmt: skip
    add_named(parser)
    parser.add_argument(
        "--coordinator",
        default=None,
        metavar="NAME",
        help="kafka@3.9.2, kafka@4.1.2, kafka@4.3.1, kafka@4.4.0, or a study that no broker runs: proposal, unpersisted; default: the newest of Kafka's",
    )
    parser.add_argument(
        "--faults", metavar="A,B,...", help="only these faults; default: all that fit the use"
    )
    parser.add_argument(
        "--schedules",
        type=positive,
        default=1000,
        metavar="K",
        help="how many schedules are drawn, after the known ones that are run first; default: 1000",
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
        help="draw nothing: visit all that can happen to a group that has formed in so many steps, in any order, with one of the --faults (by default the coordinator crashes); for 1 to 3 members",
    )  # fmt: skip
    parser.add_argument(
        "--replay", metavar="FILE", help="run the schedule of this file instead, and show what happens"
    )
    parser.add_argument(
        "--scenario", nargs="?", const="", metavar="NAME",
        help="play the schedule of this name instead, with any --coordinator; without a name: show which there are",
    )  # fmt: skip
    parser.add_argument(
        "--trust", action="store_true", help="run the assignor that the file names, also one that is code"
    )
    parser.add_argument(
        "--html", metavar="FILE",
        help="also write a page: the verdicts, and of each schedule that is shown its timeline and diagram",
    )  # fmt: skip
    parser.add_argument(
        "--all", action="store_true", help="tell every known defect, too, and of each run all messages"
    )
    parser.add_argument("--strict", action="store_true", help="let known defects fail (status 1), too")
    add_limits(parser)
    add_http(parser)


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield the verdicts on the invariants, then the smallest schedule for each that broke; see the contract for the status."""
    from kassay.files.writing import usable_folder

    if args.folder is not None:
        usable_folder(Path(args.folder))
    if args.html is not None:
        require_pages()
    return (yield from _kind(args)(args))


def _kind(args: argparse.Namespace) -> "Callable[[argparse.Namespace], Generator[Block, None, int]]":
    if args.replay:
        return _replay
    if args.scenario is not None:
        return _scenario if args.scenario else _scenarios
    return _exhaustive if args.exhaustive else _campaign


def _exhaustive(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.cli.saying.checking.results import verdict_record
    from kassay.cli.saying.simulated import ending, explored_groups, explored_headline, failing
    from kassay.engine.verdict import exit_status
    from kassay.errors import InputError
    from kassay.oracles.collecting import uncollected
    from kassay.output import Block, JUnitCase
    from kassay.simulation.group import opened
    from kassay.simulation.search.exhaustive import MOST_MEMBERS, USUAL
    from kassay.simulation.search.random_schedules import fitting
    from kassay.simulation.search.verdicts import explored_verdicts

    if args.html is not None or args.members > MOST_MEMBERS:
        wrong = ["leave out --html"] if args.html is not None else []
        wrong += [f"give at most {MOST_MEMBERS} --members"] if args.members > MOST_MEMBERS else []
        raise InputError(f"--exhaustive: {', and '.join(wrong)}")
    setting = _setting(args)
    kinds = USUAL if args.faults is None else tuple(fitting(setting, args.faults.split(",")))
    with opened(setting, args.target, lambda family: options(args, family)) as group, uncollected():
        explored = group.explore(args.exhaustive, kinds)
    judged = explored_verdicts(explored, group.name, group.promises)
    if group.answers is not None and group.answers.asked:
        judged += group.answers.verdicts()
    status = exit_status(judged, strict=args.strict)
    mark = "FAIL" if failing(judged, strict=args.strict) else "ok" if status == 0 else "open"
    yield Block(
        says=explored_headline(group, explored, judged),
        mark=mark,
        records=[verdict_record(one) for one in judged],
        cases=[JUnitCase(one.target, one.property, one.outcome, one.message) for one in judged],
    )
    yield explored_groups(explored, kinds)
    status = status if not explored.interrupted or status == 1 else 130
    yield ending(judged, status, strict=args.strict)
    return status


def _campaign(args: argparse.Namespace) -> "Generator[Block, None, int]":
    import time
    from itertools import chain

    from kassay.cli.saying.simulated import (
        answer_block,
        broken_answers,
        ending,
        harm,
        known_rows,
        next_lines,
        on_a_page,
        tried,
    )
    from kassay.cli.saying.stories import stories, story_blocks
    from kassay.engine.verdict import BROKEN, exit_status
    from kassay.oracles.collecting import uncollected
    from kassay.simulation.group import opened
    from kassay.simulation.search.campaign import found, run_all
    from kassay.simulation.search.random_schedules import corpus, drawn, fitting, varied
    from kassay.simulation.search.verdicts import verdicts

    setting, asked = _setting(args), None if args.faults is None else args.faults.split(",")
    fitting(setting, asked)
    with opened(setting, args.target, lambda family: options(args, family)) as group:
        kinds = fitting(varied(group.setting, -1), asked)
        with progress([group.name], args.schedules, "schedules") as report, uncollected():
            first = enumerate(corpus(group.setting, kinds), -CORPUS)
            settings = ((n, varied(group.setting, n)) for n in range(args.schedules))
            drawn_ = ((n, drawn(one, fitting(one, asked), args.seed, n)) for n, one in settings)
            campaign, whole = run_all(group.run, chain(first, drawn_), lambda done: report(group.name, done))
            until = float("inf") if whole else time.monotonic() + LEFT_S
            findings, minimised = found(campaign, group.run, until=until)
        whole = whole and minimised
        judged = verdicts(campaign, findings, group.name, group.promises)
        if group.answers is not None:
            judged += group.answers.verdicts()
        status = exit_status(judged, strict=args.strict)
        status = status if whole or any(one.outcome == BROKEN for one in judged) else 130
        every = stories(findings, campaign)
        known = [story for story in every if story.known]
        new = [story for story in every if not story.known]
        yield answer_block(group, judged, every, campaign, strict=args.strict, interrupted=not whole)
        yield from broken_answers(group)
        shown = every if args.all else [*new, *known[: not new]]
        for story in every:
            blocks = story_blocks(args, group, story, full=args.all)
            yield from blocks if story in shown else (_machines_alone(block) for block in blocks)
        rest = [story for story in known if story not in shown]
        if rest:
            yield known_rows(rest, campaign.ran)
        yield harm(judged, campaign.ran)
        if args.all or (whole and any(kind not in campaign.faults for kind in kinds)):
            yield tried(args, group, campaign, kinds, whole=whole)
        else:
            yield _machines_alone(tried(args, group, campaign, kinds, whole=whole))
        if args.html is not None:
            yield on_a_page(args, group, judged, findings, campaign)
        yield next_lines(args, shown=bool(shown))
        of = f" after {campaign.ran:,} of {args.schedules:,} runs"
        yield ending(judged, status, strict=args.strict, of=of)
    return status


def _machines_alone(block: "Block") -> "Block":
    """Leave of a block what programs read."""
    from kassay.output import Block

    return Block(records=block.records)


def _setting(args: argparse.Namespace) -> "Setting":
    from kassay.simulation.group import setting_of
    from kassay.simulation.machines import NEWEST

    return setting_of(
        args.use or "consumer",
        args.coordinator or NEWEST,
        args.members,
        args.partitions,
        static=args.static,
    )


def _replay(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.files.writing import refuse_code
    from kassay.simulation.group import read_schedule

    _leave_out(
        args, "--replay", "the file says all of the group", "coordinator", "faults", "exhaustive", "scenario"
    )
    saved = read_schedule(args.replay)
    if args.target is None:
        refuse_code(f"{args.replay}: target", [saved.target], trust=args.trust, instead="--target TARGET")
    return (yield from _play(args, saved))


def _scenarios(_args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Show the scenarios, chapter by chapter."""
    from kassay.output import Block
    from kassay.shape import TextTable
    from kassay.simulation.scenarios import CHAPTERS

    for title, scenarios in CHAPTERS.items():
        rows = [[name, one.says] for name, one in scenarios.items()]
        records = [{"record": "scenario", "name": name, "says": says} for name, says in rows]
        yield Block(title, grid=TextTable(["", ""], rows), records=records, prose=True)
    return 0


def _scenario(args: argparse.Namespace) -> "Generator[Block, None, int]":
    from kassay.simulation.group import coordinator_of
    from kassay.simulation.machines import NEWEST
    from kassay.simulation.scenarios import BEGINS_MS, named
    from kassay.simulation.schedule import saved

    _leave_out(args, "--scenario", "it says what the group is", "faults", "exhaustive")
    one = named(args.scenario)
    schedule = one.schedule(coordinator_of(args.coordinator or NEWEST))
    return (yield from _play(args, saved(schedule, target=one.target), one.says, BEGINS_MS))


def _leave_out(args: argparse.Namespace, option: str, why: str, *others: str) -> None:
    """Refuse what would say another group."""
    from kassay.errors import InputError

    given = ["USE"] if args.use is not None else []
    given += [f"--{name}" for name in others if getattr(args, name) is not None]
    if given:
        raise InputError(f"{option}: {why}; leave out {', '.join(given)}")


def _play(
    args: argparse.Namespace, saved: "Saved", says: str = "", since_ms: int = 0
) -> "Generator[Block, None, int]":
    """Run a schedule and tell what happens, from a time on."""
    from kassay.cli.saying.simulated import (
        answer_block,
        broken_answers,
        ending,
        next_lines,
        on_a_page,
    )
    from kassay.cli.saying.stories import stories, story_blocks
    from kassay.engine.verdict import exit_status
    from kassay.output import Block
    from kassay.simulation.group import opened
    from kassay.simulation.running import met
    from kassay.simulation.search.campaign import Campaign, Found
    from kassay.simulation.search.verdicts import verdicts

    schedule = saved.schedule
    with opened(schedule.setting, args.target or saved.target, lambda family: options(args, family)) as group:
        group.since_ms = since_ms
        campaign = Campaign()
        outcome = group.run(schedule)
        campaign.add(saved.number, schedule, outcome)
        findings = [
            Found(name, sentence, saved.number, schedule, saved.minimised, met(outcome, name))
            for name, sentence in outcome.breaches
        ]
        judged = verdicts(campaign, findings, group.name, group.promises)
        if group.answers is not None:
            judged += group.answers.verdicts()
        replayed = Found("", "", saved.number, schedule, saved.minimised, ())
        yield answer_block(group, judged, stories(findings, campaign), campaign, strict=args.strict)
        yield Block(prose=True, text=says)
        yield from broken_answers(group)
        for story in stories(findings or [replayed], campaign):
            yield from story_blocks(args, group, story, full=args.all)
        if args.html is not None:
            yield on_a_page(args, group, judged, findings or [replayed], campaign)
        status = exit_status(judged, strict=args.strict)
        yield next_lines(args, shown=True)
        yield ending(judged, status, strict=args.strict)
    return status
