"""The output of `kassay frontier`: what one more move buys, as a table of moves, evenness and reads across racks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.family import Family
from kassay.oracles.answers import Frontier, FrontierPoint, Placed
from kassay.output import Block
from kassay.output.pretty import bar
from kassay.sentences import counted
from kassay.shape import TextTable

POINTS = 20
"""The largest number of rows of a table."""
BAR = 24
"""Columns of the longest bar."""
APART = "fullest less emptiest"


def _find_level(counts: str, values: Mapping[str, int], of: Family) -> str:
    """Return the level among values that counts moves, or loads; of loads, those of everything."""
    return next(name for name in values if of.level(name).counts == counts and not of.level(name).whose)


def racks_known(of: Family, group: Any) -> bool:
    """Return True if reads across racks can be traded for anything."""
    return of.situations["racks"](group) if "racks" in of.situations else True


def can_trade(frontier: Frontier, of: Family, group: Any) -> bool:
    """Return True if anything can be traded along a frontier at the most even loads."""
    return len(frontier.points) > 1 and _has_varying_level(frontier, of, group)


def _has_varying_level(frontier: Frontier, of: Family, group: Any) -> bool:
    return racks_known(of, group) or of.level(frontier.levels[-1]).counts != "reading"


def render_headline(name: str, frontiers: Sequence[Frontier], of: Family, group: Any) -> str:
    """Return what moves buy: what can be traded at the most even loads, reads across racks before spread, else evenness."""
    for frontier in (each for each in frontiers[:-1] if can_trade(each, of, group)):
        first, *_, last = (point.values for point in _sort_by_moves(frontier.points, of))
        moves, other = _find_level("moving", first, of), frontier.levels[-1]
        return (
            f"{name}: as even as can be, {counted(first[moves], 'move')} {'leaves' if first[moves] == 1 else 'leave'} {of.level(other).counted(first[other])}, "
            f"{last[moves]:,} leave {last[other]:,}."
        )
    points = _select_path(frontiers[-1], of)
    if not points:
        return f"{name}: what moves buy is not proved in the time there was."
    first, last = points[0].values, points[-1].values
    moves, even_in = _find_level("moving", first, of), _find_level("loads", first, of)
    if len(points) == 1:
        return f"{name}: nothing can be traded: {counted(last[moves], 'move')} and {last[even_in]:,} apart is best in both."
    half = min(points[1:-1], key=lambda point: abs(2 * point.values[moves] - last[moves]), default=None)
    between = f"; {counted(half.values[moves], 'move')} to {half.values[even_in]:,}" if half else ""
    return (
        f"{name}: {counted(last[moves], 'move')} {'takes' if last[moves] == 1 else 'take'} it from {first[even_in]:,} apart to {last[even_in]:,}, "
        f"the most even there is{between}."
    )


def _sort_by_moves(points: Sequence[FrontierPoint], of: Family) -> list[FrontierPoint]:
    if not points:
        return []
    order = [_find_level(counts, points[0].values, of) for counts in ("moving", "loads")]
    return sorted(points, key=lambda point: [point.values[name] for name in order])


def _select_path(frontier: Frontier, of: Family) -> list[FrontierPoint]:
    """Return the points that are more even than all with as few moves, by moves."""
    found: list[FrontierPoint] = []
    for point in _sort_by_moves(frontier.points, of):
        even_in = _find_level("loads", point.values, of)
        if not found or point.values[even_in] < found[-1].values[even_in]:
            found.append(point)
    return found


def render_frontier(
    frontier: Frontier, placed: Mapping[str, Placed], of: Family, group: Any, *, seconds: float
) -> Iterator[Block]:
    """Yield the points by moves, where each placed assignment is, and what is not proved."""
    known = _has_varying_level(frontier, of, group)
    # Moves come first, then loads; levels without words are for the proof alone.
    levels = [*frontier.shown, *frontier.levels]
    words = [of.oracles.words[name] for name in levels if of.oracles and name in of.oracles.words]
    words.sort(key=lambda one: {"moving": 0, "loads": 1}.get(one.counts, 2))
    columns = {one.name: (one.whose or APART) if one.counts == "loads" else one.many for one in words}
    names = [level for level in columns if known or of.level(level).counts != "reading"]
    points = _sort_by_moves(frontier.points, of) if known else _select_path(frontier, of)
    more_time = f"{seconds:g} seconds: --time-limit {max(300, 5 * seconds):g}."
    if not points:
        yield Block(prose=True, text=f"No row is proved in {more_time}")
        return
    even_in = _find_level("loads", points[0].values, of)
    loads = [name for name in names if of.level(name).counts == "loads"]
    alike = [
        name for name in loads if name != even_in and all(p.values[name] == p.values[even_in] for p in points)
    ]
    if len({point.values[even_in] for point in points}) == 1 and known and len(points) > 1:
        alike = loads
    names = [name for name in names if name not in alike]
    best = ""
    if len(points) > 1 and even_in not in names:
        last = of.level(names[-1])
        fewest = f"the fewest {last.many.partition(' ')[0]}"
        best = fewest if last.one != last.many else f"the least {last.many}"
    elif len(points) > 1 and not known:
        best = "the most even"
    # An assignment stands in the first row that has its values in all columns.
    shown = [[point.values[name] for name in names] for point in points]
    at: dict[str, int | None] = {}
    for name, place in placed.items():
        own = None if place.values is None else [place.values.get(level) for level in names]
        at[name] = shown.index(own) if own in shown else None  # type: ignore[arg-type]
    longest = max(point.values[even_in] for point in points)
    barred = even_in in names and longest > 0
    rows = []
    for n, point in enumerate(points):
        marks = [
            *(name for name, row in at.items() if row == n),
            *[best] * (n == len(points) - 1 and bool(best)),
        ]
        drawn = [bar(point.values[even_in], longest=longest, room=BAR)] * barred
        rows.append([*(f"{number:,}" for number in shown[n]), *drawn, ", ".join(marks)])
    note = ""
    if len(rows) > POINTS:
        note = f"... {len(rows) - POINTS:,} rows more: --json has all"
        gap = ["..."] + [""] * (len(rows[0]) - 1)
        rows = [*rows[: POINTS // 2], gap, *rows[-POINTS // 2 :]]
    heads = [*(columns[name] for name in names), *[""] * barred, ""]
    title = f"{frontier.title[:1].upper()}{frontier.title[1:]}"
    yield Block(title=title, prose=True, grid=TextTable(heads, rows, note))
    said = [
        _describe_unplaced(name, placed[name], points, names, columns, even_in)
        for name, row in at.items()
        if row is None
    ]
    said.append("Each row is proved: no assignment has fewer moves and is as good in the rest.")
    if not frontier.whole:
        said.append(f"Rows between them may be missing, as not all is proved in {more_time}")
    yield Block(prose=True, text="\n".join(said))


def _describe_unplaced(
    name: str,
    place: Placed,
    points: Sequence[FrontierPoint],
    names: Sequence[str],
    columns: Mapping[str, str],
    even_in: str,
) -> str:
    """Return where an assignment lies that stands in no row."""
    if place.values is None:
        return f"{name} is not compared: something is lost, doubled or given to the wrong member, or it waits for another rebalance."
    if even_in not in names and place.values[even_in] > min(point.values[even_in] for point in points):
        return f"{name} is less even, so it stands in the next table alone."
    own = {level: place.values[level] for level in names if level in place.values}
    told = ", ".join(f"{columns[level]} {number:,}" for level, number in own.items())
    better = [p for p in points if all(p.values[level] <= number for level, number in own.items())]
    if not better:
        return f"{name}: {told}; no row is as good in all of these."
    beside = ", ".join(f"{columns[level]} {better[0].values[level]:,}" for level in own)
    return f"{name}: {told}; better in one and worse in none is: {beside}."
