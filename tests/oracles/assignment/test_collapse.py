"""The collapse loses nothing: with it and without it, flows and programs find the same optima, at any order of levels."""

from dataclasses import replace

import numpy as np
import pytest
from drawing import COSTS, ORDERS, synthetic, tiny
from second_opinions.shortest_paths import solve_small
from whole import cases

from kassay.oracles import solving
from kassay.oracles.assignment import linear_program as program
from kassay.oracles.assignment.aggregation import build_network
from kassay.oracles.assignment.certificates import is_proof
from kassay.oracles.assignment.flow.exact import Solution, solve, solve_large
from kassay.oracles.assignment.linear_program import solve_collapsed_program, solve_program
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import find_eligible
from kassay.oracles.assignment.values import compute_values
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.partitions.question import Question, parse_question

ORDER = (BALANCE, *COSTS)


@pytest.mark.parametrize("lot", range(6))
def test_the_network_finds_what_paths_between_members_find(lot):
    r = np.random.default_rng(lot)
    for number in cases(40, 120):
        of, asked = tiny(r, items=40, members=9), parse_question(ORDERS[number % len(ORDERS)])
        found = (
            Solution(*solve_small(of, asked.levels)),
            solve_large(of, asked.levels),
            solve(of, asked.levels),
        )
        assert len({compute_values(of, asked.levels, each.owners) for each in found}) == 1, of
        assert all(np.take_along_axis(find_eligible(of), each.owners, axis=1).all() for each in found)
        for one in found:
            for other in found:
                assert is_proof(of, asked.levels, one.owners, other.prices) or not of.items


@pytest.mark.parametrize("lot", range(4))
def test_the_network_of_copies_finds_what_paths_between_members_find(lot):
    r = np.random.default_rng(lot)
    several = 0
    for number in range(60):
        of, asked = (
            tiny(r, items=40, members=9, copies=1 + number % 4),
            Question(tuple(ORDERS[number % len(ORDERS)].split(",")), 1 + number % 4),
        )
        if not of.items:
            continue
        found = Solution(*solve_small(of, asked.levels)), solve(of, asked.levels)
        assert compute_values(of, asked.levels, found[0].owners) == compute_values(
            of, asked.levels, found[1].owners
        ), of
        assert all(is_proof(of, asked.levels, one.owners, other.prices) for one in found for other in found)
        several += of.copies > 1
    assert several > 30


@pytest.mark.parametrize("weights", [solving.WEIGHTS, 0])
@pytest.mark.parametrize("lot", range(3))
def test_programs_agree_collapsed_or_not_weighted_or_level_by_level(lot, weights, monkeypatch):
    monkeypatch.setattr(solving, "WEIGHTS", weights)
    r = np.random.default_rng(lot)
    for number in cases(15, 45):
        of, asked = tiny(r, items=30, members=8), parse_question(ORDERS[number % len(ORDERS)])
        expected = compute_values(of, asked.levels, solve(of, asked.levels).owners)
        for oracle in (solve_program, solve_collapsed_program):
            owners, found = oracle(of, asked.levels)
            assert found == expected == compute_values(of, asked.levels, owners), (oracle, of)
            assert np.take_along_axis(find_eligible(of), owners, axis=1).all()


@pytest.mark.parametrize("order", ["balance,moves,cross-rack", "balance,cross-rack,moves"])
@pytest.mark.parametrize(
    ("partitions", "members", "topics"), [(1_000, 50, 10), (1_000, 50, 1), (50_000, 500, 40)]
)
def test_what_the_collapsed_program_finds_is_proved_by_the_prices_of_the_network(
    partitions, members, topics, order
):
    of, asked = synthetic(partitions, members, topics, seed=3), parse_question(order)
    owners, found = solve_collapsed_program(of, asked.levels)
    assert found == compute_values(of, asked.levels, owners)
    assert np.take_along_axis(find_eligible(of), owners, axis=1).all()
    assert is_proof(of, asked.levels, owners, solve_large(of, asked.levels).prices)


def test_a_wrong_guess_of_the_loads_costs_time_not_truth(monkeypatch):
    """The guess here is the loads of any legal assignment; one that no assignment fits ends without an answer."""
    r = np.random.default_rng(1)
    for _ in range(30):
        of = tiny(r, items=30, members=8)
        expected = compute_values(of, ORDER, solve(of, ORDER).owners)
        owners = [r.choice(np.flatnonzero(row)) for row in find_eligible(of)]
        load = np.bincount(np.array(owners, int), minlength=of.members)
        of_each = [load[of.subscription_of == s] for s in range(of.subscriptions)]
        guess = [np.array([each.min() for each in of_each]), np.array([each.max() for each in of_each])]
        monkeypatch.setattr(program, "_guess_loads", lambda _, guess=guess: guess)
        assert solve_collapsed_program(of, ORDER)[1] == expected
    monkeypatch.setattr(program, "_guess_loads", lambda _: (guess[0] * 0 + 50,) * 2)
    with pytest.raises(UnsolvedError, match="kInfeasible"):
        solve_collapsed_program(of, ORDER)


def test_a_balance_that_slot_prices_do_not_prove_is_refused(monkeypatch):
    """An uneven flow that the solver called optimal would be no base for the second program."""
    of = synthetic(200, 10, 3)

    def uneven(readers, _):
        flow = np.zeros(len(readers.reader), np.int64)
        flow[readers.start[:-1]] = readers.items
        load = np.bincount(readers.reader, flow, len(readers.size)).astype(int)
        return flow, int((load**2 // readers.size).sum())

    monkeypatch.setattr(program, "_find_most_even", uneven)
    with pytest.raises(UnsolvedError, match="slot prices do not prove"):
        solve_collapsed_program(of, ORDER)


def test_the_network_grows_with_kinds_and_members_not_with_partitions():
    r = np.random.default_rng(0)
    of = tiny(r, items=30, members=8)
    while of.items < 10:
        of = tiny(r, items=30, members=8)
    open_ = np.ones(len(of.audience_subscription), bool)
    few = build_network(of, ("moves", "cross-rack"), open_)
    many = build_network(repeated(of, 1000), ("moves", "cross-rack"), open_)
    assert len(many.tail) == len(few.tail)
    assert many.supply.sum() == 1000 * few.supply.sum()


def repeated(of, times):
    columns = {name: np.tile(getattr(of, name), times) for name in ("audience_of", "profile_of", "claim_of")}
    return replace(of, **columns)
