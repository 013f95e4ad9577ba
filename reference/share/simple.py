"""Share each partition among several members, and give all members equal numbers of copies, each keeping what it has.

With M members and P partitions, each partition goes to M div P members, rounded up, and each member gets its share of these copies.
This holds for all topics together if all members subscribe to the same topics, and otherwise for each topic. Racks are not read.

Known defects, reproduced: if subscriptions differ, members keep partitions of topics without any subscriber. Kept partitions are not
checked, so that members also keep partitions that no longer exist or may not be assigned. A member may get the same partition twice in
a row, which then has one copy less.

Source: org.apache.kafka.coordinator.group.assignor.SimpleAssignor of Kafka 4.2 to 4.4 (KIP-932).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from kassay.model import Assignment, Assignor, Group, TopicPartition
from kassay.reference.broker.group_spec import GroupSpec, Numbering, group_spec
from kassay.reference.promises import EVEN, SOUND, STEADY
from kassay.reference.share.sharing import Sharing, assignable_numbers


def assign(group: Group) -> Assignment:
    """Share each partition among as many members as there are for each, and give all members equal numbers."""
    spec = group_spec(group)
    if not any(spec.subscribed.values()):
        return {}
    return _assign_equal(spec) if spec.alike else _different(spec)


def _assign_equal(spec: GroupSpec) -> Assignment:
    topics = next(iter(spec.subscribed.values()))
    assignable = {topic: assignable_numbers(spec, topic) for topic in topics}
    numbering = Numbering([topic for name, topic in spec.topics.items() if name in topics])
    of_topic = numbering.of_topic
    targets = [of_topic[topic][number] for topic, numbers in assignable.items() for number in numbers]
    owned = {
        at: numbering.numbers(member.owned_by_topic)
        for at, member in enumerate(spec.members.values())
        if member.owned
    }
    every, hashes = numbering.every, list[int]()
    for topic, places in of_topic.items():
        hashes += spec.record_hashes(topic, len(places))
    hashes += map(spec.record_hash, every[len(hashes) :])  # of what is gone
    shared = Sharing(targets, range(len(spec.members)), owned, hashes.__getitem__).assign()
    order = numbering.order()
    return {
        member: [every[number] for number in sorted(shared[at], key=order)]
        for at, member in enumerate(spec.members)
    }


def _different(spec: GroupSpec) -> Assignment:
    readers = spec.readers()
    targets = {topic: assignable_numbers(spec, topic) for topic in spec.topic_order(readers)}
    owned: dict[str, dict[int, Sequence[int]]] = {}
    for at, of_member in enumerate(spec.owned.values()):
        for topic, its_own in of_member.items():
            owned.setdefault(topic, {})[at] = its_own
    lists: list[list[TopicPartition]] = [[] for _ in spec.members]
    for topic in (*spec.topics, *(topic for topic in owned if topic not in spec.topics)):
        given: Mapping[int, Collection[int]] = owned.get(topic, {})
        listed = spec.topics[topic].listed() if topic in spec.topics else ()
        gone = any(max(numbers) >= len(listed) for numbers in given.values())
        partition: Callable[[int], TopicPartition] = (
            partial(TopicPartition, topic) if gone else listed.__getitem__
        )
        if topic in targets:
            given = Sharing(targets[topic], readers[topic], owned.get(topic, {}), int).assign()
        for at, numbers in given.items():
            lists[at] += map(partition, sorted(numbers))
    return dict(zip(spec.members, lists, strict=True))


_GONE = frozenset({"vanished_partition"})
_KEPT = _GONE | {"withheld_partition"}
SIMPLE = Assignor(
    "share/simple",
    assign,
    EVEN | SOUND | STEADY | {"complete", "distinct", "subscribed", "existing", "every_member", "busy", "instance_isolated"},
    "SimpleAssignor of kafka-group-coordinator 4.4; KIP-932",
    {
        "complete": _KEPT,
        "subscribed": frozenset({"mixed_subscriptions+unsubscribed_owner", "mixed_subscriptions+vanished_topic"}),
        "existing": _KEPT | {"mixed_subscriptions+vanished_topic"},
        "every_member": frozenset({"no_subscription"}),
        "busy": _GONE,
        "balanced": _GONE | {"mixed_subscriptions"},
        "locally_balanced": _GONE | {"mixed_subscriptions"},
        "crash_free": _KEPT | {"unknown_topic"},
        "settling": _KEPT,
    },
    fails=frozenset(
        {
            "NoSuchElementException at sharing.py in _assign_remaining",
            "PartitionAssignorException at group_spec.py in unknown",
        }
    ),
)  # fmt: skip


def assign_everything(group: Group) -> Assignment:
    """Give every member every partition of the topics it subscribes to; one without topics is left out of the answer.

    Source: org.apache.kafka.coordinator.group.assignor.SimpleAssignor of Kafka 3.9 and 4.0.
    """
    spec = group_spec(group)
    return spec.answer(
        {
            member: {topic: range(spec.partitions(topic)) for topic in topics}
            for member, topics in spec.subscribed.items()
            if topics
        }
    )
