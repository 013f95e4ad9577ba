from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.families import family
from kassay.properties.partitions.events import USUAL
from kassay.properties.partitions.groups import KINDS, NUMBERS, draw, size
from kassay.properties.partitions.timelines import play
from kassay.reference.consumer.roundrobin import assign

CONSUMER = family("consumer")
SMALL = {
    "members": 9,
    "topics": 5,
    "partitions": 12,
    "partitions_per_member": 3,
    "racks": 4,
    "replication": 4,
}


def limits(name):
    least, most = NUMBERS[name][0], SMALL.get(name, min(NUMBERS[name][1], 6))
    return st.tuples(st.integers(least, most), st.integers(least, most)).map(lambda pair: tuple(sorted(pair)))


RANGES = st.fixed_dictionaries({}, optional={name: limits(name) for name in NUMBERS})
MIXES = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(kinds).map(lambda kind: {kind: 1}) for name, kinds in KINDS.items()}
)


@given(RANGES, MIXES, st.integers(0, 2**63 - 1))
def test_groups_are_what_was_asked_for(ranges, mixes, seed):
    mixes = mixes | {"shape": {"asked": 1}}
    timeline = draw(ranges, mixes, seed)
    group = timeline.start
    within = {**USUAL, **ranges}
    members, topics, partitions = size(group)
    assert within["members"][0] <= members <= within["members"][1]
    assert within["topics"][0] <= topics <= within["topics"][1]
    share = within["partitions_per_member"]
    if share[0] and topics and not group.config.joined_topics:  # which have as many as the larger of two
        assert share[0] * members <= partitions <= share[1] * members
    elif not share[1]:
        assert all(within["partitions"][0] <= t.partitions <= within["partitions"][1] for t in group.topics)
    racks = {rack for t in group.topics for near in t.racks or () for rack in near}
    assert len(racks) <= within["racks"][1]
    assert within["churn"][0] <= len(timeline.events) <= within["churn"][1]
    assert len(list(play(assign, timeline))) == len(timeline.events) + 1


@given(RANGES, MIXES, st.integers(0, 2**63 - 1))
def test_equal_settings_and_seeds_give_equal_groups_in_whatever_order(ranges, mixes, seed):
    turned = dict(reversed(ranges.items())), dict(reversed(mixes.items()))
    assert draw(ranges, mixes, seed) == draw(*turned, seed)


def test_draws_are_the_same_on_every_machine():
    """A digest of draws of every kind; if it changes, sweeps that were begun cannot be gone on with, but for that of a kind that is new."""
    mixes = {name: dict.fromkeys(kinds, 1) for name, kinds in KINDS.items()}
    ranges = {"racks": (0, 3), "static_percent": (0, 60), "churn": (0, 5), "members": (1, 9)}
    drawn = "\n".join(repr(draw(ranges, mixes, seed)) for seed in range(300))
    assert blake2b(drawn.encode(), digest_size=8).hexdigest() == "2a143a60afe5b05b"


@pytest.mark.parametrize(
    ("settings", "situation"),
    [
        ({"claims": "none"}, "first_generation"),
        ({"claims": "newcomers"}, "newcomer"),
        ({"claims": "joined"}, "newcomer"),
        ({"claims": "leavers"}, "orphaned_partition"),
        ({"claims": "uneven"}, "uneven_claims"),
        ({"claims": "stale"}, "stale_claim"),
        ({"claims": "contested"}, "double_claim"),
        ({"claims": "vanished"}, "vanished_topic"),
        ({"claims": "vanished"}, "vanished_partition"),
        ({"claims": "resubscribed", "subscriptions": "one"}, "unsubscribed_owner"),
        ({"subscriptions": "some"}, "mixed_subscriptions"),
        ({"subscriptions": "pair"}, "mixed_subscriptions"),
        ({"subscriptions": "odd"}, "mixed_subscriptions"),
        ({"order": "shuffled"}, "permuted_members"),
        ({"names": "hostile"}, "hostile_name"),
    ],
)
def test_each_kind_is_met_in_most_groups(settings, situation):
    ranges = {"members": (3, 6), "topics": (3, 3), "partitions": (4, 8)}
    mixes = {name: {kind: 1} for name, kind in settings.items()}
    met = sum(CONSUMER.situations[situation](draw(ranges, mixes, seed).start) for seed in range(60))
    assert met > 30


def test_anything_meets_every_situation():
    groups = [draw({}, {"shape": {"anything": 1}}, seed).start for seed in range(3000)]
    assert [name for name, holds in CONSUMER.situations.items() if not any(map(holds, groups))] == []


def test_even_claims_of_equal_subscriptions_are_even():
    for seed in range(50):
        group = draw({"members": (2, 6)}, {"claims": {"even": 1}}, seed).start
        claims = [len(member.owned) for member in group.members]
        assert max(claims) - min(claims) <= 1
        assert sum(claims) == size(group)[2]


def test_a_share_for_each_member_is_spread_over_the_topics():
    numbers = {"members": (7, 7), "topics": (3, 3), "partitions_per_member": (5, 5)}
    counts = [topic.partitions for topic in draw(numbers, {}, 1).start.topics]
    assert counts == [12, 12, 11]
