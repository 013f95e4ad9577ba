"""Gates: what a change of an assignor must not break, judged on a sweep.

What changes for groups that move from one family to another: the effects of each pair of assignors, on the same groups.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import pandas as pd

from kassay.errors import InputError
from kassay.families import family
from kassay.family import Aspect, Migration
from kassay.oracles.levels import LevelWords
from kassay.reports.comparison.effects import (
    HIGHER,
    NOTHING,
    UNANSWERED,
    Counted,
    Effect,
    Furthest,
    count_pairs,
    effects,
)
from kassay.reports.sweep.manifest import Run
from kassay.reports.sweep.rows import LEGAL
from kassay.reports.tables.table import TENTHS, Table

KEPT, BROKEN, UNTOLD = "kept", "broken", "errored"


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate and what became of it: kept, broken, or errored where that cannot be told; `says` is the reason.

    `about` is the level that it is of, or that a right answer is given. One that asks for nothing worse rests on an `effect`; one of gaps on
    all `rows`, of which so many are `compared` and so many `failed`, with the `worst` of them. `short` is the gate as a user asks for it.
    """

    target: str
    name: str
    outcome: str
    says: str
    about: str = ""
    short: str = ""
    effect: Effect | None = None
    rows: int = 0
    compared: int = 0
    failed: int = 0
    worst: Furthest | None = None


MOST_DIGITS = 18
"""Of the number in ``LEVEL=N``."""


def read_gaps(texts: Sequence[str], levels: Sequence[str]) -> dict[str, int]:
    """Read ``LEVEL=N``; raises InputError where the level is none of the sweep's or N no whole number from 0."""
    most: dict[str, int] = {}
    for text in texts:
        level, sign, number = text.partition("=")
        if not sign or not number.isascii() or not number.isdigit() or len(number) > MOST_DIGITS:
            raise InputError(f"--max-gap {text}: write LEVEL=N with a whole number from 0, such as balance=0")
        if level not in levels:
            raise InputError(
                f"--max-gap {text}: the sweep has no level {level!r}; it has {', '.join(levels) or 'none'}"
            )
        most[level] = int(number)
    return most


def within(found: Counted, targets: Sequence[str], most: Mapping[str, int]) -> Iterator[Gate]:
    """Demand a right answer in all rows, at every step, and of each a gap that is at most the allowed one.

    A row without one breaks the gate; one that tells nothing, skipped or without a proved optimum, leaves it open.
    """
    for target in targets:
        for level, allowed in most.items():
            statuses = found.statuses[target]
            failed = sum(n for status, n in statuses.items() if status not in (*LEGAL, "skipped"))
            yield Gate(
                target, f"gap in {level} at most {allowed:,}", *_evaluate_gap(found, target, level, allowed), level,
                f"--max-gap {level}={allowed}", None, statuses.total(), found.compared[target, level], failed,
                found.furthest.get((target, level)),
            )  # fmt: skip


def _evaluate_gap(found: Counted, target: str, level: str, allowed: int) -> tuple[str, str]:
    """Return the outcome of a gate of gaps and the reason, with the number of rows it rests on."""
    statuses, compared = found.statuses[target], found.compared[target, level]
    rows = statuses.total()
    failed = {status: n for status, n in sorted(statuses.items()) if n and status not in (*LEGAL, "skipped")}
    unproved = rows - compared - sum(failed.values()) - statuses["skipped"]
    told = []
    if failed:
        each = ", ".join(f"{status} {n:,}" for status, n in failed.items())
        told.append(f"{sum(failed.values()):,} of {rows:,} rows have no right answer ({each})")
    if statuses["skipped"]:
        told.append(f"{statuses['skipped']:,} of {rows:,} rows are skipped")
    if unproved:
        told.append(f"{unproved:,} of {rows:,} rows have no proved optimum")
    worst = found.furthest.get((target, level))
    if worst is not None:
        changes = f" after {worst.step:,} change{'s' if worst.step > 1 else ''}" if worst.step else ""
        what = f": {worst.value:,} for {worst.optimum:,}, in group {worst.id:,}{changes}" if worst.gap else ""
        told.append(f"the greatest gap is {worst.gap:,}{what}")
    told.append(f"compared: {compared:,} of {rows:,} rows")
    if failed or (worst is not None and worst.gap > allowed):
        return BROKEN, "; ".join(told)
    return KEPT if compared == rows > 0 else UNTOLD, "; ".join(told)


def not_worse(effects: Sequence[Effect], levels: Mapping[str, LevelWords]) -> Iterator[Gate]:
    """Demand that no level is higher than the reference's beyond chance, and every group that it answers legally is answered so.

    `levels` maps each to its words. A group to which only the reference has a right answer is a fact, whatever chance makes
    of their number.
    """
    for effect in effects:
        if effect.name in (*levels, UNANSWERED):
            name = f"not worse than {effect.reference} in {effect.name}"
            worse = effect.higher > 0 if effect.name == UNANSWERED else effect.verdict == HIGHER
            outcome = UNTOLD if effect.verdict == NOTHING else BROKEN if worse else KEPT
            short = f"not worse: {levels[effect.name].asked if effect.name in levels else 'right'}"
            yield Gate(effect.target, name, outcome, describe_effect(effect), effect.name, short, effect)


def describe_effect(effect: Effect) -> str:
    """Say an effect in a sentence, with the number of groups it rests on."""
    over = f"{effect.pairs:,} of {effect.groups:,} groups"
    if effect.name == UNANSWERED:
        return (
            f"{effect.higher:,} of {effect.groups:,} groups have a right answer of {effect.reference} alone"
        )
    if effect.pairs < effect.groups:
        over += (
            f"; in {effect.groups - effect.pairs:,} one of them has no right answer, or no optimum is proved"
        )
    if effect.verdict == NOTHING:
        return f"compared: {over}"
    if effect.interval is None:
        return f"{effect.verdict}: lower in {effect.lower:,}, higher in {effect.higher:,}; compared: {over}"
    low, high = effect.interval
    return f"{effect.verdict}: {effect.difference:+.4g} ({low:+.4g} to {high:+.4g}) in the mean; compared: {over}"


CAPTION = (
    "Means over the groups to which both have a right answer, and of how many groups; change: after less before, with its 95 % "
    "interval (Hall's, which allows for skewness; none where fewer than 30 groups differ). Less is better. Above the optimum: what an answer "
    "has above the least possible, and 0 where less even loads make it smaller still. Verdicts: Holm-corrected over the rows of a pair, at 5 %."
)
_NUMBERS = ("mean before", "mean after", "change", "low", "high")


@dataclass(frozen=True, slots=True)
class Migrated:
    """The answer to a migration's question: for each pair of assignors, an effect for each of its aspects that the run has."""

    question: str
    pairs: Sequence[Sequence[Effect]]


def migrated(sweep: Path, run: Run) -> Iterator[Migrated]:
    """Compare the targets of each family of a run with those of the families that its groups can move to, where it has both."""
    of = run.families
    for before, after in permutations(run.family_names, 2):
        migration = family(after).migrations.get(before)
        if migration is None or not migration.question:
            continue
        parts = {aspect.says: (_thing(aspect), aspect.of) for aspect in _known(migration, run)}
        targets = [name for name in run.names if of[name] == after]
        found = []
        for reference in (name for name in run.names if of[name] == before):
            each = count_pairs(sweep, run, targets, reference, parts)
            found += [effects(each, target, list(parts)) for target in targets]
        if parts and found:
            yield Migrated(migration.question, found)


def _known(migration: Migration, run: Run) -> list[Aspect]:
    return [
        aspect
        for aspect in migration.aspects
        if aspect.value in (run.levels if aspect.level else run.measures)
    ]


def _thing(aspect: Aspect) -> str:
    return f"{aspect.value} ({'gap' if aspect.level else 'measure'})"


def build_migration_table(one: Migrated) -> Table:
    """List every effect: from which assignor to which, in what, on which groups."""
    rows = [_row(effect) for pair in one.pairs for effect in pair]
    columns = ["from", "to", "what", *_NUMBERS, "groups", "of", "verdict"]
    frame = pd.DataFrame(rows, columns=columns)
    return Table("migration", one.question, CAPTION, frame, dict.fromkeys(_NUMBERS, TENTHS))


def _row(effect: Effect) -> list[object]:
    low, high = effect.interval or (None, None)
    before, after = (effect.means[1], effect.means[0]) if effect.pairs else (None, None)
    change = effect.difference if effect.pairs else None
    return [
        effect.reference, effect.target, effect.name, before, after, change, low, high, effect.pairs, effect.groups, effect.verdict,
    ]  # fmt: skip
