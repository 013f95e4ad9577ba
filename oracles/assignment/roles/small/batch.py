"""Small problems of copies in roles as flat arrays, as machine code takes them: what each copy costs where, level by level."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import SPREAD
from kassay.oracles.assignment.problem import starts
from kassay.oracles.assignment.roles.problem import BALANCES, RoleProblem
from kassay.oracles.compiled import compiled

ITEMS, MEMBERS, STANDBYS = 128, 24, 2
"""Up to so many items, members and standbys of an item a problem is small."""
WIDTH = 1 + STANDBYS
Asked: TypeAlias = tuple[RoleProblem, tuple[str, ...]]
"""A problem and the levels of a question."""


class Small(NamedTuple):
    """One problem: what an active copy and a standby cost, levels x items x members; the weight of the square of each member's load, zones (tags x members).

    Level `spread` (-1 for none) counts collisions, besides what it costs. Where it is `even`, the loads of actives, then those of
    all copies come before all levels.
    """

    active: Ints
    standby: Ints
    weight: Ints
    zones: Ints
    standbys: Ints
    spread: int
    even: bool


class Batch(NamedTuple):
    """Problems one after the other.

    A row of `sizes` says how many items, members, levels and tags one has, its level of spread, and whether it is even; a row of
    `first` where its costs, members, zones and items begin.
    """

    sizes: Ints
    first: Ints
    costs: Ints
    weight: Ints
    zones: Ints
    standbys: Ints


def is_small(problem: RoleProblem, levels: tuple[str, ...]) -> bool:
    """Return whether machine code takes a question: both balances first or none, no other squares, nothing fixed or capped, few copies."""
    bound = (problem.loads, problem.active_loads, problem.active_at, problem.caps)
    return (
        all(each is None for each in bound)
        and (levels[:2] == BALANCES or not {*levels} & {*BALANCES})
        and not any(any(problem.squares(level)) for level in levels if level not in BALANCES)
        and 0 < problem.items <= ITEMS
        and problem.members <= MEMBERS
        and int(problem.standbys.max()) <= STANDBYS
    )


def batch(asked: Sequence[Asked]) -> Batch:
    """Return problems with their questions as a batch; each must be small, and fit (see ``refuse_unfit``)."""
    rows, levels_of = [], []
    for problem, levels in asked:
        even = levels[:2] == BALANCES
        rest = levels[2 * even :]
        spread = rest.index(SPREAD) if SPREAD in rest else -1
        tags = len(problem.zones) if spread >= 0 else 0
        rows.append((problem.items, problem.members, len(rest), tags, spread, even))
        levels_of.append(rest)
    lengths = [
        (2 * levels * items * members, members, tags * members, items)
        for items, members, levels, tags, *_ in rows
    ]
    return Batch(
        np.array(rows, np.int64).reshape(-1, 6),
        np.array([starts(np.array(column, np.int64)) for column in zip(*lengths, strict=True)], np.int64).reshape(4, -1).T.copy(),
        _joined([
            _costs(problem, level, role)
            for (problem, _), rest in zip(asked, levels_of, strict=True) for role in (0, 1) for level in rest
        ]),
        _joined([problem.weights for problem, _ in asked]),
        _joined([problem.zones.reshape(-1) for problem, levels in asked if SPREAD in levels]),
        _joined([problem.standbys for problem, _ in asked]),
    )  # fmt: skip


def _joined(columns: Sequence[Ints]) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *columns])


def _costs(problem: RoleProblem, name: str, role: int) -> Ints:
    """Return what copies of a role cost in a level, items x members in one row."""
    nothing = np.zeros((problem.items, problem.members), np.int64)
    if name == SPREAD:
        return nothing.reshape(-1)
    level = problem.level(name)
    table, gain = (level.active, level.standby)[role], (level.active_gain, level.standby_gain)[role]
    cost = nothing if table is None else table[problem.profile_of[:, None], problem.kind_of]
    if gain is not None and len(gain):
        saved = np.zeros((len(problem.claim_start) - 1, problem.members), np.int64)
        claim = np.repeat(np.arange(len(saved)), np.diff(problem.claim_start))
        np.add.at(saved, (claim, problem.claim_member), gain)
        cost = cost - saved[problem.claims]
    return cost.reshape(-1)


@compiled
def problem_at(of: Batch, number: int) -> Small:
    """Return one of the problems."""
    items, members, levels, tags, spread, even = of.sizes[number]
    costs, weight, zones, standbys = of.first[number]
    size = 2 * levels * items * members
    table = of.costs[costs : costs + size].reshape((2, levels, items, members))
    return Small(
        table[0], table[1],
        of.weight[weight : weight + members],
        of.zones[zones : zones + tags * members].reshape((tags, members)),
        of.standbys[standbys : standbys + items],
        spread, even != 0,
    )  # fmt: skip
