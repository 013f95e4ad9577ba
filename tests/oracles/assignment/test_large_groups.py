"""Large problems, from columns alone: proved optimal, and honest where the time is over."""

import time
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from drawing import a_large_group, group, synthetic, tiny
from second_opinions.random_problems import owned_by

from kassay.oracles.assignment.certificates import compute_bound, is_proof
from kassay.oracles.assignment.flow.exact import solve, solve_large
from kassay.oracles.assignment.flow.item_classes import find_item_classes
from kassay.oracles.assignment.flow.min_cost_flow import solve_flow, solve_flow_by
from kassay.oracles.assignment.linear_program import solve_program
from kassay.oracles.assignment.problem import count_readers, find_reading
from kassay.oracles.assignment.values import compute_values
from kassay.oracles.errors import TooLargeError, UnsolvedError
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question


@pytest.mark.parametrize("order", ["balance,moves,cross-rack", "balance,cross-rack,moves"])
@pytest.mark.parametrize(
    ("partitions", "members", "topics"), [(100_000, 1_000, 100), (100_000, 1_000, 1), (20_000, 500, 400)]
)
def test_the_optimum_of_many_partitions_is_proved(partitions, members, topics, order):
    of, asked = synthetic(partitions, members, topics), parse_question(order)
    best = solve(of, asked.levels)
    assert is_proof(of, asked.levels, best.owners, best.prices)
    again = owned_by(of, best.owners, "moves")
    kept = solve(again, ("balance", "moves"))
    assert compute_values(again, ("moves",), kept.owners) == (0,)


@pytest.mark.parametrize("order", ["moves", "cross-rack", "moves,cross-rack", "cross-rack,moves"])
def test_levels_before_balance_are_answered_item_by_item(order):
    of, asked = synthetic(20_000, 200, 20), parse_question(order)
    best = solve(of, asked.levels)
    assert is_proof(of, asked.levels, best.owners, best.prices)
    levels = parse_question(f"{order},balance").levels
    evened = solve(of, levels)
    assert is_proof(of, levels, evened.owners, evened.prices)
    assert compute_values(of, asked.levels, evened.owners) == compute_values(of, asked.levels, best.owners)


def test_where_the_time_is_over_the_answer_is_an_interval_that_holds_the_optimum(monkeypatch):
    of = a_large_group()
    text = "balance,cross-rack,moves"
    best = compute_optimum(text, of)
    assert best.proved
    (balance,) = compute_optimum(text, of, time_limit_s=0.0).levels
    assert balance.least < best.values["balance"] <= balance.value
    monkeypatch.setattr("kassay.oracles.assignment.flow.exact.find_min_cost_flow", lambda *_: None)
    hasty = compute_optimum(text, of, time_limit_s=100.0)
    balance, cross = hasty.levels
    assert balance.proved
    assert not cross.proved
    assert not hasty.proved
    assert cross.least <= best.values["cross-rack"] <= cross.value
    assert hasty.values == {"balance": best.values["balance"]}
    assert hasty.words == ()


def test_small_groups_are_answered_whatever_the_limit():
    r = Random(0)
    assert all(
        compute_optimum("balance,moves,cross-rack", group(r), time_limit_s=0.0).proved for _ in range(20)
    )


ASKED = parse_question("balance,cross-rack,moves")


def interval(of, asked, best):
    """What an answer is worth, and what its prices prove: the least of anything."""
    return compute_values(of, asked.levels, best.owners), compute_bound(of, asked.levels, best.prices)


def legal(of, best):
    may = find_reading(of)[of.audience_of[:, None], of.subscription_of[best.owners]]
    return may.all() and all(len(set(row)) == of.copies for row in best.owners.tolist())


@pytest.mark.parametrize("looks", [1, 2, 3, 5, 8, 13, 100])
def test_wherever_the_clock_strikes_the_answer_is_legal_and_the_bound_holds(looks, monkeypatch):
    """The clock strikes at the n-th look at it: between the rounds of balance, between the steps, in the distances."""
    of = synthetic(6_000, 200, 60, seed=4)
    best, _ = interval(of, ASKED, solve_large(of, ASKED.levels))
    clock = iter(range(10**9))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr("kassay.oracles.assignment.flow.min_cost_flow.ARCS", 10**9)
    hasty = solve_large(of, ASKED.levels, deadline=looks - 1)
    value, least = interval(of, ASKED, hasty)
    assert legal(of, hasty)
    assert least <= best <= value
    if looks < 3:
        assert least < value


def test_or_tools_is_ended_when_the_time_is_over(monkeypatch):
    of = synthetic(20_000, 300, 20)
    monkeypatch.setattr("kassay.oracles.assignment.flow.min_cost_flow.ARCS", 0)
    best = solve_large(of, ASKED.levels, time.monotonic() + 300)
    assert is_proof(of, ASKED.levels, best.owners, best.prices)
    start = time.monotonic()
    hasty = solve_large(of, ASKED.levels, start + 0.05)
    assert time.monotonic() - start < 30
    value, least = interval(of, ASKED, hasty)
    assert value[0] == least[0]
    assert least < value
    assert legal(of, hasty)


def test_a_failure_of_or_tools_apart_is_told(monkeypatch):
    monkeypatch.setattr("kassay.oracles.assignment.flow.min_cost_flow.ARCS", 0)
    none = np.zeros(1, np.int64)
    with pytest.raises(UnsolvedError, match=r"of its own ended with 1: .*UnsolvedError"):
        solve_flow_by(time.monotonic() + 100, none, none + 1, none, none, np.array([1, -1]))
    with pytest.raises(UnsolvedError, match="found no cheapest flow"):
        solve_flow(none, none + 1, none, none, np.array([1, -1]))


def test_copies_grow_with_classes_not_with_partitions():
    """Classes are few where few sets of owners are; that there are a hundred thousand partitions is nothing."""
    of = synthetic(100_000, 60, 3, seed=1)
    r = np.random.default_rng(1)
    pairs = np.array([r.choice(60, 2, replace=False) for _ in range(40)])
    of = owned_by(replace(of, copies=2), pairs[r.integers(0, 40, of.items)], "moves")
    asked = parse_question("copies=2,balance,moves,cross-rack")
    best = solve(of, asked.levels)
    assert is_proof(of, asked.levels, best.owners, best.prices)


def test_copies_are_refused_by_their_arcs_to_readers_not_to_all_members(monkeypatch):
    of = replace(synthetic(400, 30, 6), copies=2)
    levels = ("balance", "moves", "cross-rack")
    arcs = int(count_readers(of)[find_item_classes(of).problem.audience_of].sum())
    assert arcs < 0.8 * find_item_classes(of).pairs
    monkeypatch.setattr("kassay.oracles.assignment.flow.item_classes.MANY", arcs)
    best = solve(of, levels)
    assert is_proof(of, levels, best.owners, best.prices)
    assert compute_values(of, levels, best.owners) == solve_program(of, levels)[1]
    monkeypatch.setattr("kassay.oracles.assignment.flow.item_classes.MANY", arcs - 1)
    with pytest.raises(TooLargeError, match="2 copies of 400 partitions for 30 members are too many"):
        solve(of, levels)


def test_wherever_the_clock_strikes_copies_are_legal_and_the_bound_holds(monkeypatch):
    r = np.random.default_rng(2)
    of = tiny(r, copies=2, items=60)
    while of.items < 20:
        of = tiny(r, copies=2, items=60)
    asked = parse_question("copies=2,balance,moves,cross-rack")
    best, _ = interval(of, asked, solve(of, asked.levels))
    monkeypatch.setattr("kassay.oracles.assignment.flow.exact.FEW", 0)
    bounds = []
    for looks in range(1, 6):
        clock = iter(range(10**9))
        monkeypatch.setattr("time.monotonic", lambda clock=clock: next(clock))
        hasty = solve(of, asked.levels, deadline=looks - 1)
        value, least = interval(of, asked, hasty)
        assert legal(of, hasty)
        assert least <= best <= value
        bounds.append(least)
    assert bounds[0] < best == bounds[-1]
