"""The page of the scoreboard: clients by kind of check, their releases, and the smallest group of each failed check."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from kassay import __version__
from kassay.conformance.fixtures import Fixtures
from kassay.conformance.scoreboard import (
    COLUMNS,
    COUNTED,
    NOTES,
    TITLES,
    Cell,
    Judged,
    Part,
    Promise,
    Row,
    describe_newest,
    format_held,
    matrix,
    select_newest,
)
from kassay.families.family import Family
from kassay.families.shape import Shape
from kassay.files.output import write_whole
from kassay.output.block import BROKEN
from kassay.playground.link import link
from kassay.reports.page.inline import render_page
from kassay.reports.shapes import find_picture

FEW = 6
"""The number of failing assignors per group that are listed with their error; the others are only counted."""


def write_scoreboard_page(
    path: Path, every: Sequence[Row], fixtures: Fixtures, family: Family, judged: Sequence[Judged] = ()
) -> None:
    """Write the page into a file; raises InputError if the file cannot be written."""
    shown = select_newest(every)
    picture = find_picture(family.shape)
    dates = sorted({row.run.date for row in every})
    runs = {(row.run.library, row.run.release): row.run for row in every}
    page = {
        "title": "scoreboard",
        "headline": describe_newest(shown),
        "meta": [
            ("kassay", __version__),
            ("fixtures", f"{len(fixtures.cases)} groups, version {fixtures.version}"),
            ("runs", dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"),
        ],
        "columns": [(name, says) for name, (says, _) in COLUMNS.items()],
        "libraries": list(_list_libraries(shown)),
        "releases": [
            (name, [(row.run.release, row.cells["right"].says, "bad" if row.cells["right"].failed else "best") for row in every if row.name == name])
            for name in dict.fromkeys(row.name for row in every)
        ],
        "over_the_wire": list(_build_wire_tables(judged)),
        "groups": list(_draw_groups(shown, fixtures, family.shape, picture)),
        "commands": [(f"{run.library} {run.release}", run.language, run.date, run.command, run.runs) for run in runs.values()]
        + [(f"{run.name} {run.release}", run.kind, run.date, run.command, max(part.runs for part in run.parts)) for run in judged],
        "legend": picture.legend,
        "lead": picture.lead,
        "style": picture.style,
        "foot": f"Made by kassay {__version__}. This page needs no network.",
    }  # fmt: skip
    write_whole(path, render_page("scoreboard", page))


def _list_libraries(shown: Sequence[Row]) -> Iterator[dict[str, Any]]:
    for _, rows in groupby(shown, key=lambda row: row.run.library):
        own = list(rows)
        run = own[0].run
        yield {
            "name": f"{run.library} {run.release}",
            "language": run.language,
            "rows": [(row.assignor, [_build_cell(cell) for cell in row.cells.values()]) for row in own],
        }


def _build_cell(cell: Cell) -> Mapping[str, Any]:
    if not cell.asked:
        return {"look": "no", "says": cell.says, "part": "0%", "link": "", "under": ""}
    cases = list(dict.fromkeys(one.case for one in cell.failed))
    more = f", and {len(cases) - 1} more" if len(cases) > 1 else ""
    return {
        "look": "bad" if cases else "best all",
        "says": cell.says,
        "part": f"{100 * cell.kept // cell.asked}%",
        "link": f"#{cases[0]}" if cases else "",
        "under": f"smallest: {cases[0].rpartition('-')[2]}{more}" if cases else "",
    }


def _build_wire_tables(judged: Sequence[Judged]) -> Iterator[dict[str, Any]]:
    """Yield the tables of clients as members, of clients as leaders, and of coordinators."""

    def result(run: Judged, part: Part, promise: Promise | None) -> tuple[str, str, str]:
        # The runs in which a promise held, the class of the cell, and the anchor of the message.
        if promise is None or not promise.judged:
            return format_held(promise), "no", ""
        broken = promise.outcome == BROKEN
        return (
            format_held(promise),
            "bad" if broken else "best all",
            f"#{_place(run, part, promise)}" if broken else "",
        )

    for kind, title in TITLES.items():
        counted, names, rows = matrix([one for one in judged if one.kind == kind])
        if not rows:
            continue
        cells = f"Each cell has the {COUNTED[kind]} in which a promise held, of all {COUNTED[kind]}."
        yield {
            "title": title,
            "lead": f"{cells} Only promises that any strategy breaks have a column. {NOTES[kind]}".rstrip(),
            "columns": [*counted, *names],
            "rows": [
                (f"{run.name} {run.release}", part.name, [(part.measured.get(one, "-"), "no", "") for one in counted] + [result(run, part, one) for one in promises])
                for run, part, promises in rows
            ],
            "says": [
                (_place(run, part, one), f"{run.name} {run.release} {part.name}".strip(), one.name, one.says)
                for run, part, _ in rows
                for one in part.broken
            ],
        }  # fmt: skip


def _place(run: Judged, part: Part, promise: Promise) -> str:
    """Return the anchor of the message on a broken promise."""
    return re.sub(r"[^\w.-]+", "-", f"{run.name}-{part.name}-{promise.name}")


def _draw_groups(
    shown: Sequence[Row], fixtures: Fixtures, shape: Shape, picture: Any
) -> Iterator[dict[str, Any]]:
    """Yield the smallest group of each failed check, with drawings of its present and of a better assignment."""
    cases = {case.id: case for case in fixtures.cases}
    failing: dict[str, list[str]] = {}
    for row in shown:
        for one in (cell.failed[0] for cell in row.cells.values() if cell.failed):
            failing.setdefault(one.case, [])
    for row in shown:
        for one in (one for cell in row.cells.values() for one in cell.failed if one.case in failing):
            failing[one.case].append(f"{row.name}: {one.check}: {one.wrong}")
    for id_ in sorted(failing.keys() & cases.keys()):
        case = cases[id_]
        proved = [(aim, case.should[aim]) for aim in fixtures.form.proved_aims if aim in case.should]
        before = shape.present(case.group)
        if before is None:
            before = shape.read_assignment({})
        yield {
            "id": id_,
            "number": id_.rpartition("-")[2],
            "comment": case.comment,
            "source": case.source,
            "fails": failing[id_][:FEW],
            "others": len(failing[id_]) - FEW,
            "play": link({"family": fixtures.form.family, **shape.write_group(case.group)}),
            "should": "; ".join(
                f"{aim.replace('_', ' ')} {', '.join(map(str, value)) if isinstance(value, list) else value}"
                for aim, value in proved
            ),
            "before": picture.html(f"{case.id} before", case.group, before),
            "better": picture.html(f"{case.id} better", case.group, case.better),
        }
