"""Write the report of a sweep: figures, tables, smallest groups, and the page that shows them all."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from kassay import __version__
from kassay.families import family
from kassay.files.writing import write_whole
from kassay.reports.page.breaches import DOES, shown_breach
from kassay.reports.page.figure import draw_smallest, figures
from kassay.reports.page.rendering import ours, rendered
from kassay.reports.page.sections import sections
from kassay.reports.page.smallest_groups import GroupOf, smallest_groups
from kassay.reports.shapes import picture_of
from kassay.reports.tables.costs import cost_table
from kassay.reports.tables.gaps import cell_table, gap_table, gaps, situation_table
from kassay.reports.tables.prices import Assumed, price_table
from kassay.reports.tables.profiles import profile_table, profiles
from kassay.reports.tables.properties import judged_table, properties, property_table
from kassay.reports.tables.setup import proof_table, setup_table
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import Table
from kassay.reports.tables.timelines import timeline_table, timelines
from kassay.reports.tables.verdicts import groups_of, sentences, verdict_table
from kassay.reports.tables.writing import write_table

WRITTEN = ("index.html", "tables", "figures", "groups")
"""What a report is, in its folder."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was written: the page, the sentences it starts with and the table of verdicts."""

    page: Path
    sentences: Sequence[str]
    verdicts: Table


def write_report(
    summaries: Summaries, folder: Path, assumed: Assumed, group_of: GroupOf, *, trust: bool = False
) -> Report:
    """Write the whole report into a folder; raises InputError where that cannot be.

    Targets that are code are asked again only with `trust`.
    """
    judged, gap_frame = properties(summaries), gaps(summaries)
    tables = _tables(summaries, judged, gap_frame, assumed)
    for table in tables.values():
        write_table(table, folder / "tables")
    drawn = list(figures(summaries, gap_frame, folder / "figures"))
    picture = picture_of(family(summaries.run.family).shape)
    found = sorted(
        smallest_groups(summaries.run, judged, group_of, picture.shows, trust=trust),
        key=lambda one: list(DOES).index(one.outcome),
    )
    draw_smallest(found, picture, folder / "figures")
    said = sentences(summaries, tables["verdicts"])
    run = summaries.run
    broken = [shown_breach(one, picture, folder) for one in found]
    page = {
        "title": f"{len(run.targets):,} {run.family} assignor{'s' * (len(run.targets) != 1)} on {groups_of(summaries):,} groups",
        "sentences": said,
        "sections": sections(tables, judged, drawn, broken, picture.lead, run.grid),
        "legend": picture.legend,
        "style": ours(picture.style),
        "foot": f"kassay {__version__}; sweep {run.id} of {run.started} by kassay {run.kassay}. This page needs no network.",
    }
    write_whole(folder / "index.html", rendered(page))
    return Report(folder / "index.html", said, tables["verdicts"])


def _tables(
    summaries: Summaries, judged: pd.DataFrame, gap_frame: pd.DataFrame, assumed: Assumed
) -> dict[str, Table]:
    run = summaries.run
    tables = [
        verdict_table(summaries, judged, gap_frame),
        property_table(judged, run),
        judged_table(judged),
        gap_table(gap_frame, run),
        cell_table(gap_frame, run),
        situation_table(gap_frame, run),
        profile_table(profiles(summaries)),
        timeline_table(timelines(summaries), run),
        cost_table(summaries),
        price_table(summaries, assumed),
        setup_table(summaries),
        proof_table(summaries),
    ]
    return {table.name: table for table in tables}
