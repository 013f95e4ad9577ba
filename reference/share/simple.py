"""Share each partition among as many members as there are for each, and give all members equal numbers, each keeping what it has.

With M members and P partitions each partition goes to M div P members, rounded up, and each member gets its share of these copies.
Where all subscribe to the same topics that is so in all, and otherwise topic by topic. Racks are not read.

Known defects, reproduced: where subscriptions differ, members keep partitions of topics that nobody subscribes to any more. What is
kept is not looked up: partitions that are gone or may not be given are kept, too. A member may be dealt a partition it was just
given, which then has a copy less.

Source: org.apache.kafka.coordinator.group.assignor.SimpleAssignor of Kafka 4.2 to 4.4 (KIP-932).
"""

from itertools import repeat

from kassay.model import Assignment, Assignor, Group
from kassay.model.partitions import of_pair
from kassay.reference.broker.group_spec import GroupSpec, group_spec
from kassay.reference.share.sharing import Sharing
from kassay.reference.share.targets import target_partitions


def assign(group: Group) -> Assignment:
    """Share each partition among as many members as there are for each, and give all members equal numbers."""
    spec = group_spec(group)
    if not any(spec.subscribed.values()):
        return {}
    return _alike(spec) if spec.alike else spec.answer(_different(spec))


def _alike(spec: GroupSpec) -> Assignment:
    topics = next(iter(spec.subscribed.values()))
    targets = target_partitions(spec, topics)
    every = dict.fromkeys(targets)
    for of_member in spec.owned.values():
        for topic, numbers in of_member.items():
            if topic in topics:
                every.update(dict.fromkeys(map(of_pair, zip(repeat(topic), numbers, strict=False))))
    partitions = list(every)
    number_of: dict[tuple[str, int], int] = {partition: number for number, partition in enumerate(partitions)}
    hashes = spec.record_hashes(partitions)
    owned = {
        at: [
            number_of[topic, n]
            for topic, numbers in spec.owned[member].items()
            if topic in topics
            for n in numbers
        ]
        for at, member in enumerate(spec.members)
        if spec.owned[member]
    }
    shared = Sharing(range(len(targets)), range(len(spec.members)), owned, hashes.__getitem__).assign()
    place = {topic: at for at, topic in enumerate(spec.topics)}
    rank = [(place[topic], number) for topic, number in partitions]
    return {
        member: list(map(partitions.__getitem__, sorted(shared[at], key=rank.__getitem__)))
        for at, member in enumerate(spec.members)
    }


def _different(spec: GroupSpec) -> dict[str, dict[str, set[int]]]:
    members = list(spec.members)
    given = {
        member: {topic: set(numbers) for topic, numbers in owned.items()}
        for member, owned in spec.owned.items()
    }
    order = spec.topic_order(topic for topics in spec.subscribed.values() for topic in topics)
    targets = {topic: [one.partition for one in target_partitions(spec, [topic])] for topic in order}
    readers: dict[str, list[int]] = {topic: [] for topic in targets}
    owned: dict[str, dict[int, list[int]]] = {topic: {} for topic in targets}
    for at, member in enumerate(members):
        for topic in spec.subscribed[member]:
            readers[topic].append(at)
        for topic, numbers in spec.owned[member].items():
            if topic in owned:
                owned[topic][at] = numbers
    for topic, free in targets.items():
        for at, shared in Sharing(free, readers[topic], owned[topic], int).assign().items():
            if shared:
                given[members[at]][topic] = shared
            else:
                given[members[at]].pop(topic, None)
    return given


_GONE = frozenset({"vanished_partition"})
_KEPT = _GONE | {"withheld_partition"}
SIMPLE = Assignor(
    "share/simple",
    assign,
    frozenset(
        {
            "complete", "distinct", "subscribed", "existing", "every_member", "busy", "balanced",
            "locally_balanced", "crash_free", "deterministic", "stable", "settling", "instance_isolated",
        }
    ),
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
)  # fmt: skip
