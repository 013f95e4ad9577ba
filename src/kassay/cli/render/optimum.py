"""The output of `kassay optimum`: the values in a sentence, why nothing is better, and what changes for each owner."""

from collections.abc import Iterator, Mapping
from typing import Any

from kassay.comparison.measured import called, each, excess, held, loads, roles, sizes
from kassay.families.names import cut, within
from kassay.family import Family
from kassay.oracles.answers import Answer, Level
from kassay.output import Block
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
