"""What a file may name: assignors of kassay's and registered families. Anything else is code, which only a command line may."""

import sys
from collections.abc import Iterable

from kassay.errors import InputError
from kassay.families import FAMILIES
from kassay.output.block import one_line
from kassay.suggesting import meant


def refuse_code(where: str, targets: Iterable[str], *, trust: bool, instead: str) -> None:
    """Raise InputError where a file names targets that run code, unless it is trusted: then print them.

    `where` is the file and the field, `instead` the option with which the command line names a target itself.
    """
    for target in targets:
        if ":" not in target:  # an assignor of kassay's or a pattern of them, or nothing at all
            continue
        if not trust:
            raise InputError(
                f"{where}: {target!r} is not kassay's own code; add --trust if you know where the file comes from, "
                f"or name what is to be run: {instead}"
            )
        print(f"kassay: {one_line(where)}: runs {one_line(target)}", file=sys.stderr)


def refuse_unregistered(where: str, family: str, *, trust: bool) -> None:
    """Raise InputError where a file names a family that is no registered one, unless it is trusted: then print it."""
    if family in FAMILIES:
        return
    if not trust:
        raise InputError(
            f"{where}: there is no family {family!r}; known are {', '.join(FAMILIES)}{meant(family, FAMILIES)}"
            f"{'; --trust imports it, if you know where the file comes from' if ':' in family else ''}"
        )
    print(f"kassay: {one_line(where)}: imports {one_line(family)}", file=sys.stderr)
