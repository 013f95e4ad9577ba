"""The command line: a table of commands, one file each."""

import argparse
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

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
    simulate,
    sweep,
    worst,
)
from kassay.cli.commands.fixtures import diff as fixtures_diff
from kassay.cli.commands.fixtures import run as fixtures_run
from kassay.cli.commands.fixtures import verify as fixtures_verify
from kassay.cli.commands.fixtures import write as fixtures_write
from kassay.cli.commands.happening import over_time, what_if
from kassay.cli.commands.pages import playground, report, scoreboard
from kassay.cli.completion import SHELLS, PrintCompletion
from kassay.cli.options import positive
from kassay.cli.parser import Help, Parser
from kassay.cli.run import run
from kassay.defaults import cache_folder
from kassay.errors import StreamError
from kassay.input_size import DEFAULT_MB
from kassay.standard_io import check_streams, print_stream_error

if TYPE_CHECKING:
    from kassay.output import Block

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
ACTIONS = {
    "fixtures": "Make and verify the conformance fixtures, run an assignor on them, compare two versions of them."
}
"""What the first word of commands of two words is about."""
STATUSES = "exit status: 0 promises kept, 1 a promise broken, 2 wrong usage or input, 3 could not tell"


def parser() -> argparse.ArgumentParser:
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
        help=f"print what teaches a shell to complete kassay: {', '.join(SHELLS)}",
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
        fill(of[first].add_parser(action, help=sentence), name)
    return whole


def fill(command: Parser, name: str) -> Parser:
    """Give the parser of one command its description, an example and all options."""
    module = COMMANDS[name]
    command.description = (module.__doc__ or "").partition("\n")[0]
    command.like = module.EXAMPLE
    command.epilog = f"example:\n  {module.EXAMPLE}\n\n{STATUSES}"
    command.formatter_class = Help
    module.add_arguments(command)
    common = command.add_argument_group("output")
    formats = common.add_mutually_exclusive_group()
    formats.add_argument(
        "--json",
        action="store_const",
        const="json",
        dest="format",
        help="print JSON lines and nothing else",
    )
    formats.add_argument(
        "--format",
        choices=["pretty", "json", "markdown", "junit", "github"],
        metavar="FORMAT",
        help="how to print: pretty, json, markdown, junit or github; default: pretty",
    )
    common.add_argument(
        "-o",
        dest="folder",
        metavar="DIR",
        help="also write what is printed, and findings, into this folder",
    )
    common.add_argument(
        "--also", action="append", default=[], choices=["json", "markdown", "junit"],
        help="with -o DIR: write this format into the folder, too, of the same run; may be repeated",
    )  # fmt: skip
    common.add_argument(
        "--max-input-mb", type=positive, metavar="MB",
        help=f"size of the largest file, jar or standard input that is read; default: {DEFAULT_MB}",
    )  # fmt: skip
    command.set_defaults(
        run=module.run, command=name.partition(" ")[0], judges=getattr(module, "JUDGES", False)
    )
    return command


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; options may stand between the files of a command, which subparsers do not allow."""
    for words in (1, 2):
        name, rest = " ".join(arguments[:words]), arguments[words:]
        if name in COMMANDS:
            return fill(Parser(prog=f"kassay {name}"), name).parse_intermixed_args(rest)
    return parser().parse_args(arguments)


def _start() -> argparse.Namespace:
    """Return what :func:`run` needs to show the start page."""

    def page(_: argparse.Namespace) -> "Generator[Block, None, int]":
        from kassay.cli.start import start_page

        yield from start_page()
        return 0

    return argparse.Namespace(run=page, command="kassay", judges=False, format="pretty", folder=None, also=[])


HYPOTHESIS = "HYPOTHESIS_STORAGE_DIRECTORY"
"""Where Hypothesis keeps what it has read of code: else a folder of its own in whatever folder kassay is run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status, 3 where kassay itself fails; without arguments show how to start."""
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
        return run(parsed(given) if given else _start())
    except StreamError:
        raise
    except OSError as wrong:
        from kassay.cli.bug import tell_bug
        from kassay.files.output import full_disk
        from kassay.output.telling import tell

        sentence = full_disk(wrong)  # of what kassay keeps beside: drafts, caches, what Java and Spark need
        if not sentence:
            return tell_bug(wrong)
        tell(sentence)
        return 2
    except Exception as bug:  # noqa: BLE001 - status 1 would say that a promise is broken
        from kassay.cli.bug import tell_bug

        return tell_bug(bug)
    except KeyboardInterrupt:
        print("kassay: interrupted; nothing is half-written", file=sys.stderr)
        return 130
