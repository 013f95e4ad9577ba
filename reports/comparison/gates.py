"""Gates: conditions on a sweep that a change of an assignor must not break; and migrations from one family to another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import pandas as pd

from kassay.errors import InputError
from kassay.families import family
from kassay.oracles.levels import LevelWords
from kassay.reports.comparison.effects import (
    HIGHER,
    NOTHING,
    UNANSWERED,
    Counted,
    Effect,
    Furthest,
    compute_effects,
    count_pairs,
    decide,
)
from kassay.reports.sweep.manifest import Run
from kassay.reports.sweep.rows import LEGAL
from kassay.reports.tables.table import TENTHS, Table

KEPT, BROKEN, UNTOLD = "kept", "broken", "errored"


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate and its outcome. A gate on gaps has numbers of rows and the worst row, a gate on differences has an effect."""

    target: str
    name: str
    outcome: str
    """Kept, broken, or errored if it cannot be determined."""
    says: str
    """The reason."""
    about: str = ""
    """Its objective, or UNANSWERED."""
    short: str = ""
    """The gate as the user wrote it."""
    effect: Effect | None = None
    rows: int = 0
    compared: int = 0
    failed: int = 0
    worst: Furthest | None = None


MOST_DIGITS = 18
"""The digits of the number in ``LEVEL=N``."""


def read_gaps(texts: Sequence[str], levels: Sequence[str]) -> dict[str, int]:
    """Read ``LEVEL=N``; raises InputError if the sweep does not have the level, or N is not a whole number from 0."""
    most: dict[str, int] = {}
    for text in texts:
        level, sign, number = text.partition("=")
        if not sign or not number.isascii() or not number.isdigit() or len(number) > MOST_DIGITS:
            raise InputError(
                f"--max-gap {text}: is not LEVEL=N. Write a whole number from 0, such as balance=0."
            )
        if level not in levels:
            raise InputError(
                f"--max-gap {text}: the sweep has no level {level!r}. It has {', '.join(levels) or 'none'}."
            )
        most[level] = int(number)
    return most


def check_gaps(found: Counted, targets: Sequence[str], most: Mapping[str, int]) -> Iterator[Gate]:
    """Yield the gates on gaps: every row, at every step, must have a right answer and at most the allowed gap.

    A row without a right answer breaks the gate. A skipped row, or one without a proven optimum, makes it errored.
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
    """Return the outcome of a gate on gaps, and the reason with the number of rows."""
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


def check_not_worse(effects: Sequence[Effect], levels: Mapping[str, LevelWords]) -> Iterator[Gate]:
    """Yield the gates on differences: no level may be significantly higher than the reference's, on average or in the number of groups.

    `levels` maps each to its words. Each group with a right answer of only the reference breaks a gate, without a statistical test.
    """
    for effect in effects:
        if effect.name in (*levels, UNANSWERED):
            name = f"not worse than {effect.reference} in {effect.name}"
            worse = effect.higher > 0 if effect.name == UNANSWERED else decide(effect) == HIGHER
            outcome = UNTOLD if effect.verdict == NOTHING else BROKEN if worse else KEPT
            short = f"not worse: {levels[effect.name].asked if effect.name in levels else 'right'}"
            yield Gate(effect.target, name, outcome, describe_effect(effect), effect.name, short, effect)


def describe_effect(effect: Effect) -> str:
    """Return an effect in words, with the number of groups."""
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
    number = f"lower in {effect.lower:,}, higher in {effect.higher:,}"
    if effect.interval is None:
        return f"{effect.sign_verdict}: {number}; compared: {over}"
    low, high = effect.interval
    mean = f"{effect.verdict}: {effect.difference:+.4g} ({low:+.4g} to {high:+.4g}) in the mean"
    return f"{mean}; {effect.sign_verdict}: {number}; compared: {over}"


CAPTION = (
    "Means over the groups with right answers of both, and the number of groups. Change: after minus before, with its 95 % interval by Hall, "
    "for skewed data; no interval if fewer than 30 groups differ. Less is better. Above the optimum: the gap, or 0 if less balanced loads "
    "make it smaller. Verdicts: Holm-corrected over the rows of a pair, at 5 %."
)
_NUMBERS = ("mean before", "mean after", "change", "low", "high")


@dataclass(frozen=True, slots=True)
class Migrated:
    """The answer to a migration's question: for each pair of assignors, the effects in all aspects that the run has."""

    question: str
    pairs: Sequence[Sequence[Effect]]


def compare_migrations(sweep: Path, run: Run) -> Iterator[Migrated]:
    """Compare the targets of each family of a run with the targets of families that its groups can move to."""
    of = run.families
    for before, after in permutations(run.family_names, 2):
        migration = family(after).migrations.get(before)
        if migration is None or not migration.question:
            continue
        parts = {
            aspect.says: (f"{aspect.value} ({'gap' if aspect.level else 'measure'})", aspect.of)
            for aspect in migration.aspects
            if aspect.value in (run.levels if aspect.level else run.measures)
        }
        targets = [name for name in run.names if of[name] == after]
        found = []
        for reference in (name for name in run.names if of[name] == before):
            each = count_pairs(sweep, run, targets, reference, parts)
            found += [compute_effects(each, target, list(parts)) for target in targets]
        if parts and found:
            yield Migrated(migration.question, found)


def build_migration_table(one: Migrated) -> Table:
    """Return every effect with both assignors, the measure and the groups."""
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
