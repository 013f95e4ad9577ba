"""The part of the page for those who move to another family of assignors: a small table for each assignor that they have now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from kassay.reports.comparing.effects import HIGHER, LOWER, NOTHING, Effect
from kassay.reports.comparing.migrating import Migrated
from kassay.reports.figures.differences import signed
from kassay.reports.tables.table import TENTHS, written

_LOOKS = {LOWER: "better", HIGHER: "worse"}


@dataclass(frozen=True, slots=True)
class Change:
    """What one thing changes to: means before and after, the difference with its interval, and how it looks."""

    means: str
    says: str
    look: str


@dataclass(frozen=True, slots=True)
class From:
    """The assignor that a group has, those it can move to, and for each thing how many groups it is of and the changes."""

    label: str
    to: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[Change]]]


@dataclass(frozen=True, slots=True)
class Moving:
    """The question of those who move, and the answers to it."""

    question: str
    tables: Sequence[From]


def moving(found: Iterable[Migrated], known: Mapping[str, str]) -> list[Moving]:
    """Arrange what changes; `known` are the labels of targets."""
    return [
        Moving(one.question, [_table(list(pairs), known) for pairs in _by_reference(one)]) for one in found
    ]


def _by_reference(one: Migrated) -> Iterable[Iterable[Sequence[Effect]]]:
    return (pairs for _, pairs in groupby(one.pairs, key=lambda pair: pair[0].reference))


def _table(pairs: Sequence[Sequence[Effect]], known: Mapping[str, str]) -> From:
    rows = []
    for effects in zip(*pairs, strict=True):
        least, most = (pick(effect.pairs for effect in effects) for pick in (min, max))
        of = f"{least:,} groups" if least == most else f"{least:,} to {most:,} groups"
        rows.append((effects[0].name, of, [_change(effect) for effect in effects]))
    first = pairs[0][0]
    return From(known[first.reference], [known[pair[0].target] for pair in pairs], rows)


def _change(effect: Effect) -> Change:
    if effect.verdict == NOTHING:
        return Change("\N{EN DASH}", "no group has both", "")
    after, before = (written(mean, TENTHS) for mean in effect.means)
    look = _LOOKS.get(effect.verdict, "")
    if not look:
        return Change(f"{before} → {after}", effect.verdict, "")
    low, high = effect.interval or (None, None)
    return Change(f"{before} → {after}", f"{signed(effect.difference, low, high)}, {look}", look)
