"""Completion of command lines in shells, by shtab: commands, options, files, and the names that options take."""

import argparse
from collections.abc import Iterator
from typing import Any

from kassay.errors import InputError

SHELLS = ("bash", "zsh", "tcsh", "fish")
FILES = ("FILE", "GRID", "RUN", "BEFORE", "AFTER", "OLD", "NEW", "ANSWERS", "FRONTIERS", "lag|rate|FILE")
FOLDERS = ("DIR", "FOLDER")
"""What files and folders are called in the help of commands."""


class PrintCompletion(argparse.Action):
    """Prints the script that teaches a shell to complete `kassay`, and ends."""

    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: object, shell: Any, _option: str | None = None
    ) -> None:
        """Print the script for a shell."""
        try:
            print(script(parser, shell))
        except InputError as missing:
            parser.error(str(missing).removesuffix("."))
        parser.exit()


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script for a shell; raises InputError where shtab is not installed."""
    try:
        import shtab
    except ImportError:
        raise InputError(
            "--print-completion needs shtab, which is not here; pip install 'kassay[completion]'"
        ) from None
    from kassay.assignors import ASSIGNORS
    from kassay.cli.commands.list_ import TOPICS
    from kassay.families import FAMILIES, family
    from kassay.files.settings import PROFILES
    from kassay.simulation.uses import USES

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
    for action in _actions(parser):
        known = words.get(action.dest) or words.get(str(action.metavar))
        if known:
            action.complete = shtab.cmd(f"printf '%s\\n' {' '.join(known)}")  # type: ignore[attr-defined]
        elif action.metavar in FILES + FOLDERS:
            action.complete = shtab.FILE if action.metavar in FILES else shtab.DIRECTORY  # type: ignore[attr-defined]
    text = str(shtab.complete(parser, shell))
    if shell == "zsh":  # shtab gives an argument that may be repeated once; zsh repeats what begins with *
        text = text.replace('"(*)::', '"*:').replace('"(*):', '"*:')
    return text


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of all its commands."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way, shtab goes the same
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for command in dict.fromkeys(action.choices.values()):
                yield from _actions(command)
        else:
            yield action
