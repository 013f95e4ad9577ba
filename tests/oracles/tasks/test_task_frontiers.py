"""Frontiers of applications against all placements counted out, and their proofs."""

import math
from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest
from definitions import dominates, supported, undominated
from drawing_tasks import APPLICATION, anyhow, some_tiny
from second_opinions.every_placement import exhaust, placements
from whole import cases

from kassay.model.tasks_json import read_group
from kassay.oracles.assignment.active_standby import check, optimum
from kassay.oracles.assignment.active_standby.check import Certificate, is_proof
from kassay.oracles.assignment.frontier import flows, pareto
from kassay.oracles.assignment.frontier.fronts import WEIGHTED, build_weighted_level, find_role_frontier
from kassay.oracles.assignment.frontier.pareto import LATE, DisagreementError
from kassay.oracles.errors import UnsolvedError
from kassay.oracles.frontiers import SQUARES
from kassay.oracles.tasks.frontier import TRADES, compute_frontiers, encode_levels
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.question import parse_question

(COSTS,) = TRADES
EVERY = (SQUARES, *COSTS)
UNSUPPORTED = 578
"""A seed of an application with a point that is best for no weights."""


def small(seeds):
    """Applications with few placements, with tasks."""
    for seed in seeds:
        of = some_tiny(seed)
        if of.tasks and 1 < math.comb(len(of.clients), 2) ** len(of.tasks) <= 300:
            yield seed, of


def squares(of, level, answer):
    """The sum of the clients' squared loads by threads, made whole."""
    total, whole = 0, math.lcm(*(client.threads for client in of.clients))
    for client in of.clients:
        held = answer.clients[client.id]
        count = len(held.active) + len(held.standby) * (level == "total-balance")
        total += count**2 * whole // client.threads
    return total


def counted_out(of):
    """What the most even placements are worth, and what all are."""
    even, every = set(), set()
    balances = parse_question("balance").levels
    least, _ = exhaust(of, parse_question("balance"))
    for answer in placements(of):
        loads = tuple(squares(of, level, answer) for level in balances)
        costs = tuple(LEVELS[level].measure(of, answer) for level in COSTS)
        every.add((sum(loads), *costs))
        if loads == least:
            even.add(costs)
    return even, every


def test_all_points_and_no_others_are_found_and_answers_are_placed():
    seen = several = behind = unsupported = 0
    for seed, of in small([*cases(40, 1500), UNSUPPORTED]):
        answer = anyhow(of, Random(seed))
        for found, levels, among in zip(compute_frontiers(of), (COSTS, EVERY), counted_out(of), strict=True):
            want = undominated(among)
            assert found.levels == levels
            assert [tuple(point.values[level] for level in levels) for point in found.points] == want, seed
            assert (found.extreme, found.whole, found.open_) == (True, True, "")
            for value, point in zip(want, found.points, strict=True):
                assert found.place(point.assignment).on_it, seed
                assert point.supported == supported(value, [other for other in want if other != value])
                if point.supported:
                    proof = found.proofs[point.proof]
                    assert min(proof["weights"].values()) > 0
                    assert proof["least"] == sum(n * point.values[k] for k, n in proof["weights"].items())
                unsupported += not point.supported
            placed = found.place(answer)
            if placed.better is not None:
                behind += 1
                assert dominates(want[placed.better], tuple(placed.values[level] for level in levels))
            several += len(want) > 1
        seen += 1
    assert seen > 5
    assert several > 3
    assert behind > 3
    assert unsupported > 0


def holds(problem, point, proof, value):
    """Whether a proof's certificate proves a point to be worth what is stated, and least."""
    known = replace(problem, levels=(build_weighted_level(problem, EVERY, proof.weights, WEIGHTED),))
    certificate = Certificate(proof.prices.proofs[:1])
    worth = sum(map(int.__mul__, proof.weights, value))
    return worth == proof.least and is_proof(known, (WEIGHTED,), point.owners, certificate)


def test_altered_proofs_are_refused():
    refused = 0
    for _, of in small([UNSUPPORTED, 443]):
        problem = encode_levels(of, COSTS).problem
        for point in find_role_frontier(problem, EVERY, even=False).points:
            if point.proof is None:
                continue
            proof, (first, *rest) = point.proof, point.value
            assert holds(problem, point, proof, point.value)
            (prices, *_) = proof.prices.proofs
            dearer = replace(prices, every=tuple(price + 9 * prices.unit for price in prices.every))
            altered = replace(proof, prices=replace(proof.prices, proofs=(dearer,)))
            assert not holds(problem, point, altered, point.value)
            assert not holds(problem, point, replace(proof, least=proof.least - 1), point.value)
            assert not holds(problem, point, proof, (first - 1, *rest))
            other = replace(point, owners=point.owners[:, ::-1].copy())
            assert (other.owners == point.owners).all() or not holds(problem, other, proof, point.value)
            refused += 1
    assert refused > 5


def test_what_the_core_proves_is_checked(monkeypatch):
    problem = encode_levels(next(of for _, of in small(range(60))), COSTS).problem
    for even, levels in ((True, COSTS), (False, EVERY)):
        monkeypatch.setattr(check, "is_proof", lambda *_: False)
        with pytest.raises(UnsolvedError, match="does not prove"):
            find_role_frontier(problem, levels, even=even)
        monkeypatch.undo()
        late = find_role_frontier(problem, levels, even=even, deadline=0.0)
        assert (late.points, late.extreme, late.whole, late.open_) == ((), False, False, LATE)


def test_solvers_that_stop_leave_points_open(monkeypatch):
    def stopped(*_):
        raise UnsolvedError("HiGHS stopped")

    monkeypatch.setattr(flows, "minimise_by_highs", stopped)
    problem = encode_levels(some_tiny(UNSUPPORTED), COSTS).problem
    found = find_role_frontier(problem, EVERY, even=False)
    assert (found.extreme, found.whole, found.open_) == (True, False, "HiGHS stopped")
    monkeypatch.setattr(pareto, "time", SimpleNamespace(monotonic=lambda: math.inf))
    assert find_role_frontier(problem, EVERY, even=False, deadline=10.0**9).open_ == LATE


def test_solvers_that_disagree_prove_nothing(monkeypatch):
    monkeypatch.setattr(flows, "minimise_by_cp_sat", lambda rows, _: (0,) * len(rows.objectives))
    with pytest.raises(DisagreementError, match="CP-SAT"):
        compute_frontiers(some_tiny(UNSUPPORTED))


def test_programs_that_are_too_large_leave_points_open(monkeypatch):
    monkeypatch.setattr(optimum, "MANY", 3)
    for found in compute_frontiers(some_tiny(UNSUPPORTED)):
        assert (found.extreme, found.whole) == (True, False)
        assert "triples of an item, a member and a role. A program takes up to 3" in found.open_
        assert all(point.supported for point in found.points)


def test_what_leaves_nothing_to_choose_is_said():
    of = read_group(APPLICATION)
    alone = replace(of, clients=of.clients[:1])
    nobody = replace(of, clients=tuple(replace(client, active=(), rack=None) for client in of.clients))
    for application, said in (
        (alone, ["the group has one client, which gets everything, so there is no alternative"]),
        (
            nobody,
            [
                "no client owned anything before, so no assignment counts as a move",
                "no assignment reads across racks: every rack has all partitions, or the racks of clients or partitions are unknown",
            ],
        ),
    ):
        even, free = compute_frontiers(application)
        assert list(even.sentences[: len(said)]) == said
        assert (len(even.points), len(free.points), free.sentences) == (1, 1, ())
    empty = replace(of, tasks=(), clients=tuple(replace(c, active=(), lags={}) for c in of.clients))
    assert [len(each.points) for each in compute_frontiers(empty)] == [1, 1]
