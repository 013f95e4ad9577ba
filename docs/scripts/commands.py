"""Write the help of every command for docs/reference/commands.md, as the parsers print it at 80 columns."""

import os

from kassay.cli import COMMANDS, add_options, build_parser
from kassay.cli.parser import Parser


def write_commands() -> str:
    """Return a section for each command with its help."""
    os.environ["COLUMNS"] = "80"
    parsers = {
        "kassay": build_parser(),
        **{
            f"kassay {name}": add_options(Parser(prog=f"kassay {name}", add_help=False), name)
            for name in COMMANDS
        },
    }
    return "\n".join(
        f"## {title}\n\n```text\n{parser.format_help().rstrip()}\n```\n" for title, parser in parsers.items()
    )
