"""The tables of the report's page: the matrix of assignors by questions, and what changes for a group that migrates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import pandas as pd

from kassay.family import Question
from kassay.reports.comparison.effects import HIGHER, LOWER, NOTHING, Effect
from kassay.reports.comparison.gates import Migrated
from kassay.reports.figures.differences import signed
from kassay.reports.tables.table import TENTHS, share, written


@dataclass(frozen=True, slots=True)
class Column:
    """A question: its name, what is right, and the groups that it is of."""

    name: str
    says: str
    of: str
    groups: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A share in words, what stands under it, its width in per cent, how it looks, and where it leads."""

    share: str
    under: str
    width: str
    look: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """An assignor: its place in the run, its label, what it is, a cell for each question, None where nothing can go wrong, and whether it is a study."""

    place: int
    label: str
    says: str
    cells: Sequence[Cell | None]
    study: bool = False


def columns(frame: pd.DataFrame, questions: Sequence[Question]) -> list[Column]:
    """Return the questions with the number of their groups."""
    of = frame.groupby("question")["of"].max()
    return [Column(each.shown, each.says, f"{of[each.name]:,}", each.of.says) for each in questions]


def rows(
    frame: pd.DataFrame,
    questions: Sequence[Question],
    known: Mapping[str, str],
    says: Mapping[str, str],
    failures: str,
    compared: Sequence[str],
) -> list[Row]:
    """Return a row for each target.

    `known` has the labels of targets, `says` a description of each. A failed cell links to `failures`. Only targets in `compared` can be marked best.
    """
    found = {(row["question"], row["target"]): row for row in frame.to_dict("records")}
    best = frame[frame["target"].isin(compared)].groupby("question")["right"].max()
    made = []
    for place, (target, label) in enumerate(known.items()):
        cells: list[Cell | None] = []
        for question in questions:
            row = found[question.name, target]
            right, of = int(row["right"]), int(row["of"])
            leads = target in compared and right == best[question.name] > 0 and len(compared) > 1
            cells.append(_cell(right, of, failures if question.of_legality else "", leads) if of else None)
        made.append(Row(place, label, says.get(target, ""), cells, target not in compared))
    return made


def _cell(right: int, of: int, failures: str, leads: bool) -> Cell:
    width = f"{100 * right / of:.1f}%"
    if failures and right < of:
        return Cell(share(right / of), f"fails on {of - right:,}", width, "bad", failures)
    look = "best" if leads else ""
    if right == of:
        return Cell(share(1), f"all {of:,}" if of > 1 else "on the one group", width, f"{look} all".strip())
    return Cell(share(right / of), f"{right:,}{' · best' if leads else ''}", width, look)


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
    """Return the tables of what changes in a migration; `known` has the labels of targets."""
    made = []
    for one in found:
        tables = []
        for reference, same in groupby(one.pairs, key=lambda pair: pair[0].reference):
            pairs, rows = list(same), []
            for effects in zip(*pairs, strict=True):
                least, most = (pick(effect.pairs for effect in effects) for pick in (min, max))
                of = f"{least:,} groups" if least == most else f"{least:,} to {most:,} groups"
                rows.append((effects[0].name, of, [_change(effect) for effect in effects]))
            tables.append(From(known[reference], [known[pair[0].target] for pair in pairs], rows))
        made.append(Moving(one.question, tables))
    return made


def _change(effect: Effect) -> Change:
    if effect.verdict == NOTHING:
        return Change("\N{EN DASH}", "no group has both", "")
    after, before = (written(mean, TENTHS) for mean in effect.means)
    look = _LOOKS.get(effect.verdict, "")
    if not look:
        return Change(f"{before} → {after}", effect.verdict, "")
    low, high = effect.interval or (None, None)
    return Change(f"{before} → {after}", f"{signed(effect.difference, low, high)}, {look}", look)
