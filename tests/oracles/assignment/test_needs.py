"""Forbidden pairs, weights, counts and caps: what trying all out finds, proved by prices, and refused where they do not fit."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from kassay.oracles.assignment.certificates.duals import proves as proved
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.needs.bound import NeedPrices, bound, proves
from kassay.oracles.assignment.needs.forbidden import forbid
from kassay.oracles.assignment.needs.needs import Needs
from kassay.oracles.assignment.needs.network import solve_with_needs
from kassay.oracles.assignment.needs.program import program_with_needs
from kassay.oracles.assignment.problem import eligible
from kassay.oracles.assignment.random_problems import mixed, needed
from kassay.oracles.assignment.values import values
from kassay.oracles.failures import ImpossibleError, UnsolvedError

LEVELS = [
    ("balance",), ("first",), ("balance", "first", "second"), ("first", "balance"), ("second", "first"),
    ("first", "balance", "third"), ("balance", "third"),
]  # fmt: skip


def every_assignment(of):
    rows = [list(combinations(np.flatnonzero(row).tolist(), of.copies)) for row in eligible(of)]
    for chosen in product(*rows):
        yield np.array(chosen, np.int64).reshape(of.items, of.copies)


def meets(of, needs, owners):
    """Whether needs are met, in words: count by count."""
    held = owners.reshape(-1).tolist()
    for m in range(of.members):
        if needs.fewest is not None and held.count(m) < needs.fewest[m]:
            return False
        if needs.most is not None and held.count(m) > needs.most[m]:
            return False
    for number, member, cap in [] if needs.caps is None else needs.caps.tolist():
        if sum(needs.class_of[i] == number and member in row for i, row in enumerate(owners.tolist())) > cap:
            return False
    return True


def worth(of, needs, levels, owners):
    """The value of each level; balance as the sum of load^2 / weight, brought to whole numbers."""
    weight = [1] * of.members if needs.weight is None else needs.weight.tolist()
    multiple = int(np.lcm.reduce(weight))
    held = owners.reshape(-1).tolist()
    squares = sum(held.count(m) ** 2 * (multiple // weight[m]) for m in range(of.members))
    return tuple(squares if level == "balance" else values(of, (level,), owners)[0] for level in levels)


@pytest.mark.parametrize("kind", ["weight", "counts", "caps", "all"])
def test_needs_are_met_as_well_as_can_be_and_proved(kind):
    r = np.random.default_rng(0)
    impossible = binding = 0
    for number in range(60):
        of = mixed(r, copies=int(r.choice([1, 1, 2])))
        needs, levels = needed(r, of, kind), LEVELS[number % len(LEVELS)]
        every = [worth(of, needs, levels, each) for each in every_assignment(of) if meets(of, needs, each)]
        if not every:
            impossible += 1
            with pytest.raises(ImpossibleError):
                solve_with_needs(of, needs, levels)
            with pytest.raises((ImpossibleError, UnsolvedError)):
                program_with_needs(of, needs, levels)
            continue
        best = solve_with_needs(of, needs, levels)
        owners, found = program_with_needs(of, needs, levels)
        assert found == min(every) == worth(of, needs, levels, owners), number
        assert meets(of, needs, owners)
        assert meets(of, needs, best.owners)
        assert worth(of, needs, levels, best.owners) == min(every), number
        assert proves(of, needs, levels, best.owners, best.prices), number
        assert proves(of, needs, levels, owners, best.prices), number
        for _ in range(5):  # wrong prices prove less, never what is wrong
            rows = best.prices.rows + r.integers(-2, 3, best.prices.rows.shape)
            assert bound(of, needs, levels, NeedPrices(rows, best.prices.caps)) <= min(every)
        binding += min(every) > min(worth(of, needs, levels, each) for each in every_assignment(of))
    assert kind == "weight" or (binding > 2 and impossible > 0)


@pytest.mark.parametrize("copies", [1, 2])
def test_nobody_holds_what_is_forbidden_and_the_rest_is_as_good_as_can_be(copies):
    r = np.random.default_rng(copies)
    worse = impossible = 0
    for number in range(60):
        of, levels = mixed(r, copies), LEVELS[number % len(LEVELS)]
        class_of = r.integers(0, 3, of.items)
        pairs = np.argwhere(r.random((3, of.members)) < 0.2)
        barred = {tuple(pair) for pair in pairs.tolist()}
        every = [
            values(of, levels, each)
            for each in every_assignment(of)
            if not any((class_of[i], m) in barred for i, row in enumerate(each.tolist()) for m in row)
        ]
        less = forbid(of, class_of, pairs)
        if not every:
            impossible += 1
            with pytest.raises(ImpossibleError):
                solve(less, levels)
            continue
        best = solve(less, levels)
        assert values(of, levels, best.owners) == min(every), number
        assert proved(less, levels, best.owners, best.prices)
        worse += min(every) > values(of, levels, solve(of, levels).owners)
    assert worse > 5
    assert impossible > 0


def test_needs_that_do_not_fit_are_refused_by_their_column():
    of = mixed(np.random.default_rng(1), items=6)
    one = np.ones(of.members, np.int64)
    wrong = {
        "weight": Needs(weight=one * 0),
        "fewest": Needs(fewest=one[1:]),
        "most: ": Needs(most=one * 0),
        "class_of": Needs(class_of=np.zeros(of.items + 1, int)),
        "a member that there is not": Needs(caps=np.array([[0, of.members, 1]])),
        "named twice": Needs(caps=np.array([[0, 0, 1], [0, 0, 2]])),
    }
    assert of.items
    for sentence, needs in wrong.items():
        with pytest.raises(ImpossibleError, match=sentence):
            solve_with_needs(of, needs, ("balance",))
    with pytest.raises(ImpossibleError, match="pairs"):
        forbid(of, np.zeros(of.items, int), np.array([[0, of.members]]))
    with pytest.raises(ImpossibleError, match="class_of"):
        forbid(of, np.zeros(of.items + 1, int), np.array([[0, 0]]))
    with pytest.raises(ValueError, match="below 0"):
        bound(
            of, Needs(caps=np.array([[0, 0, 1]])), ("balance",), NeedPrices(one[None] * 0, np.array([[-1]]))
        )


def test_the_time_limit_is_kept():
    of = replace(mixed(np.random.default_rng(1), items=6))
    with pytest.raises(UnsolvedError, match="time"):
        solve_with_needs(of, Needs(), ("balance",), deadline=0.0)
