"""The page of a sequence of rebalances: a row for each rebalance, a column for each strategy and for the best possible."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from kassay import __version__
from kassay.comparison.measured import Step, called
from kassay.family import Family
from kassay.files.output import write_whole
from kassay.reports.page.groups.group_page import list_unconsidered
from kassay.reports.page.groups.holders import COLUMNS, draw_columns, short_names
from kassay.reports.page.inline import rendered
from kassay.shape import TextTable

DRAWN = 20_000
"""The total number of columns of all small pictures."""
FEWEST = 8
"""The least number of columns of a small picture."""
NAMED = 4
"""The number of owners that a rebalance names."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The steps of one strategy, or of the best possible, up to the first rebalance without a right answer."""

    name: str
    steps: Sequence[Step]
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One strategy at one rebalance: moves, loads of members, remarks and a picture."""

    moves: str
    loads: str = ""
    says: Sequence[str] = ()
    picture: Markup | str = ""
    uneven: bool = False


def write_over_time_page(
    path: Path,
    says: str,
    where: str,
    words: str,
    summary: TextTable,
    lanes: Sequence[Lane],
    family: Family,
    group: Any,
    assumed: str,
    command: str,
    reads: Mapping[str, str],
) -> None:
    """Write the page into a file; raise InputError if it cannot be written.

    `reads` maps the levels of the steps' totals that are shown next to the moves to their titles.
    """
    rebalances = max((len(lane.steps) for lane in lanes), default=0)
    longest = max(lanes, key=lambda lane: len(lane.steps)).steps if lanes else []
    owners = list(dict.fromkeys(owner for step in longest for owner in step.holds))
    short = short_names(owners)
    most = max((sum(own) for lane in lanes for step in lane.steps for own in step.holds.values()), default=1)
    columns_each = max(FEWEST, min(COLUMNS, DRAWN // max(1, rebalances * len(lanes))))
    # One column for each rebalance, with the same scale for all strategies.
    most_moves = max((step.moves for lane in lanes for step in lane.steps), default=1)
    progress = {
        lane.name: draw_columns(
            [0] * len(lane.steps),
            [step.moves for step in lane.steps],
            most_moves,
            limit=max(COLUMNS, len(lane.steps)),
        )
        for lane in lanes
    }
    page = {
        "title": says,
        "headline": says,
        "where": where,
        "words": words,
        "noun": next(iter(family.shape.sizes)),
        "things": called(family.shape, longest[0].most_least[0][0] if longest else ""),
        "meta": [
            ("kassay", __version__),
            ("family", family.name),
            *((name, f"{count(group):,}") for name, count in family.shape.sizes.items()),
        ],
        "columns": summary.columns,
        "rows": summary.rows,
        "progress": progress,
        "lanes": [lane.name for lane in lanes],
        "steps": [
            {
                "number": n + 1,
                "what": ", ".join(
                    [*_describe_owners(longest[n].left, "leaves", "leave", short), *_describe_owners(longest[n].joined, "joins", "join", short)]
                ) or "at the start",
                "full": ", ".join((*longest[n].left, *longest[n].joined)),
                "cells": [_build_cell(lane, n, owners, most, columns_each, reads) for lane in lanes],
            }
            for n in range(rebalances)
        ],
        "trouble": [f"{lane.name}: {lane.trouble}." for lane in lanes if lane.trouble],
        "assumed": [*filter(None, [assumed[:1].upper() + assumed[1:]]), *list_unconsidered(family, group)],
        "command": command,
        "style": "",
        "foot": f"kassay {__version__}. Names are shortened; point at a name to see all of it. This page needs no network.",
    }  # fmt: skip
    write_whole(path, rendered("over-time", page))


def _describe_owners(owners: Sequence[str], one: str, many: str, short: Mapping[str, str]) -> Iterator[str]:
    if owners:
        named = ", ".join(short.get(owner, owner) for owner in owners[:NAMED])
        more = f" and {len(owners) - NAMED:,} more" if len(owners) > NAMED else ""
        yield f"{named}{more} {one if len(owners) == 1 else many}"


def _build_cell(
    lane: Lane, n: int, owners: Sequence[str], most: int, limit: int, reads: Mapping[str, str]
) -> Cell:
    if n >= len(lane.steps):
        return Cell("\N{EN DASH}", says=["no right answer"] if n == len(lane.steps) and lane.trouble else [])
    step = lane.steps[n]
    own = [step.holds.get(owner, (0, 0)) for owner in owners]
    said = [f"{step.totals[level]:,} {name}" for level, name in reads.items() if level in step.totals]
    if step.rounds > 1:
        said.append(f"converges in {step.rounds} rebalances")
    if step.waiting:
        said.append(f"{step.waiting:,} without an owner until then")
    if step.uneven:
        said.append("not balanced")
    stays, full = [a for a, _ in own], [a + b for a, b in own]
    loads = ", ".join(
        f"{role + ' ' if len(step.most_least) > 1 else ''}{high:,} \N{MIDDLE DOT} {low:,}" for role, high, low in step.most_least
    )  # fmt: skip
    return Cell(
        f"{step.moves:,}", loads, said, draw_columns(stays, full, most, limit), step.uneven
    )  # fmt: skip
