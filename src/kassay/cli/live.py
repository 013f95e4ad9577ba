"""Groups of a running cluster in place of files: which cluster, which of its groups, and how it is reached."""

import argparse
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

from kassay.cli.requirements import require_live
from kassay.errors import InputError

if TYPE_CHECKING:
    from kassay.listings.reading import Taken

SERVER = "--bootstrap-server"
MOST_SERVERS = 100


def add_live(parser: argparse.ArgumentParser) -> None:
    """Add where a cluster is, and how it is reached."""
    live = parser.add_argument_group("groups of a running cluster, which is only asked")
    live.add_argument(
        SERVER, metavar="HOST:PORT",
        help="take the groups that --group names from this cluster; nothing of it is changed. Several servers with commas between them",
    )  # fmt: skip
    live.add_argument(
        "--command-config", metavar="FILE",
        help="how it is reached (TLS, SASL): a file of properties, as Kafka's own tools take it",
    )  # fmt: skip


def is_live(args: argparse.Namespace) -> bool:
    """Say whether groups come from a cluster; raises InputError where only how to reach one is said."""
    if args.command_config is not None and args.bootstrap_server is None:
        raise InputError(
            f"--command-config: says how a cluster is reached, but not which; add {SERVER} HOST:PORT"
        )
    return args.bootstrap_server is not None


def take_groups(args: argparse.Namespace, names: Sequence[str]) -> "Taken":
    """Ask the cluster about groups of these names, all of them where there is none; raises InputError."""
    import asyncio

    require_live(SERVER)
    from kassay.protocol.client.cluster_connection import OPEN, read_access
    from kassay.protocol.client.cluster_queries import take
    from kassay.protocol.server.addresses import address

    servers = [address(SERVER, each.strip()) for each in args.bootstrap_server.split(",")]
    if len(servers) > MOST_SERVERS:
        raise InputError(
            f"{SERVER}: names {len(servers)} servers; {MOST_SERVERS} are enough to find all others"
        )
    access = OPEN if args.command_config is None else read_access(args.command_config)
    return asyncio.run(take(servers, access, [*dict.fromkeys(names)]))


def sources(args: argparse.Namespace) -> "list[Any]":
    """Return where groups are read: the files that --group names, or what a cluster says of groups of these names; raises InputError."""
    if not is_live(args):
        return list(args.group)
    if not args.group:
        raise InputError(f"{SERVER} {args.bootstrap_server}: of which group? Add --group NAME")
    taken = take_groups(args, args.group)
    for name in taken.empty:
        raise InputError(
            f"{taken.name}: no member is in group {name!r}, so nothing is assigned; name one that runs"
        )
    return [taken]


def as_given(args: argparse.Namespace) -> str:
    """Write where groups come from as the command line does, to be copied."""
    live = [SERVER, args.bootstrap_server] if is_live(args) else []
    live += ["--command-config", args.command_config] if args.command_config else []
    return " ".join(map(quote, [*live, *(word for each in args.group for word in ("--group", each))]))
