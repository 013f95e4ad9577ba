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
from kassay.sentences import end_sentence

if TYPE_CHECKING:
    from kassay.families.family import Family
    from kassay.files.reading import Read
    from kassay.listings.reading import Taken
    from kassay.targets import Options

OF_A_GROUP = ("use", "faults", "schedules", "members", "partitions", "static")
"""The options of `kassay simulate` on a group and its runs, which a file or a scenario replaces."""
CALLED = {"use": "USE", "targets": "TARGET", "assignor_name": "--assignor-name"}
"""Argument -> its name on the command line, if that is another one."""


def refuse_options(args: argparse.Namespace, option: str, why: str, *others: str) -> None:
    """Raise InputError if options are given that mean nothing next to another one; it names all that are to be left out."""
    values = {name: getattr(args, name) for name in others}
    given = [
        name for name, value in values.items() if value is not None and value is not False and value != []
    ]
    if given:
        spelled = (CALLED.get(name) or f"--{name.replace('_', '-')}" for name in given)
        raise InputError(f"{option}: {why}. Leave out {', '.join(spelled)}")


GROUPS = (
    "positional arguments", "target", "options", "groups", "running cluster", "not printed by the tools", "fixtures", "change",
    "sequence", "search", "runs", "external coordinator or client", "coordinator:HOST:PORT", "promises", "sweep", "Spark", "output",
    "limits of target processes", "more",
)  # fmt: skip
"""The titles of groups of options, in the order in which help shows them."""


def get_option_group(parser: argparse.ArgumentParser, title: str, about: str = "") -> argparse._ArgumentGroup:
    """Return the group of options with a title, made if there is none yet; `about` is printed below the title."""
    for group in parser._action_groups:  # noqa: SLF001 - argparse offers no look-up
        if group.title == title:
            return group
    return parser.add_argument_group(title, about or None)


TARGETS = (
    ("consumer/sticky", "an assignor of kassay{pattern}"),
    ("python:MODULE:NAME", "a Python function or class"),
    ("exec:COMMAND", "a program with the adapter protocol"),
    ("client:COMMAND", "a real consumer"),
    ("kafka:VERSION#NAME", "Kafka's class, such as kafka:4.4.0#consumer/sticky"),
    ("maven:GROUP:ARTIFACT:VERSION#CLASS, jar:PATH#CLASS", "a Java class"),
)
"""Form of a target -> its meaning."""


def add_targets(parser: argparse.ArgumentParser, number: str, usual: str = "") -> None:
    """Add the targets and how they are opened; `usual` says which targets are taken if none is named."""
    one, lines = number == "1", []
    for form, meaning in TARGETS:
        said = meaning.format(pattern="" if one else ", or a pattern: 'consumer/*'")
        lines += [f"  {form:<21} {said}"] if len(form) < 22 else [f"  {form}", f"{'':<24}{said}"]
    group = get_option_group(parser, "target", "\n".join(lines))
    group.add_argument(
        "target" if one else "targets", metavar="TARGET", nargs=None if one else number,
        help=f"what to test{f' (default: {usual})' * bool(usual)}",
    )  # fmt: skip
    if not one:
        add_with_old_name(
            get_option_group(parser, "more"), "--include-research", "--studies", action="store_true",
            help="include research assignors, which cannot be configured in Kafka",
        )  # fmt: skip
    add_limits(parser)
    add_http(parser)
    add_assignor_name(parser)
    get_option_group(parser, "groups").add_argument(
        "--family", default=FAMILY, metavar="NAME", help=f"family of a python: function (default: {FAMILY})"
    )


def add_with_old_name(group: argparse._ActionsContainer, name: str, old: str, **settings: Any) -> None:
    """Add an option, and the name that it had before, which stays valid and is not listed."""
    added = group.add_argument(name, **settings)
    hidden = {**settings, "help": argparse.SUPPRESS, "default": argparse.SUPPRESS}
    group.add_argument(old, dest=added.dest, **hidden)


def add_assignor_name(parser: argparse.ArgumentParser) -> None:
    """Add which assignor of a program is meant."""
    add_with_old_name(
        get_option_group(parser, "more"), "--assignor-name", "--named", metavar="NAME",
        help="select one assignor if an exec: or client: target offers several",
    )  # fmt: skip


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add what bounds the processes of targets."""
    limits = get_option_group(parser, "limits of target processes")
    limits.add_argument(
        "--timeout", type=parse_seconds, metavar="SECONDS", help="per assignment (default: 5)"
    )
    limits.add_argument(
        "--start-timeout", type=parse_seconds, metavar="SECONDS",
        help="until the first response (default: 60, or --timeout)",
    )  # fmt: skip
    add_with_old_name(
        limits, "--time-budget", "--wait", type=parse_seconds, metavar="SECONDS",
        help="total for answers slower than 0.1 s (default: 50, or 10 times --timeout)",
    )  # fmt: skip
    add_with_old_name(
        limits, "--max-crashes", "--deaths", type=parse_positive, default=100, metavar="N",
        help="stop after N crashes, hangs or protocol errors (default: 100)",
    )  # fmt: skip
    limits.add_argument(
        "--answer-mb", type=parse_positive, default=64, metavar="MB", help="size of one answer (default: 64)"
    )
    limits.add_argument(
        "--memory-mb", type=parse_natural, default=4096, metavar="MB",
        help="memory of the process, 0 for no limit (default: 4096)",
    )  # fmt: skip


def add_http(parser: argparse.ArgumentParser) -> None:
    """Add whether Maven repositories may be asked without encryption."""
    get_option_group(parser, "more").add_argument(
        "--allow-http", action="store_true",
        help="allow http:// Maven repositories on other machines (insecure)",
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
        args.time_budget or max(50.0, 10 * timeout_s),
        args.time_budget or max(300.0, 60 * timeout_s),
        args.max_crashes, args.answer_mb, args.memory_mb,
    )  # fmt: skip
    return Options(timeout_s, args.assignor_name, family, limits)


LISTINGS = "JSON, JSON lines or output of Kafka's tools"
"""The formats of a file of groups."""


def add_groups(parser: argparse.ArgumentParser, examples: int) -> None:
    """Add where groups come from."""
    group = get_option_group(parser, "groups")
    group.add_argument(
        "--examples", type=parse_natural, metavar="N",
        help=f"number of generated groups (default: {examples}; 0 with --group)",
    )  # fmt: skip
    group.add_argument(
        "--seed", type=parse_natural, default=0, metavar="N", help="seed of the generated groups (default: 0)"
    )
    group.add_argument(
        "--group", action="append", default=[], metavar="FILE",
        help=f"use the groups in FILE instead: {LISTINGS}",
    )  # fmt: skip


def find_stated_family(args: argparse.Namespace, of: "Family | None") -> str | None:
    """Return the name of the family of the groups, None if neither an option nor a target states it."""
    return args.family if args.family != FAMILY else of.name if of is not None else None


def add_listing_options(parser: argparse.ArgumentParser) -> None:
    """Add what a listing does not print, and which of its groups is meant."""
    group = get_option_group(parser, "groups")
    group.add_argument(
        "--subscriptions", choices=["all", "held"],
        help="members subscribe to all topics, or to those they own (default: try both)",
    )  # fmt: skip
    group.add_argument(
        "--consumer-group", metavar="NAME", help="use only this group of a listing (default: all groups)"
    )


def add_page(parser: argparse.ArgumentParser, shows: str) -> None:
    """Add the option that writes a page; `shows` says what it shows."""
    get_option_group(parser, "output").add_argument(
        "--html", metavar="FILE", help=f"write a page with {shows}"
    )


def check_page(args: argparse.Namespace, groups: int = 1) -> None:
    """Raise InputError if a page is asked for that cannot be written, or that would have to show no group or several."""
    if args.html is None:
        return
    require_extra("pages", "--html needs")
    if groups != 1:
        raise InputError(
            f"--html {args.html}: shows one group, and there are {groups}. Give one with --group FILE"
        )


def add_order(parser: argparse.ArgumentParser) -> None:
    """Add in which order the members of a real group are taken."""
    get_option_group(parser, "groups").add_argument(
        "--order", choices=["leader", "as-given"], default="leader",
        help="order of members: as the group leader receives them, or as given (default: leader)",
    )  # fmt: skip


def expand_targets(args: argparse.Namespace, family: str | None = None) -> list[str]:
    """Return the targets that are named, patterns expanded, or else Kafka's own of a family."""
    from kassay.targets import expand, list_default_targets

    if args.targets or family is None:
        return expand(args.targets, studies=args.include_research)
    return list_default_targets(family, studies=args.include_research)


def shows_tables(args: argparse.Namespace) -> bool:
    """Return True if the chosen format shows tables, which take long for a large group."""
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
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0. Give one such as 100")
    return value


def parse_positive(text: str) -> int:
    """Read a whole number from 1."""
    value = parse_natural(text)
    if not value:
        raise argparse.ArgumentTypeError("is 0. Give 1 or more")
    return value


def parse_seconds(text: str) -> float:
    """Read a positive number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds. Give one such as 5 or 0.5")
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
        raise InputError(f"{needs} {packages}, which is not here. Run: pip install 'kassay[{extra}]'")


SERVER = "--bootstrap-server"
MOST_SERVERS = 100


def add_live(parser: argparse.ArgumentParser) -> None:
    """Add where a cluster is, and how it is reached."""
    live = get_option_group(parser, "running cluster", "read only")
    live.add_argument(
        SERVER, metavar="HOST:PORT",
        help="read the groups that --group names from this cluster (several servers: comma-separated)",
    )  # fmt: skip
    live.add_argument(
        "--command-config", metavar="FILE",
        help="properties file for TLS and SASL, as for Kafka's own tools",
    )  # fmt: skip


def is_live(args: argparse.Namespace) -> bool:
    """Return True if groups come from a cluster; raises InputError if only how to reach one is given."""
    if args.command_config is not None and args.bootstrap_server is None:
        raise InputError(
            f"--command-config: says how a cluster is reached, but not which. Add {SERVER} HOST:PORT"
        )
    return args.bootstrap_server is not None


def take_groups(args: argparse.Namespace, names: Sequence[str]) -> "Taken":
    """Ask the cluster about groups of these names, or about all groups if there is no name; raises InputError."""
    import asyncio

    require_extra("live", f"{SERVER} needs")
    from kassay.protocol.client.cluster_connection import OPEN, read_access
    from kassay.protocol.client.cluster_queries import take
    from kassay.protocol.server.addresses import parse_address

    servers = [parse_address(SERVER, each.strip()) for each in args.bootstrap_server.split(",")]
    if len(servers) > MOST_SERVERS:
        raise InputError(
            f"{SERVER}: names {len(servers)} servers. Give at most {MOST_SERVERS}, which know all others"
        )
    access = OPEN if args.command_config is None else read_access(args.command_config)
    return asyncio.run(take(servers, access, [*dict.fromkeys(names)]))


def read_sources(args: argparse.Namespace) -> list[Any]:
    """Return where groups are read: the files that --group names, or what a cluster answers about groups of these names."""
    if not is_live(args):
        return list(args.group)
    if not args.group:
        raise InputError(f"{SERVER} {args.bootstrap_server}: the group is missing. Add --group NAME")
    taken = take_groups(args, args.group)
    for name in taken.empty:
        raise InputError(
            f"{taken.name}: no member is in group {name!r}, so nothing is assigned. Name one that runs"
        )
    return [taken]


def write_source_options(args: argparse.Namespace) -> str:
    """Return the options of a command line that say where groups come from, to be copied."""
    live = [SERVER, args.bootstrap_server] if is_live(args) else []
    live += ["--command-config", args.command_config] if args.command_config else []
    return " ".join(map(quote, [*live, *(word for each in args.group for word in ("--group", each))]))


def print_warnings(reads: "Sequence[Read]") -> "Sequence[Read]":
    """Print the problems and assumptions of groups on standard error, a line each, and return the groups."""
    from kassay.files.reading import get_group_name

    for read in reads:
        for caveat in describe_warnings(read.warnings):
            tell(f"{get_group_name(read)}: {caveat}")
    return reads


def describe_warnings(warnings: Sequence[str]) -> list[str]:
    """Return the problems of an input as sentences, then the assumptions that were made about it."""
    from kassay.listings.import_groups import ORDERED
    from kassay.listings.location import Assumed

    # The order of a listing changes nothing that a user could change.
    said = [each for each in warnings if each != ORDERED]
    return [
        *(end_sentence(str(each)) for each in said if not isinstance(each, Assumed)),
        *(f"Assumed: {end_sentence(str(each))}" for each in said if isinstance(each, Assumed)),
    ]


def collect_caveats(args: argparse.Namespace, reads: "Sequence[Read]") -> list[str]:
    """Return the problems and assumptions of groups; print them on standard error instead if the format has no caveats."""
    from kassay.files.reading import get_group_name

    if not shows_tables(args):
        print_warnings(reads)
        return []
    many = len(reads) > 1
    return [
        f"{f'{get_group_name(read)}: ' * many}{caveat}"
        for read in reads
        for caveat in describe_warnings(read.warnings)
    ]
