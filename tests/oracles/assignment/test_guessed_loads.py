"""Several copies: any guess of the loads leads to a proven optimum, and a good guess to it at once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from second_opinions.random_problems import ORDERS, synthetic, tiny
from whole import share

from kassay.oracles.assignment.certificates import verify_solution
from kassay.oracles.assignment.flow import exact, item_classes
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.flow.item_classes import find_item_classes, solve_directly
from kassay.oracles.assignment.own_levels import BALANCE


def prove(problem, levels, owners, prices):
    """Return the values of owners that prices prove to be optimal."""
    best = verify_solution(problem, levels, owners, prices)
    assert best.proved
    return best.value


@settings(max_examples=share(60, 840), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(ORDERS), st.lists(st.integers(0, 60), min_size=6, max_size=6))
def test_any_guess_leads_to_an_optimum(seed, levels, guess):
    problem = tiny(np.random.default_rng(seed), copies=2, items=40).asked(levels)
    if not problem.items:
        return
    alike = find_item_classes(problem)
    (known,) = solve_directly(problem, alike, [levels])
    (found,) = solve_directly(problem, alike, [levels], guess=np.array(guess[: problem.members]))
    assert prove(problem, levels, *found) == prove(problem, levels, *known)


@settings(max_examples=share(30, 420), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(ORDERS))
def test_a_solver_that_gets_few_arcs_finds_an_optimum(seed, levels):
    """Column generation: hidden arcs come in by their prices, until these prove that no other arc helps."""
    problem = tiny(np.random.default_rng(seed), copies=2, items=40).asked(levels)
    if not problem.items:
        return
    alike = find_item_classes(problem)
    (known,) = solve_directly(problem, alike, [levels])
    with pytest.MonkeyPatch.context() as patch:
        for limit, number in (("ALL_SHOWN", 0), ("AT_RANDOM", 0), ("PRICED_IN", 3)):
            patch.setattr(item_classes, limit, number)
        (found,) = solve_directly(problem, alike, [levels])
    assert prove(problem, levels, *found) == prove(problem, levels, *known)


def count_flows(monkeypatch, problem, levels):
    """Return the values of an optimum, and how many flows were asked for."""
    asked, right = [], item_classes.find_min_cost_flow
    with monkeypatch.context() as patch:
        patch.setattr(item_classes, "find_min_cost_flow", lambda *each: asked.append(1) or right(*each))
        found = solve(problem, levels)
    return prove(problem, levels, found.owners, found.prices), len(asked)


@pytest.mark.parametrize("topics", [1, 10])
def test_a_good_guess_leaves_one_flow(topics, monkeypatch):
    two = replace(synthetic(3000, 40, topics), copies=2)
    levels = (BALANCE, "moved", "far")
    value, flows = count_flows(monkeypatch, two, levels)
    monkeypatch.setattr(exact, "_guess_loads_of_several", lambda *_: None)
    assert count_flows(monkeypatch, two, levels)[0] == value
    assert flows == 1
