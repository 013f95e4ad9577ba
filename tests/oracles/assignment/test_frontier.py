"""Frontiers against all assignments counted out, their proofs against a definition in words, and what must be refused."""

import time
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from definitions import supported, undominated
from drawing import synthetic, tiny
from scipy.optimize import linprog
from second_opinions.random_problems import owned_by
from whole import cases

from kassay.oracles.assignment.frontier import flows
from kassay.oracles.assignment.frontier.flows import build_all_ways, build_even_ways, find_cheapest
from kassay.oracles.assignment.frontier.fronts import find_frontier
from kassay.oracles.assignment.frontier.pareto import (
    LATE,
    DisagreementError,
    compute_bound,
    is_complete,
    is_valid_point,
    is_valid_proof,
)
from kassay.oracles.assignment.frontier.recursive_weighting import (
    ParetoPoint,
    compute_cells,
    compute_floor,
    weigh_recursively,
)
from kassay.oracles.assignment.problem import build_costs, count_readers, find_eligible
from kassay.oracles.assignment.values import compute_values
from kassay.oracles.errors import ImpossibleError, TooLargeError, UnsolvedError

LEVELS = ("moves", "cross-rack")
ALL = ("balance", *LEVELS)


def assignments(problem):
    """Yield the owners of every assignment."""
    copies = problem.copies_of_audience[problem.audience_of].tolist()
    able = (np.flatnonzero(may).tolist() for may in find_eligible(problem))
    for rows in product(*(combinations(some_, number) for some_, number in zip(able, copies, strict=True))):
        padded = [(*row, *[-1] * (problem.copies - len(row))) for row in rows]
        yield np.array(padded, np.int64).reshape(-1, problem.copies)


def drawn(seed):
    """A problem with traps, or one in which all read all and partitions change places."""
    r = np.random.default_rng(seed)
    if seed % 2:
        return synthetic(int(r.integers(4, 8)), 2, 1, 2, 1, seed)
    return tiny(r, items=7, members=4)


def check_points(problem, even):
    """Compare a frontier with all assignments; return it with the values of its points."""
    worth = {compute_values(problem, ALL, owners) for owners in assignments(problem)}
    least = min(value[0] for value in worth)
    expected = undominated([value for value in worth if not even or value[0] == least])
    found = find_frontier(problem, LEVELS, even=even)
    assert [point.value for point in found.points] == expected
    assert (found.extreme, found.whole, found.open_) == (True, True, "")
    assert all(compute_values(problem, ALL, point.owners) == point.value for point in found.points)
    return found, expected


def test_all_points_and_no_others_are_found_and_called_supported_where_they_are():
    unsupported = 0
    for seed in cases(24, 1500):
        problem = drawn(seed)
        if problem.items and np.prod(find_eligible(problem).sum(axis=1), dtype=float) > 3000:
            continue
        for even in (True, False):
            found, frontier = check_points(problem, even)
            for point in found.points:
                own = point.value[even:]
                others = [other[even:] for other in frontier if other != point.value]
                assert (point.proof is not None) == supported(own, others), (seed, even, point.value)
                assert point.proof is None or is_valid_point(
                    problem, LEVELS, ParetoPoint(point.owners, point.value, point.proof)
                )
                unsupported += point.proof is None
    assert unsupported > 1


def shared(seed):
    """A problem whose items go to no member, to one or to several, and may have had several owners."""
    r = np.random.default_rng(seed)
    problem = synthetic(4, 4, 1, 2, 1, seed) if seed % 4 else tiny(r, items=4, members=4)
    if not problem.items:
        return problem
    owners = np.array([r.permutation(problem.members)[:2] for _ in range(problem.items)])
    problem = owned_by(problem, np.where(r.integers(0, 2, owners.shape) == 1, owners, -1), "moves")
    copies = np.minimum(count_readers(problem), r.integers(0 if seed % 4 == 0 else 1, 3, problem.audiences))
    return replace(problem, copies=max(1, int(copies.max(initial=0))), copies_of=copies)


def test_all_points_of_several_copies_are_found():
    several = sum(
        len(check_points(shared(seed), even)[1]) > 1 for seed in cases(12, 1000) for even in (True, False)
    )
    assert several > 6


def test_the_bound_is_what_its_definition_says_and_no_assignment_is_below():
    for seed in cases(40, 400):
        problem, r = tiny(np.random.default_rng(seed), items=5, members=3), np.random.default_rng(seed)
        weights = tuple(r.integers(0, 9, 3).tolist())
        prices = tuple(r.integers(-20, 60, problem.members).tolist())
        cost = [build_costs(problem, level).tolist() for level in LEVELS]
        may = find_eligible(problem).tolist()
        paid = sum(
            min(
                price + sum(w * each[i][m] for w, each in zip(weights[1:], cost, strict=True))
                for m, price in enumerate(prices)
                if may[i][m]
            )
            for i in range(problem.items)
        )
        slots = sum(
            min(weights[0] * load * load - price * load for load in range(problem.items + 1))
            for price in prices
        )
        proved = compute_bound(problem, LEVELS, weights, prices)
        assert proved == paid + slots
        least = min(
            sum(w * v for w, v in zip(weights, compute_values(problem, ALL, owners), strict=True))
            for owners in assignments(problem)
        )
        assert proved <= least


def test_altered_proofs_and_points_are_refused():
    refused = 0
    for seed in cases(12, 60):
        problem = synthetic(6, 3, 1, 3, 1, seed)
        for even in (True, False):
            found = find_frontier(problem, LEVELS, even=even)
            for point in (point for point in found.points if point.proof is not None):
                whole = ParetoPoint(point.owners, point.value, point.proof)
                proof, (first, *rest) = point.proof, point.value
                moved = point.owners.copy()
                moved[0] = (moved[0] + 1) % 3
                wrong = [
                    replace(whole, value=(first - 1, *rest)),
                    *[replace(whole, owners=moved)] * (compute_values(problem, ALL, moved) != point.value),
                    replace(whole, owners=np.full_like(moved, 3)),
                    replace(whole, proof=replace(proof, least=proof.least + 1)),
                    replace(whole, proof=replace(proof, least=proof.least - 1)),
                ]
                assert not any(is_valid_point(problem, LEVELS, each) for each in wrong)
                refused += len(wrong)
                for n in range(3):
                    high = proof.prices[n] + 10**9 * sum(proof.weights)
                    other = replace(proof, prices=(*proof.prices[:n], high, *proof.prices[n + 1 :]))
                    assert not is_valid_proof(problem, LEVELS, other)
            extreme = [
                p.value
                for p in found.points
                if p.value[even:] in compute_cells([q.value[even:] for q in found.points], 3 - even)
            ]
            assert is_complete(extreme, found.proofs, 3 - even)
            for n in range(len(extreme)):
                if len(extreme) > 1:
                    assert not is_complete(extreme[:n] + extreme[n + 1 :], found.proofs, 3 - even)
            assert not is_complete(extreme, [], 3 - even)
    assert refused > 100


@pytest.mark.parametrize("wrong", [(1, 2), (1, 2, 3, 4), (-1, 1, 1), (1.0, 1, 1)])
def test_weights_that_are_none_are_refused(wrong):
    problem = synthetic(6, 3, 1)
    with pytest.raises(ValueError, match="weights"):
        compute_bound(problem, LEVELS, wrong, (0, 0, 0))


def test_recursive_weighting_finds_every_extreme_point_of_any_set():
    for seed in cases(20, 600):
        r = np.random.default_rng(seed)
        objectives = int(r.integers(2, 4))
        points = {tuple(row) for row in r.integers(0, 12, (int(r.integers(1, 16)), objectives)).tolist()}

        def least(weights, points=points):
            return min((sum(map(int.__mul__, weights, p)), sum(p), p) for p in points)[2]

        found, complete = weigh_recursively(least, objectives)
        extreme = {p for p in points if not covered(p, points - {p})}
        assert complete
        assert set(found) == extreme


def covered(value, others):
    """Whether a point is at or above a mean of others, so that no weights need it, by a linear program."""
    if not others:
        return False
    columns = list(zip(*others, strict=True))
    return linprog([0] * len(others), columns, value, [[1] * len(others)], [1]).status == 0


def test_floors_follow_from_proofs():
    found = find_frontier(synthetic(6, 2, 1, 2, 1, 3), LEVELS, even=False)
    for point in found.points:
        caps = [*point.value[:2], None]
        assert compute_floor(2, caps, found.proofs) <= point.value[2]
        if point.proof:
            assert compute_floor(2, caps, [point.proof]) == point.value[2]


def test_no_time_leaves_points_open():
    problem = synthetic(30, 5, 2)
    none = find_frontier(problem, LEVELS, even=True, deadline=time.monotonic() - 1)
    assert (none.points, none.extreme, none.whole, none.open_) == ((), False, False, LATE)


@pytest.mark.parametrize("ends", ["time", "numbers"])
def test_time_or_numbers_that_end_between_weights_leave_the_points_found(ends, monkeypatch):
    problem, asked = synthetic(30, 5, 2), []

    def few(ways, weights, deadline):
        asked.append(weights)
        if ends == "time":
            return find_cheapest(ways, weights, deadline) if len(asked) < 4 else None
        return find_cheapest(ways, weights if len(asked) < 3 else (2**61,) * 3, deadline)

    monkeypatch.setattr(flows, "find_cheapest", few)
    found = find_frontier(problem, LEVELS, even=False)
    assert (found.extreme, found.whole) == (False, False)
    assert found.open_ == LATE if ends == "time" else "64 bits" in found.open_
    for point in found.points:
        assert is_valid_point(problem, LEVELS, ParetoPoint(point.owners, point.value, point.proof))


def test_programs_that_are_too_large_leave_points_open(monkeypatch):
    monkeypatch.setattr(flows, "LARGEST_PROGRAM", 10)
    found = find_frontier(synthetic(6, 2, 1, 2, 1, 3), LEVELS, even=False)
    assert (found.extreme, found.whole) == (True, False)
    assert "10 are" in found.open_
    assert all(point.proof for point in found.points)


def test_solvers_that_disagree_prove_nothing(monkeypatch):
    problem = next(
        p
        for p in map(drawn, range(1, 200, 2))
        if any(not q.proof for q in find_frontier(p, LEVELS, even=False).points)
    )
    monkeypatch.setattr(flows, "minimise_by_cp_sat", lambda *_: (0, 0, 0))
    with pytest.raises(DisagreementError, match="CP-SAT"):
        find_frontier(problem, LEVELS, even=False)


def test_a_solver_that_lies_gives_no_point(monkeypatch):
    def worse(ways, weights, deadline):
        found = find_cheapest(ways, weights, deadline)
        return replace(found, proof=replace(found.proof, least=found.proof.least - 1))

    monkeypatch.setattr(flows, "find_cheapest", worse)
    with pytest.raises(UnsolvedError, match="do not prove"):
        find_frontier(synthetic(6, 2, 1, 2, 1, 3), LEVELS, even=True)


def test_weights_and_copies_that_are_too_many_are_refused_and_no_items_have_one_point():
    problem = synthetic(6, 2, 1, 2, 1, 3)
    for ways in (build_even_ways(problem, LEVELS), build_all_ways(problem, LEVELS)):
        with pytest.raises(TooLargeError, match="64 bits"):
            find_cheapest(ways, (2**60,) * ways.objectives)
    with pytest.raises(TooLargeError, match="64 bits"):
        compute_bound(problem, LEVELS, (1, 2**61, 1), (0, 0))
    with pytest.raises(ImpossibleError, match="3 copies"):
        find_frontier(replace(problem, copies=3), LEVELS, even=True)
    nothing = find_frontier(synthetic(0, 2, 1), LEVELS, even=False)
    assert nothing.whole
    assert [point.value for point in nothing.points] == [(0, 0, 0)]
