"""Levels are data: any costs, of either sign, are made least, and proved so."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from definitions import bound_in_words, value_in_words
from second_opinions.negative_cycle import negative_cycle
from second_opinions.random_problems import mixed, tiny

from kassay.oracles.assignment.certificates import compute_bound, is_proof
from kassay.oracles.assignment.flow.exact import solve, solve_large
from kassay.oracles.assignment.linear_program import solve_collapsed_program, solve_program
from kassay.oracles.assignment.problem import Level, find_eligible
from kassay.oracles.assignment.values import compute_values
from kassay.oracles.errors import ImpossibleError

ORDERS = [
    order for count in (1, 2, 3, 4) for order in permutations(("balance", "first", "second", "third"), count)
]


def every_assignment(of):
    rows = [list(combinations(np.flatnonzero(row).tolist(), of.copies)) for row in find_eligible(of)]
    for chosen in product(*rows):
        yield np.array(chosen, np.int64).reshape(of.items, of.copies)


@pytest.mark.parametrize("lot", range(3))
def test_every_oracle_finds_what_trying_all_out_finds_and_its_prices_prove_it(lot):
    r = np.random.default_rng(lot)
    below = 0
    for _ in range(40):
        of, levels = mixed(r, copies=int(r.choice([1, 1, 2]))), ORDERS[r.integers(len(ORDERS))]
        least = min(value_in_words(of, levels, owners) for owners in every_assignment(of))
        best = solve(of, levels)
        found = {"flow": best.owners, "program": solve_program(of, levels)[0]}
        if of.copies == 1:
            collapsed = solve_collapsed_program(of, levels)
            assert collapsed[1] == least
            found |= {"collapsed flow": solve_large(of, levels).owners, "collapsed program": collapsed[0]}
        assert solve_program(of, levels)[1] == least
        for name, owners in found.items():
            assert compute_values(of, levels, owners) == least, (name, of)
            assert is_proof(of, levels, owners, best.prices), (name, of)
            assert negative_cycle(of, levels, owners) is None
        assert compute_bound(of, levels, best.prices) == bound_in_words(of, levels, best.prices)
        below += min(least) < 0
    assert below > 10


def test_a_level_without_costs_is_refused_by_its_name():
    of = tiny(np.random.default_rng(0), items=9)
    with pytest.raises(ImpossibleError, match="level: there are no costs of the name 'traffic'"):
        solve(of, ("balance", "traffic"))


def test_what_owners_would_rather_lose_is_no_gain():
    with pytest.raises(ImpossibleError, match="gain below 0"):
        Level("moved", gain=np.array([1, -1]))
