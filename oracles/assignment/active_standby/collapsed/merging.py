"""Merging: at prices that prove an optimum, classes that differ in nothing any more are one, and whole numbers are found.

Where prices prove that no placement is below some value, one that is at most so much above it has no item in a pattern that
costs more than that beyond its class's cheapest. Classes with the same patterns left, at the same costs up to a constant,
are alike: how many items lie in each pattern is asked for all of them together, and dealt to the classes in any way.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from kassay.oracles.assignment.active_standby.collapsed.master import Master
from kassay.oracles.assignment.active_standby.collapsed.pricing import GroupPrices, totals
from kassay.oracles.assignment.active_standby.collapsed.program import Columns, Program, Way
from kassay.oracles.assignment.active_standby.problem import BALANCES
from kassay.oracles.assignment.own_levels import SPREAD
from kassay.oracles.assignment.problem import Ints

COLUMNS = 50_000
"""With more columns than these, whole numbers are not looked for."""


@dataclass(slots=True)
class _Merged:
    """Sets of classes: which one each class is in, one class of each, its patterns, and what that one costs less than others."""

    of_class: Ints
    one: list[int] = field(default_factory=list)
    patterns: list[Ints] = field(default_factory=list)
    base: list[Ints] = field(default_factory=list)
    shift: dict[str, int] = field(default_factory=dict)


def merged_placement(
    program: Program,
    worth: tuple[int, ...],
    way: Way,
    prices: GroupPrices,
    slack: int,
    deadline: float = math.inf,
) -> tuple[Columns, Ints] | None:
    """Return a placement, as good as there is, that leaves no more than `slack` to the bound of whole prices.

    None is where there is none, or where there are more than COLUMNS columns.
    """
    of, levels = program.of, program.levels[: len(worth) + 1]
    merged = _merged(program, levels, way, prices, slack)
    lengths = [len(each) for each in merged.patterns]
    if sum(lengths) > COLUMNS:
        return None
    one = np.array(merged.one, np.int64)
    count = np.zeros(len(one), np.int64)
    np.add.at(count, merged.of_class, of.count)
    small = replace(
        of, count=count, standbys=of.standbys[one], part=of.part[one], given=of.given[one],
        costs={level: (active[one], standby[one]) for level, (active, standby) in of.costs.items()},
    )  # fmt: skip
    cases = tuple(
        (
            case if case.classes is None else replace(case, classes=np.unique(merged.of_class[case.classes])),
            more,
        )
        for case, more in way
    )
    less = tuple(value - merged.shift.get(level, 0) for level, value in zip(levels, worth, strict=False))
    master = Master(program.like(small), less, cases, count)
    master.add(Columns(np.repeat(np.arange(len(one)), lengths), np.concatenate(merged.patterns)))
    master.aim(True)
    number = master.whole(deadline)
    return None if number is None else _unmerged(of.count, merged.of_class, master.columns, number)


def _merged(program: Program, levels: tuple[str, ...], way: Way, prices: GroupPrices, slack: int) -> _Merged:
    of = program.of
    costs = [level for level in levels if level not in (*BALANCES, SPREAD)]
    merged = _Merged(np.empty(of.classes, np.int64), shift=dict.fromkeys(costs, 0))
    inside = [np.isin(np.arange(of.classes), case.classes) for case, _ in way if case.classes is not None]
    fixed = np.column_stack([of.part if len(of.caps) else np.zeros_like(of.part), of.standbys, *inside])
    numbers: dict[bytes, int] = {}
    for some, total in totals(program, way, prices, np.int64):
        near = total - total.min(axis=1)[:, None] <= slack
        place, row = near.argmax(axis=1), np.arange(len(some))
        table = program.patterns[int(of.standbys[some[0]])]
        keys, base = [fixed[some], near], np.zeros((len(some), len(costs)), np.int64)
        for n, level in enumerate(costs):
            active, standby = of.costs[level]
            cost = active[some][:, table.active] + standby[some] @ table.standby.T
            base[:, n] = cost[row, place]
            keys.append(np.where(near, cost - base[:, n : n + 1], 0))
        for v, key, mask, own in zip(
            some.tolist(), np.hstack(keys).astype(np.int64), near, base, strict=True
        ):
            number = numbers.setdefault(key.tobytes(), len(numbers))
            if number == len(merged.one):
                merged.one.append(v)
                merged.patterns.append(np.flatnonzero(mask))
                merged.base.append(own)
            merged.of_class[v] = number
            for level, more in zip(costs, (own - merged.base[number]).tolist(), strict=True):
                merged.shift[level] += int(of.count[v]) * more
    return merged


def _unmerged(count: Ints, set_of: Ints, columns: Columns, number: Ints) -> tuple[Columns, Ints]:
    """Deal the numbers in the columns of each set of classes to its classes, one after the other."""
    classes = np.argsort(set_of, kind="stable")
    order = np.argsort(columns.class_, kind="stable")
    order = order[number[order] > 0]
    of_classes, of_columns = np.cumsum(count[classes]), np.cumsum(number[order])
    ends = np.unique(np.concatenate([of_classes, of_columns]))
    start = np.concatenate([[0], ends[:-1]])[: len(ends)]
    class_ = classes[np.searchsorted(of_classes, start, side="right")]
    pattern = columns.pattern[order[np.searchsorted(of_columns, start, side="right")]]
    return Columns(class_, pattern), ends - start
