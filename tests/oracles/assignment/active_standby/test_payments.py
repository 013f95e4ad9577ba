"""The least that items pay, as the checker finds it by kinds of members, is the least over all placements of each item alone."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from whole import share

from kassay.oracles.proof import roles
from kassay.oracles.proof.reading import WrongInputError
from kassay.oracles.proof.roles import Costs, Item, Prices, Roles, Split

PARTS, PROFILES, CLAIMS, RACKS = 2, 2, 3, 2
NUMBERS = st.integers(-3, 3)
COST = st.integers(0, 3)


@st.composite
def problems(draw):
    """Draw a small problem, prices for it, and the cases in which they count."""
    members = draw(st.integers(2, 5))
    every, kinds = range(members), st.integers(0, RACKS - 1)
    items = draw(
        st.lists(
            st.builds(
                Item,
                st.integers(0, PROFILES - 1),
                st.integers(0, min(2, members - 1)),
                st.integers(0, CLAIMS - 1),
                st.integers(0, PARTS - 1),
                st.integers(-1, members - 1),
            ),
            min_size=1,
            max_size=4,
        )
    )
    table = st.lists(st.lists(COST, min_size=RACKS, max_size=RACKS), min_size=PROFILES, max_size=PROFILES)
    gains = st.dictionaries(st.sampled_from(every), st.tuples(COST, COST), max_size=3)
    costs = Costs(
        draw(st.none() | table), draw(st.none() | table), [0] * CLAIMS,
        draw(st.just([]) | st.lists(gains, min_size=CLAIMS, max_size=CLAIMS)),
    )  # fmt: skip
    zone = st.tuples(st.integers(-1, 1), st.integers(-1, 1))
    row = st.lists(NUMBERS, min_size=members, max_size=members)
    some = st.none() | st.frozensets(st.sampled_from(every))
    way = tuple(
        (Split(draw(st.none() | st.frozensets(st.integers(0, len(items) - 1))), draw(some), role, 0, None, None), False)
        for role in draw(st.lists(st.sampled_from(("active", "every")), max_size=2))
    )  # fmt: skip
    caps = st.dictionaries(st.tuples(st.integers(0, PARTS - 1), st.sampled_from(every)), NUMBERS)
    prices = Prices(
        1, (), dict(enumerate(draw(row))), dict(enumerate(draw(row))), draw(caps), [draw(NUMBERS) for _ in way]
    )  # fmt: skip
    zones = draw(st.lists(zone, min_size=members, max_size=members))
    of = Roles(draw(st.lists(kinds, min_size=members, max_size=members)), [1] * members, zones, items, {})
    return of, costs, draw(st.integers(1, 2)), draw(st.integers(0, 2)), prices, way


def pay(of, costs, factor, same, prices, way, number, placed):
    """Return what an item pays in a placement, copy by copy."""
    item, total = of.items[number], 0
    for place, m in enumerate(placed):
        role, table = ("standby", costs.standby) if place else ("active", costs.active)
        total += prices.every[m] + (0 if place else prices.active[m] + prices.caps.get((item.part, m), 0))
        for (case, _), price in zip(way, prices.cases, strict=True):
            inside = (case.items is None or number in case.items) and (
                case.members is None or m in case.members
            )
            total += price * (inside and case.role in (role, "every"))
        total += factor * (table[item.profile][of.kinds[m]] if table else 0)
        total -= factor * (costs.gains[item.claim].get(m, (0, 0))[place > 0] if costs.gains else 0)
        again = sum(
            any(of.zones[m][tag] == of.zones[other][tag] >= 0 for other in placed[:place]) for tag in (0, 1)
        )
        total += same * again
    return total


def pay_least(*drawn):
    """Return the sum of the least payments over all placements of each item."""
    of = drawn[0]
    return sum(
        min(
            pay(*drawn, number, placed)
            for placed in permutations(range(len(of.kinds)), item.standbys + 1)
            if item.given in (-1, placed[0])
        )
        for number, item in enumerate(of.items)
    )


def find_least(of, costs, factor, same, prices, way):
    return roles._sum_payments(of, Counter(of.items), [(costs, factor)], same, prices, way)


@settings(max_examples=share(200, 2800), deadline=None)
@given(problems())
def test_kinds_of_members_pay_what_members_pay(drawn):
    assert find_least(*drawn) == pay_least(*drawn)


FAULTS = {
    "members with gains count twice": lambda seats, orders, copies, _, open_: (
        seats,
        orders,
        copies,
        {},
        open_,
    ),
    "one member too few": lambda seats, orders, copies, *rest: (seats, orders, max(1, copies - 1), *rest),
    "the cheapest active copies alone": lambda seats, orders, *rest: (seats, orders[1::2], *rest),
    "the cheapest standbys alone": lambda seats, orders, *rest: (seats, orders[::2], *rest),
    "equal zones once": lambda seats, orders, *rest: (seats, orders[:2], *rest),
    "active anywhere": lambda *rest: (*rest[:-1], True),
}
"""Fault -> what the choice of the cheapest seats is asked in place of what it should be."""


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault, monkeypatch):
    right = roles._take_cheapest
    monkeypatch.setattr(roles, "_take_cheapest", lambda *asked: right(*FAULTS[fault](*asked)))

    @settings(max_examples=3000, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
    @given(problems())
    def compare(drawn):
        try:
            found = find_least(*drawn)
        except WrongInputError:  # too few seats are left for all copies
            found = None
        assert found == pay_least(*drawn)

    with pytest.raises(AssertionError):
        compare()
