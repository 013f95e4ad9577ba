"""Situations: each is reached by default, and says what its name says."""

from dataclasses import replace

import pytest
from mutants.honest import by_topic

from kassay.engine.generate import drawn
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.consumer import SITUATIONS
from kassay.properties.partitions.generating.strategies import groups, rebalances, timelines
from kassay.properties.partitions.timelines import play


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4])
def test_each_situation_is_reached_within_1000_groups(seed):
    generated = drawn(groups(), 1_000, seed)
    met = {name: sum(map(situation, generated)) for name, situation in SITUATIONS.items()}
    assert min(met.values()) >= 1, met


def test_running_groups_reach_every_situation_of_running_groups():
    generated = drawn(rebalances(), 1_000, 0)
    for name in (
        "newcomer",
        "stale_claim",
        "double_claim",
        "overruled_claim",
        "unsubscribed_owner",
        "vanished_topic",
    ):
        assert any(map(SITUATIONS[name], generated)), name
    assert not all(map(SITUATIONS["stale_claim"], generated))


def test_timelines_reach_what_time_brings():
    stages = [group for timeline in drawn(timelines(), 300, 0) for group in play(by_topic, timeline)]
    for name in (
        "stale_claim",
        "overruled_claim",
        "unsubscribed_owner",
        "vanished_topic",
        "newcomer",
        "permuted_members",
    ):
        assert any(map(SITUATIONS[name], stages)), name


T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
T, U = Topic("t", 2), Topic("u", 1)
A, B = Member("a", ("t",)), Member("b", ("t",))
PLAIN = Group((T,), (A, B))


def having(*members, topics=(T,)):
    return Group(topics, members)


def near(*racks, **member):
    return Group((Topic("t", len(racks), racks),), (replace(A, **member), B))


EXAMPLES = {
    "single_member": [having(A)],
    "uneven_split": [having(A, B, topics=(Topic("t", 3),))],
    "uneven_splits": [
        having(*(replace(m, topics=("t", "u")) for m in (A, B)), topics=(Topic("t", 3), Topic("u", 1)))
    ],
    "idle_members": [having(A, B, topics=(Topic("t", 1),))],
    "mixed_subscriptions": [having(A, Member("b", ("t", "u")), topics=(T, U))],
    "no_subscription": [having(A, Member("b", ()))],
    "no_subscription_first": [having(Member("b", ()), A)],
    "repeated_topic": [having(A, Member("b", ("t", "t")))],
    "unknown_topic": [having(A, Member("b", ("t", "u")))],
    "unread_topic": [having(A, B, topics=(T, U))],
    "empty_topic": [having(A, B, topics=(Topic("t", 0),))],
    "copartitioned_topics": [having(*(Member(name, ("t", "v")) for name in "ab"), topics=(T, Topic("v", 2)))],
    "permuted_members": [having(B, A)],
    "permuted_topics": [having(A, B, topics=(U, T))],
    "large_group": [having(*(Member(f"{at:02}", ("t",)) for at in range(50)))],
    "many_partitions": [having(A, B, topics=(Topic("t", 200),))],
    "first_generation": [PLAIN],
    "newcomer": [having(A, replace(B, owned=(T0,)))],
    "orphaned_partition": [having(A, replace(B, owned=(T0,)))],
    "uneven_claims": [having(A, replace(B, owned=(T0, T1)))],
    "unsorted_claims": [having(A, replace(B, owned=(T1, T0)))],
    "stale_claim": [having(replace(A, owned=(T0,), generation=1), replace(B, owned=(T1,), generation=2))],
    "double_claim": [having(replace(A, owned=(T0,), generation=1), replace(B, owned=(T0,), generation=1))],
    "overruled_claim": [having(replace(A, owned=(T0,)), replace(B, owned=(T0,), generation=0))],
    "claim_without_generation": [having(A, replace(B, owned=(T0,)))],
    "unsubscribed_owner": [having(A, replace(B, owned=(U0,)), topics=(T, U))],
    "stale_unsubscribed_owner": [
        having(replace(A, generation=2), replace(B, owned=(U0,), generation=1), topics=(T, U)),
        having(replace(A, generation=0), replace(B, owned=(U0,)), topics=(T, U)),
    ],
    "vanished_partition": [having(A, replace(B, owned=(TopicPartition("t", 2),)))],
    "vanished_topic": [having(A, replace(B, owned=(U0,)))],
    "racks": [near(("x",), ("x",), rack="x")],
    "partial_racks": [near((), (), rack="x")],
    "replica_without_rack": [near(("x", None), ("x",)), near(("x",), (None,))],
    "topic_without_racks": [having(A, B, topics=(T, Topic("u", 1, ((),))))],
    "empty_rack": [near((), (), rack="")],
    "empty_replica_rack": [near(("",), ())],
    "distant_member": [near(("x",), ("y",), rack="z")],
    "racks_decide": [near(("x",), ("y",), rack="x")],
    "static_members": [having(A, replace(B, instance_id="i"))],
    "mixed_static": [having(A, replace(B, instance_id="i"))],
    "permuted_instances": [having(replace(A, instance_id="j"), replace(B, instance_id="i"))],
    "hostile_name": [having(A, replace(B, id="b b")), having(A, replace(B, id="b" * 250))],
    "hostile_rack": [near((), (), rack="x\n")],
    "partition_like_topic": [having(A, B, topics=(T, Topic("t-1", 1)))],
    "astral_name": [having(A, replace(B, id="b\U0001f600"))],
    "utf16_order": [having(replace(A, id="\uff5e"), replace(B, id="\U0001f600"))],
    "hash_collision": [having(replace(A, id="Aa"), replace(B, id="BB"))],
    "topic_hash_collision": [having(A, B, topics=(Topic("Aa", 1), Topic("BB", 1)))],
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_situation_is_seen_where_it_is_and_not_where_it_is_not(name):
    assert all(map(SITUATIONS[name], EXAMPLES[name]))
    if name != "first_generation":
        assert not SITUATIONS[name](PLAIN)


def test_racks_that_cannot_decide():
    decide = SITUATIONS["racks_decide"]
    assert not decide(near(("x", "y"), ("y", "x"), rack="x"))  # every partition on every rack
    assert not decide(near(("x",), ("y",), rack="z"))  # nobody near anything
    assert not decide(near(("x",), ("y",)))  # no member has a rack
    assert not decide(having(replace(A, rack="x"), B))  # no replica has one


def test_a_topic_without_known_racks_is_nowhere_near():
    here = (Topic("t", 1, (("x",),)), Topic("u", 1))
    assert SITUATIONS["racks_decide"](having(replace(A, rack="x"), B, topics=here))


def test_who_subscribes_to_nothing_is_not_first():
    first = SITUATIONS["no_subscription_first"]
    assert not first(having(A, Member("b", ())))
    assert not first(having(Member("a", ()), Member("b", ())))


def test_owners_of_the_newest_generation_are_not_late():
    late = SITUATIONS["stale_unsubscribed_owner"]
    assert not late(having(A, replace(B, owned=(U0,)), topics=(T, U)))
    assert not late(having(replace(A, owned=(T0,), generation=1), replace(B, generation=2)))
