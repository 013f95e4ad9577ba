"""For each situation of the consumer family groups that are in it, and a plain group that is in none but the first generation."""

from dataclasses import replace

from kassay.model import Config, Group, Member, Topic, TopicPartition

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
T, U = Topic("t", 2), Topic("u", 1)
A, B = Member("a", ("t",)), Member("b", ("t",))
PLAIN = Group((T,), (A, B))


def having(*members, topics=(T,)):
    return Group(topics, members)


def near(*racks, **member):
    return Group((Topic("t", len(racks), racks),), (replace(A, **member), B))


def joining(one, other, *members, topics):
    return Group(topics, members, Config(joined_topics=((one, other),)))


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
    "partition_without_racks": [near((), ("x",)), near(("x",), (None,))],
    "topic_without_racks": [having(A, B, topics=(T, Topic("u", 1, ((),))))],
    "empty_rack": [near((), (), rack="")],
    "empty_replica_rack": [near(("",), ())],
    "distant_member": [near(("x",), ("y",), rack="z")],
    "racks_decide": [near(("x",), ("y",), rack="x")],
    "user_data": [having(A, replace(B, user_data=b""))],
    "racks_by_host": [
        Group((Topic("t", 1, None, (("h.x",),)),), (replace(A, user_data=b"h.x"),), Config(r"h\.(.)"))
    ],
    "joined_topics": [joining("t", "u", A, topics=(T, U))],
    "unjoinable": [
        joining("t", "u", Member("a", ("t", "u")), topics=(T, U)),
        joining("t", "v", A, Member("b", ("v",)), topics=(T, Topic("v", 2))),
    ],
    "other_strategy": [Group((T,), (A, B), Config(other_topics_assignor="consumer/range"))],
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
