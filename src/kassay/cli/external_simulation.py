"""`kassay simulate` with an external coordinator or client, on the real clock."""

import argparse
import shlex
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

from kassay.cli.options import (
    OF_A_GROUP,
    build_options,
    get_option_group,
    parse_positive,
    refuse_options,
    require_extra,
)
from kassay.cli.progress import show_progress
from kassay.engine.verdict import exit_status
from kassay.errors import InputError
from kassay.output import Block
from kassay.output.block import BROKEN
from kassay.protocol.server.addresses import is_address

if TYPE_CHECKING:
    from kassay.protocol.server.external_cluster import Cluster
    from kassay.protocol.simulation.group import Judged, Simulation
    from kassay.protocol.simulation.schedule import Saved, Schedule, Setting

SCHEDULES = 50
"""The number of schedules that are drawn if the clock is real."""
AT_ONCE = 50
"""The number of groups that run at a time at an external coordinator."""
SAYS_ALL = "the file defines the group"
CLIENTS, CLIENT_SCHEDULES = 8, 40
"""The number of clients that run at a time, and of schedules."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of external coordinators and clients."""
    external = get_option_group(parser, "external coordinator or client", "on the real clock")
    external.add_argument(
        "--client", metavar="COMMAND",
        help=f"test a real consumer that reads KASSAY_BOOTSTRAP, KASSAY_GROUP, KASSAY_TOPICS ({CLIENT_SCHEDULES} runs)",
    )  # fmt: skip
    external.add_argument(
        "--like",
        metavar="NAME",
        help="compare HOST:PORT with this release, such as kafka@4.3.1 (default: newest)",
    )
    external.add_argument(
        "--at-once", type=parse_positive, metavar="N",
        help=f"number of groups in parallel (default: {CLIENTS} for --client, else {AT_ONCE})",
    )  # fmt: skip
    external.add_argument("--no-questions", action="store_true", help="skip the comparison of responses")
    add_broker_options(external)


def add_broker_options(parser: argparse._ActionsContainer) -> None:
    """Add how an external broker is asked."""
    parser.add_argument(
        "--old-versions", action="store_true",
        help="use request versions without tagged fields (KIP-482), such as JoinGroup 5",
    )  # fmt: skip
    parser.add_argument(
        "--allow-remote",
        action="store_true",
        help="allow a broker that is not on loopback (with --group-prefix)",
    )
    parser.add_argument("--group-prefix", metavar="PREFIX", help="prefix of the names of the test groups")


def simulate(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Run schedules at an external coordinator, and yield its violations and its differences from Kafka."""
    from kassay.cli.render.simulate import render_external
    from kassay.protocol.server.external_groups import STRIKING, CampaignPlan, build_result, run_plan
    from kassay.protocol.server.outside_invariants import COORDINATOR_INVARIANTS
    from kassay.protocol.simulation.campaign import list_fitting_faults
    from kassay.protocol.simulation.group import open_simulation, save_findings
    from kassay.protocol.simulation.steps import BEHAVIOURS

    cluster = connect_cluster(args, args.coordinator)
    saved = None if args.replay is None else load_replay(args)
    setting = _build_setting(args, saved)
    asked = None if args.faults is None else args.faults.split(",")
    kinds = list_fitting_faults(setting, asked)
    _refuse_foreign(kinds, STRIKING, named=asked is not None)
    target = args.target or (saved.target if saved else None)
    with open_simulation(setting, target, lambda family: build_options(args, family)) as group:
        name = f"coordinator:{cluster.place}"
        schedules = [*_draw_schedules(args, group, [kind for kind in kinds if kind in STRIKING], saved)]
        asks = args.replay is None and not args.no_questions
        plan = CampaignPlan(
            schedules, group.machines, args.at_once or AT_ONCE, BEHAVIOURS[setting.coordinator], asks=asks
        )
        with show_progress([name], len(schedules), "schedules") as report:
            ran = run_plan(cluster, plan, lambda done: report(name, done))
        target = "" if group.answers is None else group.name
        result = save_findings(
            build_result(ran, name, target, group.promises, COORDINATOR_INVARIANTS, args.seed), args.folder
        )
        yield from render_external(args, group, cluster, ran, result)
        differs = bool(ran.differences or ran.odd)
        why = (
            f"the coordinator died after {len(ran.outcomes):,} of {len(schedules):,} runs" if ran.dead else ""
        )
        return (yield from _end(args, result, len(schedules), differs=differs, why=why))


def _end(
    args: argparse.Namespace, result: "Judged", number: int, *, differs: bool = False, why: str = ""
) -> Generator[Block, None, int]:
    """Yield the next commands and the exit status; raise UnwritableError if a schedule could not be saved.

    `number` is the number of planned runs; `differs` is True if responses differ from Kafka's. `why` is the reason if the runs could not be
    completed.
    """
    from kassay.cli.render.simulate import describe_exit_status, group_findings, list_next_commands

    status = exit_status(result.verdicts, strict=args.strict)
    if status == 0 and args.strict and differs:
        status = 1
    if status == 0 and why:
        status = 3
    if not result.whole and not any(one.outcome == BROKEN for one in result.verdicts):
        status = 130
    if result.unwritable is not None:
        raise result.unwritable
    of = f" after {result.campaign.ran:,} of {number:,} runs"
    ends = describe_exit_status(result.verdicts, status, strict=args.strict, of=of, why=why)
    yield Block(commands=[*list_next_commands(args, group_findings(result))], status=ends)
    return status


def connect_cluster(args: argparse.Namespace, address: str) -> "Cluster":
    """Return the cluster at an address, with what the options say of it; raises InputError."""
    require_extra("wire", "--coordinator HOST:PORT needs")
    from kassay.protocol.server.addresses import parse_coordinator_address
    from kassay.protocol.server.external_cluster import Cluster, build_prefix, check_prefix

    place = parse_coordinator_address(address)
    if args.allow_remote and args.group_prefix is None:
        raise InputError(
            "--allow-remote: --group-prefix is missing. Add a prefix that no group of the cluster has."
        )
    prefix = build_prefix() if args.group_prefix is None else check_prefix(args.group_prefix)
    return Cluster(place, prefix, remote=args.allow_remote, old=args.old_versions)


def load_replay(args: argparse.Namespace, *others: str) -> "Saved":
    """Read the run that --replay names; raise InputError if options contradict it, or if it runs untrusted code."""
    from kassay.files.writing import refuse_code
    from kassay.protocol.simulation.group import read_schedule

    refuse_options(args, "--replay", SAYS_ALL, *OF_A_GROUP, *others)
    saved = read_schedule(args.replay)
    if args.target is None:
        refuse_code(f"{args.replay}: target", [saved.target], trust=args.trust, instead="--target TARGET")
    return saved


def _build_setting(args: argparse.Namespace, saved: "Saved | None") -> "Setting":
    from kassay.protocol.simulation.group import parse_setting
    from kassay.protocol.simulation.steps import NEWEST

    where = f"--coordinator {args.coordinator}"
    refuse_options(args, where, "runs on the real clock", "exhaustive", "scenario", "time_limit")
    like = args.like or NEWEST
    if not like.startswith("kafka@"):
        raise InputError(
            f"--like {like}: is not a release of Kafka's coordinator. Give one such as {NEWEST}."
        )
    if saved is not None:
        from msgspec.structs import replace

        coordinator = parse_setting(None, like, None, None, static=None).coordinator
        return replace(saved.schedule.setting, coordinator=coordinator)
    return parse_setting(args.use, like, args.members, args.partitions, static=args.static)


def _draw_schedules(
    args: argparse.Namespace, group: "Simulation", kinds: list[str], saved: "Saved | None"
) -> "Iterator[tuple[int, Schedule]]":
    """Yield the schedules that are known to find something, then those that are drawn; or the one that is replayed."""
    from msgspec.structs import replace

    from kassay.protocol.simulation.campaign import (
        draw_schedule,
        list_fitting_faults,
        read_corpus,
        vary_setting,
    )

    if saved is not None:
        _refuse_foreign([fault.kind for fault in saved.schedule.faults], frozenset(kinds), named=True)
        yield saved.number, replace(saved.schedule, setting=group.setting)
        return
    yield from enumerate(read_corpus(group.setting, kinds), -1_000)
    allowed = {*kinds, *["twin"] * (args.faults is None)}
    for number in range(args.schedules or SCHEDULES):
        setting = vary_setting(group.setting, number)
        own = [kind for kind in list_fitting_faults(setting, None) if kind in allowed]
        yield number, draw_schedule(setting, own, args.seed, number)


def _refuse_foreign(kinds: list[str], striking: frozenset[str], *, named: bool) -> None:
    """Refuse faults that are asked for and that cannot be caused in an external coordinator."""
    foreign = [kind for kind in kinds if kind not in striking]
    if foreign and named:
        raise InputError(f"--faults: {foreign[0]!r} needs a simulated coordinator. Leave it out.")


def simulate_client(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Let a client be a member of groups under faults, and yield its violations."""
    from kassay.cli.render.simulate import render_client

    require_extra("wire", "--client needs")
    from kassay.protocol.server.client_groups import ClientPlan, run_clients
    from kassay.protocol.server.client_session import Bounds
    from kassay.protocol.server.external_groups import build_result
    from kassay.protocol.server.outside_invariants import CLIENT_INVARIANTS
    from kassay.protocol.simulation.group import save_findings

    command, setting = _split_command(args), _build_client_setting(args)
    schedules = [*_draw_client_schedules(args, setting)]
    limits = build_options(args, "consumer").limits
    bounds = Bounds(limits.start_s, limits.start_s, limits.memory_mb, limits.line_mb)
    plan = ClientPlan(command, schedules, args.at_once or CLIENTS, bounds)
    with show_progress([args.client], len(schedules), "runs") as report:
        ran = run_clients(plan, lambda done: report(args.client, done))
    result = save_findings(
        build_result(ran, f"client:{args.client}", "", None, CLIENT_INVARIANTS, args.seed), args.folder
    )
    yield from render_client(args, setting, result)
    return (yield from _end(args, result, len(schedules)))


def _split_command(args: argparse.Namespace) -> list[str]:
    """Return the words of the client's command."""
    others = ["exhaustive", "scenario", "target", "static", "time_limit"]
    others += ["coordinator"] * is_address(args.coordinator) + ["use"] * (args.use != "consumer")
    refuse_options(args, "--client", "a client is a consumer on the real clock", *others)
    try:
        words = shlex.split(args.client.removeprefix("client:"))
    except ValueError as wrong:
        raise InputError(f"--client {args.client}: {wrong}. Close the quotes.") from None
    if not words:
        raise InputError("--client: the command is empty. Give one such as 'python my_consumer.py'.")
    return words


def _build_client_setting(args: argparse.Namespace) -> "Setting":
    from kassay.protocol.simulation.group import parse_setting, read_schedule
    from kassay.protocol.simulation.steps import NEWEST

    setting = parse_setting(
        "consumer", args.coordinator or NEWEST, args.members, args.partitions, static=False
    )
    if args.replay is not None:
        refuse_options(args, "--replay", SAYS_ALL, *OF_A_GROUP, "coordinator")
        setting = read_schedule(args.replay).schedule.setting
    if setting.use != "consumer" or setting.static:
        raise InputError(
            f"--replay {args.replay}: is of {setting.use} with static={setting.static}. Give a run of dynamic consumers."
        )
    if not setting.coordinator.startswith("kafka@"):
        raise InputError(
            f"--coordinator {setting.coordinator}: no client supports this protocol. Give a release of Kafka."
        )
    return setting


def _draw_client_schedules(args: argparse.Namespace, setting: "Setting") -> "Iterator[tuple[int, Schedule]]":
    """Yield a schedule without faults, then those that are drawn; or the one that is replayed."""
    from kassay.protocol.server.client_groups import FOREIGN, redirect_faults
    from kassay.protocol.simulation.campaign import draw_schedule, list_fitting_faults
    from kassay.protocol.simulation.group import read_schedule
    from kassay.protocol.simulation.schedule import Schedule

    asked = None if args.faults is None else args.faults.split(",")
    kinds = list_fitting_faults(setting, asked)
    foreign = [kind for kind in kinds if kind in FOREIGN]
    if asked is not None and foreign:
        raise InputError(f"--faults: {foreign[0]!r} cannot be injected into a client. Leave it out.")
    if args.replay is not None:
        saved = read_schedule(args.replay)
        yield saved.number, redirect_faults(saved.schedule)
        return
    yield 0, Schedule(setting, ())
    own = [kind for kind in kinds if kind not in FOREIGN]
    for number in range(1, args.schedules or CLIENT_SCHEDULES):
        yield number, redirect_faults(draw_schedule(setting, own, args.seed, number))
