"""Make groups of what kafka-consumer-groups and kafka-topics print."""

import argparse
from collections.abc import Generator
from typing import TYPE_CHECKING

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
        "--subscriptions", choices=["all", "held", "listed"], default="all",
        help="what members subscribe to, which the tools do not print: all topics the group holds, those they hold "
        "themselves, or all of the topics listing too; default: all",
    )  # fmt: skip
    add_order(parser)
    parser.add_argument("--consumer-group", metavar="NAME", help="only this consumer group of the listing")
    parser.set_defaults(usual_format="json")


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield a group for each consumer group; what was assumed or contradicts itself goes to standard error."""
    from kassay.errors import InputError
    from kassay.families.consumer import CONSUMER
    from kassay.files.reading import Read, read_bytes, shown
    from kassay.kafka_tools import ListingError, decode, read_broker_racks, read_member_racks
    from kassay.kafka_tools.listed import read_listed
    from kassay.output import Block
    from kassay.shapes.partitions.text_tables import show

    def text_of(path: str) -> tuple[str, str]:
        return shown(path), decode(shown(path), read_bytes(path))

    try:
        listings = read_listed(
            [text_of(path) for path in args.files],
            leader=args.order == "leader",
            broker_racks=None if args.racks is None else read_broker_racks(*text_of(args.racks)),
            member_racks=None
            if args.member_racks is None
            else read_member_racks(*text_of(args.member_racks)),
            subscriptions=args.subscriptions,
        )
    except ListingError as wrong:
        raise InputError(str(wrong)) from None
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
    return 0
