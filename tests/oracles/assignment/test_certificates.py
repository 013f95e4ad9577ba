"""Prices never lie, moves are measured, and no altered certificate passes for a proof of something false."""

from itertools import pairwise

import numpy as np
import pytest
from definitions import bound_in_words
from drawing import ORDERS, tiny
from second_opinions.improvement import improves, moved
from second_opinions.negative_cycle import negative_cycle
from whole import cases, some

from kassay.oracles.assignment.certificates import compute_bound, is_proof
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.problem import find_eligible
from kassay.oracles.assignment.values import Prices, compute_values
from kassay.oracles.partitions.question import parse_question

EACH = some(40, 100)
"""Problems of a lot."""


def draw(seed: int):
    r = np.random.default_rng(seed)
    of = tiny(r, copies=int(r.integers(1, 4)))
    asked = parse_question(ORDERS[r.integers(len(ORDERS))])
    readers = find_eligible(of)
    some = np.array([r.permutation(np.flatnonzero(row))[: of.copies] for row in readers], int)
    return r, of, asked, some.reshape(of.items, of.copies)


@pytest.mark.parametrize("lot", cases(2, 4))
def test_the_bound_is_what_its_definition_says_and_accepts_the_optimum_and_nothing_else(lot):
    rejected = 0
    for seed in range(lot * 100, lot * 100 + EACH):
        r, of, asked, some = draw(seed)
        best = solve(of, asked.levels)
        for prices in (best.prices, Prices(r.integers(-3, 4, (len(asked.levels), of.members)))):
            assert compute_bound(of, asked.levels, prices) == bound_in_words(of, asked.levels, prices), seed
        assert is_proof(of, asked.levels, best.owners, best.prices), seed
        optimal = negative_cycle(of, asked.levels, some) is None
        assert is_proof(of, asked.levels, some, best.prices) == optimal, seed
        rejected += not optimal
    assert rejected > EACH // 5


@pytest.mark.parametrize("lot", cases(2, 4))
def test_no_altered_prices_prove_what_is_not_optimal(lot):
    """Whatever prices say: the bound is never above the optimum, so they prove nothing that can be improved."""
    weaker = 0
    for seed in range(lot * 50, lot * 50 + EACH // 2):
        r, of, asked, some = draw(seed)
        best = solve(of, asked.levels)
        optimum = compute_values(of, asked.levels, best.owners)
        improvable = negative_cycle(of, asked.levels, some) is not None
        for _ in range(20):
            rows = best.prices.rows.copy()
            for _ in range(int(r.integers(1, 3))):
                rows[r.integers(len(rows)), r.integers(of.members)] += r.choice([-2, -1, 1, 2])
            if r.random() < 0.2:
                rows = r.permuted(rows, axis=1)
            altered = compute_bound(of, asked.levels, Prices(rows))
            assert altered <= optimum, seed
            assert is_proof(of, asked.levels, best.owners, Prices(rows)) == (altered == optimum)
            assert not (improvable and is_proof(of, asked.levels, some, Prices(rows)))
            weaker += altered < optimum
    assert weaker > 3 * EACH


@pytest.mark.parametrize("lot", cases(2, 4))
def test_moves_improve_until_the_optimum_is_reached(lot):
    steps = 0
    for seed in range(lot * 100, lot * 100 + EACH):
        _, of, asked, owners = draw(seed)
        way = [compute_values(of, asked.levels, owners)]
        while moves := negative_cycle(of, asked.levels, owners):
            assert improves(of, asked.levels, owners, moves), seed
            owners = moved(owners, moves)
            way.append(compute_values(of, asked.levels, owners))
        assert all(later < earlier for earlier, later in pairwise(way))
        assert way[-1] == compute_values(of, asked.levels, solve(of, asked.levels).owners), seed
        steps += len(way) - 1
    assert steps > EACH // 2


def test_altered_moves_are_refused_or_measured():
    refused = useless = 0
    for seed in range(200):
        r, of, asked, owners = draw(seed)
        moves = negative_cycle(of, asked.levels, owners)
        if not moves:
            continue
        item, giver, taker = moves[0]
        stranger = int(r.integers(of.members))
        for altered in (
            [(item, stranger, taker), *moves[1:]],
            [(int(r.integers(of.items)), giver, taker), *moves[1:]],
            moves[1:],
        ):
            try:
                better = improves(of, asked.levels, owners, altered)
            except ValueError:
                refused += 1
                continue
            after = compute_values(of, asked.levels, moved(owners, altered))
            assert better == (after < compute_values(of, asked.levels, owners))
            useless += not better
    assert refused > 20
    assert useless > 20
