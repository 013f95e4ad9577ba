"""The command line: the table of commands, one file each, the start page, and what is printed if kassay itself fails."""

import argparse
import os
import sys
import tempfile
import traceback
from collections.abc import Generator, Sequence
from contextlib import suppress

from kassay import __version__
from kassay.cli.commands import (
    assign,
    check,
    compare,
    diff,
    explain,
    frontier,
    import_,
    list_,
    optimum,
    over_time,
    playground,
    report,
    scoreboard,
    simulate,
    sweep,
    what_if,
    worst,
)
from kassay.cli.commands.fixtures import diff as fixtures_diff
from kassay.cli.commands.fixtures import run as fixtures_run
from kassay.cli.commands.fixtures import verify as fixtures_verify
from kassay.cli.commands.fixtures import write as fixtures_write
from kassay.cli.options import GROUPS, get_option_group, parse_positive
from kassay.cli.parser import SHELLS, Help, Parser, PrintCompletion
from kassay.cli.run import check_streams, print_stream_error, run
from kassay.defaults import cache_folder
from kassay.errors import StreamError
from kassay.families.shape import TextTable
from kassay.files.output import describe_full_disk
from kassay.input_size import DEFAULT_MB
from kassay.output import Block
from kassay.output.block import one_line
from kassay.output.redaction import redact
from kassay.output.telling import tell

COMMANDS = {
    "list": list_,
    "assign": assign,
    "check": check,
    "optimum": optimum,
    "frontier": frontier,
    "worst": worst,
    "fixtures write": fixtures_write,
    "fixtures verify": fixtures_verify,
    "fixtures run": fixtures_run,
    "fixtures diff": fixtures_diff,
    "scoreboard": scoreboard,
    "explain": explain,
    "compare": compare,
    "diff": diff,
    "over-time": over_time,
    "what-if": what_if,
    "playground": playground,
    "simulate": simulate,
    "import": import_,
    "sweep": sweep,
    "report": report,
}
ACTIONS = {"fixtures": "Write, verify, run or compare the conformance fixtures."}
"""The descriptions of commands with two words, by the first word."""
NARGS: dict[int | str | None, str] = {None: "{}", "?": "[{}]", "*": "[{} ...]"}
"""Number of values of an argument -> its form in a line of usage."""
STATUSES = "exit status: 0 promises hold, 1 a promise is broken, 2 wrong usage or input,\n3 no conclusion"


def build_parser() -> argparse.ArgumentParser:
    """Make the parser of the whole command line."""
    whole = Parser(
        prog="kassay",
        description="The assay office for Kafka assignors: is it right, and how far is it from the best possible?",
        epilog=STATUSES,
    )
    whole.like = "kassay --help"
    whole.add_argument("--version", action="version", version=f"kassay {__version__}")
    whole.add_argument(
        "--print-completion", action=PrintCompletion, choices=SHELLS, metavar="SHELL",
        help=f"print the completion script for {', '.join(SHELLS)}",
    )  # fmt: skip
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    of: dict[str, argparse._SubParsersAction[Parser]] = {"": commands}
    for name, module in COMMANDS.items():
        first, _, action = name.rpartition(" ")
        if first not in of:
            several = commands.add_parser(first, help=ACTIONS[first], description=ACTIONS[first])
            several.like = module.EXAMPLE
            of[first] = several.add_subparsers(
                title="actions", metavar="ACTION", required=True, parser_class=Parser
            )
        sentence = (module.__doc__ or "").partition("\n")[0]
        add_options(of[first].add_parser(action, help=sentence, add_help=False), name)
    return whole


def add_options(command: Parser, name: str) -> Parser:
    """Give the parser of one command its description, an example and all options."""
    module = COMMANDS[name]
    command.description = (module.__doc__ or "").partition("\n")[0]
    command.like = module.EXAMPLE
    command.description += f"\n\nexample:\n  {module.EXAMPLE}"
    command.epilog = STATUSES
    command.formatter_class = Help
    module.add_arguments(command)
    common = get_option_group(command, "output")
    formats = common.add_mutually_exclusive_group()
    formats.add_argument(
        "--json",
        action="store_const",
        const="json",
        dest="format",
        help="print JSON lines only",
    )
    formats.add_argument(
        "--format",
        choices=["pretty", "json", "markdown", "junit", "github"],
        metavar="FORMAT",
        help="pretty (default), json, markdown, junit or github",
    )
    common.add_argument(
        "-o",
        dest="folder",
        metavar="DIR",
        help="write output and findings to DIR",
    )
    common.add_argument(
        "--also", action="append", default=[], choices=["json", "markdown", "junit"], metavar="FORMAT",
        help="with -o: write this format as well (repeatable)",
    )  # fmt: skip
    more = get_option_group(command, "more")
    more.add_argument(
        "--max-input-mb", type=parse_positive, metavar="MB",
        help=f"largest input file in MB (default: {DEFAULT_MB})",
    )  # fmt: skip
    more.add_argument("-h", "--help", action="help", help="show this help")
    command._action_groups.sort(key=lambda group: GROUPS.index(str(group.title)))  # noqa: SLF001 - argparse cannot sort
    positional = [action for action in command._actions if not action.option_strings]  # noqa: SLF001
    shown = (NARGS[action.nargs].format(action.metavar) for action in positional)
    command.usage = f"%(prog)s [options] {' '.join(shown)}".rstrip()
    command.set_defaults(
        run=module.run, command=name.partition(" ")[0], judges=getattr(module, "JUDGES", False)
    )
    return command


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; options may stand between the files of a command, which subparsers do not allow."""
    for words in (1, 2):
        name, rest = " ".join(arguments[:words]), arguments[words:]
        if name in COMMANDS:
            return add_options(Parser(prog=f"kassay {name}", add_help=False), name).parse_intermixed_args(
                rest
            )
    return build_parser().parse_args(arguments)


HYPOTHESIS = "HYPOTHESIS_STORAGE_DIRECTORY"
"""The variable of the environment with the folder of Hypothesis, which else is made in the working directory."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status, 3 if kassay itself fails; without arguments show the start page."""
    try:
        with check_streams():
            return _main(arguments)
    except StreamError as wrong:
        print_stream_error(wrong)
        return 2


def _main(arguments: Sequence[str] | None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        with suppress(RuntimeError):  # who has no home keeps it where kassay is run
            os.environ.setdefault(HYPOTHESIS, str(cache_folder() / "hypothesis"))
    try:
        if given:
            return run(parse_arguments(given))
        page = {"run": lambda _: start_page(), "command": "kassay", "judges": False}
        return run(argparse.Namespace(**page, format="pretty", folder=None, also=[]))
    except StreamError:
        raise
    except OSError as wrong:
        # The disk may be full for drafts and caches, or for what Java and Spark need.
        sentence = describe_full_disk(wrong)
        if not sentence:
            return report_bug(wrong)
        tell(sentence)
        return 2
    except Exception as bug:  # noqa: BLE001 - status 1 would say that a promise is broken
        return report_bug(bug)
    except KeyboardInterrupt:
        print("kassay: interrupted; nothing is half-written", file=sys.stderr)
        return 130


REPORTED = "please report it where kassay comes from, with the command"


def report_bug(bug: Exception) -> int:
    """Print that this is a bug of kassay and how to report it, and return the exit status.

    The traceback goes into a file, or after the sentence where no file can be written.
    """
    trace = redact(
        f"kassay {__version__}, Python {sys.version}\n\n{''.join(traceback.format_exception(bug))}"
    )
    said = f"kassay: this is a bug of kassay, nothing is wrong with what it judges: {one_line(redact(repr(bug)))[:300]}; {REPORTED}"
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="kassay-bug-",
            suffix=".txt",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",
        ) as file:
            file.write(trace)
    except OSError:
        print(f"{said} and this:\n{trace}", file=sys.stderr)
    else:
        print(f"{said} and {file.name}", file=sys.stderr)
    return 3


DOORS = (
    (
        "I change an assignor",
        "kassay check jar:target/mine.jar#com.acme.Mine",
        "what it breaks, on the smallest group that shows it",
    ),
    (
        "My group is lopsided",
        "kassay compare --group members.txt",
        "what each strategy would do, and what to set",
    ),
    (
        "I write a client",
        'kassay check "client:./my-consumer"',
        "the same: your client leads groups, without an adapter",
    ),
    (
        "I need numbers",
        "kassay sweep grids/quick.toml -o quick",
        "4,300 groups, each compared with the optimum",
    ),
)
"""The goal of a user, the first command, and its result."""
LISTING = (
    "kafka-consumer-groups.sh --bootstrap-server HOST:PORT --group GROUP \\",
    "    --describe --members --verbose > members.txt",
)
"""The command of Kafka's that prints a group."""
MORE = (
    ("Try it now", "kassay check", "Kafka's four strategies"),
    ("More", "kassay --help", "all commands"),
    ("", "kassay list", "all assignors"),
)


def start_page() -> Generator[Block, None, int]:
    """Yield the page, 80 columns wide at most."""
    yield Block(says="kassay tests how Kafka shares out partitions. It needs no Kafka.")
    rows = [row for who, command, gives in DOORS for row in ((who, command), ("", gives))]
    yield Block(prose=True, grid=TextTable(["", ""], rows))
    yield Block(
        prose=True, text="members.txt is what Kafka prints, as it is:", code=[f"  {line}" for line in LISTING]
    )
    yield Block(prose=True, grid=TextTable(["", "", ""], MORE))
    return 0
