"""Protection of files that kassay did not write, and the facts of listings in the JSON of groups.

A file may name kassay's assignors and registered families. Anything else is code, which needs the user's trust.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.families import FAMILIES
from kassay.families.family import Family
from kassay.files.output import make_unwritable
from kassay.listings.listed_groups import ListingFacts
from kassay.model.json_text import convert_json
from kassay.output.telling import tell
from kassay.sentences import suggest_name

OWN = ".kassay-own"
"""In a folder that is written into: the names in it which are kassay's, one a line."""


def refuse_foreign(folder: Path, names: Iterable[str], option: str = "-o") -> None:
    """Raise InputError if a folder holds one of these names and kassay did not make it."""
    try:
        own = (folder / OWN).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        own = []
    except OSError as wrong:
        raise InputError(
            f"{folder / OWN}: cannot be read ({wrong.strerror}). Choose another folder"
        ) from None
    for name in names:
        if name not in own and os.path.lexists(folder / name):
            raise InputError(
                f"{option} {folder}: {name} is there and was not made by kassay. Choose another folder, or remove it"
            )


def note_own(folder: Path, names: Iterable[str]) -> None:
    """Note in a folder that these names are kassay's, just before they are written."""
    try:
        with (folder / OWN).open("a", encoding="utf-8") as out:
            out.write("".join(f"{name}\n" for name in names))
    except OSError as wrong:
        raise make_unwritable(folder, wrong) from None


BESIDE = "listed"
"""The key of the facts of a listing in the JSON of a group."""


class _BesideForm(msgspec.Struct, forbid_unknown_fields=True):
    in_use: str = ""
    target: Any = None
    progress: dict[str, list[tuple[int | None, int | None]]] = {}
    facts: ListingFacts | None = None


def read_listing_facts(where: str, value: Any, family: Family) -> tuple[str, Any, ListingFacts | None]:
    """Return the facts of a listed group: the assignor in use, the target assignment, and the other facts.

    The assignor is "" if it is not listed, the others are None. Raises InputError naming place and field.
    """
    told = value.get(BESIDE) if isinstance(value, dict) else None
    if told is None:
        return "", None, None
    try:
        form = convert_json(told, _BesideForm)
        target = None if form.target is None else family.shape.read_assignment(form.target)
    except InputError as wrong:
        raise InputError(f"{where}: {BESIDE}: {wrong}") from None
    return form.in_use, target, form.facts


def write_facts(facts: ListingFacts) -> dict[str, Any]:
    """Return the JSON of the facts of a listing, without what is not told."""
    written: dict[str, Any] = msgspec.to_builtins(facts)
    return written


def drop_listing_facts(value: Any) -> Any:
    """Return the JSON of a group without the facts of its listing."""
    return {key: of for key, of in value.items() if key != BESIDE} if isinstance(value, dict) else value


def refuse_code(
    where: str, targets: Iterable[str], *, trust: bool, instead: str, copy: Sequence[str] = ()
) -> None:
    """Raise InputError where a file names targets that run code, unless it is trusted: then print them.

    `where` is the file and the field, `instead` the option with which the command line names a target itself; `copy` are lines to copy.
    """
    for target in targets:
        if ":" not in target:  # an assignor of kassay's or a pattern of them, or nothing at all
            continue
        if not trust:
            raise InputError(
                f"{where}: {target!r} is not kassay's own code. Name what is to be run ({instead}), or add --trust if you "
                f"know where the file comes from{':' if copy else ''}",
                copy,
            )
        tell(f"{where}: runs {target}")


def refuse_unregistered(where: str, family: str, *, trust: bool) -> None:
    """Raise InputError where a file names a family that is no registered one, unless it is trusted: then print it."""
    if family in FAMILIES:
        return
    if not trust:
        raise InputError(
            f"{where}: there is no family {family!r}. Known are {', '.join(FAMILIES)}{suggest_name(family, FAMILIES)}"
            f"{'. To import it, add --trust if you know where the file comes from' if ':' in family else ''}"
        )
    tell(f"{where}: imports {family}")
