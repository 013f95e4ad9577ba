"""The input of an adapted class, and the attributes that count as one."""

import subprocess
import sys
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.targets.clients import adapt, place_replicas

pytest.importorskip("kafka")
pytest.importorskip("aiokafka")

from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor as AioAbstract
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor as AioSticky
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment, ConsumerProtocolMemberMetadata
from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor as KafkaAbstract
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor as KafkaSticky
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment, ConsumerProtocolSubscription

GROUP = Group(
    (Topic("t", 3, (("a", "b"), ("b", "b", None), ())), Topic("u", 1), Topic("empty", 0)),
    (
        Member("m", ("u", "t"), (TopicPartition("t", 2), TopicPartition("u", 0)), 7, "i", "a"),
        Member("n", ("t",), (TopicPartition("t", 1),)),
        Member("o", ()),
        Member("p", ("u",), (), 3),
    ),
)


class SeenError(Exception):
    """Carries out what the leader was shown."""


class KafkaLeader(KafkaSticky):
    def assign(self, cluster: Any, members: Any) -> Any:
        raise SeenError(cluster, members)


class CooperativeLeader(CooperativeStickyAssignor):
    def assign(self, cluster: Any, members: Any) -> Any:
        raise SeenError(cluster, members)


class AioLeader(AioSticky):
    @classmethod
    def assign(cls, cluster: Any, members: Any) -> Any:
        raise SeenError(cluster, members)


def shown(assignor: type) -> tuple[Any, Any]:
    with pytest.raises(SeenError) as caught:
        adapt(assignor)(GROUP)
    return caught.value.args


@pytest.mark.parametrize("leader", [KafkaLeader, AioLeader])
def test_the_cluster_has_topics_partitions_and_racks(leader: type) -> None:
    cluster, _ = shown(leader)
    assert cluster.topics() == {"t", "u", "empty"}
    partitions = [cluster.partitions_for_topic(topic) for topic in ("t", "u", "empty", "v")]
    assert partitions == [{0, 1, 2}, {0}, set(), None]
    assert cluster.available_partitions_for_topic("t") == {0, 1, 2}
    racks = []
    for partition in range(3):
        metadata = cluster._partitions["t"][partition]
        nodes = metadata.replicas if leader is AioLeader else metadata.replica_nodes
        assert len(set(nodes)) == len(nodes)
        racks.append([cluster.broker_metadata(node).rack for node in nodes])
    assert racks == [["a", "b"], ["b", "b", None], [None]]


@pytest.mark.parametrize("leader", [KafkaLeader, CooperativeLeader, AioLeader])
def test_members(leader: type) -> None:
    _, members = shown(leader)
    if leader is AioLeader:
        assert list(members) == ["m", "n", "o", "p"]
        parsed = [AioSticky.parse_member_metadata(metadata) for metadata in members.values()]
    else:
        ids = [(m.member_id, m.group_instance_id) for m in members]
        assert ids == [("m", "i"), ("n", None), ("o", None), ("p", None)]
        parsed = [leader.parse_member_metadata(member.metadata) for member in members]
    assert [p.partitions for p in parsed] == [[("t", 2), ("u", 0)], [("t", 1)], [], []]
    # The cooperative class sends version 1 of the subscription, which has no generation yet.
    assert [p.generation for p in parsed] == ([-1] * 4 if leader is CooperativeLeader else [7, -1, -1, 3])
    if leader is not CooperativeLeader:
        assert [p.subscription for p in parsed] == [["u", "t"], ["t"], [], ["u"]]


class Counting(KafkaAbstract):
    """Keeps state on the class and in the object; gives everything to the first member, in odd ways."""

    name = "counting"
    calls: ClassVar[list[int]] = []

    def __init__(self, topic: str = "t") -> None:
        self.topic = topic

    def assign(self, _: Any, members: Any) -> Any:
        self.calls.append(1)
        answer = ConsumerProtocolAssignment(0, [(self.topic, [len(self.calls), 99])], b"")
        return {members[0].member_id: answer.encode(), "stranger": ConsumerProtocolAssignment(0, [], b"")}

    def metadata(self, topics: Any) -> Any:
        return ConsumerProtocolSubscription(0, list(topics), b"").encode()

    def on_assignment(self, _: Any, generation: int) -> None:
        self.calls.append(generation)


def test_own_classes_and_configured_objects() -> None:
    for assignor, topic in ((Counting, "t"), (Counting("x"), "x")):
        for _ in range(2):
            answer = adapt(assignor)(GROUP)
            assert answer == {"m": [(topic, 1), (topic, 99)], "stranger": []}
    assert Counting.calls == []


class AioOwn(AioAbstract):
    name = "own"
    seen: ClassVar[dict[str, int]] = {}

    @classmethod
    def assign(cls, _: Any, members: Any) -> Any:
        cls.seen["assign"] = len(members)
        return {
            member: ConsumerProtocolMemberAssignment(0, [("t", [len(cls.seen)])], b"")
            for member, metadata in members.items()
            if metadata.user_data == b"old"
        }

    @classmethod
    def metadata(cls, topics: Any) -> Any:
        return ConsumerProtocolMemberMetadata(0, list(topics), b"old" if cls.seen else b"new")

    @classmethod
    def on_assignment(cls, assignment: Any) -> None:
        cls.seen["on"] = len(assignment.partitions())


def test_own_class_of_aiokafka() -> None:
    assert adapt(AioOwn)(GROUP) == {"m": [("t", 1)], "n": [("t", 1)], "p": [("t", 1)]}
    assert AioOwn.seen == {}


def test_what_the_library_raises_passes_through() -> None:
    class Failing(KafkaSticky):
        def assign(self, *_: Any) -> Any:
            raise LookupError("no idea")

    with pytest.raises(LookupError, match="no idea"):
        adapt(Failing)(GROUP)


@pytest.mark.parametrize("attribute", [len, int, object(), KafkaAbstract, AioAbstract, Group, lambda _: {}])
def test_other_attributes_are_not_adapted(attribute: object) -> None:
    assert adapt(attribute) is None


def test_libraries_are_not_imported_without_need() -> None:
    code = (
        "import sys, kassay.targets.clients; kassay.targets.clients.adapt(len); "
        "assert not {'kafka', 'aiokafka'} & set(sys.modules), 'a library was imported'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_brokers_are_as_few_as_carry_the_replicas() -> None:
    known = place_replicas(GROUP)
    assert known.racks == [None, "a", "b", "b"]
    assert known.replicas == {"t": [(1, 2), (2, 3, 0), (0,)], "u": [(0,)], "empty": []}


@pytest.mark.parametrize("stated", [b"\x00host", b""])
@pytest.mark.parametrize("leader", [KafkaLeader, CooperativeLeader, AioLeader])
def test_user_data_that_a_group_states_take_the_place_of_the_members_own(leader, stated):
    group = replace(GROUP, members=(replace(GROUP.members[0], user_data=stated), *GROUP.members[1:]))
    with pytest.raises(SeenError) as caught:
        adapt(leader)(group)
    seen, before = (
        [*members.values()] if leader is AioLeader else [m.metadata for m in members]
        for members in (caught.value.args[1], shown(leader)[1])
    )
    assert seen[0].user_data == stated
    assert [m.user_data for m in seen][1:] == [m.user_data for m in before][1:]
    assert leader is not AioLeader or seen[1].user_data != b""
    topics = "subscription" if leader is AioLeader else "topics"
    assert [getattr(m, topics) for m in seen] == [getattr(m, topics) for m in before]
