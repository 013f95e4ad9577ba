"""Reduced networks have the same optima as whole ones, with proofs, and a wrong reduction is found."""

from dataclasses import replace
from functools import partial
from random import Random

import numpy as np
import pytest
from drawing import group
from hypothesis import given, settings
from hypothesis import strategies as st
from second_opinions.every_assignment import exhaust
from second_opinions.random_problems import NAMES, synthetic
from whole import share, some

from kassay.oracles.assignment.certificates import verify_solution
from kassay.oracles.assignment.flow import faces, reduction
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.flow.reduction import Arcs, expand_flow, remove_choices
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.values import compute_values
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question, remeasure

ORDERS = [
    "balance,cross-rack,moves,topic-spread", "balance,moves,topic-spread,cross-rack", "moves,topic-spread,balance",
    "topic-spread,cross-rack,balance,moves", "cross-rack,topic-spread,moves", "balance,topic-spread,moves",
]  # fmt: skip


@pytest.fixture(autouse=True)
def reduce_all(monkeypatch):
    """Reduce small networks, too."""
    monkeypatch.setattr(faces, "REDUCED", 0)


@settings(max_examples=share(40, 560), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(ORDERS))
def test_no_assignment_is_better(seed, text):
    of, asked = group(Random(seed), members=3, total=5), parse_question(text)
    found = compute_optimum(text, of)
    assert found.proved
    assert found.values == remeasure(of, exhaust(of, asked)[1], asked)


@settings(max_examples=share(12, 168), deadline=None)
@given(st.integers(0, 10**6), st.permutations((*NAMES, BALANCE, TOPIC_SPREAD)), st.integers(1, 6))
def test_the_whole_network_has_the_same_optimum(seed, order, topics):
    problem = synthetic(400, 12, topics, seed=seed)
    threads = 12 // np.random.default_rng(seed).choice([1, 2, 3, 4], problem.subscriptions)
    problem, levels = replace(problem, weight_of=threads), tuple(order)
    found = solve(problem, levels)
    best = verify_solution(problem, levels, found.owners, found.prices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faces, "REDUCED", 10**9)
        assert compute_values(problem, levels, solve(problem, levels).owners) == best.value
    assert best.proved


def network():
    """Return sources 0 to 3, pools 4 and 5, places 6 and 7, the end 8: 0 has one way, 1 and 2 are alike, one arc enters 7."""
    ends = [
        (0, 6),
        (1, 4),
        (1, 5),
        (2, 4),
        (2, 5),
        (3, 4),
        (3, 5),
        (4, 6),
        (5, 6),
        (5, 7),
        (6, 8),
        (7, 8),
        (4, 8),
    ]
    tail, head = np.array(ends).T
    many = len(ends)
    cost = np.zeros(many, np.int64)
    cost[5] = 1  # so source 3 is not like 1 and 2
    curved = np.isin(np.arange(many), (10, 11))
    ones = np.ones(many, np.int64)
    supply = np.array([2, 3, 4, 5, 0, 0, 0, 1, -15])
    return Arcs(tail.copy(), head, 0 * ones, 100 * ones, cost, curved | ~curved, curved, ones, supply)


def test_what_is_no_choice_is_left_out():
    of = network()
    whole, supply = of.tail.copy(), of.supply.copy()
    remove_choices(of)
    assert np.flatnonzero(~of.free).tolist() == [0, 3, 4, 9]
    assert of.supply.tolist() == [0, 7, 0, 5, 0, 0, 2, 0, -14]
    assert (of.tail[11], of.base[11]) == (5, 1)
    more = np.zeros(13, np.int64)
    # sources 1 and 2 send five to pool 4 and two to pool 5, which sends three through place 7
    more[[1, 2, 5, 6, 7, 8, 10, 11, 12]] = 5, 2, 1, 4, 6, 3, 11, 3, 0
    flow = expand_flow(of, more)
    assert flow[[1, 2, 3, 4]].tolist() == [3, 0, 2, 2]
    net = np.bincount(whole, flow, 9) - np.bincount(of.head, flow, 9)
    assert net.astype(int).tolist() == supply.tolist()


def merge_any(right, of):
    """Merge sources without a look at the costs of their arcs."""
    cost = of.cost
    of.cost = np.zeros_like(cost)
    right(of)
    of.cost = cost


def lose_supply(right, of):
    """Join arcs without the supply between them."""
    base = of.base.copy()
    right(of)
    of.base = base


def send_less(right, of):
    """Send one unit less than a source has."""
    base = of.base.copy()
    right(of)
    of.base = np.where(of.base > base, of.base - 1, of.base)


FAULTS = {"_merge_sources": merge_any, "_join_chains": lose_supply, "_send_forced": send_less}


@pytest.mark.parametrize("name", FAULTS)
def test_a_wrong_reduction_is_found(name, monkeypatch):
    """The flow is not a cheapest one, or the prices prove nothing; the answer is never a wrong one."""
    caught, right = 0, getattr(reduction, name)
    for seed in range(some(60, 300)):
        of, text = group(Random(seed), members=4, total=12), ORDERS[seed % 2]
        expected = compute_optimum(text, of).values
        with monkeypatch.context() as patch:
            patch.setattr(reduction, name, partial(FAULTS[name], right))
            try:
                assert compute_optimum(text, of).values == expected
            except (UnsolvedError, IndexError, ValueError):
                caught += 1
    assert caught > 2
