"""The folded sections of the page: tables and figures that prove what the open part says, in the order in which they are read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from kassay.reports.numbers import number_of
from kassay.reports.page.cells import Shown, matrix, shown, with_boxes
from kassay.reports.page.figure import Figure
from kassay.reports.page.groups.breaches import ShownBreach, anchor
from kassay.reports.tables.table import Table

MOST_ROWS = 40
"""Larger tables of details stand beside the page, in files of their own."""


@dataclass(frozen=True, slots=True)
class Section:
    """A folded section: its title and what it says in short, a text, figures, tables, smallest groups, and tables that are files alone."""

    id: str
    title: str
    says: str
    text: str = ""
    figures: Sequence[Figure] = ()
    tables: Sequence[Shown] = ()
    smallest: Sequence[ShownBreach] = ()
    files: Sequence[tuple[str, str, int]] = ()


def sections(
    tables: Mapping[str, Table],
    judged: pd.DataFrame,
    drawn: Iterable[Figure],
    broken: Sequence[ShownBreach],
    lead: str,
    method: str,
) -> list[Section]:
    """Arrange what is folded; `lead` says how the pictures of groups are read, `method` how answers are judged."""
    known = list(drawn)

    def figures(*names: str) -> list[Figure]:
        return [figure for figure in known if figure.section in names]

    def boxed(name: str) -> Shown:
        return with_boxes(shown(tables[name]), tables[name].frame)

    def fits(name: str) -> bool:
        return len(tables[name].frame) <= MOST_ROWS

    failures = tables["failures"].frame
    failing = (
        f"{failures['target'].nunique():,} of {number_of(len(tables['verdicts'].frame), 'assignor')}"
        if len(failures)
        else "none does"
    )
    properties = matrix(judged, tables["properties"], anchor)
    return [
        Section("failures", "Where assignors fail, and why", failing, tables=[shown(tables["failures"])]),
        Section(
            "promises", f"All {len(properties.rows)} properties", "which assignor promises and keeps what", tables=[properties, *(shown(tables[name]) for name in ("properties-judged",) if fits(name))],
            files=[(tables[name].title, name, len(tables[name].frame)) for name in ("properties-judged",) if not fits(name)],
        ),
        Section("smallest", "The smallest group behind every broken property", f"{len(broken):,} to replay", lead, smallest=broken),
        Section(
            "gaps", "Gaps", "in each level, situation and cell of the grid", figures=figures("situations"),
            tables=[boxed("gaps"), *(boxed(name) for name in ("gaps-by-situation", "gaps-by-cell") if fits(name))],
            files=[(tables[name].title, name, len(tables[name].frame)) for name in ("gaps-by-situation", "gaps-by-cell") if not fits(name)],
        ),
        Section(
            "profiles", "Beside the best of all on the same group", "performance profiles", figures=figures("profiles"), tables=[shown(tables["profiles"])],
        ),
        Section("timelines", "Over time", "after each change of a group, and until answers settle", figures=figures("timelines"),
            tables=[shown(tables[name]) for name in ("timelines", "rebalances") if name in tables and fits(name)],
            files=[(tables[name].title, name, len(tables[name].frame)) for name in ("timelines",) if not fits(name)]),
        Section("costs", "Time and price in numbers", "fitted sizes, and what crossing racks costs", tables=[shown(tables["costs"]), shown(tables["prices"])]),
        Section("judged", "How it is judged", "words, statistics, what was not proved", method, tables=[shown(tables["verdicts"]), shown(tables["proofs"])]),
    ]  # fmt: skip
