"""What is wrong about a certificate of a joint optimum is found: no altered number proves more than is true."""

import time
from dataclasses import replace

import numpy as np
import pytest
from second_opinions.random_placements import LEVELS, synthetic, tiny
from whole import cases

from kassay.oracles.assignment.active_standby.check import (
    Case,
    Certificate,
    Prices,
    Split,
    compute_least,
    compute_values,
    is_legal,
    is_proof,
)
from kassay.oracles.assignment.active_standby.optimum import find_joint_optimum
from kassay.oracles.errors import ImpossibleError

COLUMNS = ("before", "active", "every", "caps")


def drawn(seed, **size):
    """Return a problem, a question and its optimum."""
    r = np.random.default_rng(seed)
    while True:
        problem, levels = tiny(r, **size), tuple(r.permutation(LEVELS)[: int(r.integers(1, 4))].tolist())
        try:
            return problem, levels, find_joint_optimum(problem, levels)
        except ImpossibleError:
            continue


def altered(r, prices):
    """Change one number."""
    names = [name for name in COLUMNS if getattr(prices, name)]
    name = names[int(r.integers(len(names)))]
    column = list(getattr(prices, name))
    place = int(r.integers(len(column)))
    column[place] += int(r.choice([-5, -2, -1, 1, 2, 5]))
    if name == "before":
        column[place] = max(column[place], 0)
    return replace(prices, **{name: tuple(column)})


def test_altered_prices_never_prove_more_than_is_true():
    lower = 0
    for seed in cases(20, 1000):
        problem, levels, found = drawn(seed)
        r = np.random.default_rng(seed)
        for place, prices in enumerate(found.certificate.proofs):
            if isinstance(prices, Split):
                continue
            for _ in range(4):
                proofs = list(found.certificate.proofs)
                proofs[place] = altered(r, prices)
                proved = compute_least(problem, levels, found.value, Certificate(tuple(proofs)))
                assert proved[place] is None or proved[place] <= found.value[place]
                lower += proved != found.value
    assert lower > 10


def test_worse_owners_are_not_proved():
    refused = 0
    for seed in cases(60, 1000):
        problem, levels, found = drawn(seed, items=8)
        r, owners = np.random.default_rng(seed), found.owners.copy()
        if not owners.size:
            continue
        item = int(r.integers(len(owners)))
        owners[item, 0] = int(r.integers(problem.members))
        worse = is_legal(problem, owners) and compute_values(problem, levels, owners) > found.value
        same = is_legal(problem, owners) and compute_values(problem, levels, owners) == found.value
        assert is_proof(problem, levels, owners, found.certificate) == same
        refused += worse
    assert refused > 1


def test_certificates_of_another_shape_are_refused():
    problem, levels, found = drawn(5, items=8)
    prices = found.certificate.proofs[0]
    case = Case(None, (0,), "active", 1)
    wrong = {
        "active: has no valid value. Give": replace(prices, active=prices.active[1:]),
        "every: has no valid value. Give": replace(prices, every=(*prices.every[1:], 0.5)),
        "caps: has no valid value. Give": replace(prices, caps=(*prices.caps, 1)),
        "cases: has no valid value. Give": replace(prices, cases=(1,)),
        "factor of 0 or more": replace(prices, unit=-1),
        "of the unit 0, and shows nothing": replace(
            prices,
            unit=0,
            active=(0,) * problem.members,
            every=(0,) * problem.members,
            caps=(0,) * len(prices.caps),
        ),
        "members: has no valid value. Give numbers": Split(replace(case, members=(1, 0)), prices, prices),
        "items: has no valid value. Give numbers": Split(
            replace(case, items=(problem.items,)), prices, prices
        ),
        "most, role": Split(replace(case, role="standby"), prices, prices),
        "wrong side": Split(case, replace(prices, cases=(-1,)), replace(prices, cases=(1,))),
    }
    wrong["0 or more in the case of fewer"] = wrong.pop("wrong side")
    for sentence, proof in wrong.items():
        with pytest.raises(ValueError, match=sentence):
            compute_least(problem, levels, found.value, Certificate((proof,)))
    with pytest.raises(ValueError, match="proofs for"):
        compute_least(problem, levels, found.value, Certificate((prices,) * 9))


def test_cases_cover_everything_and_prove_no_more():
    """Any case may be split: the bound is the lesser of both sides, and never above the optimum."""
    for seed in cases(15, 500):
        problem, levels, found = drawn(seed)
        r = np.random.default_rng(seed)
        items = None if r.random() < 0.5 else tuple(np.flatnonzero(r.random(problem.items) < 0.5).tolist())
        members = tuple(np.flatnonzero(r.random(problem.members) < 0.5).tolist())
        case = Case(items, members, str(r.choice(["active", "every"])), int(r.integers(0, 4)))
        prices = found.certificate.proofs[0]
        price = int(r.integers(0, 3)) * prices.unit
        sides = Split(case, replace(prices, cases=(price,)), replace(prices, cases=(-price,)))
        proved = compute_least(problem, levels, found.value, Certificate((sides,)))
        assert proved[0] is None or proved[0] <= found.value[0]
        both = Split(case, replace(prices, cases=(0,)), replace(prices, cases=(0,)))
        assert compute_least(problem, levels, found.value, Certificate((both,))) == found.value[:1]


def test_a_time_that_is_over_leaves_an_interval():
    r, open_ = np.random.default_rng(3), 0
    for _ in range(20):
        problem = replace(tiny(r, items=9, members=5), caps=None, active_loads=None, loads=None)
        found = find_joint_optimum(problem, ("balance", "joint"), time.monotonic())
        assert is_legal(problem, found.owners)
        assert compute_least(problem, ("balance", "joint"), found.value, found.certificate) == found.least
        optimum = find_joint_optimum(problem, ("balance", "joint"))
        assert found.least[0] <= optimum.value[0] <= found.value[0]
        open_ += not found.proved
        assert not found.proved or found.value == optimum.value
    assert open_ > 5


def test_without_time_loads_are_even_all_the_same():
    problem, levels = synthetic(50, 7, 3, 2), ("balance", "total-balance", "spread", "joint")
    found = find_joint_optimum(problem, levels, time.monotonic())
    optimum = find_joint_optimum(problem, levels)
    assert is_legal(problem, found.owners)
    assert not found.proved
    assert found.value[:2] == optimum.value[:2] == found.least[:2]
    assert compute_least(problem, levels, found.value, found.certificate) == found.least


def test_prices_are_plain_numbers():
    _, _, found = drawn(7)
    for prices in found.certificate.proofs:
        assert isinstance(prices, Prices)
        assert all(type(each) is int for name in COLUMNS for each in getattr(prices, name))
