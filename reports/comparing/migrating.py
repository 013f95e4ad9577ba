"""What changes for groups that move from one family to another: the effects of each pair of assignors, on the same groups."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import pandas as pd

from kassay.families import family
from kassay.family import Aspect, Migration
from kassay.reports.comparing.effects import Effect, effects
from kassay.reports.comparing.pairs import counted
from kassay.reports.sweep.manifest import Run
from kassay.reports.tables.table import TENTHS, Table

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
            each = counted(sweep, run, targets, reference, parts)
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


def migration_table(one: Migrated) -> Table:
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
