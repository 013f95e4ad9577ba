"""Show the fixture results of released clients and coordinators."""

import argparse
from collections.abc import Generator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import add_page, check_page, get_option_group
from kassay.errors import InputError
from kassay.families.shape import TextTable
from kassay.output import Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kassay.conformance.scoreboard import Judged, Row

EXAMPLE = "kassay scoreboard --html scoreboard.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "runs", nargs="*", metavar="RUN", help="stored runs, files or folders (default: the runs in kassay)"
    )
    get_option_group(parser, "output").add_argument(
        "--all-releases", action="store_true", help="also show older releases"
    )
    add_page(parser, "the smallest group of each failure, with a better assignment")


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the table; 0, since nothing is judged here."""
    from kassay.conformance.fixtures import read_family_fixtures
    from kassay.conformance.scoreboard import (
        CLIENT_RUNS,
        COLUMNS,
        count_rows,
        describe_newest,
        read_protocol_runs,
        read_stored_runs,
        select_newest,
    )
    from kassay.families import family

    check_page(args)
    runs = read_stored_runs([Path(place) for place in args.runs] or [CLIENT_RUNS])
    families = {one.family for one in runs}
    if len(families) > 1:
        raise InputError(f"RUN: the runs are of {' and '.join(sorted(families))}. Give runs of one family.")
    fixtures = read_family_fixtures(runs[0].family)
    every = count_rows(runs, fixtures)
    shown = every if args.all_releases else select_newest(every)
    yield Block(says=describe_newest(select_newest(every)), records=[_build_record(row) for row in every])
    body = []
    for row in shown:
        cells = (row.cells[column] for column in COLUMNS)
        kept = [f"{one.kept}/{one.asked}" if one.asked else "-" for one in cells]
        body.append((f"{row.run.library} {row.run.release}", [row.assignor, *kept]))
    heads = (column.replace(" ", "\n") for column in COLUMNS)
    yield Block(prose=True, grid=TextTable(["assignor", *heads], _list_by_client(body)))
    judged = () if args.runs else read_protocol_runs()
    yield from _render_wire_runs(judged)
    if args.html is not None:
        from kassay.reports.page.scoreboard_page import write_scoreboard_page

        write_scoreboard_page(Path(args.html), every, fixtures, family(runs[0].family), judged)
        yield Block(text=f"The page: {args.html}", records=[{"record": "page", "page": args.html}])
    else:
        yield Block(commands=[("kassay scoreboard --html scoreboard.html", "all checks as a page")])
    yield Block(status="Exit status 0: stored runs are counted, with any results.")
    return 0


def _list_by_client(rows: "Sequence[tuple[str, list[str]]]") -> list[list[str]]:
    """Return a row for each client, and below it a row for each of its assignors, indented; a client without them has one row."""
    listed: list[list[str]] = []
    for client, of_client in groupby(rows, key=itemgetter(0)):
        under = [[f"  {first}", *cells] for _, (first, *cells) in of_client]
        if len(under) == 1 and not under[0][0].strip():
            listed.append([client, *under[0][1:]])
        else:
            listed += [[client, *[""] * (len(under[0]) - 1)], *under]
    return listed


def _render_wire_runs(judged: "Sequence[Judged]") -> "Iterator[Block]":
    """Yield a table for the clients as members, one for them as leaders, and one for the coordinators."""
    from kassay.conformance.scoreboard import COUNTED, NOTES, TITLES, format_held, matrix

    for kind, title in TITLES.items():
        runs = [one for one in judged if one.kind == kind]
        if not runs:
            continue
        counted, names, rows = matrix(runs)
        body = []
        for run, part, promises in rows:
            measured = (part.measured.get(one, "-") for one in counted)
            broken = [
                f"{name} {format_held(one)}"
                for name, one in zip(names, promises, strict=True)
                if one is not None and one.breaches
            ]
            cells = [part.name, str(part.runs), *measured, "; ".join(broken) or "none"]
            body.append((f"{run.name} {run.release}", cells))
        records: list[dict[str, object]] = [
            {
                "record": "judged", "kind": kind, "name": run.name, "release": run.release, "as": part.name, "date": run.date,
                "command": run.command, "runs": part.runs, "broken": {one.name: one.breaches for one in part.broken}, **({"measured": part.measured} if part.measured else {}),
            }
            for run, part, _ in rows
        ]  # fmt: skip
        counts = f"A broken promise stands with the {COUNTED[kind]} in which it held, of all {COUNTED[kind]}."
        yield Block(prose=True, text=f"{title}. {counts} {NOTES[kind]}".rstrip(), records=records)
        heads = [name.replace(" ", "\n") for name in counted]
        yield Block(
            prose=True,
            grid=TextTable([kind, "runs", *heads, "broken promises"], _list_by_client(body)),
        )


def _build_record(row: "Row") -> dict[str, object]:
    cells = {
        name: {"asked": cell.asked, "kept": cell.kept, "failed": [f"{one.case} {one.check}" for one in cell.failed]}
        for name, cell in row.cells.items()
    }  # fmt: skip
    return {
        "record": "scoreboard", "library": row.run.library, "release": row.run.release, "language": row.run.language,
        "date": row.run.date, "assignor": row.assignor, "cells": cells,
    }  # fmt: skip
