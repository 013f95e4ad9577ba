"""Write the report of a sweep: figures, tables, smallest groups, and the page that shows them all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from inspect import cleandoc
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kassay import __version__
from kassay.engine.finding import Finding
from kassay.families import family
from kassay.files.writing import write_whole
from kassay.model import Group
from kassay.output.block import LAYOUT, printable
from kassay.properties.partitions.rounds import after
from kassay.reports.page.assignment_grid import HeldGrid, held_grid
from kassay.reports.page.cells import Shown, matrix, shown, with_boxes
from kassay.reports.page.figure import Picture, pictures, save_holdings
from kassay.reports.page.inline import inline
from kassay.reports.page.smallest_groups import GroupOf, Smallest, drawable, smallest_groups
from kassay.reports.tables.costs import cost_table
from kassay.reports.tables.gaps import cell_table, gap_table, gaps, situation_table
from kassay.reports.tables.prices import Assumed, price_table
from kassay.reports.tables.profiles import profile_table, profiles
from kassay.reports.tables.properties import (
    BROKEN,
    KNOWN_DEFECT,
    REFUTED,
    judged_table,
    properties,
    property_table,
)
from kassay.reports.tables.setup import proof_table, setup_table
from kassay.reports.tables.summaries import Summaries
from kassay.reports.tables.table import Table
from kassay.reports.tables.timelines import timeline_table, timelines
from kassay.reports.tables.verdicts import groups_of, sentences, verdict_table
from kassay.reports.tables.writing import write_table

HERE = Path(__file__).parent
WRITTEN = ("index.html", "tables", "figures", "groups")
"""What a report is, in its folder."""
DOES = {BROKEN: "breaks its promise", KNOWN_DEFECT: "has a known defect in", REFUTED: "does not keep"}
"""What a target does to a property, by the outcome, in the order in which it is shown."""
LEGEND = (
    ("kept", "=", "owned, gets again"),
    ("gained", "+", "gets, did not own"),
    ("parted", "", "owned, does not get"),
    ("wrong", "x", "gets, may not"),
    ("unread", "", "does not subscribe"),
    ("", "R", "read from another rack"),
)
"""Classes and signs of the squares of a group, and what they mean."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was written: the page, the sentences it starts with and the table of verdicts."""

    page: Path
    sentences: Sequence[str]
    verdicts: Table


@dataclass(frozen=True, slots=True)
class _Figure:
    name: str
    svg: Markup
    says: str


@dataclass(frozen=True, slots=True)
class _Broken:
    """A broken property as the page shows it."""

    anchor: str
    target: str
    property: str
    does: str
    size: str
    meaning: str
    messages: Sequence[str]
    trouble: str
    grids: Sequence[HeldGrid]
    file: str
    replay: str


@dataclass(frozen=True, slots=True)
class _Section:
    id: str
    title: str
    text: str = ""
    before: Sequence[Shown] = ()
    figures: Sequence[_Figure] = ()
    tables: Sequence[Shown] = ()
    smallest: Sequence[_Broken] = ()
    code: str = ""


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
    drawn = list(pictures(summaries, gap_frame, folder / "figures"))
    found = sorted(
        smallest_groups(summaries.run, judged, group_of, trust=trust),
        key=lambda one: list(DOES).index(one.outcome),
    )
    save_holdings(found, folder / "figures")
    said = sentences(summaries, tables["verdicts"])
    sections = _sections(tables, judged, drawn, [_broken(one, folder) for one in found], summaries.run.grid)
    run = summaries.run
    page = {
        "title": f"{_number(len(run.targets), f'{run.family} assignor')} on {groups_of(summaries):,} groups",
        "sentences": said,
        "sections": sections,
        "legend": LEGEND,
        "foot": f"kassay {__version__}; sweep {run.id} of {run.started} by kassay {run.kassay}. This page needs no network.",
    }
    write_whole(folder / "index.html", _rendered(page))
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
        timeline_table(timelines(summaries)),
        cost_table(summaries),
        price_table(summaries, assumed),
        setup_table(summaries),
        proof_table(summaries),
    ]
    return {table.name: table for table in tables}


def _sections(
    tables: Mapping[str, Table],
    judged: pd.DataFrame,
    drawn: Sequence[Picture],
    broken: Sequence[_Broken],
    grid: str,
) -> list[_Section]:
    def figures(section: str) -> list[_Figure]:
        return [
            _Figure(p.name, _safe(inline(p.svg, p.name, p.says)), p.says)
            for p in drawn
            if p.section == section
        ]

    def boxed(name: str) -> Shown:
        return with_boxes(shown(tables[name]), tables[name].frame)

    properties_ = matrix(judged, tables["properties"], anchor)
    return [
        _Section("verdicts", "Verdicts", before=[shown(tables["verdicts"])]),
        _Section(
            "properties", "Properties", "What breaks leads to the smallest group of the sweep that shows it.", [properties_],
        ),
        _Section("smallest", "Smallest groups", "Members down, partitions across.", smallest=broken),
        _Section("gaps", "Gaps", "Further up and left is better.", figures=figures("gaps"), tables=[boxed("gaps")]),
        _Section(
            "situations", "Situations", "Situations in which the targets differ most; the table has all of them.",
            figures=figures("situations"), tables=[boxed("gaps-by-situation"), boxed("gaps-by-cell")],
        ),
        _Section(
            "profiles", "Profiles", "How often each target is how near to the best of all on the same group; further up is better.",
            figures=figures("profiles"), tables=[shown(tables["profiles"])],
        ),
        _Section("timelines", "Timelines", figures=figures("timelines"), tables=[shown(tables["timelines"])]),
        _Section("costs", "Cost", figures=figures("costs"), tables=[shown(tables["costs"])]),
        _Section("prices", "Price", tables=[shown(tables["prices"])]),
        _Section(
            "setup", "Setup", tables=[shown(tables["proofs"]), shown(tables["properties-judged"]), shown(tables["setup"])],
            code=grid,
        ),
    ]  # fmt: skip


def anchor(target: str, property_: str) -> str:
    """Name the place of a broken cell's smallest group on the page."""
    return f"b{sha256(f'{target} {property_}'.encode()).hexdigest()[:10]}"


def _broken(one: Smallest, folder: Path) -> _Broken:
    forms = family(one.finding.family) if one.finding else None
    file, meaning = "", ""
    grids: list[HeldGrid] = []
    if forms and one.finding:
        file = f"groups/{one.finding.save(folder / 'groups').name}"
        paragraph = " ".join(
            cleandoc(forms.properties[one.property].__doc__ or "").partition("\n\n")[0].split()
        )
        meaning = f"{one.property}: {paragraph.partition('. ')[0].rstrip('.')}."
        grids = list(_grids(one, one.finding)) if drawable(one) else []
    changed = f" after {_number(one.step, 'change')}" if one.step else ""
    size = (
        f"group {one.id:,}{changed}: {_number(one.members, 'member')}, {_number(one.partitions, 'partition')}"
    )
    trouble = one.trouble or ("" if grids else "It is too large to be drawn.")
    return _Broken(
        anchor(one.target, one.property), one.target, one.property, DOES[one.outcome], size, meaning,
        one.finding.messages if one.finding else (), trouble, grids, file,
        one.finding.replay(file) if one.finding else "",
    )  # fmt: skip


def _grids(one: Smallest, finding: Finding) -> Iterator[HeldGrid]:
    """Yield the pictures of a breach: two runs that contradict each other, or the answer and something better."""
    if one.runs:
        before, after_ = one.runs
        yield held_grid(before.title, before.group, before.assignment)
        yield held_grid(after_.title, after(after_.group, before.assignment), after_.assignment)
    elif isinstance(one.group, Group):
        if finding.assignment is not None:
            yield held_grid(f"{one.target} gives", one.group, finding.assignment)
        if one.better:
            yield held_grid(f"better: {one.better.name}", one.group, one.better.assignment)


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _rendered(page: Mapping[str, Any]) -> str:
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["glued"] = lambda text: text.replace(" %", "\u00a0%")
    style, script = (_safe((HERE / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    text = environment.get_template("template.html").render(page=page, style=style, script=script)
    return printable(text, LAYOUT)


def _safe(ours: str) -> Markup:
    """Let what we wrote ourselves, or matplotlib did, stand as it is; names from outside are escaped in it."""
    return Markup(ours)  # noqa: S704
