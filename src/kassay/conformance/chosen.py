"""What was chosen for the fixtures of a family: ids, words and groups, from which all expectations follow."""

from functools import partial
from importlib import resources
from typing import Any

import msgspec

from kassay.conformance.case import Twin
from kassay.conformance.form import Form
from kassay.errors import InputError
from kassay.model.json_text import decoded

VERSION = "0.1.0"
"""The version of the fixtures, which is not that of kassay; fixtures/STABILITY.md says when it changes."""

FIRST = "0.1.0"
"""The version in which a case came that says no other."""


class Chosen(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A chosen case: `group` is its JSON as a fixture has it, `needs` what it needs beside what its group shows.

    A twin may leave out what nobody has to be told: the names that are not exchanged. `stays` says why it stays though it kills nothing by itself.
    """

    id: str
    comment: str
    source: str
    group: dict[str, Any]
    since: str = FIRST
    needs: tuple[str, ...] = ()
    twin: Twin | None = None
    stays: str = ""


def chosen(of: Form) -> tuple[Chosen, ...]:
    """Read the list of chosen cases of a family; raises InputError naming the place where it is wrong."""
    name = f"chosen/{of.family}.json"
    text = resources.files("kassay.conformance").joinpath(name).read_text("utf-8")
    try:
        cases: list[Chosen] = decoded(text, list[Chosen])
    except msgspec.ValidationError as wrong:
        raise InputError(f"{name}: {wrong}") from None
    ids = [case.id for case in cases]
    twice = next((id_ for n, id_ in enumerate(ids) if id_ in ids[:n]), None)
    if twice:
        raise InputError(f"{name}: the id {twice} stands twice; an id is never used again")
    return tuple(cases)


def group_of(case: Chosen, of: Form) -> Any:
    """Make the group of a chosen case; raises InputError naming case and field."""
    read = partial(of.read_group, case.group)
    try:
        return read()
    except InputError as wrong:
        raise InputError(f"chosen/{of.family}.json: {case.id}: group: {wrong}") from None
