"""Studies that go by weight: legal answers, known examples, bounds that are theorems, and packings within the capacity."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packing import FITS, compute_r_score, pack_items
from second_opinions.every_assignment import exhaust
from whole import share

from kassay.families.optimal.consumer import by_weight
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.partitions.question import parse_question
from kassay.properties.consumer import INVARIANTS
from kassay.properties.partitions.extras import SORTS, add_weights
from kassay.properties.partitions.measures import greatest_weight, imbalance
from kassay.targets import Options, open_target

ASSIGNORS = [
    by_weight.longest_first,
    by_weight.multifit,
    by_weight.fewest_first,
    by_weight.fewest_of_topic_first,
]


def drawn(seed, sort, *, mixed):
    r = Random(seed)
    topics = tuple(Topic(f"t{n}", r.randint(0, 3)) for n in range(r.randint(1, 3)))
    members = tuple(
        Member(f"m{n}", tuple(t.name for t in topics if not mixed or r.random() < 0.7))
        for n in range(r.randint(1, 3))
    )
    return add_weights(r, Group(topics, members), sort)


@settings(max_examples=share(30, 600), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(SORTS), st.booleans())
def test_answers_are_complete_and_legal(seed, sort, mixed):
    group = drawn(seed, sort, mixed=mixed)
    for assign in ASSIGNORS:
        answer = assign(group)
        for name in ("complete", "exclusive", "subscribed", "existing", "every_member"):
            assert not list(INVARIANTS[name](group, answer)), (name, assign)
        assert {*answer} == {member.id for member in group.members}


@settings(max_examples=share(25, 400), deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(SORTS))
def test_they_keep_what_is_proved_of_them(seed, sort):
    """Graham: longest first is at most 4/3 - 1/(3 m) times the best; multifit starts from that; fewest first is even in counts."""
    group = drawn(seed, sort, mixed=False)
    m = len(group.members)
    (best,), _ = exhaust(group, parse_question("weighted-balance"))
    longest = greatest_weight(group, by_weight.longest_first(group))
    assert best <= greatest_weight(group, by_weight.multifit(group)) <= longest
    assert longest <= best * (Fraction(4, 3) - Fraction(1, 3 * m))
    assert imbalance(group, by_weight.fewest_first(group)) <= 1


def test_a_lag_assignor_does_as_its_page_says():
    """The example of kafka-lag-based-assignor: 100,000, 50,000 and 60,000 for two consumers."""
    group = Group(
        (Topic("t0", 3, weights=(100_000, 50_000, 60_000)),), (Member("C0", ("t0",)), Member("C1", ("t0",)))
    )
    t0, t1, t2 = group.topics[0]
    assert by_weight.fewest_of_topic_first(group) == {"C0": [t0], "C1": [t2, t1]}


def test_topic_by_topic_the_first_members_get_more():
    topics = tuple(Topic(f"t{n}", 1, weights=(5,)) for n in range(3))
    group = Group(topics, tuple(Member(f"m{n}", ("t0", "t1", "t2")) for n in range(3)))
    assert imbalance(group, by_weight.fewest_of_topic_first(group)) == 3
    assert imbalance(group, by_weight.fewest_first(group)) == 0


RATES = st.lists(st.integers(0, 100), min_size=1, max_size=12)


@settings(max_examples=share(80, 2000), deadline=None)
@given(RATES, st.data(), st.sampled_from([*FITS]), st.booleans())
def test_packings_hold_everything_once_within_the_capacity(rates, data, fit, modified):
    before = data.draw(st.lists(st.integers(-1, 4), min_size=len(rates), max_size=len(rates)))
    capacity = data.draw(st.integers(1, 120))
    bins = pack_items(rates, before, capacity, fit, modified=modified)
    assert sorted(item for items in bins.values() for item in items) == list(range(len(rates)))
    for items in bins.values():
        assert sum(rates[i] for i in items) <= capacity or len([i for i in items if rates[i]]) == 1
    assert compute_r_score(rates, before, bins) <= sum(rates)


def test_the_modified_ones_keep_what_fits():
    rates, before = [60, 50, 40, 30], [0, 1, 0, 1]
    assert pack_items(rates, before, 100, "worst fit", modified=True) == {0: [0, 2], 1: [1, 3]}
    rates = [80, 50, 40, 30]  # 40 does not fit beside 80 any more
    again = pack_items(rates, before, 100, "worst fit", modified=True)
    assert again == {0: [0], 1: [1, 3], 2: [2]}
    assert compute_r_score(rates, before, again) == 40


@pytest.mark.parametrize(
    ("fit", "rates", "third"),
    [("first fit", [70, 60, 20], 0), ("best fit", [60, 70, 20], 1), ("worst fit", [70, 60, 20], 1)],
)
def test_each_fit_chooses_its_own(fit, rates, third):
    """Two have a consumer each; 20 goes to the first, the fullest or the emptiest of them."""
    found = pack_items(rates, [0, 1, -1], 95, fit, modified=False)
    assert found[third][-1] == 2


def test_one_is_a_target():
    group = Group((Topic("t", 3, weights=(5, 3, 2)),), (Member("a", ("t",)), Member("b", ("t",))))
    with open_target("python:kassay.families.optimal.consumer.by_weight:longest_first", Options()) as target:
        assert greatest_weight(group, target.assign(group)) == 5


def test_what_is_not_known_weighs_nothing():
    group = Group((Topic("t", 2, weights=(None, 4)), Topic("u", 1)), (Member("a", ("t", "u")),))
    assert by_weight.map_weights(group) == {
        TopicPartition("t", 0): 0,
        TopicPartition("t", 1): 4,
        TopicPartition("u", 0): 0,
    }
