"""The sections of the page, in the order in which they are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from markupsafe import Markup

from kassay.reports.page.breaches import ShownBreach, anchor
from kassay.reports.page.cells import Shown, matrix, shown, with_boxes
from kassay.reports.page.figure import Figure
from kassay.reports.page.inline import inline
from kassay.reports.page.rendering import ours
from kassay.reports.tables.table import Table


@dataclass(frozen=True, slots=True)
class InlineFigure:
    """A figure as the page has it inside, and what it shows in words."""

    name: str
    svg: Markup
    says: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section: a lead, then tables, figures, more tables, smallest groups and code, as far as it has them."""

    id: str
    title: str
    text: str = ""
    before: Sequence[Shown] = ()
    figures: Sequence[InlineFigure] = ()
    tables: Sequence[Shown] = ()
    smallest: Sequence[ShownBreach] = ()
    code: str = ""


def sections(
    tables: Mapping[str, Table],
    judged: pd.DataFrame,
    drawn: Sequence[Figure],
    broken: Sequence[ShownBreach],
    lead: str,
    grid: str,
) -> list[Section]:
    """Arrange tables, figures and the smallest groups of breaches; `lead` says how their pictures are read."""

    def figures(section: str) -> list[InlineFigure]:
        return [
            InlineFigure(p.name, ours(inline(p.svg, p.name, p.says)), p.says)
            for p in drawn
            if p.section == section
        ]

    def boxed(name: str) -> Shown:
        return with_boxes(shown(tables[name]), tables[name].frame)

    properties_ = matrix(judged, tables["properties"], anchor)
    return [
        Section("verdicts", "Verdicts", before=[shown(tables["verdicts"])]),
        Section(
            "properties", "Properties", "What breaks leads to the smallest group of the sweep that shows it.", [properties_],
        ),
        Section("smallest", "Smallest groups", lead, smallest=broken),
        Section("gaps", "Gaps", "Further up and left is better.", figures=figures("gaps"), tables=[boxed("gaps")]),
        Section(
            "situations", "Situations", "Situations in which the targets differ most; the table has all of them.",
            figures=figures("situations"), tables=[boxed("gaps-by-situation"), boxed("gaps-by-cell")],
        ),
        Section(
            "profiles", "Profiles", "How often each target is how near to the best of all on the same group; further up is better.",
            figures=figures("profiles"), tables=[shown(tables["profiles"])],
        ),
        Section("timelines", "Timelines", figures=figures("timelines"), tables=[shown(tables["timelines"])]),
        Section("costs", "Cost", figures=figures("costs"), tables=[shown(tables["costs"])]),
        Section("prices", "Price", tables=[shown(tables["prices"])]),
        Section(
            "setup", "Setup", tables=[shown(tables["proofs"]), shown(tables["properties-judged"]), shown(tables["setup"])],
            code=grid,
        ),
    ]  # fmt: skip
