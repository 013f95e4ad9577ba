"""What each strategy would do with one group, in the few numbers that an operator asks for: one row each, and one of the best possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kassay.comparison.headline import moves_beside_fewest
from kassay.comparison.holdings import Held, called, held, loads, roles
from kassay.comparison.measured import Measured
from kassay.comparison.over_time import played
from kassay.family import Family, Sequences
from kassay.oracles.answers import Answer, Total
from kassay.oracles.errors import UnsolvedError
from kassay.targets.target import Target

WORK = 4_000
"""Up to so many members times partitions a rolling restart is played, which takes no more than some seconds."""
SECONDS = 5.0
"""So long the least of a rolling restart is looked for."""
MOVES = ("moves", "active_moves", "standby_moves")
"""The measures of what moves: one of all, or one of each role."""
READS = ("cross_rack",)
"""The measures of what is read across racks."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """What one strategy does: how much the fullest and the emptiest hold by role, what moves now, in a rolling restart, and across racks.

    `target` is "" of the best possible. A number that is not known is None; `trouble` says why there are none at all, "" where there are. `as_now`
    says that it leaves everything where it is; `proved` that the restart's number is the least there is, not a bound.
    """

    target: str
    loads: tuple[tuple[str, int, int], ...] = ()
    moves: int | None = None
    restart: int | None = None
    reads: int | None = None
    restore: int | None = None
    trouble: str = ""
    as_now: bool = False
    proved: bool = True


@dataclass(frozen=True, slots=True)
class Restart:
    """A rolling restart of all members: what each target moves in it, None where it does not come through, and the least there is."""

    moves: dict[str, int | None]
    least: Total


def restart(family: Family, group: Any, targets: Sequence[Target]) -> Restart | None:
    """Play a rolling restart of all members; None where the family has no such sequences, or where the least takes too long."""
    sequences: Sequences | None = family.oracles.over_time if family.oracles else None
    sizes = [count(group) for count in family.shape.sizes.values()]
    if sequences is None or sizes[0] * max(sizes) > WORK or not sizes[0]:
        return None
    timeline = sequences.kinds["restart"](group, sizes[0])
    sums = {target.name: played(target, family, sequences, timeline) for target in targets}
    try:
        best = sequences.optimum(sequences.questions[0], timeline, SECONDS)
    except UnsolvedError:  # not even a bound in that time; `kassay over-time` takes what it needs
        return None
    first = best.totals[0]
    return Restart(
        {name: None if one.trouble else one.totals[first.name] for name, one in sums.items()}, first
    )


def strategies(
    family: Family,
    row: Sequence[Measured],
    now: Measured | None,
    best: Answer | None,
    rolling: Restart | None,
) -> list[Strategy]:
    """Return a row for each answer, in their order, then one of the best possible where that is known."""
    has = held(family.shape, now.assignment) if now else {}
    rows = [_of(family, one, has, rolling) for one in row]
    return [*rows, *([_best(family, best, has, rolling)] if best is not None else [])]


def moved(one: Measured) -> int | None:
    """Return how many moves an answer takes; None where none are counted."""
    gap = moves_beside_fewest(one)
    if gap is not None:
        return gap.value
    counted = [one.measures[name] for name in MOVES if name in one.measures]
    return sum(counted) if counted else None


def racks_known(family: Family, group: Any) -> bool:
    """Say whether anything can be read across racks."""
    return "racks" in family.situations and bool(family.situations["racks"](group))


def _of(family: Family, one: Measured, has: Held, rolling: Restart | None) -> Strategy:
    if one.failure is not None:
        return Strategy(one.target, trouble=f"no answer: {one.failure.removeprefix('no answer: ')}")
    if not one.at_rest:
        return Strategy(one.target, trouble=f"does not come to rest within {one.rebalances} rebalances")
    if one.broken:
        return Strategy(one.target, trouble=f"a wrong answer, which breaks {', '.join(one.broken)}")
    then = held(family.shape, one.settled)
    measures = one.measures
    return Strategy(
        one.target, _loads(then), moved(one), rolling.moves.get(one.target) if rolling else None,
        next((measures[name] for name in READS if name in measures), None), measures.get("not_caught_up"),
        as_now=any(has.values()) and _same(has, then),
    )  # fmt: skip


def _best(family: Family, best: Answer, has: Held, rolling: Restart | None) -> Strategy:
    then, values = held(family.shape, best.assignment), best.values

    def number(counts: str) -> int | None:
        """Return the value of the level that counts such; of all roles together where there are several."""
        found = [words for words in map(family.level, values) if words.counts == counts]
        return next((values[words.name] for words in sorted(found, key=lambda words: bool(words.by))), None)

    return Strategy(
        "", _loads(then), number("moving"), rolling.least.least if rolling else None, number("reading"), number("restoring"),
        as_now=any(has.values()) and _same(has, then), proved=rolling.least.proved if rolling else True,
    )  # fmt: skip


def _same(one: Held, other: Held) -> bool:
    """Say whether all hold the same."""
    return all(
        {*one.get(owner, {}).get(role, ())} == {*other.get(owner, {}).get(role, ())}
        for owner in {*one, *other}
        for role in roles(one, other)
    )


def _loads(then: Held) -> tuple[tuple[str, int, int], ...]:
    numbers = {role: loads(then, [*then], role) for role in roles(then)} if then else {}
    return tuple((role, max(each, default=0), min(each, default=0)) for role, each in numbers.items())


def total(family: Family, answer: Any) -> tuple[int, str]:
    """Return how much an assignment gives out in all roles, and what that is called."""
    has = held(family.shape, answer)
    used = roles(has)
    names = [called(family.shape, role) for role in used]
    return sum(sum(loads(has, [*has], role)) for role in used), names[0] if len(
        names
    ) == 1 else family.shape.items
