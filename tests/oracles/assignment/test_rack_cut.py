"""The closed form for racks: equal to the flow, with racks that hold what they are said to hold."""

import numpy as np
import pytest
from second_opinions.rack_cut import rack_cuts

from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.problem import NO_CLAIMS, Level, Problem
from kassay.oracles.assignment.values import compute_values
from kassay.oracles.partitions.question import parse_question

ASKED = parse_question("balance,cross-rack")


def draw(r, racks):
    """A group whose members all read the same: members per rack and in none, and partitions per set of racks."""
    members = r.integers(0, 4, racks + 1)
    if not members.sum():
        members[r.integers(racks + 1)] = 1
    inside = r.integers(0, 4, 2**racks + 1) * (r.random(2**racks + 1) < 0.6)
    return members, inside


def as_problem(members, inside, racks):
    """The same group as a problem; a set's profile costs 1 in each rack outside it, unknown racks cost nothing."""
    far = np.array(
        [[*(1 - (mask >> rack & 1) for rack in range(racks)), 0] for mask in range(2**racks)]
        + [[0] * (racks + 1)]
    )
    count = int(inside.sum())
    none = np.zeros(count, int)
    return Problem(
        np.zeros(members.sum(), int), np.repeat(np.arange(racks + 1), members), np.array([0, 1]), np.array([0]), none,
        np.repeat(np.arange(2**racks + 1), inside), none, *NO_CLAIMS,
        (Level("cross-rack", table=far),),
    )  # fmt: skip


@pytest.mark.parametrize("racks", [1, 2, 3, 4])
def test_the_cut_is_the_optimum_and_a_count_that_proves_it(racks):
    r = np.random.default_rng(racks)
    drawn = [draw(r, racks) for _ in range(150)]
    members = np.array([each for each, _ in drawn])
    inside = np.array([each for _, each in drawn])
    optima, cuts = rack_cuts(members[:, :racks], members[:, racks], inside)
    proved = 0
    for here, held, optimum, cut in zip(members, inside, optima.tolist(), cuts.tolist(), strict=True):
        of = as_problem(here, held, racks)
        assert compute_values(of, ASKED.levels, solve(of, ASKED.levels).owners)[1] == optimum
        takers = sum(int(here[rack]) for rack in range(racks) if cut >> rack & 1) + int(here[racks])
        within = sum(int(held[mask]) for mask in range(2**racks) if mask & ~cut == 0)
        share, over = divmod(of.items, of.members)
        assert max(0, within - share * takers - min(over, takers)) == optimum
        proved += optimum > 0
    assert proved > 30
