"""Run a whole group under faults and show the smallest failing run."""

import argparse
import shlex
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

from kassay.cli import external_simulation
from kassay.cli.options import (
    OF_A_GROUP,
    add_assignor_name,
    add_http,
    add_limits,
    add_page,
    build_options,
    check_page,
    get_option_group,
    parse_natural,
    parse_positive,
    parse_seconds,
    refuse_options,
)
from kassay.cli.progress import show_progress
from kassay.engine.verdict import exit_status
from kassay.errors import InputError
from kassay.families.shape import TextTable
from kassay.output import Block
from kassay.output.block import BROKEN, MARKS
from kassay.protocol.server.addresses import is_address

if TYPE_CHECKING:
    from kassay.cli.render.simulate import Story
    from kassay.protocol.simulation.group import Judged, Simulation
    from kassay.protocol.simulation.schedule import Saved, Setting

JUDGES = True
SCHEDULES = 1_000
"""The number of generated runs."""
LIMIT_S = 300.0
"""The time in which the simulated runs of a command end, in seconds."""
EXAMPLE = "kassay simulate consumer --target consumer/cooperative-sticky --coordinator kafka@4.4.0 --faults crash,failover"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "use",
        nargs="?",
        metavar="USE",
        help="consumer, connect, streams or single-writer (default: consumer)",
    )
    group = get_option_group(parser, "groups")
    group.add_argument(
        "--target", metavar="TARGET", help="assignor of the group leader (default: first that fits USE)"
    )
    group.add_argument(
        "--coordinator", default=None, metavar="NAME",
        help="kafka@3.9.2, kafka@4.1.2, kafka@4.3.1, kafka@4.4.0 (default), proposal, unpersisted, HOST:PORT",
    )  # fmt: skip
    group.add_argument("--members", type=parse_positive, metavar="N", help="number of members (default: 2)")
    group.add_argument(
        "--partitions", metavar="N,...", help="partitions (or tasks) of each topic (default: 2)"
    )
    group.add_argument("--static", action="store_true", default=None, help="use static members (KIP-345)")
    runs = get_option_group(parser, "runs")
    runs.add_argument(
        "--faults", metavar="A,B,...", help="inject only these faults (default: all that fit USE)"
    )
    runs.add_argument(
        "--schedules", type=parse_positive, metavar="K",
        help=f"number of generated runs (default: {SCHEDULES}; on the real clock: {external_simulation.SCHEDULES})",
    )  # fmt: skip
    runs.add_argument(
        "--seed", type=parse_natural, default=0, metavar="N", help="seed of the runs (default: 0)"
    )
    runs.add_argument(
        "--exhaustive", type=parse_positive, metavar="STEPS",
        help="visit all event orders up to STEPS, with one fault and 1 to 3 members",
    )  # fmt: skip
    runs.add_argument(
        "--time-limit", type=parse_seconds, metavar="SECONDS",
        help=f"end the runs in this time, and count what is left (default: {LIMIT_S:g})",
    )  # fmt: skip
    runs.add_argument("--replay", metavar="FILE", help="replay the run in FILE")
    runs.add_argument(
        "--scenario", nargs="?", const="", metavar="NAME", help="run this scenario (without NAME: list all)"
    )
    add_page(parser, "a sequence diagram of each run")
    output = get_option_group(parser, "output")
    output.add_argument("--all", action="store_true", help="show all known defects and all messages")
    output.add_argument("--strict", action="store_true", help="let known defects fail")
    external_simulation.add_arguments(parser)
    add_assignor_name(parser)
    get_option_group(parser, "more").add_argument(
        "--trust", action="store_true", help="run the third-party code that FILE names"
    )
    add_limits(parser)
    add_http(parser)


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the verdicts on the invariants, then the smallest schedule for each that broke; see the contract for the status."""
    check_page(args)
    action: Callable[[argparse.Namespace], Generator[Block, None, int]]
    if args.client is not None:
        action = external_simulation.simulate_client
    elif is_address(args.coordinator):
        action = external_simulation.simulate
    elif args.replay:
        saved = external_simulation.load_replay(args, "coordinator", "scenario", "exhaustive", "time_limit")
        return (yield from _play(args, saved))
    elif args.scenario is not None:
        action = _play_scenario if args.scenario else _list_scenarios
    else:
        action = _explore if args.exhaustive else _search
    return (yield from action(args))


def _explore(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the violations in all event orders up to a number of steps."""
    from kassay.cli.render.simulate import (
        build_answer_block,
        describe_exit_status,
        render_exploration_headline,
        render_explored_groups,
    )
    from kassay.oracles.gc_paused import pause_gc
    from kassay.protocol.simulation.campaign import list_fitting_faults
    from kassay.protocol.simulation.exhaustive import MOST_MEMBERS, USUAL
    from kassay.protocol.simulation.group import open_simulation

    setting = _build_setting(args)
    refuse_options(args, "--exhaustive", "has no single run to show", "html")
    if setting.members > MOST_MEMBERS:
        raise InputError(f"--exhaustive: too many members. Give at most {MOST_MEMBERS} --members")
    kinds = USUAL if args.faults is None else tuple(list_fitting_faults(setting, args.faults.split(",")))
    with (
        open_simulation(setting, args.target, lambda family: build_options(args, family)) as group,
        pause_gc(),
    ):
        explored, judged = group.explore(args.exhaustive, kinds, limit_s=args.time_limit or LIMIT_S)
    status = exit_status(judged, strict=args.strict)
    yield build_answer_block(render_exploration_headline(group, explored, judged), judged, MARKS[status])
    yield render_explored_groups(explored, kinds)
    status = status if not explored.interrupted or status == 1 else 130
    yield Block(status=describe_exit_status(judged, status, strict=args.strict))
    return status


def _search(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the violations in generated runs."""
    from kassay.cli.render.simulate import (
        describe_coverage,
        describe_impact,
        describe_left_runs,
        group_findings,
        render_answer,
        render_broken_answers,
        render_known,
        render_story,
    )
    from kassay.oracles.gc_paused import pause_gc
    from kassay.protocol.simulation.campaign import list_fitting_faults
    from kassay.protocol.simulation.group import list_unexercised, open_simulation, save_findings

    setting, asked = _build_setting(args), None if args.faults is None else args.faults.split(",")
    list_fitting_faults(setting, asked)
    number = args.schedules or SCHEDULES
    with open_simulation(setting, args.target, lambda family: build_options(args, family)) as group:
        with show_progress([group.name], number, "runs") as report, pause_gc():
            limit_s = args.time_limit or LIMIT_S
            result = group.search(
                asked, number, args.seed, lambda done: report(group.name, done), limit_s=limit_s
            )
        result = save_findings(result, args.folder)
        every, ran = group_findings(result), result.campaign.ran
        known = [story for story in every if story.known]
        new = [story for story in every if not story.known]
        yield render_answer(group, result, every, strict=args.strict)
        yield from render_broken_answers(group)
        shown = every if args.all else [*new, *known[: not new]]
        for story in every:
            blocks = render_story(args, story)
            yield from blocks if story in shown else (_keep_records(block) for block in blocks)
        rest = [story for story in known if story not in shown]
        if rest:
            yield render_known(rest, ran)
        yield describe_impact(result.verdicts, ran)
        struck = describe_coverage(args, group, result)
        missing = bool(list_unexercised(result.campaign.exercised or {})) or result.campaign.endless > 0
        missing |= result.campaign.left > 0
        missing |= result.whole and any(kind not in result.campaign.faults for kind in result.kinds)
        yield struck if args.all or missing else _keep_records(struck)
        of = f" after {ran:,} of {number:,} runs"
        left = describe_left_runs(result.campaign, limit_s)
        return (yield from _end_simulation(args, group, result, every, of=of, left=left))


def _end_simulation(
    args: argparse.Namespace,
    group: "Simulation",
    result: "Judged",
    every: "Sequence[Story]",
    *,
    of: str = "",
    left: str = "",
) -> Generator[Block, None, int]:
    """Yield the page if one is asked for, the next commands, and the exit status: 3 if nothing broke, and runs are `left`."""
    from kassay.cli.render.simulate import describe_exit_status, list_next_commands, write_page
    from kassay.protocol.simulation.group import INVARIANTS

    if args.html is not None:
        yield write_page(args, group, result, every)
    broke = any(one.outcome == BROKEN for one in result.verdicts)
    status = exit_status(result.verdicts, strict=args.strict) if result.whole or broke else 130
    status = 3 if left and status == 0 else status
    if result.unwritable is not None:
        raise result.unwritable
    commands = [*list_next_commands(args, every)]
    if any(one.outcome == BROKEN and one.property not in INVARIANTS for one in result.verdicts):
        commands.append((f"kassay check {shlex.quote(group.name)}", "on every kind of group"))
    ends = describe_exit_status(result.verdicts, status, strict=args.strict, of=of, why=left)
    yield Block(commands=commands, status=ends)
    return status


def _keep_records(block: Block) -> Block:
    """Return a block with nothing but the records of another one."""
    return Block(records=block.records)


def _build_setting(args: argparse.Namespace) -> "Setting":
    from kassay.protocol.simulation.group import parse_setting
    from kassay.protocol.simulation.steps import NEWEST

    coordinator = args.coordinator or NEWEST
    return parse_setting(args.use, coordinator, args.members, args.partitions, static=args.static)


def _list_scenarios(_args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the scenarios, chapter by chapter."""
    from kassay.protocol.simulation.schedule import CHAPTERS

    for title, scenarios in CHAPTERS.items():
        rows = [[name, one.says] for name, one in scenarios.items()]
        records = [{"record": "scenario", "name": name, "says": says} for name, says in rows]
        yield Block(title, grid=TextTable(["", ""], rows), records=records, prose=True)
    return 0


def _play_scenario(args: argparse.Namespace) -> Generator[Block, None, int]:
    from kassay.protocol.simulation.group import check_coordinator
    from kassay.protocol.simulation.schedule import BEGINS_MS, build_saved, find_scenario
    from kassay.protocol.simulation.steps import NEWEST

    refuse_options(args, "--scenario", "it defines the group", *OF_A_GROUP, "exhaustive", "time_limit")
    one = find_scenario(args.scenario)
    schedule = one.schedule(check_coordinator(args.coordinator or NEWEST))
    return (yield from _play(args, build_saved(schedule, target=one.target), one.says, BEGINS_MS))


def _play(
    args: argparse.Namespace, saved: "Saved", says: str = "", since_ms: int = 0
) -> Generator[Block, None, int]:
    """Yield the messages and violations of a saved run, from a time on."""
    from kassay.cli.render.simulate import group_findings, render_answer, render_broken_answers, render_story
    from kassay.protocol.simulation.group import open_simulation, save_findings

    schedule = saved.schedule
    with open_simulation(
        schedule.setting, args.target or saved.target, lambda family: build_options(args, family)
    ) as group:
        result = save_findings(group.play(saved, since_ms), args.folder)
        every = group_findings(result)
        yield render_answer(group, result, every, strict=args.strict)
        yield Block(prose=True, text=says)
        yield from render_broken_answers(group)
        for story in every:
            yield from render_story(args, story)
        return (yield from _end_simulation(args, group, result, every))
