"""Options that several commands share, and the checks of their values."""

import argparse
import os
from collections.abc import Sequence
from importlib.util import find_spec
from shlex import quote
from typing import TYPE_CHECKING, Any

from kassay.defaults import FAMILY
from kassay.errors import InputError
from kassay.output.telling import tell

if TYPE_CHECKING:
    from kassay.family import Family
    from kassay.files.reading import Read
    from kassay.listings.reading import Taken
    from kassay.targets import Options

OF_A_GROUP = ("use", "faults", "schedules", "members", "partitions", "static")
"""The options of `kassay simulate` on a group and its runs, which a file or a scenario replaces."""
CALLED = {"use": "USE", "targets": "TARGET", "assignor": "--named"}
"""Argument -> its name on the command line, if that is another one."""


def refuse_options(args: argparse.Namespace, option: str, why: str, *others: str) -> None:
    """Raise InputError if options are given that mean nothing next to another one; it names all that are to be left out."""
    values = {name: getattr(args, name) for name in others}
    given = [
        name for name, value in values.items() if value is not None and value is not False and value != []
    ]
    if given:
        spelled = (CALLED.get(name) or f"--{name.replace('_', '-')}" for name in given)
        raise InputError(f"{option}: {why}; leave out {', '.join(spelled)}")


def add_targets(parser: argparse.ArgumentParser, number: str) -> None:
    """Add the targets and how they are opened."""
    name = "target" if number == "1" else "targets"
    pattern = "an assignor of kassay's or a pattern (consumer/range, 'consumer/*')"
    named = "an assignor of kassay's (consumer/range)" if number == "1" else pattern
    parser.add_argument(
        name, metavar="TARGET", nargs=None if number == "1" else number,
        help=f"{named}, python:MODULE:ATTRIBUTE, "
        "exec:COMMAND LINE, client:COMMAND LINE (a real consumer), kafka:VERSION#NAME, maven:GROUP:ARTIFACT:VERSION#CLASS or jar:PATH#CLASS",
    )  # fmt: skip
    if number != "1":
        parser.add_argument(
            "--studies",
            action="store_true",
            help="with a pattern or no assignor: also what cannot be set in Kafka, but for those that answer another question and are named one by one",
        )
    add_limits(parser)
    add_http(parser)
    add_named(parser)
    parser.add_argument(
        "--family",
        default=FAMILY,
        metavar="NAME",
        help=f"the family of a python: function; default: {FAMILY}",
    )


def add_named(parser: argparse.ArgumentParser) -> None:
    """Add which assignor of a program is meant."""
    parser.add_argument(
        "--named",
        dest="assignor",
        metavar="NAME",
        help="the assignor to take of an exec: program or client: that offers several",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add what bounds the processes of targets."""
    limits = parser.add_argument_group("limits of assignors that run in processes of their own")
    limits.add_argument(
        "--timeout", type=parse_seconds, metavar="SECONDS", help="time for one answer; default: 5"
    )
    limits.add_argument(
        "--start-timeout", type=parse_seconds, metavar="SECONDS",
        help="time until a process first speaks; default: --timeout where that is given, else 60",
    )  # fmt: skip
    limits.add_argument(
        "--wait", "--time-budget", type=parse_seconds, metavar="SECONDS",
        help="time in all, in which the assignor works on its answers, or never answers; default: 300 or 60 times --timeout, of which 50 or 10 times --timeout for answers over 0.1 seconds or none",
    )  # fmt: skip
    limits.add_argument(
        "--deaths", type=parse_positive, default=100, metavar="N",
        help="how often a process may die, hang or break the protocol; default: 100",
    )  # fmt: skip
    limits.add_argument(
        "--answer-mb", type=parse_positive, default=64, metavar="MB", help="length of one answer; default: 64"
    )
    limits.add_argument(
        "--memory-mb", type=parse_natural, default=4096, metavar="MB",
        help="memory of a python:, exec: or client: process, 0: no limit; default: 4096",
    )  # fmt: skip


def add_http(parser: argparse.ArgumentParser) -> None:
    """Add whether Maven repositories may be asked without encryption."""
    parser.add_argument(
        "--allow-http", action="store_true",
        help="fetch jars also from an http:// repository on another machine, where they may be changed on their way",
    )  # fmt: skip


def allow_http(args: argparse.Namespace) -> None:
    """Let this process and its children use repositories without encryption, if that is allowed."""
    from kassay.targets.maven.repository import ALLOW_HTTP

    if args.allow_http:
        os.environ[ALLOW_HTTP] = "1"


def build_options(args: argparse.Namespace, family: str) -> "Options":
    """Return how targets are opened."""
    from kassay.families import family as known_family
    from kassay.targets import Limits, Options

    known_family(args.family if getattr(args, "family", None) else family)  # refuses an unknown one
    allow_http(args)
    timeout_s = args.timeout or 5.0
    limits = Limits(
        args.start_timeout or args.timeout or 60.0,
        args.wait or max(50.0, 10 * timeout_s),
        args.wait or max(300.0, 60 * timeout_s),
        args.deaths, args.answer_mb, args.memory_mb,
    )  # fmt: skip
    return Options(timeout_s, args.assignor, family, limits)


LISTINGS = (
    "JSON, JSON lines, or what kafka-consumer-groups --describe --members --verbose prints, best with what "
    "kafka-topics --describe prints below it in the same file"
)
"""The formats of a file of groups."""


def add_groups(parser: argparse.ArgumentParser, examples: int) -> None:
    """Add where groups come from."""
    parser.add_argument(
        "--group", action="append", default=[], metavar="FILE",
        help=f"take the groups of this file ({LISTINGS}; - for standard input) instead of generated ones",
    )  # fmt: skip
    parser.add_argument(
        "--examples",
        type=parse_natural,
        metavar="N",
        help=f"generate this many groups; default: {examples}, none with --group",
    )
    parser.add_argument(
        "--seed", type=parse_natural, default=0, metavar="N", help="seed of the generated groups; default: 0"
    )


def find_stated_family(args: argparse.Namespace, of: "Family | None") -> str | None:
    """Return the name of the family of the groups, None if neither an option nor a target states it."""
    return args.family if args.family != FAMILY else of.name if of is not None else None


def add_listing_options(parser: argparse.ArgumentParser) -> None:
    """Add what a listing does not print, and which of its groups is meant."""
    parser.add_argument(
        "--subscriptions",
        choices=["all", "held"],
        help="members subscribe to all topics of their group, or only to those that they own; default: both are tried",
    )
    parser.add_argument(
        "--consumer-group", metavar="NAME", help="take only this group of a listing; default: all groups"
    )


def add_page(parser: argparse.ArgumentParser, shows: str) -> None:
    """Add what a page is to show."""
    parser.add_argument("--html", metavar="FILE", help=f"also {shows}")


def check_page(args: argparse.Namespace, groups: int = 1) -> None:
    """Raise InputError if a page is asked for that cannot be written, or that would have to show no group or several."""
    if args.html is None:
        return
    require_extra("pages", "--html needs")
    if groups != 1:
        raise InputError(
            f"--html {args.html}: shows one group, and there are {groups}; give one with --group FILE"
        )


def add_order(parser: argparse.ArgumentParser) -> None:
    """Add in which order the members of a real group are taken."""
    parser.add_argument(
        "--order", choices=["leader", "as-given"], default="leader",
        help="order of the members and claims of given groups: as a live leader receives them, which is that of Java's "
        "hash maps, or as given; default: leader",
    )  # fmt: skip


def expand_targets(args: argparse.Namespace, family: str | None = None) -> list[str]:
    """Return the targets that are named, patterns expanded, or else Kafka's own of a family."""
    from kassay.targets import expand, kafkas_own

    if args.targets or family is None:
        return expand(args.targets, studies=args.studies)
    return kafkas_own(family, studies=args.studies)


def shows_tables(args: argparse.Namespace) -> bool:
    """Return True if the chosen format shows tables: those of a large group take longer than its answer."""
    return (args.format or getattr(args, "usual_format", "pretty")) not in {"json", "junit"}


def count_examples(args: argparse.Namespace, usual: int) -> int:
    """Return how many groups are generated."""
    given: int | None = args.examples
    return given if given is not None else 0 if args.group else usual


def parse_natural(text: str) -> int:
    """Read a whole number from 0."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0; give one such as 100")
    return value


def parse_positive(text: str) -> int:
    """Read a whole number from 1."""
    value = parse_natural(text)
    if not value:
        raise argparse.ArgumentTypeError("0 is too few; give 1 or more")
    return value


def parse_seconds(text: str) -> float:
    """Read a positive number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds; give one such as 5 or 0.5")
    return value


EXTRAS = {
    "reports": ("pandas", "pyarrow", "matplotlib", "scipy", "jinja2"),
    "pages": ("jinja2",),
    "live": ("kio", "kafka", "javaproperties", "cryptography"),
    "wire": ("kio",),
}
"""Extra of kassay's package -> the modules that a command needs of it."""


def require_extra(extra: str, needs: str = "reports and sweeps need") -> None:
    """Raise InputError if a library of an extra is missing; `needs` begins the sentence."""
    missing = [name for name in EXTRAS[extra] if find_spec(name) is None]
    if missing:
        packages = ", ".join({"kafka": "kafka-python"}.get(name, name) for name in missing)
        raise InputError(f"{needs} {packages}, which is not here; pip install 'kassay[{extra}]'")


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
    """Return True if groups come from a cluster; raises InputError if only how to reach one is given."""
    if args.command_config is not None and args.bootstrap_server is None:
        raise InputError(
            f"--command-config: says how a cluster is reached, but not which; add {SERVER} HOST:PORT"
        )
    return args.bootstrap_server is not None


def take_groups(args: argparse.Namespace, names: Sequence[str]) -> "Taken":
    """Ask the cluster about groups of these names, or about all groups if there is no name; raises InputError."""
    import asyncio

    require_extra("live", f"{SERVER} needs")
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


def read_sources(args: argparse.Namespace) -> list[Any]:
    """Return where groups are read: the files that --group names, or what a cluster answers about groups of these names."""
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


def write_source_options(args: argparse.Namespace) -> str:
    """Return the options of a command line that say where groups come from, to be copied."""
    live = [SERVER, args.bootstrap_server] if is_live(args) else []
    live += ["--command-config", args.command_config] if args.command_config else []
    return " ".join(map(quote, [*live, *(word for each in args.group for word in ("--group", each))]))


def print_warnings(reads: "Sequence[Read]") -> "Sequence[Read]":
    """Print on standard error what was assumed of groups or contradicts itself, a line each, and return the groups."""
    from kassay.files.reading import named
    from kassay.listings.import_groups import ORDERED

    for read in reads:
        for warning in read.warnings:
            if warning == ORDERED:  # it changes nothing that a reader could do otherwise
                continue
            tell(f"{named(read)}: {warning}")
    return reads
