"""The matrix that a page begins with: assignors down, questions across, each with its share, its count and what it is a share of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from kassay.family import Question
from kassay.reports.tables.table import share


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
    """Return a row for each target; `known` are the labels, `says` what each target is; failures lead to the link of that name; the best are those of `compared`."""
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
