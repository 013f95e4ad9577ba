"""The part of docs/results/worst.md on the prices of KIP-925: tables, smallest applications and pictures."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import proved_prices
from counted_prices import PRICES, Price, Tally, answers, exhaust_price
from price_growth import draw_growth, draw_shares
from proved_prices import GROWN, PROVED, prove_optimum, same_active

from kassay.families import family
from kassay.families.shape import TextTable
from kassay.model.tasks import Application
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.worst_case import Scored, count
from kassay.output import Block
from kassay.reference import ASSIGNORS
from kassay.reports.figures.style import as_svg

RACKS = 2
KAFKA = ASSIGNORS["streams/high-availability"].assign
SWAPS, ALL = "high-availability: standbys", "high-availability: all"
TRIED: Mapping[str, tuple[Price, int, int]] = {
    **{name: (price, 4 - (price.parts > 1), 4) for name, price in PRICES.items()},
    SWAPS: (answers(KAFKA, standbys=True), 3, 4),
    ALL: (answers(KAFKA), 3, 4),
}
"""Price -> up to how many clients and tasks it is counted out."""
DOUBLED = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class Family:
    """How a price grows: by tasks, what is paid and the optimum."""

    title: str
    steps: Sequence[tuple[int, int, int]]


def build_blocks(folder: Path) -> Iterator[Block]:
    """Count out and prove all prices, write the pictures into a folder, and yield what the page says."""
    tallies = {name: list(exhaust_price(*tried, RACKS)) for name, tried in TRIED.items()}
    for name, found in tallies.items():
        refuse_unproved(name, found)
    yield Block(grid=_build_table(tallies))
    for name, found in tallies.items():
        yield _show_smallest(name, found)
    families = [
        Family(name, [_step(make(n), pair) for n in _list_sizes(name)])
        for name, (make, pair) in GROWN.items()
    ]
    families += [
        Family(SWAPS, [_step(proved_prices.detours(n), _compute_swaps) for n in DOUBLED]),
        Family(ALL, [_step(proved_prices.ties(n), _compute_joint) for n in DOUBLED]),
    ]  # fmt: skip
    yield Block(
        grid=TextTable(
            ["grown", "tasks: what is paid for what would do"],
            [[each.title, ", ".join(f"{tasks}: {value} for {least}" for tasks, value, least in each.steps)] for each in families],
        )
    )  # fmt: skip
    growth = draw_growth({each.title: each.steps for each in families})
    (folder / "streams-growth.svg").write_text(as_svg(growth, "streams-growth"))
    last = {
        name: next(t for t in tallies[name] if (t.clients, t.tasks) == (3, 4)).gaps for name in (ALL, SWAPS)
    }
    (folder / "streams-shares.svg").write_text(as_svg(draw_shares(last), "streams-shares"))


def refuse_unproved(name: str, found: Sequence[Tally]) -> None:
    """Hold the worst of each size against the oracles; raises SystemExit where what was counted out is not what they prove."""
    for tally in found:
        for case in (tally.furthest, tally.steepest):
            if case is not None and not _is_proven(name, case):
                raise SystemExit(f"{name}, {tally.clients} x {tally.tasks}: the oracles prove otherwise")


def _is_proven(name: str, case: Scored[Application]) -> bool:
    if name in PROVED:
        return PROVED[name](case.group) == (case.value, case.optimum)
    if name == SWAPS:
        return _compute_swaps(case.group) == (case.value, case.optimum)
    if name == "pairwise swaps":  # the counts at which standbys are stuck are not known here
        return prove_optimum("balance,joint", case.group) <= case.optimum
    return prove_optimum("balance,joint", case.group) == case.optimum


def _compute_joint(application: Application) -> tuple[int, int]:
    return LEVELS["joint"].measure(application, KAFKA(application)), prove_optimum(
        "balance,joint", application
    )


def _compute_swaps(application: Application) -> tuple[int, int]:
    answer = KAFKA(application)
    return LEVELS["standby"].measure(application, answer), same_active(application, answer)


def _list_sizes(name: str) -> Sequence[int]:
    return DOUBLED[1:] if name == "active first, best tie" else DOUBLED


def _step(application: Application, pair: Callable[[Application], tuple[int, int]]) -> tuple[int, int, int]:
    return (len(application.tasks), *pair(application))


def _build_table(tallies: Mapping[str, Sequence[Tally]]) -> TextTable:
    """One row for each price, one column for each size at which anything is paid."""
    sizes = sorted({(t.clients, t.tasks) for found in tallies.values() for t in found if t.furthest})
    rows = []
    for name, found in tallies.items():
        of = {(t.clients, t.tasks): t for t in found}
        tried = sum(t.tried for t in found)
        rows.append([name, *(_write_cell(of.get(each)) for each in sizes), f"{tried:,}"])
    return TextTable(["price", *(f"{c} x {t}" for c, t in sizes), "counted out"], rows)


def _write_cell(tally: Tally | None) -> str:
    """Write the largest difference, and the largest ratio where that is another case."""
    if tally is None:
        return "not tried"
    if tally.furthest is None or tally.steepest is None:
        return "none"
    cases = [f"{case.value}:{case.optimum}" for case in (tally.furthest, tally.steepest)]
    return ", ".join(dict.fromkeys(cases))


def _show_smallest(name: str, found: Sequence[Tally]) -> Block:
    """Show the worst application of the smallest size at which a price is paid."""
    tally = next(t for t in found if t.furthest)
    case = tally.furthest
    assert case is not None
    says = TRIED[name][0].says
    size = f"{count(tally.clients, 'client')} x {count(tally.tasks, 'task')}"
    text = f"{says} {case.value} for {case.optimum}, at {size}:"
    return Block(name, text, code=[json.dumps(family("streams").write_group(case.group))])
