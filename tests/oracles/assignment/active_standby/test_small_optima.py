"""Small joint optima by machine code: what they find is the optimum, what proves them is checked twice, what is hostile is left alone."""

from dataclasses import replace

import numpy as np
import pytest
from placings import every_placing, worth
from second_opinions.random_placements import synthetic, tiny
from whole import cases, some

from kassay.oracles.assignment.active_standby import check
from kassay.oracles.assignment.active_standby.check import (
    Certificate,
    Prices,
    compute_values,
    is_proof,
)
from kassay.oracles.assignment.active_standby.optimum import JointOptimum, find_joint_optimum
from kassay.oracles.assignment.active_standby.problem import BALANCES, RoleLevel, RoleProblem, refuse_unfit
from kassay.oracles.assignment.active_standby.small_batch import build_batch, is_small, read_problem
from kassay.oracles.assignment.active_standby.small_check import check_batch, is_legal, is_proved
from kassay.oracles.assignment.active_standby.small_optimum import (
    Solution,
    find_small_optima,
    read_owners,
    solve_batch,
)
from kassay.oracles.assignment.values import compute_even_price
from kassay.oracles.errors import ImpossibleError

EVEN = ("balance", "total-balance")
COSTS = ("spread", "joint", "moves")


def small_optimum(problem: RoleProblem, levels: tuple[str, ...]) -> JointOptimum | None:
    """Return an optimum with the certificate of the joint core, None where machine code does not find one that its check proves.

    Raises what ``refuse_unfit`` raises.
    """
    refuse_unfit(problem, levels)
    if not is_small(problem, levels):
        return None
    of = build_batch([(problem, levels)])
    found = solve_batch(of)
    if not check_batch(of, found)[0]:
        return None
    owners = read_owners(found, 0, problem)
    value = compute_values(problem, levels, owners)
    return JointOptimum(owners, value, value, _certificate(problem, levels, found))


def _certificate(problem: RoleProblem, levels: tuple[str, ...], found: Solution) -> Certificate:
    """Return the proof of each level: the same prices for all, as what later levels add is less than a unit of each before.

    Balance alone has prices of its own, by which loads are even: squares of the loads of all copies are more than costs.
    """
    even = levels[:2] == BALANCES
    active, every = tuple(found.active.tolist()), tuple(found.every.tolist())
    factor = (found.unit[0] * found.weight[0, 0 if even else 2 :]).tolist()
    prices = [Prices(each, tuple(factor[:place]), active, every, ()) for place, each in enumerate(factor)]
    if even:
        price = compute_even_price(problem.items, problem.weights, np.ones_like(problem.slots))
        prices[0] = Prices(1, (), (price,) * problem.members, (0,) * problem.members, ())
    return Certificate(tuple(prices))


def drawn(seed, **size):
    """Return a problem with one item or more and a question that machine code takes."""
    r = np.random.default_rng(seed)
    problem = replace(tiny(r, **size), caps=None, active_loads=None, loads=None, active_at=None)
    rest = tuple(r.permutation(COSTS)[: int(r.integers(1, 4))].tolist())
    levels = rest if r.random() < 0.2 else EVEN + rest
    return (problem, levels) if problem.items else drawn(seed + 10**6, **size)


def test_nothing_is_better_among_all_placements():
    fast = 0
    for seed in cases(30, 3000):
        problem, levels = drawn(seed, items=4, members=3)
        found = small_optimum(problem, levels)
        if found is None:
            continue
        fast += 1
        every = (
            tuple(worth(problem, level, placing) for level in levels) for placing in every_placing(problem)
        )
        assert found.value == min(every), seed
    assert fast > 25


def test_it_is_the_joint_optimum_with_a_certificate_of_the_same_kind():
    fast, count = 0, some(25, 5000)
    for seed in range(count):
        problem, levels = drawn(2 * 10**6 + seed, items=9, members=6)
        found = small_optimum(problem, levels)
        if found is not None:
            fast += 1
            assert check.is_legal(problem, found.owners)
            assert found.value == compute_values(problem, levels, found.owners)
            assert is_proof(problem, levels, found.owners, found.certificate), seed
            assert found.value == find_joint_optimum(problem, levels).value, seed
    assert fast > 0.8 * count


@pytest.mark.parametrize("standbys", [1, 2])
def test_so_it_is_in_racks_and_with_moves(standbys):
    fast, count = 0, some(2, 500)
    for seed in range(count):
        r = np.random.default_rng(seed)
        size = int(r.integers(5, some(13, 41))), int(r.integers(3, some(6, 13)))
        problem = synthetic(*size, 3, standbys, seed=seed)
        problem = with_holders(r, problem)
        for levels in ((*EVEN, "joint"), (*EVEN, "spread", "joint"), (*EVEN, "moves", "joint")):
            found = small_optimum(problem, levels)
            if found is not None:
                fast += 1
                assert is_proof(problem, levels, found.owners, found.certificate), (seed, levels)
    assert fast > 2 * count


def with_holders(r, problem):
    """Let two members have held each item, one of them its active copy."""
    held = np.array([r.permutation(problem.members)[:2] for _ in range(problem.items)])
    moves = RoleLevel(
        "moves", None, None, np.array([0, *[2] * problem.items]),
        np.tile([1, 0], problem.items), np.ones(2 * problem.items, np.int64),
    )  # fmt: skip
    return replace(
        problem, levels=(*problem.levels, moves), claim_of=1 + np.arange(problem.items),
        claim_start=np.array([0, *range(0, 2 * problem.items + 1, 2)]), claim_member=held.reshape(-1),
    )  # fmt: skip


def test_the_two_checks_agree_on_what_is_altered():
    """The check in machine code accepts altered owners, prices or weights only where they prove an optimum all the same."""
    accepted = refused = 0
    for seed in cases(40, 3000):
        problem, levels = drawn(3 * 10**6 + seed, items=6, members=5)
        of = build_batch([(problem, levels)])
        found = solve_batch(of)
        if not check_batch(of, found)[0]:
            continue
        r = np.random.default_rng(seed)
        owners, active, every, weight, unit = (
            found.owners.copy(), found.active.copy(), found.every.copy(), found.weight[0].copy(), int(found.unit[0])
        )  # fmt: skip
        what = int(r.integers(4))
        if what == 0:
            owners[r.integers(len(owners)), 0] = r.integers(problem.members)
        elif what == 3:
            weight[r.integers(2, len(weight))] += r.choice([-1, 1])
        else:
            column = (active, every)[what - 1]
            column[r.integers(len(column))] += int(r.choice([-1, 1])) * unit * int(r.integers(1, 60))
        of_one, shown = read_problem(of, 0), owners[:, : 1 + int(problem.standbys.max())]
        assert is_legal(of_one, owners) == check.is_legal(problem, shown)
        if is_proved(of_one, owners, active, every, weight, unit):
            accepted += 1
            assert compute_values(problem, levels, shown) == find_joint_optimum(problem, levels).value, seed
        else:
            refused += 1
    assert accepted > 2
    assert refused > 10


def test_items_are_exchanged_by_wholes_where_the_linear_program_has_halves():
    """The placement by paths is not optimal here, nor are prices of paths: the linear program decides."""
    problem, levels = synthetic(30, 5, 3, 2, seed=3), (*EVEN, "spread", "joint")
    found = small_optimum(problem, levels)
    assert found is not None
    assert found.value == find_joint_optimum(problem, levels).value


def test_costs_too_great_are_refused():
    problem, _ = drawn(7, items=5)
    shape = 1 + int(problem.profile_of.max()), 1 + int(problem.kind_of.max())
    for cost, taken in ((0, True), (10**3, True), (2**52, False), (-(2**52), False), (2**55, False)):
        table = np.full(shape, cost)
        dear = replace(problem, levels=(RoleLevel("joint", table, table), problem.levels[1]))
        (owners,) = find_small_optima(dear, [(*EVEN, "joint", "moves")])
        assert (owners is not None) == taken, cost


def test_prices_and_weights_too_great_prove_nothing():
    problem, levels = drawn(11, items=5)
    of = build_batch([(problem, levels)])
    found = solve_batch(of)
    one, weight = read_problem(of, 0), found.weight[0]
    proof = (found.owners, found.active, found.every, weight, found.unit[0])
    assert is_proved(one, *proof)
    huge = np.full(problem.members, 2**61)
    for place, wrong in ((1, huge), (2, -huge), (3, weight * 2**40), (3, np.zeros_like(weight)), (4, 0)):
        assert not is_proved(one, *proof[:place], wrong, *proof[place + 1 :])


def test_what_is_no_small_problem_is_not_taken():
    problem, levels = drawn(1, items=5)
    assert is_small(problem, levels)
    for other in (("joint", *EVEN), ("balance", "joint")):
        assert not is_small(problem, other)
    for size in ((20, 30, 3), (200, 5, 3), (5, 5, 3, 3)):
        assert not is_small(synthetic(*size), (*EVEN, "joint"))
    fixed = replace(problem, active_at=np.full(problem.items, -1))
    assert not is_small(fixed, levels)
    squared = replace(problem, levels=tuple(replace(level, squares=(0, 1)) for level in problem.levels))
    assert not is_small(squared, levels)
    assert small_optimum(fixed, levels) is None
    with pytest.raises(ImpossibleError, match="no costs of the name 'restore'"):
        find_small_optima(problem, [("restore",)])


def test_problems_of_all_sizes_stand_in_one_batch():
    assert len(check_batch(build_batch([]), solve_batch(build_batch([])))) == 0
    asked = [drawn(5 * 10**6 + seed, items=6) for seed in range(12)]
    of = build_batch(asked)
    found = solve_batch(of)
    together = check_batch(of, found).tolist()
    alone = [small_optimum(problem, levels) for problem, levels in asked]
    assert together == [each is not None for each in alone]
    for place, ((problem, _), each) in enumerate(zip(asked, alone, strict=True)):
        first = of.first[place, 3]
        if each is not None:
            rows = found.owners[first : first + problem.items, : each.owners.shape[1]]
            assert np.array_equal(rows, each.owners)


def test_members_alone():
    """One member, one item, no standbys: the least there is."""
    problem = RoleProblem(
        np.zeros(1, np.int64), np.ones(1, np.int64), np.zeros((0, 1), np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64),
        (RoleLevel("joint", np.array([[5]])),),
    )  # fmt: skip
    found = small_optimum(problem, (*EVEN, "joint"))
    assert found is not None
    assert found.value == (1, 1, 5)
    assert is_proof(problem, (*EVEN, "joint"), found.owners, found.certificate)
