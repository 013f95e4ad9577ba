"""The recorded known defects: for each exception to a promise of an assignor of kassay's the smallest group found that needs it.

``python tests/record.py --write`` writes them; nothing here is taken on trust: who shows one of these groups asks the assignor again.
"""

from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec

from kassay.families import family


class Defect(NamedTuple):
    """An assignor breaks a property in a situation, as a group shows in which no other exception is met."""

    assignor: str
    property: str
    term: str
    group: Any

    def __str__(self) -> str:
        return f"{self.assignor} {self.property} {self.term}"


class _Form(msgspec.Struct, forbid_unknown_fields=True):
    assignor: str
    property: str
    term: str
    group: dict[str, Any]


@cache
def _forms() -> tuple[_Form, ...]:
    text = files(__package__).joinpath("known_defects.json").read_bytes()
    return tuple(msgspec.json.decode(text, type=list[_Form]))


def defects(assignor: str | None = None) -> list[Defect]:
    """Read them all, or those of one assignor, in the order in which they are written."""
    return [
        Defect(one.assignor, one.property, one.term, _group(one))
        for one in _forms()
        if assignor in {None, one.assignor}
    ]


def recorded(target: str, promise: str, met: Collection[str]) -> list[Any]:
    """Return the groups recorded of a promise in some excepted situations, smallest first; of releases those of the newest one."""
    assignor = target.partition("@")[0]
    found = [
        one for one in _forms() if (one.assignor, one.property) == (assignor, promise) and one.term in met
    ]
    return [_group(one) for one in sorted(found, key=lambda one: len(msgspec.json.encode(one.group)))]


def _group(one: _Form) -> Any:
    of_family = one.assignor.partition("/")[0]
    return family(of_family).shape.read_group({"family": of_family} | one.group)
