"""Convert the output of Kafka's tools into groups."""

import argparse
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kassay.cli.options import (
    SERVER,
    add_live,
    add_order,
    get_option_group,
    is_live,
    refuse_options,
    take_groups,
)
from kassay.errors import InputError
from kassay.families.shape import Shape
from kassay.files.texts import name_file, read_bytes, refuse_neither
from kassay.model import TopicPartition
from kassay.output import Block
from kassay.output.block import json_line
from kassay.output.telling import tell, tell_rows
from kassay.sentences import format_size

if TYPE_CHECKING:
    from kassay.listings.reading import Taken

STREAMS = "streams"
"""Applications of Kafka Streams, which are consumer groups to the tools."""
IMPORTED = ["consumer", "broker", "share", STREAMS, "streams-group", "connect"]
OPTIONS = {
    "subscriptions": IMPORTED[:3],
    "config": IMPORTED[3:],
    "subtopology": [STREAMS],
    "end_offsets": [STREAMS],
    "stateful": ["streams-group"],
    "worker": ["connect"],
    "racks": IMPORTED[:4],
    "earlier": IMPORTED[:3],
    "member_racks": IMPORTED[:5],
}
"""Option -> the families of the groups that it says something of."""
TOLD = ("subscriptions", "stateful", "worker", "racks", "consumer_group")
"""Options on what tools do not print and a cluster tells."""
LIVE = "kassay import --bootstrap-server localhost:9092 --all > groups.jsonl"
EXAMPLE = "kassay import members.txt topics.txt --racks racks.txt > group.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE",
        help="output of kafka-consumer-groups, kafka-topics or Connect (- for standard input)",
    )  # fmt: skip
    add_live(parser)
    live = get_option_group(parser, "running cluster").add_mutually_exclusive_group()
    live.add_argument(
        "--group", action="append", default=[], metavar="NAME",
        help="with --bootstrap-server: import this group (repeatable)",
    )  # fmt: skip
    live.add_argument(
        "--all",
        action="store_true",
        dest="all_groups",
        help="with --bootstrap-server: import all readable groups",
    )
    group = get_option_group(parser, "groups")
    group.add_argument("--consumer-group", metavar="NAME", help="import only this group of the listing")
    group.add_argument(
        "--family", choices=IMPORTED, metavar="NAME",
        help=f"family of the groups: {', '.join(IMPORTED)} (default: as listed)",
    )  # fmt: skip
    group.add_argument(
        "--racks", metavar="FILE", help="racks of the brokers: one line BROKER RACK each, or JSON"
    )
    group.add_argument(
        "--member-racks", metavar="FILE", help="racks of the members, by member id, client id or host"
    )
    group.add_argument(
        "--subscriptions", choices=["all", "held", "listed"],
        help="topics of each member: all of the group, its own, or all listed (default: all)",
    )  # fmt: skip
    group.add_argument(
        "--earlier", metavar="FILE", help="an earlier listing; partitions then weigh their write rate"
    )
    group.add_argument(
        "--seconds", type=int, metavar="N", help="with --earlier: seconds between the two listings"
    )
    get_option_group(parser, "output").add_argument(
        "--anonymize", action="store_true",
        help="replace all names, and drop what is no part of the group",
    )  # fmt: skip
    add_order(parser)
    missing = get_option_group(parser, "not printed by the tools")
    missing.add_argument(
        "--subtopology", action="append", default=[], metavar="TOPIC,TOPIC:STORE,STORE",
        help="source topics and stores of a Kafka Streams subtopology, in order (default: inferred)",
    )  # fmt: skip
    missing.add_argument(
        "--config", action="append", default=[], metavar="NAME=VALUE",
        help="setting of the application or of Connect, such as num.standby.replicas=1 (repeatable)",
    )  # fmt: skip
    missing.add_argument("--stateful", metavar="ID,ID", help="stateful subtopologies of a streams group")
    missing.add_argument(
        "--worker", action="append", default=[], metavar="ID",
        help="an idle Connect worker, as HOST:PORT (repeatable)",
    )  # fmt: skip
    missing.add_argument(
        "--end-offsets", metavar="FILE", help="output of kafka-get-offsets for the changelog topics"
    )
    parser.set_defaults(usual_format="json")


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield a group for each consumer group; what was assumed or contradicts itself goes to standard error."""
    from kassay.listings import ListingError

    _refuse_mixed(args)
    if args.family is not None:
        _refuse_foreign_options(args, [args.family])
    try:
        yield from (_import_applications if args.family == STREAMS else _import_groups)(args)
    except ListingError as wrong:
        raise InputError(str(wrong)) from None
    yield Block(
        commands=[("kassay compare --group FILE", "the strategies on this output")],
        status="Exit status 0: the groups are read. Check what kassay assumed.",
    )
    return 0


def _refuse_mixed(args: argparse.Namespace) -> None:
    """Refuse files next to a cluster, neither of both, and options for what a cluster tells itself."""
    if not is_live(args):
        if args.group or args.all_groups:
            option = "--group" if args.group else "--all"
            raise InputError(
                f"{option}: is of a cluster. Add {SERVER} HOST:PORT (--consumer-group chooses one of a listing)"
            )
        if not args.files:
            raise InputError(
                f"import: the input is missing. Give FILE, or {SERVER} HOST:PORT. For example:",
                [EXAMPLE, LIVE],
            )
        return
    if not args.group and not args.all_groups:
        raise InputError(
            f"{SERVER} {args.bootstrap_server}: the group is missing. Add --group NAME, or --all"
        )
    if args.files and args.family != STREAMS:
        raise InputError(
            f"{args.files[0]}: is a listing, but the group is read from a cluster. Give only one of them"
        )
    refuse_options(args, SERVER, "the cluster tells it", *TOLD)


def _refuse_foreign_options(args: argparse.Namespace, found: list[str]) -> None:
    """Refuse options that mean nothing for groups of the families found."""
    for name, families in OPTIONS.items():
        if getattr(args, name) not in (None, []) and not set(found) & {*families}:
            raise InputError(
                f"--{name.replace('_', '-')}: is for --family {' or '.join(families)}, not {', '.join(found)}. Leave it out, or give "
                "groups of that family"
            )


def _import_groups(args: argparse.Namespace) -> Iterator[Block]:
    from kassay.families import family
    from kassay.files.writing import BESIDE, write_facts
    from kassay.listings.details import ListedDetails
    from kassay.listings.import_groups import read_listed

    details = ListedDetails(
        subscriptions=args.subscriptions or "all",
        stateful=None if args.stateful is None else args.stateful.split(","),
        config=args.config,
        workers=args.worker,
        only=args.consumer_group,
        earlier=_read_earlier(args),
        seconds=args.seconds or 0,
        subtopologies=args.subtopology,
        end_offsets=_read_end_offsets(args),
        as_consumers=args.family in IMPORTED[:2],
        **_read_racks(args),
    )
    taken = _ask_cluster(args)
    listings = read_listed(
        taken or _read_files(args), leader=args.order == "leader", details=details, of_family=args.family
    )
    only, of_family = args.consumer_group, args.family
    chosen = [one for one in listings if only in {None, one.name} and of_family in {None, one.family}]
    if not chosen:
        names = ", ".join(f"{one.name} ({one.family})" for one in listings) or "none"
        wanted = "no group" if args.consumer_group is None else f"no group {args.consumer_group!r}"
        of = f" of family {args.family}" if args.family else ""
        raise InputError(
            f"there is {wanted}{of} {'on the cluster, which tells of' if taken else 'in the listings, which show'}: {names}. "
            f"{'Name one of these' if taken else 'Give a listing of a group with members'}"
        )
    if all(one.problem for one in chosen):
        raise InputError(chosen[0].problem)
    for one in chosen:
        if one.problem:
            tell(f"left out: {one.name}: {one.problem}")
    chosen = [one for one in chosen if not one.problem]
    _refuse_foreign_options(args, sorted({one.family for one in chosen}))
    for one in chosen:
        record = {"name": one.name, "family": one.family, **one.record}
        shape = family(one.family).shape
        progress = one.beside.get("progress", {})
        says = report_group(one.name, shape, one.group, one.warnings, args.folder, progress)
        if args.anonymize:
            yield _replace_names(record, one.name, says)
            continue
        facts = {} if one.facts is None else {"facts": write_facts(one.facts)}
        beside = {BESIDE: {**one.beside, **facts}} if one.beside or facts else {}
        yield Block(one.name, says, shape.show(one.group, {}), records=[record | beside], prose=True)


def _read_earlier(args: argparse.Namespace) -> list[tuple[str, str]]:
    """Read the earlier listing; raise InputError if the seconds are missing or invalid."""
    if args.earlier is None:
        if args.seconds is not None:
            raise InputError("--seconds: is of an earlier listing. Give that with --earlier FILE")
        return []
    if args.seconds is None or not 0 < args.seconds < 2**31:
        raise InputError(
            f"--earlier {args.earlier}: the seconds between the two listings are missing. Add --seconds N, a whole number from 1"
        )
    return [_read_text(args.earlier)]


def _import_applications(args: argparse.Namespace) -> Iterator[Block]:
    from kassay.families import family
    from kassay.listings.applications import Details, read_applications
    from kassay.listings.topologies import read_settings
    from kassay.model.tasks_json import write_group

    details = Details(
        settings=read_settings(args.config),
        subtopologies=args.subtopology,
        end_offsets=_read_end_offsets(args),
        leader=args.order == "leader",
        **_read_racks(args),
    )
    found = read_applications(_read_files(args), details, args.consumer_group, _ask_cluster(args))
    for one in found:
        record = {"name": one.name, "family": STREAMS} | write_group(one.application)
        says = report_group(one.name, family(STREAMS).shape, one.application, one.warnings, args.folder, {})
        if args.anonymize:
            yield _replace_names(record, one.name, says)
            continue
        yield Block(one.name, says, code=[json_line(record)], records=[record])


def _replace_names(record: Mapping[str, Any], name: str, says: str) -> Block:
    """Return a group under other names, and print that answers may depend on hashes of names."""
    from kassay.listings.anonymous import replace_names

    hidden = replace_names(record)
    tell(
        f"{name}: all names are replaced, and sort as before. Assignors that hash names may answer differently."
    )
    return Block(says=says.removeprefix(f"{name}: "), code=[json_line(hidden)], records=[hidden])


def _read_end_offsets(args: argparse.Namespace) -> dict[TopicPartition, int] | None:
    from kassay.listings.topologies import read_end_offsets

    return None if args.end_offsets is None else read_end_offsets(*_read_text(args.end_offsets))


def _ask_cluster(args: argparse.Namespace) -> "Taken | None":
    """Return the groups of the cluster, None without one, and print which groups are left out."""
    if not is_live(args):
        return None
    taken = take_groups(args, args.group)
    for said in taken.left_out:
        tell(f"left out: {said}")
    return taken


def _read_text(path: str) -> tuple[str, str]:
    from kassay.listings import decode

    return name_file(path), decode(name_file(path), read_bytes(path))


def _read_files(args: argparse.Namespace) -> list[tuple[str, str]]:
    """Read the files; raises InputError if one is nothing that the tools print."""
    from kassay.listings.import_groups import is_listed
    from kassay.listings.texts import is_noise
    from kassay.listings.topologies import is_described

    files = [_read_text(path) for path in args.files]
    for name, text in files:
        if is_described(text):
            if args.family not in {None, STREAMS} and not is_listed(text):
                raise InputError(f"{name}: is a topology of Kafka Streams. Give it with --family {STREAMS}")
            continue
        if not is_listed(text) and not any(is_noise(line) for line in text.splitlines()):
            refuse_neither(name, text)
    return files


def _read_racks(args: argparse.Namespace) -> dict[str, Any]:
    from kassay.listings import read_broker_racks, read_member_racks

    readers = {
        "broker_racks": (read_broker_racks, args.racks),
        "member_racks": (read_member_racks, args.member_racks),
    }
    return {name: read(*_read_text(path)) for name, (read, path) in readers.items() if path is not None}


def report_group(
    name: str,
    shape: Shape,
    group: Any,
    warnings: Sequence[str],
    folder: str | None,
    progress: Mapping[str, Sequence[Sequence[int | None]]],
) -> str:
    """Print on standard error what was made, how far it lags, what to check, and what was assumed; return the first line of it.

    `progress` has by topic what is committed of each partition, and where it ends.
    """
    from kassay.listings.import_groups import ORDERED
    from kassay.listings.location import Assumed

    sizes = ", ".join(format_size(size(group), what) for what, size in shape.sizes.items())
    says = f"{name}: {sizes} -> {folder or 'standard output'}"
    told = [said for said in warnings if said != ORDERED]
    rows = [("lag", describe_lag(progress))] if progress else []
    rows += [("check", said) for said in told if not isinstance(said, Assumed)]
    rows += [("assumed", said) for said in told if isinstance(said, Assumed)]
    tell_rows(says, rows)
    return says


def describe_lag(progress: Mapping[str, Sequence[Sequence[int | None]]]) -> str:
    """Return how many records are behind what is committed, and where most of them are."""
    behind = {
        f"{topic}-{number}": end - committed
        for topic, partitions in progress.items()
        for number, (committed, end) in enumerate(partitions)
        if committed is not None and end is not None
    }
    every = sum(map(len, progress.values()))
    unknown = f"; not known of {every - len(behind):,} of {every:,} partitions" if len(behind) < every else ""
    if not any(behind.values()):
        return f"none{unknown}" if behind else f"not known of any of {every:,} partitions"
    most = max(behind, key=lambda one: behind[one])
    return f"{sum(behind.values()):,} records, most at {most} ({behind[most]:,}){unknown}"
