"""Find plain assertions for an invariant by asking the invariant itself about small answers.

An invariant is a function of a group and an answer. Answers of one row show which rows it forbids; answers with an item on no, one or
more owners show how many owners it demands; and so on. So no promise needs a translation of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kassay.exported_tests.rows import (
    PROBING,
    ROLES,
    Check,
    Count,
    Rows,
    count_rows,
    format_item,
    is_named,
    list_answer_rows,
    list_items,
    list_members,
)
from kassay.families.family import Family
from kassay.properties.runs import LOADS

MOST_ROWS = 400
"""The most single rows that are tried; of larger groups, only the rows of the answer are."""
MOST_OWNERS = 4
"""The most owners of one item that are tried."""


@dataclass
class Probe:
    """An invariant of a group that can be asked about any rows."""

    of: Family
    name: str
    group: Any
    written: Mapping[str, Any]
    answer: Mapping[str, Any]
    """The JSON of the target's answer."""
    items: dict[str, Any] = field(init=False)
    """The name of each item -> its JSON."""
    owners: list[str] = field(init=False)

    def __post_init__(self) -> None:
        rows = list_answer_rows(self.answer)
        known = [*list_items(self.written), *self._list_given()]
        self.items = {format_item(each): each for each in known}
        self.owners = [owner for owner in rows if owner != PROBING and not owner.endswith(" revoked")]
        self.roles = any(
            isinstance(each, Mapping) and "active" in each for each in self.answer["assignment"].values()
        )
        self.revokes = any(owner.endswith(" revoked") for owner in rows)
        self.rows = {owner: rows[owner] for owner in self.owners}

    def _list_given(self) -> Iterator[Any]:
        for given in self.answer["assignment"].values():
            for some in given.values() if isinstance(given, Mapping) else [given]:
                yield from some

    def build(self, rows: Rows) -> Any:
        """Return an answer with these rows and no others."""
        given: dict[str, Any] = {}
        for name, kind in self.answer["assignment"].items():
            if self.roles:
                given[name] = {role: [*rows.get(f"{name} {role}", ())] for role in kind}
            elif isinstance(kind, Mapping):
                items = [self.items[each] for each in rows.get(name, ())]
                given[name] = {
                    "connectors": [each for each in items if isinstance(each, str)],
                    "tasks": [each for each in items if not isinstance(each, str)],
                }
            else:
                given[name] = [self.items[each] for each in rows.get(name, ())]
        return self.of.shape.read_answer({**self.answer, "assignment": given})

    def ask(self, rows: Rows) -> list[str]:
        """Return the violations of an answer with these rows."""
        return list(self.of.invariants[self.name](self.group, self.build(rows)))


def find_checks(probe: Probe, at: int, found: Sequence[str]) -> list[Check]:
    """Return the checks of the first kind of which one fails on the answer; [] if no kind fits."""
    answer = [list_answer_rows(probe.answer)] * (at + 1)
    for kind in (_list_wrong_rows, _count_owners, _compare_loads, _check_together):
        checks = list(kind(probe, at, found))
        failing = [each for each in checks if each.is_failed_by(answer)]
        if failing:
            return [*failing, *(each for each in checks if each not in failing)]
    return []


def _list_wrong_rows(probe: Probe, at: int, _: Sequence[str]) -> Iterator[Check]:
    """Yield a check for each row that is a violation by itself, if no other row cures the violations of the answer."""
    if probe.ask({}):
        return
    given = [(owner, item) for owner in probe.owners for item in probe.rows[owner]]
    every = [(owner, item) for owner in probe.owners for item in probe.items]
    every = given if len(every) > MOST_ROWS else every
    alone = {row: said for row in every if (said := probe.ask({row[0]: [row[1]]}))}
    for owner, item in given:
        for other, beside in every if (owner, item) in alone else ():
            both = {owner: [item, beside]} if other == owner else {owner: [item], other: [beside]}
            if (other, beside) != (owner, item) and not {*alone[owner, item]} & {*probe.ask(both)}:
                return
    for (owner, item), said in alone.items():
        yield Check("count", at, (Count(1, (owner,), (item,)),), "<=", 0, message=said[0])


def _count_owners(probe: Probe, at: int, found: Sequence[str]) -> Iterator[Check]:
    """Yield checks of the number of owners that each item must and may have."""
    named = [item for item in probe.items if any(is_named(item, said) for said in found)]
    for role in ROLES if probe.roles else ("",):
        owners = [owner for owner in probe.owners if owner.endswith(f" {role}" * bool(role))]
        for item in named if len(probe.items) * len(owners) > MOST_ROWS else probe.items:
            said = [
                [
                    one
                    for one in probe.ask({owner: [item] for owner in owners[:number]})
                    if is_named(item, one)
                ]
                for number in range(min(len(owners), MOST_OWNERS) + 1)
            ]
            fine = [number for number, sentences in enumerate(said) if not sentences]
            twice = bool(owners) and any(is_named(item, one) for one in probe.ask({owners[0]: [item, item]}))
            those = tuple(owners) if role or probe.revokes else ()
            counts = (Count(1, those, (item,)),)
            if fine and fine[0] > 0:
                yield Check(
                    "count", at, counts, ">=", fine[0], message=_find_sentence(found, item, said[0][0])
                )
            if fine and (fine[-1] < len(said) - 1 or (twice and fine[-1] == 1)):
                broken = (
                    said[fine[-1] + 1][0] if fine[-1] < len(said) - 1 else f"{item} has the same owner twice"
                )
                yield Check("count", at, counts, "<=", fine[-1], message=_find_sentence(found, item, broken))


def _find_sentence(found: Sequence[str], item: str, said: str) -> str:
    """Return the sentence of the finding about an item; if there is none, what would be wrong."""
    return next((one for one in found if is_named(item, one)), said)


def _compare_loads(probe: Probe, at: int, found: Sequence[str]) -> Iterator[Check]:
    """Yield a check of the difference of the loads of two members that a violation names."""
    topics = {each[0] for each in probe.items.values() if not isinstance(each, str)}
    for said in found:
        subject = getattr(said, "of", None)
        if subject != LOADS and subject not in topics:
            continue
        places = sorted(
            (said.index(name), name)
            for name in (each["id"] for each in list_members(probe.written))
            if is_named(name, said)
        )
        if len(places) < 2:
            continue
        (_, giver), (_, taker) = places[:2]
        items = tuple(
            name for name, each in probe.items.items() if not isinstance(each, str) and each[0] == subject
        )
        roles = (("active",) if "active task" in said else ROLES[:2]) if probe.roles else ("",)
        more, less = (tuple(f"{name} {role}".strip() for role in roles) for name in (giver, taker))
        counts = Count(1, more, items), Count(-1, less, items)
        apart = sum(each.sign * count_rows(probe.rows, each) for each in counts)
        taken = next(
            (
                (owner, item)
                for owner in reversed(more)
                for item in probe.rows.get(owner, ())
                if not items or item in items
            ),
            None,
        )
        if taken is None:
            continue
        owner, item = taken
        without = {**probe.rows, owner: [each for each in probe.rows[owner] if each != item]}
        other = less[more.index(owner)]
        moved = {**without, other: [*without.get(other, ()), item]}
        for rows, bound in ((without, apart - 1), (moved, apart - 2)):
            again = [one for one in probe.ask(rows) if getattr(one, "of", None) == subject]
            if not any(is_named(giver, one) and is_named(taker, one) for one in again):
                yield Check("count", at, counts, "<=", bound, message=said)
                break


def _check_together(probe: Probe, at: int, found: Sequence[str]) -> Iterator[Check]:
    """Yield the check that an answer does not have all of some rows, which are a violation together."""
    if probe.ask({}):
        return
    rows = {
        owner: [item for item in items if is_named(item, found[0])] for owner, items in probe.rows.items()
    }
    fixed = bool(probe.ask(rows))  # the named items are a violation without the others
    rows = rows if fixed else {owner: [*items] for owner, items in probe.rows.items()}
    for owner in () if fixed else probe.owners:
        for item in [*rows[owner]]:
            fewer = {**rows, owner: [each for each in rows[owner] if each != item]}
            if probe.ask(fewer):
                rows = fewer
    counts = tuple(Count(1, (owner,), (item,)) for owner, items in rows.items() for item in items)
    if counts:
        yield Check("count", at, counts, "<=", len(counts) - 1, message=probe.ask(rows)[0])
