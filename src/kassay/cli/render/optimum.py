"""The output of `kassay optimum`, `frontier` and `worst`: values in a sentence, their reasons, and tables with bars."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kassay.comparison.headline import label_of
from kassay.comparison.measured import called, each, excess, held, loads, roles, sizes
from kassay.families.names import cut, within
from kassay.family import Family
from kassay.oracles.answers import Answer, Frontier, FrontierPoint, Gap, Level, Placed, Worst
from kassay.output import Block
from kassay.output.pretty import bar
from kassay.sentences import counted, listed
from kassay.shape import TextTable

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
    """Return what is best, and whether it is proved."""
    said = [
        _describe_level(level, best, of) for level in best.levels if not _is_unknown(level.name, of, group)
    ]
    if unit := getattr(group, "weight_unit", None):
        said = [piece.replace(OF_WEIGHT, f" {unit}") for piece in said]
    end = "Proved." if best.proved else "Not all of it is proved."
    if not best.proved and best.levels[-1].agreed:
        end = "Two solvers agree on it, which is no proof."
    return f"{name}: at best {', '.join(piece for piece in said if piece)}. {end}"


def _describe_level(level: Level, best: Answer, of: Family) -> str:
    words = of.level(level.name)
    if words.counts != "loads":
        return format_with_unit(level, of)
    if words.evens is None:
        return ""
    given = sizes(of.shape, best.assignment)
    role = roles(given)[words.evens : words.evens + 1] or [""]
    numbers, items = [own.get(role[0], 0) for own in given.values()], called(of.shape, role[0])
    return f"{each(numbers)} {items.removesuffix('s') if {*numbers} == {1} else items} each"


def _is_unknown(level: str, of: Family, group: Any) -> bool:
    """Return True if a level is of racks, and the group has none."""
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
    """Yield the answer, its levels with their reasons, the changes of each owner, and where to go on."""
    yield Block(says=render_headline(name, best, of, group), records=[record])
    rows = []
    for level in best.levels:
        words, has = of.level(level.name), format_value(level)
        if _is_unknown(level.name, of, group):
            rows.append([words.short, "not known", "the group has no racks"])
            continue
        if words.counts == "loads":
            has = f"{has} {words.many}" if words.evens is None else _describe_level(level, best, of)
        rows.append([words.short, has, _explain_level(level, best, of, group)])
    yield Block(prose=True, grid=TextTable(["", "", ""], rows))
    changes = list(_list_changes(best, of, group))
    left = 0 if whole or len(changes) <= ROWS + 1 else len(changes) - ROWS
    if changes:
        shown = changes[: len(changes) - left]
        yield Block(prose=True, grid=TextTable([""] * len(shown[0]), shown))
    if left:
        yield Block(prose=True, text=f"... {left} more row{'s' if left > 1 else ''}: add --all")
    moved = any(of.level(level.name).counts == "moving" and level.value for level in best.levels)
    if moved and file is not None and of.oracles is not None and of.oracles.frontiers is not None:
        yield Block(prose=True, text="What fewer moves would cost:", code=[f"  kassay frontier {file}"])


def _explain_level(level: Level, best: Answer, of: Family, group: Any) -> str:
    """Return why a level is not better: by counting if that is the whole proof, else as the oracle says it, names cut."""
    words = of.level(level.name)
    told = [word.removeprefix(words.reason) for word in best.words if word.startswith(words.reason)]
    if not level.proved:
        return "; ".join(told) or "not proved in the time there was"
    if words.counts == "moving" and level.value:
        now, given = held(of.shape, of.shape.present(group)), held(of.shape, best.assignment)
        if roles(now, given) == [""]:
            owners = [*given]
            said, leave = excess(
                loads(now, owners, ""), max(loads(given, owners, ""), default=0), next(iter(of.shape.sizes))
            )
            if leave == level.value:
                return f"{said}: at least {leave:,} must leave"
    said = "; ".join(told)
    if "the least" in said and said.endswith(", which is proved"):
        return "proved: no assignment has less"
    said = within(said, cut(held(of.shape, best.assignment)))
    return "" if said == "nothing is less than 0" else said.replace(", which is proved", " (proved)")


def _list_changes(best: Answer, of: Family, group: Any) -> Iterator[list[str]]:
    """Yield a row for each owner whose assignment changes: how much it has and will have, what it gives and gets."""
    now, then = held(of.shape, of.shape.present(group)), held(of.shape, best.assignment)
    short = cut(dict.fromkeys([*then, *now]))
    used = roles(now, then)
    for owner, name in short.items():
        before, after = now.get(owner, {}), then.get(owner, {})
        cells, said = [], []
        for role in used:
            had, has = before.get(role, ()), after.get(role, ())
            cells.append(f"{len(had):,} -> {len(has):,}" if now else f"{len(has):,}")
            cells += [role] * bool(role)
            gone = [item for item in had if item not in {*has}]
            for verb, items in (("gives", gone), ("gets", [item for item in has if item not in {*had}])):
                more = f" and {len(items) - ITEMS} more" if len(items) > ITEMS else ""
                what = f"{role} " if role else ""
                said += [f"{verb} {what}{', '.join(items[:ITEMS])}{more}"] * bool(items)
        if said:
            yield [name, *cells, "; ".join(said)]


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


def render_frontier_headline(name: str, frontiers: Sequence[Frontier], of: Family, group: Any) -> str:
    """Return what moves buy: what can be traded at the most even loads, reads across racks before spread, else evenness."""
    for frontier in (one for one in frontiers[:-1] if can_trade(one, of, group)):
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


FEW = 4
"""The largest number of owners of which the headline names the load of each."""
WORST_BAR = 16
"""Columns of the longest bar."""


def render_worst_headline(target: str, measure: str, found: Worst, of: Family, own: Any, best: Any) -> str:
    """Return how bad it is, what would be possible, and whether it grows without end."""
    short = label_of(target).removeprefix(f"{of.name}/")
    if found.gap is None:
        return f"{short}: nothing was found that is worse than the best possible ({measure})."
    endless = any(each.bounded is False for each in found.grown)
    here, there = _describe_gap(found.gap, of, own, best)
    what = "uneven" if of.level(found.gap.level).evens is not None else "bad"
    if endless:
        return f"{short} can be as {what} as you like: {here}, where {there} is possible, and worse the larger the group."
    return f"{short} is at worst this {what}, as far as was searched: {here}, where {there} is possible."


def _describe_gap(gap: Gap, of: Family, own: Any, best: Any) -> tuple[str, str]:
    """Return what the assignor has and what is possible: loads if there are few, else the numbers with their unit."""
    words = of.level(gap.level)
    if words.evens is None:
        alone = words.one == words.many  # it is no number of things
        return words.counted(gap.value) if alone else f"{gap.value:,} {words.unit[1]}", f"{gap.optimum:,}"
    mine, others = held(of.shape, own), held(of.shape, best)
    role = roles(mine, others)[0]
    if len(others) > FEW:
        return f"{gap.value:,} apart", f"{gap.optimum:,}"
    both = (sorted(loads(one, [*others], role), reverse=True) for one in (mine, others))
    own_loads, best_loads = (listed([f"{number:,}" for number in numbers]) for numbers in both)
    return own_loads, best_loads


def render_worst(
    target: str, measure: str, found: Worst, of: Family, own: Any, best: Answer | None, record: Mapping[str, Any],
    again: Sequence[str], seed: int,
) -> Iterator[Block]:  # fmt: skip
    """Yield the group, how it grows, how to see it again, and what was searched."""
    yield Block(
        says=render_worst_headline(target, measure, found, of, own, best.assignment if best else None),
        records=[record],
    )
    if found.gap is not None and best is not None:
        yield _draw_loads(target, found, of, own, best.assignment)
        yield Block(prose=True, text="\n".join(_describe_growth(found)), code=again)
    searched = f"{found.everything}, then larger ones" if found.everything else "groups"
    yield Block(prose=True, text=f"Searched: {searched} by chance (seed {seed}). A worse one may exist.")


def _draw_loads(target: str, found: Worst, of: Family, own: Any, best: Any) -> Block:
    """Return loads as bars if these are what is uneven, else what each owner is assigned."""
    short = label_of(target).removeprefix(f"{of.name}/")
    if found.gap is None or of.level(found.gap.level).evens is None:
        return Block(prose=True, grid=of.shape.show(found.group, {short: own, "the best": best}))
    mine, others = held(of.shape, own), held(of.shape, best)
    role = roles(mine, others)[0]
    names = cut([*others])
    most = max([*loads(mine, [*others], role), *loads(others, [*others], role), 1])
    rows = []
    for owner, name in names.items():
        (one,), (two,) = loads(mine, [owner], role), loads(others, [owner], role)
        rows.append(
            [
                name,
                bar(one, longest=most, room=WORST_BAR),
                f"{one:,}",
                bar(two, longest=most, room=WORST_BAR),
                f"{two:,}",
            ]
        )
    return Block(prose=True, grid=TextTable([called(of.shape, role), short, "", "the best", ""], rows))


def _describe_growth(found: Worst) -> Iterator[str]:
    """Yield the smallest group on which anything is worse, and the ways in which that grows."""
    yield f"Smallest group on which it is not the best possible: {found.smallest}."
    endless = [each for each in found.grown if each.bounded is False]
    bounded = [each.way for each in found.grown if each.bounded]
    for one in endless:
        first, (most, possible) = one.steps[0][0], one.steps[-1]
        steps = f"from {first:,} up to {most:,}, where {possible:,} is possible"
        yield f"More {one.way} make it worse without end: doubled again and again, {steps}."
    if bounded:
        yield f"More {', or '.join(bounded)} alone {'do' if endless else 'make it'} no{'t' if endless else ' worse'}, as far as was tried."
