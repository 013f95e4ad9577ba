"""The textbook's optimum is that of the oracles and of counting out, and its counts are true."""

import re
from itertools import permutations
from random import Random

import pytest
from drawing import group
from hypothesis import given, settings
from hypothesis import strategies as st
from second_opinions.every_assignment import exhaust
from whole import share

from kassay.model import Group, Member, Topic
from kassay.oracles.errors import TooLargeError
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.question import parse_question
from kassay.oracles.partitions.textbook import Chains, solve_by_textbook
from kassay.properties.consumer import INVARIANTS, LEGAL, MEASURES
from kassay.properties.partitions.owners import owners

MEASURED = {
    "balance": "imbalance",
    "moves": "moves",
    "cross-rack": "cross_rack",
    "topic-spread": "topic_excess",
}
ORDERS = [order for n in range(4) for order in permutations(("moves", "cross-rack", "topic-spread"), n)]
MUST = r"(\d+) partitions? that no owner reads any more must move|so (\d+) must move"
seeds = st.integers(0, 10**9)


def drawn(seed, *, large=False):
    r = Random(seed)
    return group(r, 7, 4, r.choice([12, 25])) if large else group(r)


def worth(of, assignment, order):
    return {level: MEASURES[MEASURED[level]](of, assignment) for level in ("balance", *order)}


@settings(max_examples=share(60, 3000), deadline=None)
@given(seeds, st.sampled_from(ORDERS))
def test_it_is_the_optimum_of_the_oracles(seed, order):
    of = drawn(seed, large=True)
    best, asked = solve_by_textbook(of, order), ",".join(("balance", *order))
    assert all(next(INVARIANTS[name](of, best.assignment), None) is None for name in LEGAL)
    assert dict(best.values) == worth(of, best.assignment, order) == compute_optimum(asked, of).values


@settings(max_examples=share(30, 1000), deadline=None)
@given(seeds, st.sampled_from(ORDERS))
def test_it_is_the_best_of_all_assignments(seed, order):
    of = drawn(seed)
    try:
        _, found = exhaust(of, parse_question(",".join(("balance", *order))))
    except TooLargeError:
        return
    best = solve_by_textbook(of, order)
    squares = [sum(len(p) ** 2 for p in each.values()) for each in (found, best.assignment)]
    assert squares[0] == squares[1]
    assert dict(best.values) == worth(of, found, order)


@settings(max_examples=share(60, 2000), deadline=None)
@given(seeds)
def test_its_counts_are_true(seed):
    """What must move as members own more than they can keep is what moves; what a load needs follows from who can read what."""
    of = drawn(seed, large=True)
    best = solve_by_textbook(of)
    told = " ".join(best.reasons)
    partitions = {t.name: t.partitions for t in of.topics}
    readable = [p for t in of.topics for p in t if any(t.name in m.topics for m in of.members)]
    reads = {m.id for m in of.members if any(p.topic in m.topics for p in readable)}
    loads = {m: len(best.assignment[m]) for m in reads}
    if loads and best.values["balance"] <= 1:
        assert f"{len(readable)} partition" in told
    elif loads:
        few, many = min(loads.values()), max(loads.values())
        assert f"holds {few} or fewer" in told
        assert f"holds {many} or more" in told
    reads_topic = {m.id: m.topics for m in of.members}
    homeless = sum(
        p.partition < partitions.get(p.topic, 0) and not any(p.topic in reads_topic[m] for m in by)
        for p, by in owners(of).items()
    )
    counts = {bool(said[1]): int(said[0] or said[1]) for said in re.findall(MUST, told)}
    if counts:
        assert counts.get(False, 0) == homeless
        assert sum(counts.values()) == best.values["moves"]


def test_a_dearer_assignment_is_not_called_best():
    """Planted: a and b hold each other's partitions; one hand-over in a circle pays."""
    t, u = Topic("t", 1), Topic("u", 1)
    of = Group((t, u), (Member("a", ("t", "u")), Member("b", ("t", "u"))))
    readers = {p: [m.id for m in of.members] for topic in of.topics for p in topic}
    chains = Chains(readers, lambda p, m: (p.topic == "t") != (m == "a"), 100)
    assert chains.is_best()
    chains.held = {("", "a"): set(u), ("", "b"): set(t)}
    assert not chains.is_best()
    chains.held = {("", "a"): {*t, *u}, ("", "b"): set()}
    assert not chains.is_best()


def test_a_topic_that_could_lie_more_evenly_is_not_called_best():
    """Planted: a has all of t and b all of u, where swapping one for one pays."""
    t, u = Topic("t", 2), Topic("u", 2)
    readers = {p: ["a", "b"] for topic in (t, u) for p in topic}
    chains = Chains(readers, lambda *_: 0, 100, 1)
    assert chains.is_best()
    chains.held = {("t", "a"): {*t}, ("u", "a"): set(), ("t", "b"): set(), ("u", "b"): {*u}}
    assert not chains.is_best()


@pytest.mark.parametrize(("topics", "members", "says"), [
    ([], [], "no member reads a partition"),
    ([3], [(0,), (0,)], "3 partitions for 2 members are 1 or 2 each"),
    ([1, 5], [(0,), (1,)], "5 partitions can be read by m1 alone, so one of them holds 5 or more; m0 can read only 1 in all, so one of them holds 1 or fewer"),
])  # fmt: skip
def test_reasons_are_sentences(topics, members, says):
    made = tuple(Topic(f"t{n}", count) for n, count in enumerate(topics))
    joined = tuple(Member(f"m{n}", tuple(f"t{t}" for t in reads)) for n, reads in enumerate(members))
    assert "; ".join(solve_by_textbook(Group(made, joined)).reasons) == says
