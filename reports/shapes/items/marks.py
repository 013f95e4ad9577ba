"""What a picture marks: for each row and item its role, whether it stays, arrives, leaves or is wrong, and who reads from afar."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

STAYS, MOVES, NEW, LEAVES, WRONG = "kept", "moved", "new", "gone", "wrong"
"""An item in a role that the row had it in; one that another row had active; one that nobody had; one that leaves; one that may
not be here."""
ACTIVE, STANDBY, WARM_UP = "active", "standby", "warm-up"
Roles: TypeAlias = Mapping[str, Sequence[Any]]
"""Role -> items."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One item at one row: its role, what becomes of it, whether it is read across racks, and from where an active one comes."""

    role: str
    kind: str
    crossing: bool = False
    giver: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """What a picture calls its rows and its sets of items, and what it says of numbers where it counts the items of each set."""

    row: str
    set: str
    counted: str


@dataclass(frozen=True, slots=True)
class Marks:
    """A group and an assignment as a picture shows them: rows down, sets of items across, and the marks.

    `columns` has the items of each set, with the label of each. `lost` are the items that are active nowhere, `waits` those that are
    to be so until the next round; `doubled` those active more than once, with how often. `loads` are the numbers at the right,
    `notes` stand under the names of rows, `below` under the picture.
    """

    words: Words
    rows: Sequence[str]
    columns: Mapping[str, Mapping[Hashable, str]]
    at: Mapping[tuple[str, Any], Mark]
    lost: frozenset[Any]
    doubled: Mapping[Any, int]
    loads: Mapping[str, str]
    notes: Mapping[str, str]
    waits: frozenset[Any] = frozenset()
    below: str = ""


def compared(
    held: Mapping[str, Roles],
    given: Mapping[str, Roles],
    stateful: Mapping[Any, bool],
    *,
    place: Callable[[str], str] = str,
    across: Callable[[str, Any], int] = lambda _row, _item: 0,
) -> dict[tuple[str, Any], Mark]:
    """Compare what rows have with what they get: the mark of each row and item.

    `stateful` are the items that there are, and whether they may have copies; `place` is where a row keeps its copies, of each item one.
    """
    owner = {item: row for row, roles in held.items() for item in roles[ACTIVE]}
    copies = Counter(
        (place(row), item) for row, roles in given.items() for part in roles.values() for item in set(part)
    )
    at: dict[tuple[str, Any], Mark] = {}
    for row, roles in held.items():
        now = set(chain.from_iterable(given.get(row, {}).values()))
        for role, items in roles.items():
            at |= {(row, item): Mark(role, LEAVES) for item in items if item not in now}
    for row, roles in given.items():
        had = held.get(row, {})
        had_any = set(chain.from_iterable(had.values()))
        # the active role comes last, so it is the one that is seen of an item in two roles
        for role in sorted(roles, key=lambda role: role == ACTIVE):
            active = role == ACTIVE
            before = set(had.get(ACTIVE, ())) if active else had_any
            for item in roles[role]:
                wrong = row not in held or item not in stateful or copies[place(row), item] > 1
                wrong |= not active and not stateful.get(item)
                kind = WRONG if wrong else STAYS if item in before else MOVES if item in owner else NEW
                giver = owner[item] if active and kind == MOVES else ""
                if giver and item in given.get(giver, {}).get(ACTIVE, ()):
                    giver = ""  # which has it still
                at[row, item] = Mark(role, kind, active and across(row, item) > 0, giver)
    return at


def columns(
    items: Sequence[Any], at: Mapping[tuple[str, Any], Mark], label: Callable[[Any], tuple[str, str]]
) -> dict[str, dict[Hashable, str]]:
    """Return the items by set, those that there are first, with labels; `label` is the name of an item's set, and its own in there."""
    strangers = {item for _, item in at} - set(items)
    found: dict[str, dict[Hashable, str]] = {}
    for item in (*items, *sorted(strangers, key=lambda item: (not isinstance(item, str), item))):
        name, own = label(item)
        found.setdefault(name, {})[item] = own
    return found


def actives(given: Mapping[str, Roles]) -> Counter[Any]:
    """Return how often each item is active."""
    return Counter(item for roles in given.values() for item in roles[ACTIVE])
