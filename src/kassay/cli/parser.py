"""The parser of command lines, whose errors are sentences with a line to copy, and completion in shells by shtab."""

import argparse
import re
import shutil
import textwrap
from collections.abc import Iterator
from typing import Any, NoReturn

from kassay.errors import InputError
from kassay.output.block import clamp_width
from kassay.output.telling import tell
from kassay.sentences import describe_missing, find_nearest

FEW = 6
"""The largest number of choices that a sentence names."""


class Help(argparse.HelpFormatter):
    """Help as wide as the terminal; lines to copy, which are indented, stay as they are."""

    def __init__(self, prog: str) -> None:
        """Take the width of the terminal, within limits."""
        super().__init__(prog, width=clamp_width(shutil.get_terminal_size().columns) - 2)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Show --strict and --no-strict as --[no-]strict."""
        if isinstance(action, argparse.BooleanOptionalAction):
            return f"--[no-]{action.option_strings[0].removeprefix('--')}"
        return super()._format_action_invocation(action)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.splitlines()
        return "\n".join(
            line if line.startswith("  ") else textwrap.fill(line, width, initial_indent=indent)
            for line in lines
        )


class Parser(argparse.ArgumentParser):
    """The parser of a command, whose errors are sentences; `like` is an example of a command line, to be copied."""

    like: str = ""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and exit with status 2."""
        said, example = self._describe_error(message)
        copy = [self.like] if example and self.like else []
        tell(f"{said}{' For example:' * bool(copy)}", copy)
        raise SystemExit(2)

    def _describe_error(self, message: str) -> tuple[str, bool]:
        """Return the sentence for a message of argparse, and whether an example helps."""
        see, who = f"{self.prog} --help shows all.", self.prog.removeprefix("kassay ")
        if missing := re.fullmatch(r"the following arguments are required: (.*)", message):
            needs = missing[1]
            for action in self._actions:
                if action.metavar == needs == "ACTION":  # the second word of a command
                    return f"{who}: ACTION is missing. It is one of {', '.join(action.choices or ())}.", True
            return f"{who}: {needs} is missing.", True
        if one := re.fullmatch(r"one of the arguments (.*) is required", message):
            return f"{who}: one of {', '.join(one[1].split())} is missing.", True
        if extra := re.fullmatch(r"unrecognized arguments: (\S+).*", message):
            name = extra[1].partition("=")[0]
            if not name.startswith("-"):
                return f"{who}: {name} is one argument too many.", True
            near = find_nearest(name.strip("-"), [each.strip("-") for each in self._option_string_actions])
            asked = f" Did you mean --{near}?" if near else ""
            return f"{who}: there is no option {name}.{asked} {see}", False
        if wrong := re.fullmatch(r"argument (\S+): invalid choice: (\S+) \(choose from (.*)\)", message):
            where, name, choices = wrong[1], wrong[2].strip("'"), re.findall(r"[\w.-]+", wrong[3])
            if len(choices) <= FEW:
                return f"{where}: there is no {name}. It is one of {', '.join(choices)}.", False
            kind = "command" if where == "COMMAND" else where
            return describe_missing(kind, name, choices, f"{self.prog} --help"), False
        if about := re.fullmatch(r"argument (.+?): (.*)", message):
            return f"{about[1]}: {about[2]}.", False
        return f"{who}: {message}.", True


SHELLS = ("bash", "zsh", "tcsh", "fish")
FILES = ("FILE", "GRID", "RUN", "BEFORE", "AFTER", "OLD", "NEW", "ANSWERS", "FRONTIERS", "lag|rate|FILE")
FOLDERS = ("DIR", "FOLDER")
"""The names of files and of folders in the help of commands."""


class PrintCompletion(argparse.Action):
    """Prints the script that teaches a shell to complete `kassay`, and ends."""

    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: object, shell: Any, _option: str | None = None
    ) -> None:
        """Print the script for a shell."""
        try:
            print(write_completion(parser, shell))
        except InputError as missing:
            parser.error(str(missing).removesuffix("."))
        parser.exit()


def write_completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script for a shell; raises InputError where shtab is not installed."""
    try:
        import shtab
    except ImportError:
        raise InputError(
            "--print-completion: shtab is not installed. Run: pip install 'kassay[completion]'"
        ) from None
    from kassay.cli.commands.list_ import TOPICS
    from kassay.families import FAMILIES, family
    from kassay.families.assignors import ASSIGNORS
    from kassay.files.settings import PROFILES
    from kassay.protocol.simulation.uses import USES

    families = [family(name) for name in FAMILIES]
    oracles = [of.oracles for of in families if of.oracles]
    words = {
        "TARGET": list(ASSIGNORS),
        "PATTERN": sorted({name for of in families for name in of.properties}),
        "FAMILY": list(FAMILIES),
        "QUESTION": sorted({name for of in oracles for name in of.questions}),
        "MEASURE": sorted({name for of in oracles for name in of.worst_questions}),
        "what": [*ASSIGNORS, *TOPICS],
        "use": list(USES),
        "family": list(FAMILIES),
        "promises_of": list(ASSIGNORS),
        "profile": list(PROFILES),
    }
    for action in _iterate_actions(parser):
        known = words.get(action.dest) or words.get(str(action.metavar))
        if known:
            action.complete = shtab.cmd(f"printf '%s\\n' {' '.join(known)}")  # type: ignore[attr-defined]
        elif action.metavar in FILES + FOLDERS:
            action.complete = shtab.FILE if action.metavar in FILES else shtab.DIRECTORY  # type: ignore[attr-defined]
    text = str(shtab.complete(parser, shell))
    if shell == "zsh":  # shtab gives an argument that may be repeated once; zsh repeats what begins with *
        text = text.replace('"(*)::', '"*:').replace('"(*):', '"*:')
    return text


def _iterate_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of all its commands."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way, shtab goes the same
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for command in dict.fromkeys(action.choices.values()):
                yield from _iterate_actions(command)
        else:
            yield action
