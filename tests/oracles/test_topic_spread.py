"""The spread of topics: two solvers and all assignments agree, prices never promise too much, and what is planted wrong is found."""

import json
from dataclasses import replace
from itertools import permutations
from random import Random

import numpy as np
import pytest
from drawing import SPREAD, group, to_the_first
from hypothesis import given, settings
from hypothesis import strategies as st
from second_opinions.every_assignment import exhaust
from second_opinions.optimum_by_program import optimum_by_program
from whole import cases, share, some

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import write_group
from kassay.oracles.assignment.certificates import compute_bound, find_owned_places
from kassay.oracles.assignment.flow import faces
from kassay.oracles.assignment.flow import topic_spread as flow
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.flow.faces import Bounded, minimise_in_order
from kassay.oracles.assignment.own_levels import TOPIC_SPREAD
from kassay.oracles.assignment.values import Prices, compute_values
from kassay.oracles.errors import ImpossibleError, TooLargeError, UnsolvedError
from kassay.oracles.partitions import encoding
from kassay.oracles.partitions.optimum import compute_optimum, write_topic_prices
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.oracles.partitions.worst_case import WAYS, judge
from kassay.oracles.proof import groups as groups_of_json
from kassay.oracles.proof import partitions
from kassay.properties.consumer import INVARIANTS, MEASURES
from kassay.properties.partitions.strategies import groups
from kassay.reference import ASSIGNORS

LEVELS = ("balance", "moves", "cross-rack", "topic-spread")
ORDERS = [",".join(order) for n in range(1, 5) for order in permutations(LEVELS, n) if TOPIC_SPREAD in order]


def owning(*sizes: int) -> Group:
    """One member that owns all of some topics, and another that comes."""
    topics = tuple(Topic(f"t{n}", size) for n, size in enumerate(sizes))
    every = tuple(p for topic in topics for p in topic)
    names = tuple(topic.name for topic in topics)
    return Group(topics, (Member("a", names, every, 1), Member("b", names)))


@pytest.mark.parametrize("lot", cases(4, 56))
def test_two_solvers_agree_in_every_order(lot):
    """`nox -s whole` asks 5,040 tiny groups, a run every day a fourteenth of them."""
    r = Random(lot)
    for n in range(90):
        text, of = ORDERS[(lot * 90 + n) % len(ORDERS)], group(r, members=3, total=5)
        found = compute_optimum(text, of)
        assert found.proved
        assert found.values == optimum_by_program(text, of, collapse=n % 8 == 0).values


@settings(max_examples=share(30, 400), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(ORDERS))
def test_nothing_is_less_than_what_is_found(seed, text):
    of, asked = group(Random(seed), members=3, total=5), parse_question(text)
    found = compute_optimum(text, of)
    assert (
        found.values == remeasure(of, exhaust(of, asked)[1], asked) == remeasure(of, found.assignment, asked)
    )


@settings(max_examples=share(40, 1000), deadline=None)
@given(
    st.integers(0, 10**9), st.sampled_from(ORDERS), st.lists(st.integers(-9, 12), min_size=40, max_size=40)
)
def test_no_prices_promise_more_than_the_optimum(seed, text, drawn):
    """Prices of members, topics and owners' places may be any."""
    (case,), asked = encoding.encode_group(group(Random(seed)), parse_question(text)), parse_question(text)
    problem = case.problem.asked(asked.levels)
    if not problem.items:
        return
    topic, member = np.divmod(find_owned_places(problem)[::2], problem.members)
    shape = len(asked.levels), problem.topics, problem.racks
    any_ = Prices(
        np.resize(np.array(drawn), (len(asked.levels), problem.members)), np.resize(np.array(drawn[::-1]), shape),
        (topic, member), np.resize(np.array(drawn[7:]), (len(asked.levels), len(topic))),
    )  # fmt: skip
    best = solve(problem, asked.levels)
    assert compute_bound(problem, asked.levels, any_) <= compute_values(problem, asked.levels, best.owners)
    assert compute_bound(problem, asked.levels, best.prices) == compute_values(
        problem, asked.levels, best.owners
    )


@settings(max_examples=share(60, 1400), deadline=None)
@given(
    st.integers(0, 10**9),
    st.sampled_from([each for each in SPREAD if "moves" in each]),
    st.lists(st.integers(-3, 5), min_size=40, max_size=40),
)
def test_the_checker_has_the_same_prices_of_owners_places(seed, text, drawn):
    """They follow from those of members and topics where nothing is given."""
    of, asked = group(Random(seed), members=3), parse_question(text)
    (case,) = encoding.encode_group(of, asked)
    if not case.problem.items:
        return
    shape = len(asked.levels), case.problem.topics, case.problem.asked(asked.levels).racks
    prices = Prices(
        np.resize(np.array(drawn), (len(asked.levels), case.problem.members)), np.resize(np.array(drawn[::-1]), shape),
        place_rows=np.empty((len(asked.levels), 0), int),
    )  # fmt: skip
    known = groups_of_json.read_group(write_group(of), groups_of_json.read_question(text))
    read = {m for topic in known.topics.values() for m in topic.readers}
    prices.rows[:, [m not in read for m in range(len(case.members))]] = (
        0  # the checker knows no price of theirs
    )
    rows = dict(zip(case.members, prices.rows.T.tolist(), strict=True))
    stated = {
        "price": [0] * len(asked.levels), "except": {name: rows[name] for name, m in known.members.items() if m in read},
        "spread": write_topic_prices(case, prices),
    }  # fmt: skip
    proved = partitions.compute_row_bound(known, known.parts[0], json.loads(json.dumps(stated)), "")
    assert tuple(proved) == compute_bound(case.problem, asked.levels, prices)


@settings(max_examples=share(40, 600), deadline=None)
@given(groups())
def test_it_is_zero_where_topics_are_balanced_and_only_there(of):
    to_all = {
        m.id: tuple(p for topic in of.topics if topic.name in m.topics for p in topic) for m in of.members
    }
    for assignment in (to_all, to_the_first(of), compute_optimum(TOPIC_SPREAD, of).assignment, {}):
        even = not list(INVARIANTS["topic_balanced"](of, assignment))
        assert (MEASURES["topic_excess"](of, assignment) == 0) is even


def test_one_arc_for_all_members_alike_promises_what_no_assignment_has():
    """Of two topics a member owns one each: with a hub for both members all stays, though each topic is to be shared.

    So every pair of a topic and a member has its own arc.
    """
    names = ("t", "u")
    t, u = (tuple(TopicPartition(name, n) for n in range(2)) for name in names)
    of = Group((Topic("t", 2), Topic("u", 2)), (Member("a", names, t, 1), Member("b", names, u, 1)))
    assert compute_optimum("balance,topic-spread,moves", of).values["moves"] == 2
    assert remeasure(
        of, exhaust(of, parse_question("balance,topic-spread,moves"))[1], parse_question("moves")
    ) == {"moves": 2}
    two, one = np.array([2]), np.array([1])  # nodes: topics 0, 1; their hubs 2, 3; members 4, 5; the end 6
    tail, head = np.array([0, 1, 2, 2, 3, 3, 4, 5]), np.array([2, 3, 4, 5, 4, 5, 6, 6])
    cost = np.array([0, 0, 0, 1, 1, 0, 0, 0])
    hubs = Bounded(
        tail, head, np.ones(8, int), np.array([0, 0, 0, 0, 0, 0, 2, 2]), np.full(8, 2),
        np.concatenate([two, two, 0 * two, 0 * two, 0 * one, 0 * one, -2 * two]), (0, 2, 6), {"moves": cost}, {},
    )  # fmt: skip
    assert int(minimise_in_order(hubs, ["moves"]).flow @ cost) == 0


def test_a_member_that_comes_gets_its_share_of_each_topic_for_the_same_moves():
    """What was reported of hot topics (franz-go#795): 24 + 24 + 96 partitions, one member, then two."""
    of = owning(24, 24, 96)
    sticky = ASSIGNORS["consumer/sticky"].assign(of)
    assert remeasure(of, sticky, parse_question("moves,topic-spread")) == {"moves": 72, "topic-spread": 864}
    assert compute_optimum("balance,moves,topic-spread", of).values == {
        "balance": 0,
        "moves": 72,
        "topic-spread": 0,
    }


def test_in_no_order_both_are_unique():
    """Topics of 2, 4 and 2; a reads all, b the last two: the optimum of both has several shapes, and one value."""
    of = Group(
        (Topic("t", 2), Topic("u", 4), Topic("v", 2)), (Member("a", ("t", "u", "v")), Member("b", ("u", "v")))
    )
    assert compute_optimum("balance,topic-spread", of).values == {"balance": 0, "topic-spread": 1}
    assert compute_optimum("topic-spread,balance", of).values == {"topic-spread": 0, "balance": 2}


def without_an_arc(part, name, first, last):
    """A network in which one of the arcs to a place, which are those of some layers, is not there."""

    def wrong(problem, *rest):
        places = right(problem, *rest)
        if places is None:
            return None
        begin, end = places.network.layers[first], places.network.layers[last]
        high = places.network.high.copy()
        high[begin + int(part * (end - begin))] = 0
        low = np.minimum(places.network.low, high)
        return replace(places, network=replace(places.network, low=low, high=high))

    right = getattr(flow, name)
    return wrong


def test_a_missing_arc_is_found_by_the_bound(monkeypatch):
    """Where an optimum needs the arc, the prices prove no optimum; the answer is never a wrong one."""
    r, caught = Random(5), {"build_member_network": 0, "build_pair_network": 0}
    for _ in range(some(60, 600)):
        of, text = group(r, members=3, total=6), r.choice([each for each in SPREAD if "moves" in each])
        expected = compute_optimum(text, of).values
        for name, layers in (("build_member_network", (3, 5)), ("build_pair_network", (0, 1))):
            with monkeypatch.context() as patch:
                patch.setattr(flow, name, without_an_arc(r.random(), name, *layers))
                try:
                    assert compute_optimum(text, of).values == expected, (of, text)
                except (UnsolvedError, IndexError):
                    caught[name] += 1
    assert min(caught.values()) > 2


PAIRS = ["balance,topic-spread,moves", "topic-spread,moves,balance", "topic-spread,moves"]


def test_arcs_that_are_worth_it_are_shown_to_the_solver(monkeypatch):
    """With none but those that save something and those that are dealt; where prices show no others, the bound says that it is no optimum."""
    r, caught = Random(7), 0
    monkeypatch.setattr(flow, "AT_RANDOM", 0)
    for n in range(some(60, 600)):
        of, text = group(r, members=5, total=9), PAIRS[n % len(PAIRS)]
        of = replace(of, topics=tuple(replace(topic, racks=None) for topic in of.topics))
        with (
            monkeypatch.context() as patch
        ):  # a partition with several owners is asked of the network of members, too
            patch.setattr(flow, "build_pair_network", lambda *_: None)
            expected = compute_optimum(text, of).values
        assert compute_optimum(text, of).values == expected, (of, text)
        with monkeypatch.context() as patch:
            patch.setattr(faces, "_solve_with_hidden", shown_once)
            try:
                assert compute_optimum(text, of).values == expected
            except UnsolvedError:
                caught += 1
    assert caught > 2


def shown_once(network, level, deadline):
    """A search that asks no prices what else would be worth it."""
    part, distance, _ = faces._solve_level(
        faces._take_arcs(network, np.flatnonzero(~network.hidden)), level, deadline
    )
    found = network.low * network.size
    found[~network.hidden] = part
    return found, distance, network


def test_a_wrong_sum_of_the_even_squares_is_found_by_the_measure(monkeypatch):
    right = encoding.compute_least_spread
    monkeypatch.setattr(encoding, "compute_least_spread", lambda problem: right(problem) - 2)
    with pytest.raises(UnsolvedError, match="but measured it is"):
        compute_optimum("balance,topic-spread", owning(2, 3))


@pytest.mark.parametrize("contract", ["copies=2,", "co-partition,", "joined,", "shared,"])
def test_a_contract_is_refused(contract):
    with pytest.raises(ImpossibleError, match="asks for topic-spread under a contract"):
        parse_question(f"{contract}balance,topic-spread")


@pytest.mark.parametrize(("members", "size"), [(2, 4), (3, 6), (5, 10), (8, 16)])
def test_the_spread_first_costs_a_hub_half_as_many_times_its_share_as_there_are_members(members, size):
    """A hub reads topics of N, each with one reader of its own: it holds (M - 1) N / 2 where (M - 1) N / M is possible."""
    names = [f"t{n}" for n in range(members - 1)]
    hub = Member("hub", tuple(names))
    of = Group(
        tuple(Topic(name, size) for name in names), (hub, *(Member(f"m{name}", (name,)) for name in names))
    )
    spread, even = (compute_optimum(text, of) for text in ("topic-spread,balance", "balance,topic-spread"))
    assert spread.values["topic-spread"] == 0
    most = [max(map(len, each.assignment.values())) for each in (spread, even)]
    assert most[0] == (members - 1) * size // 2
    assert most[1] == -(-(members - 1) * size // members)


@pytest.mark.parametrize(("readers", "size"), [(2, 6), (3, 6), (4, 8), (4, 16)])
def test_balance_first_puts_a_topic_at_one_member_without_bound(readers, size):
    """All readers of a topic of N but one have N of their own: it goes to that one, (N^2 - N^2 / k) / 2 above what is possible."""
    names = [f"own{n}" for n in range(readers - 1)]
    topics = Topic("shared", size), *(Topic(name, size) for name in names)
    of = Group(topics, (Member("free", ("shared",)), *(Member(name, ("shared", name)) for name in names)))
    assert (
        compute_optimum("balance,topic-spread", of).values["topic-spread"]
        == (size * size - size * size // readers) // 2
    )
    assert compute_optimum("topic-spread", of).values["topic-spread"] == 0


def test_what_sticky_loses_in_spread_grows_without_end():
    """One member owns all of N + N + 4N, another comes: the excess is 3/2 N^2, where the same moves allow 0."""
    one = owning(1, 1, 4)
    for times in (2, 4, 8, 16):
        of = WAYS["partitions"](one, times)
        case = judge(ASSIGNORS["consumer/sticky"].assign, "balance,moves,topic-spread").score(of)
        assert (case.value, case.optimum) == (3 * times * times // 2, 0)


def test_too_many_places_are_refused(monkeypatch):
    for limit, text in (("MANY", "balance,moves,topic-spread"), ("MANY_PAIRS", "balance,topic-spread,moves")):
        with monkeypatch.context() as patch:
            patch.setattr(flow, limit, 3)
            with pytest.raises(
                TooLargeError, match="4 pairs of a topic and a member that reads it are too many"
            ):
                compute_optimum(text, owning(2, 3))
        assert compute_optimum(text, owning(2, 3)).proved
    assert compute_optimum("balance,topic-spread", owning(2, 3)).proved


def test_where_the_time_is_over_the_answer_is_an_interval():
    of = owning(24, 24, 96)
    of = replace(of, members=(*of.members, Member("c", ("t0",))))
    for text in ("topic-spread,balance", "balance,moves,topic-spread", "moves,topic-spread"):
        found, whole = compute_optimum(text, of, 1e-9), compute_optimum(text, of)
        assert not found.proved
        assert not list(INVARIANTS["complete"](of, found.assignment))
        assert found.levels[0].least <= whole.levels[0].value <= found.levels[0].value


@pytest.mark.parametrize("seed", [236, 690, 744])
def test_a_place_that_loads_shut_is_dear_to_its_owner(seed):
    """Racks count, and an owner may not keep what it had, as loads forbid it: prices that let it stay would prove less."""
    assert compute_optimum(
        "balance,cross-rack,moves,topic-spread", group(Random(seed), members=3, total=5)
    ).proved
