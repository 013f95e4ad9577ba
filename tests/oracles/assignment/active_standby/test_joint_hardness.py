"""NP-hardness: formulas and timetables become placements that cost nothing exactly where they are possible."""

import numpy as np
from satisfiability import formula, placement_of, satisfiable
from timetables import HOURS, possible, standbys_of, timetable
from whole import some

from kassay.oracles.assignment.active_standby.check import Split, is_proof
from kassay.oracles.assignment.active_standby.optimum import find_joint_optimum, solve_by_item
from kassay.oracles.assignment.active_standby.problem import RoleLevel, RoleProblem


def test_a_formula_can_be_true_exactly_where_its_placement_costs_nothing():
    found = {True: 0, False: 0}
    seed = 0
    while min(found.values()) < some(2, 35) or sum(found.values()) < some(6, 220):
        r = np.random.default_rng(seed)
        seed += 1
        clauses = formula(r, 3, int(r.integers(2, 7)))
        problem, true = placement_of(clauses), satisfiable(clauses, 3)
        if problem.items > some(24, 50):
            continue
        optimum = find_joint_optimum(problem, ("joint",))
        assert is_proof(problem, ("joint",), optimum.owners, optimum.certificate)
        assert (optimum.value == (0,)) == true, clauses
        if problem.items <= 20:
            assert solve_by_item(problem, ("joint",))[1] == optimum.value
        found[true] += 1


def test_a_timetable_is_possible_exactly_where_standbys_collide_nowhere():
    found = {True: 0, False: 0}
    seed = 0
    while min(found.values()) < some(2, 35) or sum(found.values()) < some(6, 220):
        r = np.random.default_rng(seed)
        seed += 1
        teachers = timetable(r, int(r.integers(2, 5)), 3)
        true = possible(teachers)
        if found[true] > 2 * found[not true] + 1:
            continue
        problem, levels = standbys_of(teachers), ("standby", "spread")
        optimum = find_joint_optimum(problem, levels)
        assert is_proof(problem, levels, optimum.owners, optimum.certificate)
        assert (optimum.value == (0, 0)) == true, teachers
        turned = standbys_of(teachers, HOURS)
        assert len(set(turned.standbys.tolist())) == 1
        assert (solve_by_item(turned, levels)[1] == (0, 0)) == true
        found[true] += 1


def crossing(seed, n):
    """Draw a problem of as many items as members, one active and one standby on each, in zones of two tags that cross."""
    r = np.random.default_rng(seed)
    every, one, dense = np.arange(n), np.ones(n, np.int64), r.uniform(0.3, 0.8)
    zones = r.integers(0, max(2, n // 2), (2, n))
    costs = ((r.random((n, n)) < dense).astype(np.int64) for _ in range(2))
    return RoleProblem(
        every, one, zones, every, one, (RoleLevel("joint", *costs),), active_loads=one, loads=2 * one
    )


def test_where_no_prices_prove_an_optimum_cases_do():
    """Found by search: the linear program's least collisions, rounded up, are one too few."""
    problem, levels = crossing(18, 4), ("joint", "spread")
    found = find_joint_optimum(problem, levels)
    proof = found.certificate.proofs[1]
    assert isinstance(proof, Split)
    assert is_proof(problem, levels, found.owners, found.certificate)
    assert found.value == solve_by_item(problem, levels)[1]
