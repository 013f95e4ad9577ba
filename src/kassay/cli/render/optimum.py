"""The output of `kassay optimum`, `frontier` and `worst`: values in a sentence, their reasons, and tables with bars."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.comparison.headline import label_target
from kassay.comparison.measured import (
    compute_holdings,
    compute_loads,
    count_holdings,
    describe_excess,
    format_load_range,
    list_roles,
    name_role,
)
from kassay.families.family import Family
from kassay.families.names import cut, within
from kassay.families.shape import TextTable
from kassay.oracles.answers import Answer, Frontier, FrontierPoint, Gap, Level, Placed, Worst
from kassay.output import Block
from kassay.output.pretty import bar
from kassay.sentences import MOST_WORDS, format_count, join_names

ROWS = 8
"""The number of owners with changes that are shown, unless all are asked for."""
OF_WEIGHT = " of weight"
"""The unit of weights of a group that names none."""
ITEMS = 3
"""The number of things that are named of what an owner gives or gets."""


def format_value(level: Level) -> str:
    """Return the value of a level, or the interval in which it is."""
    return f"{level.value:,}" if level.proved or level.agreed else f"{level.least:,} to {level.value:,}"


def format_with_unit(level: Level, of: Family) -> str:
    """Return the value of a level with its unit: 24 moves, no read across racks."""
    one, many = of.level(level.name).unit
    if level.proved and level.value == 0:
        return f"no {one}"
    return f"{format_value(level)} {one if level.proved and level.value == 1 else many}"


def render_headline(name: str, best: Answer, of: Family, group: Any) -> str:
    """Return the value of each objective at the optimum, and whether it is proven."""
    said = [
        _describe_level(level, best, of) for level in best.levels if not _is_unknown(level.name, of, group)
    ]
    if unit := getattr(group, "weight_unit", None):
        said = [piece.replace(OF_WEIGHT, f" {unit}") for piece in said]
    end = "(proven)." if best.proved else "(not all of it is proven)."
    if not best.proved and best.levels[-1].agreed:
        end = "(two solvers agree; not proven)."
    # If nothing else was asked, objectives whose data are unknown are all that can be said.
    first, *rest = [*filter(None, said)] or [format_with_unit(level, of) for level in best.levels]
    headline = ""
    for shown in range(len(rest), -1, -1):  # The table below has all.
        more = [format_count(len(rest) - shown, "more objective")] * (shown < len(rest))
        others = f" with {join_names([*rest[:shown], *more])}" if rest else ""
        headline = f"{name}: the optimum is {first}{others} {end}"
        if len(headline.split()) <= MOST_WORDS:
            break
    return headline


def _describe_level(level: Level, best: Answer, of: Family) -> str:
    words = of.level(level.name)
    if words.counts != "loads":
        return format_with_unit(level, of)
    if words.evens is None:
        return ""
    given = count_holdings(of.shape, best.assignment)
    role = list_roles(given)[words.evens : words.evens + 1] or [""]
    numbers, items = [own.get(role[0], 0) for own in given.values()], name_role(of.shape, role[0])
    owner = next(iter(of.shape.sizes)).removesuffix("s")
    return (
        f"{format_load_range(numbers)} {items.removesuffix('s') if {*numbers} == {1} else items} per {owner}"
    )


def _is_unknown(level: str, of: Family, group: Any) -> bool:
    """Return True if an objective counts reads across racks, and the group has no racks."""
    return (
        of.level(level).counts == "reading" and "racks" in of.situations and not of.situations["racks"](group)
    )


def render_optimum(
    name: str,
    best: Answer,
    of: Family,
    group: Any,
    record: Mapping[str, Any],
    *,
    whole: bool,
    file: str | None,
) -> Iterator[Block]:
    """Yield the result, each objective with its lower bound, and the changes of each owner."""
    yield Block(says=render_headline(name, best, of, group), records=[record])
    rows = []
    for level in best.levels:
        words, has = of.level(level.name), format_value(level)
        if _is_unknown(level.name, of, group):
            rows.append([level.name, "-", "the group has no racks"])
            continue
        if words.counts == "loads":
            has = f"{has} {words.many}" if words.evens is None else _describe_level(level, best, of)
        rows.append([level.name, has, _explain_level(level, best, of, group)])
    yield Block(prose=True, grid=TextTable(["objective", "optimum", "lower bound"], rows))
    changes = list(_list_changes(best, of, group))
    left = 0 if whole or len(changes) <= ROWS + 1 else len(changes) - ROWS
    if changes:
        shown = changes[: len(changes) - left]
        owner = next(iter(of.shape.sizes)).removesuffix("s")
        heads = [owner, *_name_change_columns(best, of, group), "changes"]
        more = f"... {format_count(left, 'more row')}: add --all" if left else ""
        yield Block(prose=True, grid=TextTable(heads, shown, more))
    moved = any(of.level(level.name).counts == "moving" and level.value for level in best.levels)
    if moved and file is not None and of.oracles is not None and of.oracles.frontiers is not None:
        yield Block(commands=[(f"kassay frontier {file}", "balance with fewer moves")])


def _explain_level(level: Level, best: Answer, of: Family, group: Any) -> str:
    """Return the proof of the lower bound of an objective: by counting if possible, else as the oracle states it."""
    words = of.level(level.name)
    told = [word.removeprefix(words.reason) for word in best.words if word.startswith(words.reason)]
    if not level.proved:
        return "; ".join(told) or "not proven within the time limit"
    if words.counts == "moving" and level.value:
        now, given = (
            compute_holdings(of.shape, of.shape.present(group)),
            compute_holdings(of.shape, best.assignment),
        )
        if list_roles(now, given) == [""]:
            owners = [*given]
            said, leave = describe_excess(
                compute_loads(now, owners, ""),
                max(compute_loads(given, owners, ""), default=0),
                next(iter(of.shape.sizes)),
            )
            if leave == level.value:
                return f"{said}: at least {leave:,} must move"
    said = "; ".join(told)
    if "the least" in said and said.endswith(", which is proved"):
        return "proven: no assignment has less"
    said = within(said, cut(compute_holdings(of.shape, best.assignment)))
    return "" if said == "nothing is less than 0" else said.replace(", which is proved", " (proven)")


def _list_changes(best: Answer, of: Family, group: Any) -> Iterator[list[str]]:
    """Yield a row for each owner whose assignment changes: the loads now and at the optimum, and what it loses and gains."""
    now, then = (
        compute_holdings(of.shape, of.shape.present(group)),
        compute_holdings(of.shape, best.assignment),
    )
    short = cut(dict.fromkeys([*then, *now]))
    used = list_roles(now, then)
    for owner, name in short.items():
        before, after = now.get(owner, {}), then.get(owner, {})
        cells, said = [], []
        for role in used:
            had, has = before.get(role, ()), after.get(role, ())
            cells += [f"{len(had):,}"] * bool(now) + [f"{len(has):,}"]
            gone = [item for item in had if item not in {*has}]
            for sign, items in (("-", gone), ("+", [item for item in has if item not in {*had}])):
                more = f" and {len(items) - ITEMS} more" if len(items) > ITEMS else ""
                what = f"{role} " if role else ""
                said += [f"{what}{', '.join(f'{sign}{item}' for item in items[:ITEMS])}{more}"] * bool(items)
        if said:
            yield [name, *cells, "; ".join(said)]


def _name_change_columns(best: Answer, of: Family, group: Any) -> Iterator[str]:
    now, then = (
        compute_holdings(of.shape, of.shape.present(group)),
        compute_holdings(of.shape, best.assignment),
    )
    for role in list_roles(now, then):
        yield from [f"{role} now".lstrip()] * bool(now)
        yield f"{role} optimum".lstrip()


POINTS = 20
"""The largest number of rows of a table."""
BAR = 24
"""Columns of the longest bar."""
APART = "max - min load"


def _find_level(counts: str, values: Mapping[str, int], of: Family) -> str:
    """Return the objective among values that counts moves or loads; of several kinds of loads, the total."""
    return next(name for name in values if of.level(name).counts == counts and not of.level(name).whose)


def has_racks(of: Family, group: Any) -> bool:
    """Return True if the group has racks, or its family does not need them."""
    return of.situations["racks"](group) if "racks" in of.situations else True


def can_trade(frontier: Frontier, of: Family, group: Any) -> bool:
    """Return True if anything can be traded along a frontier at the most even loads."""
    return len(frontier.points) > 1 and _has_varying_level(frontier, of, group)


def _has_varying_level(frontier: Frontier, of: Family, group: Any) -> bool:
    return has_racks(of, group) or of.level(frontier.levels[-1]).counts != "reading"


def render_frontier_headline(name: str, frontiers: Sequence[Frontier], of: Family, group: Any) -> str:
    """Return the trade-off: of moves and another objective with balanced loads, else of moves and balance."""
    for frontier in (one for one in frontiers[:-1] if can_trade(one, of, group)):
        first, *_, last = (point.values for point in _sort_by_moves(frontier.points, of))
        moves, other = _find_level("moving", first, of), frontier.levels[-1]
        return (
            f"{name}: with balanced loads, {format_count(first[moves], 'move')} {'gives' if first[moves] == 1 else 'give'} "
            f"{of.level(other).counted(first[other])}, and {format_count(last[moves], 'move')} {of.level(other).counted(last[other])}."
        )
    points = _select_path(frontiers[-1], of)
    if not points:
        return f"{name}: no trade-off is proven within the time limit."
    first, last = points[0].values, points[-1].values
    moves, even_in = _find_level("moving", first, of), _find_level("loads", first, of)
    if len(points) == 1:
        return f"{name}: there is no trade-off. {format_count(last[moves], 'move').capitalize()} and max - min load = {last[even_in]:,} are both optimal."
    half = min(points[1:-1], key=lambda point: abs(2 * point.values[moves] - last[moves]), default=None)
    between = f", {format_count(half.values[moves], 'move')} to {half.values[even_in]:,}" if half else ""
    reduces = "reduces" if last[moves] == 1 else "reduce"
    return (
        f"{name}: {format_count(last[moves], 'move')} {reduces} max - min load from {first[even_in]:,} to {last[even_in]:,} (the optimum)"
        f"{between}."
    )


def _sort_by_moves(points: Sequence[FrontierPoint], of: Family) -> list[FrontierPoint]:
    if not points:
        return []
    order = [_find_level(counts, points[0].values, of) for counts in ("moving", "loads")]
    return sorted(points, key=lambda point: [point.values[name] for name in order])


def _select_path(frontier: Frontier, of: Family) -> list[FrontierPoint]:
    """Return the points that are better balanced than all with at most as many moves, by moves."""
    found: list[FrontierPoint] = []
    for point in _sort_by_moves(frontier.points, of):
        even_in = _find_level("loads", point.values, of)
        if not found or point.values[even_in] < found[-1].values[even_in]:
            found.append(point)
    return found


def render_frontier(
    frontier: Frontier, placed: Mapping[str, Placed], of: Family, group: Any
) -> Iterator[Block]:
    """Yield the points by moves with the located assignments, then a caveat if points are not proven."""
    known = _has_varying_level(frontier, of, group)
    # Moves come first, then loads; levels without words are for the proof alone.
    levels = [*frontier.shown, *frontier.levels]
    words = [of.oracles.words[name] for name in levels if of.oracles and name in of.oracles.words]
    words.sort(key=lambda one: {"moving": 0, "loads": 1}.get(one.counts, 2))
    columns = {one.name: (one.whose or APART) if one.counts == "loads" else one.many for one in words}
    names = [level for level in columns if known or of.level(level).counts != "reading"]
    points = _sort_by_moves(frontier.points, of) if known else _select_path(frontier, of)
    if not points:
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
        fewest = f"minimal {last.many.partition(' ')[0]}"
        best = fewest if last.one != last.many else f"minimal {last.many}"
    elif len(points) > 1 and not known:
        best = "optimum"
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
        note = f"... {len(rows) - POINTS:,} more rows: add --json"
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
    said.append("Each row is proven: no assignment has fewer moves and equal values in the other columns.")
    yield Block(prose=True, text="\n".join(said))


def _describe_unplaced(
    name: str,
    place: Placed,
    points: Sequence[FrontierPoint],
    names: Sequence[str],
    columns: Mapping[str, str],
    even_in: str,
) -> str:
    """Return the values of an assignment that is in no row, and a row that dominates it."""
    if place.values is None:
        return f"{name} is not compared: the assignment is incorrect, or another rebalance follows."
    if even_in not in names and place.values[even_in] > min(point.values[even_in] for point in points):
        return f"{name} is not balanced, so it is only in the next table."
    own = {level: place.values[level] for level in names if level in place.values}
    told = ", ".join(f"{columns[level]} {number:,}" for level, number in own.items())
    better = [p for p in points if all(p.values[level] <= number for level, number in own.items())]
    if not better:
        return f"{name}: {told}. No row is at least as good in all columns."
    dominating = ", ".join(f"{columns[level]} {better[0].values[level]:,}" for level in own)
    return f"{name}: {told}. Dominated by: {dominating}."


FEW = 4
"""The largest number of owners of which the headline names the load of each."""
WORST_BAR = 16
"""Columns of the longest bar."""


def render_worst_headline(target: str, measure: str, found: Worst, of: Family, own: Any, best: Any) -> str:
    """Return the largest distance that was found, the optimum, and whether the distance grows without bound."""
    short = label_target(target).removeprefix(f"{of.name}/")
    if found.gap is None:
        return f"{short}: no group was found in which it is above the optimum ({measure})."
    here, there = _describe_gap(found.gap, of, own, best)
    grows = "and the distance grows without bound"
    end = grows if any(each.bounded is False for each in found.grown) else "the largest distance found"
    return f"{short}: {here} (optimum {there}), {end} ({measure})."


def _describe_gap(gap: Gap, of: Family, own: Any, best: Any) -> tuple[str, str]:
    """Return the value and the optimum: loads if there are few owners, else numbers with a unit."""
    words = of.level(gap.level)
    if words.evens is None:
        alone = words.one == words.many  # it is no number of things
        unit = words.unit[0] if gap.value == 1 else words.unit[1]
        return words.counted(gap.value) if alone else f"{gap.value:,} {unit}", f"{gap.optimum:,}"
    mine, others = compute_holdings(of.shape, own), compute_holdings(of.shape, best)
    role = list_roles(mine, others)[0]
    if len(others) > FEW:
        return f"max - min load = {gap.value:,}", f"{gap.optimum:,}"
    both = (sorted(compute_loads(one, [*others], role), reverse=True) for one in (mine, others))
    own_loads, best_loads = (join_names([f"{number:,}" for number in numbers]) for numbers in both)
    return f"loads {own_loads}", best_loads


def render_worst(
    target: str, measure: str, found: Worst, of: Family, own: Any, best: Answer | None, record: Mapping[str, Any],
    again: Sequence[str], seed: int,
) -> Iterator[Block]:  # fmt: skip
    """Yield the largest distance, the group with both assignments, how the distance grows, and the limits of the search."""
    yield Block(
        says=render_worst_headline(target, measure, found, of, own, best.assignment if best else None),
        records=[record],
    )
    if found.gap is not None and best is not None:
        yield _draw_loads(target, found, of, own, best.assignment)
        yield Block(prose=True, text="\n".join(_describe_growth(found)))
    searched = f"{found.everything}, then random larger groups" if found.everything else "random groups"
    yield Block(caveats=[f"Searched: {searched} (seed {seed}). A larger distance may exist."])
    yield Block(commands=[(each, "") for each in again])


def _draw_loads(target: str, found: Worst, of: Family, own: Any, best: Any) -> Block:
    """Return loads as bars if the objective is balance, else both assignments."""
    short = label_target(target).removeprefix(f"{of.name}/")
    if found.gap is None or of.level(found.gap.level).evens is None:
        return Block(prose=True, grid=of.shape.show(found.group, {short: own, "optimum": best}))
    mine, others = compute_holdings(of.shape, own), compute_holdings(of.shape, best)
    role = list_roles(mine, others)[0]
    names = cut([*others])
    most = max([*compute_loads(mine, [*others], role), *compute_loads(others, [*others], role), 1])
    rows = []
    for owner, name in names.items():
        (one,), (two,) = compute_loads(mine, [owner], role), compute_loads(others, [owner], role)
        rows.append(
            [
                name,
                bar(one, longest=most, room=WORST_BAR),
                f"{one:,}",
                bar(two, longest=most, room=WORST_BAR),
                f"{two:,}",
            ]
        )
    return Block(prose=True, grid=TextTable([name_role(of.shape, role), short, "", "optimum", ""], rows))


def _describe_growth(found: Worst) -> Iterator[str]:
    """Yield the smallest group above the optimum, and the ways in which the distance grows."""
    yield f"Smallest group above the optimum: {found.smallest}."
    endless = [each for each in found.grown if each.bounded is False]
    bounded = [each.way for each in found.grown if each.bounded]
    for one in endless:
        first, (most, possible) = one.steps[0][0], one.steps[-1]
        yield f"With more {one.way} the distance grows without bound: from {first:,} to {most:,} (optimum {possible:,})."
    if bounded:
        yield f"With more {' or '.join(bounded)} alone it did not grow."
