"""Joint optima hold against every placement counted out, against two solvers item by item, and their proofs are checked."""

import numpy as np
import pytest
from placings import every_placing, worth
from second_opinions.random_placements import LEVELS, tiny
from whole import cases

from kassay.oracles.assignment import linear_program
from kassay.oracles.assignment.active_standby.check import compute_least, is_proof
from kassay.oracles.assignment.active_standby.optimum import find_joint_optimum, solve_by_item
from kassay.oracles.errors import ImpossibleError, UnsolvedError


def question(r):
    return tuple(r.permutation(LEVELS)[: int(r.integers(1, 6))].tolist())


def proved(problem, levels):
    """Return the values of a joint optimum whose certificate the check accepts."""
    found = find_joint_optimum(problem, levels)
    assert found.proved
    assert is_proof(problem, levels, found.owners, found.certificate)
    assert compute_least(problem, levels, found.value, found.certificate) == found.value
    placing = [tuple(m for m in row if m >= 0) for row in found.owners.tolist()]
    assert found.value == tuple(worth(problem, level, placing) for level in levels)
    return found.value


def test_nothing_is_better_among_all_placements():
    impossible = 0
    for seed in cases(80, 1200):
        r = np.random.default_rng(seed)
        problem, levels = tiny(r, items=4, members=3), question(r)
        every = [
            tuple(worth(problem, level, placing) for level in levels) for placing in every_placing(problem)
        ]
        if every:
            assert proved(problem, levels) == min(every), seed
        else:
            impossible += 1
            with pytest.raises(ImpossibleError):
                find_joint_optimum(problem, levels)
    assert impossible


def test_two_solvers_find_the_same_item_by_item():
    for seed in cases(25, 1200):
        r = np.random.default_rng(10**6 + seed)
        problem, levels = tiny(r, items=7, members=5), question(r)
        try:
            _, values = solve_by_item(problem, levels)
        except ImpossibleError:
            with pytest.raises(ImpossibleError):
                find_joint_optimum(problem, levels)
        else:
            assert proved(problem, levels) == values, seed


def test_solvers_that_differ_are_not_believed(monkeypatch):
    problem = tiny(np.random.default_rng(1), items=4, members=3)
    true = linear_program.minimise_by_cp_sat
    assert solve_by_item(problem, LEVELS)
    monkeypatch.setattr(
        linear_program, "minimise_by_cp_sat", lambda *given: tuple(n - 1 for n in true(*given))
    )
    with pytest.raises(UnsolvedError, match="HiGHS finds"):
        solve_by_item(problem, LEVELS)
