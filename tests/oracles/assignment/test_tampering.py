"""No tampering with owners or prices passes for a proof, and no lying solver for an optimum."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from definitions import bound_in_words, legal_in_words, value_in_words
from drawing import ORDERS, dearer, tiny
from second_opinions.improvement import improves
from whole import some

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.assignment.certificates import compute_bound, is_proof
from kassay.oracles.assignment.flow.exact import Solution, solve
from kassay.oracles.assignment.values import Prices
from kassay.oracles.errors import TooLargeError, UnsolvedError
from kassay.oracles.partitions import optima, optimum
from kassay.oracles.partitions import optima as explain
from kassay.oracles.partitions.question import parse_question

EXTREMES = [-(2**63), 2**63 - 1, -(2**62), 2**62, 2**53 + 1, -(2**40), 2**31, 0]
TYPES = [
    *(lambda a, kind=kind: a.astype(kind) for kind in ("f8", "f4", "?", "O", "c16", "u8", "i4", "i1", "S8", "m8[s]", ">i8")),
    np.ma.array, np.ndarray.tolist,
]  # fmt: skip


def several(r, array):
    """A few random places of an array."""
    return tuple(r.integers(0, size, 2) for size in array.shape)


def owners_changed(r, of, owners, prices):
    changed = owners.copy()
    changed[several(r, changed)] = r.integers(-of.members - 1, 2 * of.members + 1)
    return changed, prices


def owners_swapped(r, of, owners, prices):
    changed = owners.copy()
    changed[r.integers(of.items)] = r.integers(0, of.members, of.copies)
    return changed, prices


def prices_changed(r, _, owners, prices):
    changed = prices.copy()
    changed[several(r, changed)] += r.choice([-2, -1, 1, 2])
    return owners, changed


def prices_shifted(r, _, owners, prices):
    """All members ask the same more, which changes no choice; by so much, perhaps, that sums leave 64 bits."""
    changed = prices.copy()
    changed[-1] += r.choice([1, -3, 1000, 2**20, -(2**33), 2**45])
    return owners, changed


def extreme_prices(r, _, owners, prices):
    changed = prices.copy()
    changed[several(r, changed)] = r.choice(EXTREMES)
    return owners, changed


def extreme_owners(r, _, owners, prices):
    changed = owners.copy()
    changed[several(r, changed)] = r.choice(EXTREMES)
    return changed, prices


def another_type(r, _, owners, prices):
    pair = [owners, prices]
    which = int(r.integers(2))
    pair[which] = TYPES[r.integers(len(TYPES))](pair[which])
    return pair


def another_shape(r, _, owners, prices):
    pair = [owners, prices]
    which = int(r.integers(2))
    pair[which] = [
        lambda a: a[:-1], lambda a: a.T, lambda a: a[:, :0], lambda a: a.reshape(-1), lambda a: a[None], lambda a: np.vstack([a, a[:1]]),
    ][r.integers(6)](pair[which])  # fmt: skip
    return pair


EACH = some(16, 40)
"""Problems of a lot, each tampered with in 64 ways."""
TAMPERINGS = [
    owners_changed, owners_swapped, prices_changed, prices_shifted, extreme_prices, extreme_owners, another_type, another_shape,
]  # fmt: skip


def sound(array, shape):
    """Whether it is a plain array of 64-bit integers of this shape."""
    return (
        type(array) is np.ndarray and array.dtype.kind in "iu" and array.shape == shape
        and all(abs(each) < 2**63 or each == -(2**63) for each in array.reshape(-1).tolist())
    )  # fmt: skip


def drawn(seed):
    r = np.random.default_rng(seed)
    of = tiny(r, copies=int(r.integers(1, 4)), items=5, members=4)
    while not of.items:
        of = tiny(r, copies=int(r.integers(1, 4)), items=5, members=4)
    return r, of, parse_question(ORDERS[seed % len(ORDERS)])


def outcome(of, asked, owners, prices):
    try:
        return is_proof(of, asked.levels, owners, Prices(prices))
    except (ValueError, TooLargeError) as refused:
        return type(refused)


@pytest.mark.parametrize("lot", range(4))
def test_of_ten_thousand_tamperings_only_what_is_still_a_proof_is_accepted(lot):
    counted = Counter()
    for seed in range(lot * 40, lot * 40 + EACH):
        r, of, asked = drawn(seed)
        best = solve(of, asked.levels)
        assert is_proof(of, asked.levels, best.owners, best.prices)
        for n in range(64):
            tamper = TAMPERINGS[n % len(TAMPERINGS)]
            owners, prices = tamper(r, of, best.owners, best.prices.rows)
            said = outcome(of, asked, owners, prices)
            counted[said] += 1
            well = sound(owners, (of.items, of.copies)) and sound(prices, (len(asked.levels), of.members))
            assert (said is ValueError) == (not well), (seed, n)
            if not well:
                continue
            owners, prices = owners.astype(np.int64), prices.astype(np.int64)
            legal = legal_in_words(of, owners)
            assert legal or said is not True, (seed, n)
            if (legal and n < 16) or said in (True, TooLargeError):  # the definition is slow
                value = value_in_words(of, asked.levels, owners) if legal else None
                least = bound_in_words(of, asked.levels, Prices(prices))
                assert said in (value == least, TooLargeError), (seed, n)
                assert said is not TooLargeError or np.abs(prices.astype(object)).max() > 2**30
    assert set(counted) == {True, False, ValueError, TooLargeError}
    assert min(counted.values()) > 2 * EACH
    assert counted.total() == 64 * EACH


@pytest.mark.parametrize("price", EXTREMES)
def test_the_bound_of_a_single_extreme_price_is_never_false(price):
    _, of, asked = drawn(1)
    optimum_value = value_in_words(of, asked.levels, solve(of, asked.levels).owners)
    for row in range(len(asked.levels)):
        rows = solve(of, asked.levels).prices.rows.copy()
        rows[row, 0] = price
        try:
            assert compute_bound(of, asked.levels, Prices(rows)) <= optimum_value
        except TooLargeError:
            assert abs(price) > 2**30


def test_costs_whose_sums_leave_64_bits_are_refused():
    _, of, asked = drawn(5)
    dear = dearer(of, 2**58)
    free = np.zeros((1, of.members), int)
    many = replace(
        dear, **{name: np.tile(getattr(of, name), 40) for name in ("audience_of", "profile_of", "claim_of")}
    )
    owners = np.tile(solve(of, asked.levels).owners, (40, 1))
    with pytest.raises(TooLargeError, match="64 bits"):
        is_proof(many, ("cross-rack",), owners, Prices(free))


GROUP = Group(
    (Topic("t", 4), Topic("u", 2)),
    (Member("a", ("t", "u"), (TopicPartition("t", 0),)), Member("b", ("t",)), Member("c", ("t",))),
)
GIVEN = {"a": [*GROUP.topics[1]], "b": [*GROUP.topics[0]], "c": []}
LIES = {
    "owners who are no readers": lambda owners, rows: (owners[::-1] * 0 + 1, rows),
    "a member below 0": lambda owners, rows: (owners - 3, rows),
    "a member that does not exist": lambda owners, rows: (owners + 3, rows),
    "an item too few": lambda owners, rows: (owners[1:], rows),
    "owners as fractions": lambda owners, rows: (owners.astype(float), rows),
    "owners as a list": lambda owners, rows: (owners.tolist(), rows),
    "everything to one member": lambda owners, rows: (owners * 0, rows),
    "prices too high": lambda owners, rows: (owners, rows + 9),
    "the least price": lambda owners, rows: (owners, np.full_like(rows, -(2**63))),
    "the highest price": lambda owners, rows: (owners, np.full_like(rows, 2**63 - 1)),
    "prices as fractions": lambda owners, rows: (owners, rows + 0.5),
    "prices as truths": lambda owners, rows: (owners, rows > 0),
    "prices as objects": lambda owners, rows: (owners, rows.astype(object)),
    "prices beyond": lambda owners, rows: (owners, rows.astype(np.uint64) + np.uint64(2**63)),
    "a price too few": lambda owners, rows: (owners, rows[:, 1:]),
}
ASKING = {
    "optima": (optima, "solve_each", lambda: optima.compute_optima(GROUP)),
    "optimum": (optimum, "solve", lambda: optimum.compute_optimum("balance,moves", GROUP)),
    "copies": (
        optimum,
        "solve",
        lambda: optimum.compute_optimum("copies=2,balance,moves", Group(GROUP.topics[:1], GROUP.members)),
    ),
    "nearest": (explain, "solve", lambda: explain.find_moves_to_optimum("balance", GROUP, GIVEN)),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("asking", ASKING)
def test_a_solver_that_lies_gives_no_optimum(asking, lie, monkeypatch):
    file, name, ask = ASKING[asking]
    honest = getattr(file, name)
    ask()

    def lying(*given):
        found = honest(*given)
        return [lied(each) for each in found] if name == "solve_each" else lied(found)

    def lied(solution):
        owners, rows = LIES[lie](solution.owners, solution.prices.rows)
        return Solution(owners, Prices(rows))

    monkeypatch.setattr(file, name, lying)
    with pytest.raises(UnsolvedError):
        ask()


def test_prices_that_prove_too_little_prove_nothing_even_where_nothing_is_below_0(monkeypatch):
    of = Group((Topic("t", 4),), (Member("a", ("t",)), Member("b", ("t",))))
    assert optimum.compute_optimum("balance,moves", of).values == {"balance": 0, "moves": 0}
    weak = Prices(np.zeros((2, 2), int))
    monkeypatch.setattr(optimum, "solve", lambda *given: Solution(solve(*given).owners, weak))
    limited = optimum.compute_optimum("balance,moves", of, 100.0)
    assert [(level.value, level.least) for level in limited.levels] == [(0, 0), (0, 0)]
    assert not limited.proved
    with pytest.raises(UnsolvedError, match="do not prove"):
        optimum.compute_optimum("balance,moves", of)


def test_loads_that_break_the_range_contract_are_no_answer(monkeypatch):
    of = Group((Topic("t", 4),), (Member("a", ("t",)), Member("b", ("t",))))
    assert optimum.compute_optimum("co-partition", of, 100.0).proved
    monkeypatch.setattr(
        optimum, "solve", lambda *given: Solution(solve(*given).owners * 0, solve(*given).prices)
    )
    for limit in (None, 100.0):
        with pytest.raises(UnsolvedError, match="not proved to be as even as the contract asks"):
            optimum.compute_optimum("co-partition", of, limit)


def test_moves_to_who_may_not_hold_improve_nothing():
    refused = 0
    for seed in range(150):
        r, of, asked = drawn(seed)
        owners = solve(of, asked.levels).owners
        item, taker = int(r.integers(of.items)), int(r.integers(of.members))
        if taker in owners[item]:
            continue
        after = owners.copy()
        after[item, 0] = taker
        moves = [(item, int(owners[item, 0]), taker)]
        if legal_in_words(of, after):
            assert not improves(of, asked.levels, owners, moves)
        else:
            refused += 1
            with pytest.raises(ValueError, match="may not hold it"):
                improves(of, asked.levels, owners, moves)
    assert refused > 10
