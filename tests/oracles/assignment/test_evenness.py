"""Most even loads: against counting out, the loads that vary between optima, and the face that holds them all."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from drawing import synthetic, tiny

from kassay.oracles.assignment.certificates import is_proof
from kassay.oracles.assignment.flow import exact as even
from kassay.oracles.assignment.flow.exact import (
    balance_duals,
    build_face,
    build_graph,
    find_semi_matching,
    solve_large,
    sum_loads,
)
from kassay.oracles.assignment.problem import find_eligible, list_starts
from kassay.oracles.partitions.question import parse_question


def all_loads(of):
    choices = [np.flatnonzero(row).tolist() for row in find_eligible(of)]
    return {tuple(np.bincount(way, minlength=of.members).tolist()) for way in product(*choices)}


def solved(of):
    readers = build_graph(of)
    return readers, find_semi_matching(readers)


def countable(r):
    while True:
        of = tiny(r, items=7, members=5)
        if of.items and find_eligible(of).sum(axis=1).prod() <= 3000:
            return of


@pytest.mark.parametrize("lot", range(4))
def test_one_optimum_is_least_in_maximum_range_and_squares_at_once(lot):
    r = np.random.default_rng(lot)
    for _ in range(40):
        of = countable(r)
        every = all_loads(of)
        least = min(every, key=lambda loads: sum(load * load for load in loads))
        found = solve_large(of, ("balance",))
        mine = np.bincount(found.owners[:, 0], minlength=of.members).tolist()
        assert sorted(mine) == sorted(least)
        able = sorted({int(m) for m in np.flatnonzero(find_eligible(of).any(axis=0))})
        read = np.isin(of.subscription_of, of.audience_subscription)
        assert max(mine) == min(max(loads) for loads in every)
        assert min(mine[m] for m in able) == max(min(loads[m] for m in able) for loads in every)
        assert set(able) <= set(np.flatnonzero(read).tolist())


@pytest.mark.parametrize("lot", range(4))
def test_slot_prices_tell_exactly_which_loads_vary_and_the_face_holds_every_optimum(lot):
    r = np.random.default_rng(100 + lot)
    varied = 0
    for _ in range(40):
        of = countable(r)
        every = all_loads(of)
        least = min(sum(load * load for load in loads) for loads in every)
        best = [loads for loads in every if sum(load * load for load in loads) == least]
        readers, flow = solved(of)
        prices = balance_duals(readers, flow)
        network = build_face(of, (), prices, sum_loads(readers, flow))
        for m in range(of.members):
            price = int(prices[of.subscription_of[m]])
            span = {price // 2, (price + 1) // 2}
            assert {loads[m] for loads in best} == span
            varied += len(span) - 1
        slack = network.head[network.arcs[4] :]
        for loads in best:
            over = np.array(loads) + network.supply[network.first[3] : network.first[4]]
            wanted = np.zeros(len(network.supply), int)
            np.add.at(wanted, slack, over[network.tail[network.arcs[4] :] - network.first[3]])
            assert (wanted[network.first[4] :] == -network.supply[network.first[4] :]).all()
    assert varied > 20


@pytest.mark.parametrize("wrong", [0, 3, 1000])
def test_a_wrong_guess_of_the_loads_costs_rounds_not_truth(wrong, monkeypatch):
    of = synthetic(20_000, 200, 40)
    expected = balance_duals(*solved(of))
    rounds = []
    closer = even._find_closer
    monkeypatch.setattr(even, "_find_closer", lambda *given: rounds.append(1) or closer(*given))
    monkeypatch.setattr(even, "_guess_loads", lambda readers, _: np.full(len(readers.size), wrong))
    assert (balance_duals(*solved(of)) == expected).all()
    assert 1 < len(rounds) < 8


@pytest.mark.parametrize("seed", range(3))
def test_large_skewed_groups_are_proved_most_even(seed):
    r = np.random.default_rng(seed)
    of = tiny(r, items=3)
    subscriptions, audiences = 400, 60
    rows = [np.flatnonzero(r.random(subscriptions) < r.choice([0.01, 0.05, 0.3])) for _ in range(audiences)]
    rows = [row if len(row) else np.array([0]) for row in rows]
    weights = r.pareto(1.0, audiences) + 0.01
    of = replace(
        of,
        subscription_of=np.arange(subscriptions),
        rack_of=np.zeros(subscriptions, int),
        audience_start=list_starts(np.array([len(row) for row in rows])),
        audience_subscription=np.concatenate(rows),
        audience_of=r.choice(audiences, 20_000, p=weights / weights.sum()),
        profile_of=np.zeros(20_000, int),
        claim_of=np.zeros(20_000, int),
    )
    asked = parse_question("balance")
    found = solve_large(of, asked.levels)
    assert is_proof(of, asked.levels, found.owners, found.prices)
