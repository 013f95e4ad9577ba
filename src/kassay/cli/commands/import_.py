"""Make groups of what kafka-consumer-groups and kafka-topics print."""

import argparse
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from kassay.cli.options import add_order
from kassay.cli.warning import warned

if TYPE_CHECKING:
    from kassay.output import Block

EXAMPLE = "kassay import members.txt topics.txt --racks racks.txt > group.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE",
        help="what kafka-consumer-groups --describe --members --verbose and kafka-topics --describe print; - is standard input",
    )  # fmt: skip
    parser.add_argument(
        "--racks",
        metavar="FILE",
        help='racks of the brokers: a line \'BROKER RACK\' each, or JSON {"1": "a"}',
    )
    parser.add_argument(
        "--member-racks", metavar="FILE", help="racks of the members, by member id, client id or host"
    )
    parser.add_argument(
        "--subscriptions", choices=["all", "held", "listed"],
        help="what members subscribe to, which the tools do not print: all topics the group holds, those they hold "
        "themselves, or all of the topics listing too; default: all",
    )  # fmt: skip
    add_order(parser)
    parser.add_argument("--consumer-group", metavar="NAME", help="only this consumer group of the listing")
    parser.add_argument(
        "--family", choices=["consumer", "streams"], default="consumer",
        help="what the members are: consumers, or threads of an application of Kafka Streams; default: consumer",
    )  # fmt: skip
    streams = parser.add_argument_group("what the tools do not print of an application of Kafka Streams")
    streams.add_argument(
        "--subtopology", action="append", default=[], metavar="TOPIC,TOPIC:STORE,STORE",
        help="topics that a subtopology reads and stores that it has, as 'orders,users:counts', 'orders:' without a store, 'orders' "
        "where the listings tell the stores; in Kafka's order; default: told by where partitions are, and how many",
    )  # fmt: skip
    streams.add_argument(
        "--config", action="append", default=[], metavar="NAME=VALUE",
        help="a setting, such as num.standby.replicas=1; default: Kafka's",
    )  # fmt: skip
    streams.add_argument(
        "--end-offsets", metavar="FILE",
        help="what kafka-get-offsets prints of the changelogs: how much a client without the state has to restore",
    )  # fmt: skip
    parser.set_defaults(usual_format="json")


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield a group for each consumer group; what was assumed or contradicts itself goes to standard error."""
    from kassay.errors import InputError
    from kassay.kafka_tools import ListingError

    _refuse_of_others(args)
    try:
        yield from (_applications if args.family == "streams" else _groups)(args)
    except ListingError as wrong:
        raise InputError(str(wrong)) from None
    return 0


def _refuse_of_others(args: argparse.Namespace) -> None:
    from kassay.errors import InputError

    of = {"consumer": ["subscriptions"], "streams": ["subtopology", "config", "end_offsets"]}
    for family, names in of.items():
        for name in names:
            if getattr(args, name) not in (None, []) and family != args.family:
                raise InputError(
                    f"--{name.replace('_', '-')}: is for --family {family}, not {args.family}; leave it out, or give that family"
                )


def _groups(args: argparse.Namespace) -> "Iterator[Block]":
    from kassay.errors import InputError
    from kassay.families.consumer import CONSUMER
    from kassay.files.reading import Read
    from kassay.kafka_tools.listed import read_listed
    from kassay.output import Block
    from kassay.shapes.partitions.text_tables import show

    listings = read_listed(
        _files(args), leader=args.order == "leader", subscriptions=args.subscriptions or "all", **_racks(args)
    )
    chosen = [one for one in listings if args.consumer_group in {None, one.name}]
    if not chosen:
        names = ", ".join(one.name for one in listings) or "none"
        wanted = (
            "no consumer group"
            if args.consumer_group is None
            else f"no consumer group {args.consumer_group!r}"
        )
        raise InputError(
            f"there is {wanted} in the listings, which show: {names}; give a listing of a group with members"
        )
    for read in warned([Read(one.name, one.group, one.warnings) for one in chosen]):
        record = {"name": read.where} | CONSUMER.write_group(read.value)
        yield Block(read.where, "\n".join(read.warnings), show(read.value, {}), records=[record])


def _applications(args: argparse.Namespace) -> "Iterator[Block]":
    from kassay.files.reading import Read
    from kassay.kafka_tools.streams.applications import Details, read_applications
    from kassay.kafka_tools.streams.end_offsets import read_end_offsets
    from kassay.kafka_tools.streams.settings import read_settings
    from kassay.model.tasks_json import write_group
    from kassay.output import Block
    from kassay.output.block import json_line

    details = Details(
        settings=read_settings(args.config),
        subtopologies=args.subtopology,
        end_offsets=None if args.end_offsets is None else read_end_offsets(*_text(args.end_offsets)),
        leader=args.order == "leader",
        **_racks(args),
    )
    found = read_applications(_files(args), details, args.consumer_group)
    for read in warned([Read(one.name, one.application, one.warnings) for one in found]):
        record = {"name": read.where, "family": "streams"} | write_group(read.value)
        yield Block(read.where, "\n".join(read.warnings), code=[json_line(record)], records=[record])


def _text(path: str) -> tuple[str, str]:
    from kassay.files.reading import read_bytes, shown
    from kassay.kafka_tools import decode

    return shown(path), decode(shown(path), read_bytes(path))


def _files(args: argparse.Namespace) -> list[tuple[str, str]]:
    return [_text(path) for path in args.files]


def _racks(args: argparse.Namespace) -> dict[str, Any]:
    from kassay.kafka_tools import read_broker_racks, read_member_racks

    readers = {
        "broker_racks": (read_broker_racks, args.racks),
        "member_racks": (read_member_racks, args.member_racks),
    }
    return {name: read(*_text(path)) for name, (read, path) in readers.items() if path is not None}
