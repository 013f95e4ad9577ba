"""What `kassay frontier` shows: what one more move buys, as a table of moves, evenness and reads across racks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.family import Family
from kassay.oracles.answers import Frontier, FrontierPoint, Placed
from kassay.output import Block
from kassay.output.bars import bar
from kassay.shape import TextTable

POINTS = 20
"""How many rows a table has at most."""
BAR = 24
"""Columns of the longest bar."""
APART = "fullest less emptiest"
COLUMNS = {
    "moves": "moves", "balance": APART, "total-balance": "with standbys", "cross-rack": "reads across racks", "joint": "reads across racks",
}  # fmt: skip
"""Level -> the column it has; others are for the proof."""
RACKS = ("cross-rack", "joint")


def racks_known(of: Family, group: Any) -> bool:
    """Say whether reads across racks can be traded for anything."""
    return of.situations["racks"](group) if "racks" in of.situations else True


def headline(name: str, frontiers: Sequence[Frontier], of: Family, group: Any) -> str:
    """Say what moves buy: reads across racks where racks are known and can be traded, else evenness."""
    even = _by_moves(frontiers[0].points)
    reads = next((level for level in RACKS if even and level in even[0].values), None)
    if reads is not None and racks_known(of, group) and len(even) > 1:
        first, last = even[0].values, even[-1].values
        return (
            f"{name}: as even as can be, {_moves(first['moves'])} leave {first[reads]:,} reads across racks, "
            f"{last['moves']:,} leave {last[reads]:,}."
        )
    points = _path(frontiers[-1])
    if not points:
        return f"{name}: what moves buy is not proved in the time there was."
    first, last = points[0].values, points[-1].values
    if len(points) == 1:
        return f"{name}: nothing can be traded: {_moves(last['moves'])} and {last['balance']:,} apart is best in both."
    half = min(points[1:-1], key=lambda point: abs(2 * point.values["moves"] - last["moves"]), default=None)
    between = f"; {_moves(half.values['moves'])} to {half.values['balance']:,}" if half else ""
    return (
        f"{name}: {_moves(last['moves'])} take it from {first['balance']:,} apart to {last['balance']:,}, "
        f"the most even there is{between}."
    )


def _moves(number: int) -> str:
    return "1 move" if number == 1 else f"{number:,} moves"


def _by_moves(points: Sequence[FrontierPoint]) -> list[FrontierPoint]:
    return sorted(points, key=lambda point: (point.values["moves"], point.values.get("balance", 0)))


def _path(frontier: Frontier) -> list[FrontierPoint]:
    """Return the points that are more even than all with as few moves, by moves."""
    found: list[FrontierPoint] = []
    for point in _by_moves(frontier.points):
        if not found or point.values["balance"] < found[-1].values["balance"]:
            found.append(point)
    return found


def table(
    frontier: Frontier, placed: Mapping[str, Placed], of: Family, group: Any, *, seconds: float
) -> Iterator[Block]:
    """Show the points by moves, who stands where, and what is not proved."""
    known = racks_known(of, group)
    values = [*frontier.shown, *frontier.levels]
    names = [level for level in COLUMNS if level in values and (known or level not in RACKS)]
    points = _by_moves(frontier.points) if known else _path(frontier)
    if not points:
        yield Block(
            prose=True,
            text=f"No row is proved in {seconds:g} seconds: --time-limit {max(300, 5 * seconds):g}.",
        )
        return
    if "total-balance" in names and all(p.values["total-balance"] == p.values["balance"] for p in points):
        names.remove("total-balance")
    if len({point.values["balance"] for point in points}) == 1 and known and len(points) > 1:
        names = [name for name in names if name not in {"balance", "total-balance"}]
    at = {name: _row_of(place, points, names) for name, place in placed.items()}
    best = (
        {}
        if known and "balance" in names
        else {len(points) - 1: "the most even" if "balance" in names else "the fewest reads"}
    )
    best = best if len(points) > 1 else {}
    marks = [
        ", ".join([*(name for name, row in at.items() if row == n), *([best[n]] if n in best else [])])
        for n in range(len(points))
    ]
    longest = max((point.values["balance"] for point in points), default=0)
    barred = "balance" in names and longest > 0
    rows = [
        [
            *(f"{point.values[name]:,}" for name in names),
            *[bar(point.values["balance"], longest=longest, room=BAR)] * barred,
            marks[n],
        ]
        for n, point in enumerate(points)
    ]
    if len(rows) > POINTS:
        left = len(rows) - POINTS
        gap = ["..."] + [""] * (len(rows[0]) - 1)
        rows = [*rows[: POINTS // 2], gap, *rows[-POINTS // 2 :]]
        note = f"... {left:,} rows more: --json has all"
    else:
        note = ""
    columns = [*(COLUMNS[name] for name in names), *[""] * barred, ""]
    yield Block(
        title=f"{frontier.title[:1].upper()}{frontier.title[1:]}",
        prose=True,
        grid=TextTable(columns, rows, note),
    )
    said = [_elsewhere(name, placed[name], points, names) for name, row in at.items() if row is None]
    said.append("Each row is proved: no assignment has fewer moves and is as good in the rest.")
    if not frontier.whole:
        said.append(
            f"Rows between them may be missing, as not all is proved in {seconds:g} seconds: --time-limit {max(300, 5 * seconds):g}."
        )
    yield Block(prose=True, text="\n".join(said))


def _row_of(place: Placed, points: Sequence[FrontierPoint], names: Sequence[str]) -> int | None:
    """Return the row in which an assignment stands, by the values that are shown."""
    if place.values is None:
        return None
    own = [place.values.get(name) for name in names]
    return next((n for n, point in enumerate(points) if [point.values[name] for name in names] == own), None)


def _elsewhere(name: str, place: Placed, points: Sequence[FrontierPoint], names: Sequence[str]) -> str:
    """Say where an assignment lies that stands in no row."""
    if place.values is None:
        return f"{name} is not compared: something is lost, doubled or given to the wrong member, or it waits for another rebalance."
    if "balance" not in names and place.values["balance"] > min(point.values["balance"] for point in points):
        return f"{name} is less even, so it stands in the next table alone."
    own = {level: place.values[level] for level in names if level in place.values}
    told = ", ".join(f"{COLUMNS[level]} {number:,}" for level, number in own.items())
    better = [p for p in points if all(p.values[level] <= number for level, number in own.items())]
    if not better:
        return f"{name}: {told}; no row is as good in all of these."
    beside = ", ".join(f"{COLUMNS[level]} {better[0].values[level]:,}" for level in own)
    return f"{name}: {told}; better in one and worse in none is: {beside}."
