"""Frontiers of applications against all placements counted out, and their proofs."""

import math
from random import Random

import pytest
from drawing_tasks import anyhow, some_tiny
from whole import some

from kassay.oracles.assignment.frontier import roles
from kassay.oracles.assignment.frontier.point import dominates
from kassay.oracles.assignment.frontier.roles import role_front
from kassay.oracles.failures import UnsolvedError
from kassay.oracles.tasks.encoding import encoded
from kassay.oracles.tasks.exhaustive import exhaust, placements
from kassay.oracles.tasks.frontier import COSTS, frontiers
from kassay.oracles.tasks.question import question
from kassay.oracles.tasks.remeasure import MEASURES


def small(seeds):
    """Applications with few placements, with tasks."""
    for seed in seeds:
        of = some_tiny(seed)
        if of.tasks and 1 < math.comb(len(of.clients), 2) ** len(of.tasks) <= 300:
            yield seed, of


def even(of):
    """The placements of the most even loads, counted out."""
    asked = question("balance")
    least, _ = exhaust(of, asked)
    balances = [lambda answer, level=level: exhaust_value(of, level, answer) for level in asked.levels]
    return [answer for answer in placements(of) if tuple(of_(answer) for of_ in balances) == least]


def exhaust_value(of, level, answer):
    """The sum of the squared loads of threads, each client dealing its tasks to its threads in turn."""
    total = 0
    for client in of.clients:
        held = answer.clients[client.id]
        count = len(held.active) + len(held.standby) * (level == "total-balance")
        total += sum(len(range(n, count, client.threads)) ** 2 for n in range(client.threads))
    return total


def test_all_points_and_no_others_are_found_and_answers_are_placed():
    seen = several = behind = 0
    for seed, of in small(range(some(60, 1500))):
        among = {tuple(MEASURES[level](of, answer) for level in COSTS) for answer in even(of)}
        want = sorted(v for v in among if not any(dominates(other, v) for other in among))
        (found,) = frontiers(of)
        assert [tuple(point.values[level] for level in COSTS) for point in found.points] == want, seed
        assert (found.extreme, found.whole) == (True, True)
        for n, point in enumerate(found.points):
            assert found.place(point.assignment).on_it, seed
            assert (point.proof is None) or found.proofs[point.proof]["least"] == sum(
                found.proofs[point.proof]["weights"][level] * want[n][k] for k, level in enumerate(COSTS)
            )
        placed = found.place(anyhow(of, Random(seed)))
        if placed.better is not None:
            behind += 1
            assert dominates(want[placed.better], tuple(placed.values[level] for level in COSTS))
        seen += 1
        several += len(want) > 1
    assert seen > 5
    assert several > 0
    assert behind > 0


def test_what_the_core_proves_is_checked(monkeypatch):
    of = next(of for _, of in small(range(60)))
    problem = encoded(of, question("balance,moves,joint")).problem
    found = role_front(problem, COSTS)
    for point in found.points:
        assert point.proof is None or min(point.proof.weights) > 0
    monkeypatch.setattr(roles, "proves", lambda *_: False)
    with pytest.raises(UnsolvedError, match="does not prove"):
        role_front(problem, COSTS)
    late = role_front(problem, COSTS, deadline=0.0)
    assert (late.points, late.extreme, late.whole) == ((), False, False)
