"""What the uses of the group protocol tell each other, give each other, and join again for."""

import pytest
from conversation import ALL, TOPIC, Conversation, kinds, stable

from kassay.errors import InputError
from kassay.model import Topic, TopicPartition
from kassay.model.config import Config
from kassay.reference import ASSIGNORS
from kassay.reference.group.member import PROPOSAL
from kassay.reference.group.member.state import (
    Choosing,
    ClusterChanged,
    Own,
    Revoke,
    Started,
    SubscriptionChanged,
)
from kassay.reference.group.messages import (
    Error,
    FindCoordinator,
    Heartbeat,
    JoinedMember,
    JoinGroup,
    SyncGroup,
)
from kassay.reference.group.uses.connect import CONNECT, CONNECTOR, Connectors, Task, Worker
from kassay.reference.group.uses.consumer import Metadata, Subscription, consumer, strategy
from kassay.reference.group.uses.streams import Topology, streams

RANGE, STICKY, COOPERATIVE = (
    strategy(ASSIGNORS[f"consumer/{name}"]) for name in ("range", "sticky", "cooperative-sticky")
)
RACKS = Topic("t", 2, (("a",), ("b",)))
OTHER_RACKS = Topic("t", 2, (("b",), ("a",)))
SAME_RACKS = Topic("t", 2, (("a", "a"), ("b",)))


def joins(talk, event):
    """The kinds of requests that an event makes a member send."""
    return kinds(talk.tell(event))


# Consumers


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (0, Metadata(0, ("t",), b"u", (), None, None)),
        (1, Metadata(1, ("t",), b"u", ALL, None, None)),
        (2, Metadata(2, ("t",), b"u", ALL, 1, None)),
        (3, Metadata(3, ("t",), b"u", ALL, 1, "r")),
    ],
)
def test_a_version_of_the_metadata_has_its_fields(version, told):
    use = consumer(strategy(ASSIGNORS["consumer/cooperative-sticky"], version=version))
    talk = stable(use=use, subscription=Subscription(topics=("t",), rack="r", user_data=b"u"))
    talk.ring("heartbeat")
    talk.answer(Heartbeat, Error.REBALANCE_IN_PROGRESS)
    assert talk.sent[-1].protocols[0].metadata == told


def test_eager_members_tell_what_they_had_though_they_have_given_it_up():
    talk = stable(use=consumer(STICKY))
    talk.ring("heartbeat")
    talk.answer(Heartbeat, Error.REBALANCE_IN_PROGRESS)
    told = talk.sent[-1].protocols[0].metadata
    assert (told.claimed, told.generation, talk.member.owned) == (ALL, 1, ())


@pytest.mark.parametrize("rule", [r"[^.]+\.([^.]+)\.example", None])
def test_user_data_and_the_leader_s_configuration_reach_the_assignor(rule):
    """Members tell their host names; with a rule for racks in these, each is given what its rack has."""
    topic = Topic("t", 2, hosts=(("x.b.example",), ("y.a.example",)))
    members = tuple(
        JoinedMember(name, None, Metadata(0, ("t",), f"{name}.{rack}.example".encode(), (), None, None))
        for name, rack in (("m", "a"), ("n", "b"))
    )
    use = consumer(strategy(ASSIGNORS["consumer/metadata"], config=Config(rack_from_host=rule)))
    given = dict(use.assign(Choosing("metadata", "m", members, Subscription(topics=("t",)), (topic,), ())))
    numbers = {name: [partition.partition for partition in each.partitions] for name, each in given.items()}
    assert numbers == ({"m": [1], "n": [0]} if rule else {"m": [0], "n": [1]})


def test_members_are_cooperative_if_all_strategies_are():
    assert consumer(COOPERATIVE).cooperative
    assert not consumer(COOPERATIVE, RANGE).cooperative


@pytest.mark.parametrize("strategies", [(), (RANGE, RANGE)])
def test_strategies_are_one_or_more_with_names_of_their_own(strategies):
    with pytest.raises(InputError, match="Give one or more, each name once"):
        consumer(*strategies)


def test_a_pattern_matches_whole_names_of_topics_that_there_are():
    talk = stable(subscription=Subscription(pattern="t|u."), cluster=(TOPIC, Topic("u", 1), Topic("tt", 1)))
    assert {partition.topic for partition in talk.member.owned} == {"t"}
    assert joins(talk, ClusterChanged((TOPIC, Topic("tt", 1)))) == []
    assert joins(talk, ClusterChanged((TOPIC, Topic("u1", 1)))) == [JoinGroup]
    assert talk.sent[-1].protocols[0].metadata.topics == ("t", "u1")


@pytest.mark.parametrize(
    ("fields", "says"),
    [({"pattern": "("}, "Correct it"), ({"pattern": "t", "topics": ("t",)}, "Give only one")],
)
def test_a_pattern_that_is_none_or_stands_beside_topics_is_refused(fields, says):
    with pytest.raises(InputError, match=says):
        Subscription(**fields)


def test_a_changed_subscription_makes_a_member_join_and_the_same_one_does_not():
    talk = stable()
    assert joins(talk, SubscriptionChanged(Subscription(topics=("t",)))) == []
    assert joins(talk, SubscriptionChanged(Subscription(topics=("t",), user_data=b"x"))) == [JoinGroup]


def test_a_subscription_that_changes_during_a_rebalance_is_joined_with_before_anything_is_taken_up():
    talk = Conversation()
    talk.tell(Started())
    talk.answer(FindCoordinator)
    talk.answer(JoinGroup)
    talk.tell(SubscriptionChanged(Subscription(topics=("u",))))
    assert kinds(talk.answer(SyncGroup)) == [JoinGroup]
    assert talk.told == []


@pytest.mark.parametrize(
    ("rack", "cluster", "sent"),
    [
        ("a", OTHER_RACKS, [JoinGroup]),
        ("a", SAME_RACKS, []),
        (None, OTHER_RACKS, []),
        (None, Topic("t", 3), [JoinGroup]),
    ],
)
def test_a_leader_looks_at_counts_and_if_it_has_a_rack_at_sets_of_racks(rack, cluster, sent):
    talk = stable(subscription=Subscription(topics=("t",), rack=rack), cluster=(RACKS,))
    assert joins(talk, ClusterChanged((cluster,))) == sent


def test_a_leader_synchronises_again_by_what_members_have_been_given_since():
    talk = stable(use=consumer(STICKY), manner=PROPOSAL)
    assert joins(talk, ClusterChanged((Topic("t", 5),))) == [SyncGroup]
    talk.answer(SyncGroup)
    assert talk.told[-1] == Own((TopicPartition("t", 4),))
    assert joins(talk, ClusterChanged((Topic("t", 5), Topic("u", 1)))) == []


def test_a_member_told_to_synchronise_again_gives_up_what_it_is_no_longer_given():
    talk = stable(manner=PROPOSAL)
    talk.ring("heartbeat")
    assert kinds(talk.answer(Heartbeat, Error.RESYNC_REQUIRED)) == [SyncGroup]
    given = next(request for request in talk.sent if type(request) is SyncGroup).states[0][1]
    talk.answer(SyncGroup, state=type(given)(ALL[1:]))
    assert talk.told[-1] == Revoke(ALL[:1])
    assert talk.member.owned == ALL[1:]


# Connect


def worker(name, offset):
    return JoinedMember(name, None, Worker(f"http://{name}", offset))


def connect_states(offset, tasks, *workers):
    choice = Choosing("default", "a", workers, "http://a", Connectors(offset, tasks), ())
    return dict(CONNECT.assign(choice))


def test_workers_get_connectors_and_then_tasks_in_turn():
    given = connect_states(5, (("y", 1), ("x", 2)), worker("b", 5), worker("a", 4))
    x, y = Task("x", CONNECTOR), Task("y", CONNECTOR)
    assert given["a"].tasks == (x, Task("x", 0), Task("y", 0))
    assert given["b"].tasks == (y, Task("x", 1))
    assert {(each.leader_url, each.offset) for each in given.values()} == {("http://a", 5)}


def test_a_leader_that_has_read_less_gives_nothing_but_the_error():
    given = connect_states(5, (("x", 2),), worker("a", 5), worker("b", 6))
    assert {(each.tasks, each.offset, each.mismatch) for each in given.values()} == {((), 6, True)}


def test_a_worker_joins_again_when_it_has_read_more():
    talk = stable(use=CONNECT, subscription="http://a", cluster=Connectors(1, (("x", 1),)))
    assert len(talk.member.owned) == 2
    assert joins(talk, ClusterChanged(Connectors(1, (("x", 1),)))) == []
    assert joins(talk, ClusterChanged(Connectors(2, (("x", 3),)))) == [JoinGroup]
    assert len(talk.settle().member.owned) == 4


# Kafka Streams

TOPOLOGY = Topology((("join", ("l", "r")), ("other", ("o",))))
CLUSTER = (Topic("l", 2), Topic("r", 2), Topic("o", 3))


def test_topics_that_are_joined_go_to_one_member_together():
    use = streams(ASSIGNORS["consumer/roundrobin"])
    talk = stable(use=use, subscription=TOPOLOGY, cluster=CLUSTER)
    told = talk.sent[1].protocols[0].metadata
    choice = Choosing(
        "stream", "a", (JoinedMember("a", None, told), JoinedMember("b", None, told)), TOPOLOGY, CLUSTER, ()
    )
    states = dict(use.assign(choice))
    tasks = {task.name: task.reads for given in states.values() for task in given}
    assert len(tasks) == sum(map(len, states.values())) == 5
    for number in range(2):
        assert tasks["join", number] == (TopicPartition("l", number), TopicPartition("r", number))
    assert sorted(map(len, states.values())) == [2, 3]


@pytest.mark.parametrize(
    ("subscription", "cluster"),
    [(TOPOLOGY, (Topic("l", 2), Topic("r", 3), Topic("o", 3))), (Topology((("x", ("o",)),)), CLUSTER)],
)
def test_counts_or_topologies_that_differ_cannot_be_assigned(subscription, cluster):
    use = streams(ASSIGNORS["consumer/range"])
    talk = stable(use=use, subscription=TOPOLOGY, cluster=CLUSTER, manner=PROPOSAL)
    told = talk.sent[1].protocols[0].metadata
    talk.tell(SubscriptionChanged(subscription))
    talk.tell(ClusterChanged(cluster))
    if JoinGroup in map(type, talk.open.values()):
        talk.answer(JoinGroup, members=(JoinedMember("id-1", None, told),))
    assert talk.sent[-1].error is Error.ASSIGNMENT_FAILED


def test_a_task_that_reads_other_topics_than_before_is_another_one():
    talk = stable(
        use=streams(ASSIGNORS["consumer/cooperative-sticky"]), subscription=TOPOLOGY, cluster=CLUSTER
    )
    talk.tell(SubscriptionChanged(Topology((("join", ("l",)), ("other", ("o",))))))
    assert {task.name.topic for task in talk.member.owned} == {"other"}
    talk.settle()
    assert len(talk.member.owned) == 5


def test_a_group_of_topics_that_are_not_all_there_has_no_tasks_yet():
    talk = stable(
        use=streams(ASSIGNORS["consumer/range"]),
        subscription=TOPOLOGY,
        cluster=(Topic("l", 2), Topic("o", 3)),
    )
    assert {task.name.topic for task in talk.member.owned} == {"other"}
    talk.tell(ClusterChanged(CLUSTER))
    assert len(talk.settle().member.owned) == 5


def test_names_of_groups_of_topics_are_different():
    with pytest.raises(InputError, match="Rename one"):
        Topology((("a", ("t",)), ("a", ("u",))))
