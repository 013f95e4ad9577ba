"""Kafka Streams (the processor client): topics that are joined go to members together, as tasks.

An application reads groups of co-partitioned topics. Task n of a group reads partition n of each of its topics. Any assignor of partitions hands out the
tasks: to it a group is a topic and a task a partition. Topics read together that have different counts of partitions, or members
with different topologies, cannot be assigned, which the leader says.

Source: use case 1 of the client-side assignment proposal; PartitionGrouper and CopartitionedTopicsEnforcer of kafka-streams 4.3 for tasks.
"""

from collections.abc import Hashable
from typing import Any

from msgspec import Struct

from kassay.errors import InputError
from kassay.model import Assignor, AssignorError, Group, Member, Topic, TopicPartition
from kassay.reference.consumer.members import apply_leader_order
from kassay.reference.group.member.state import Asking, Choosing, Items, States, Use
from kassay.reference.group.messages import Protocol

JoinedTopics = tuple[str, ...]
"""Topics that are read together."""


class Topology(Struct, frozen=True, cache_hash=True):
    """The topics of an application: named groups of topics that are read together. Raises InputError if a name comes twice."""

    groups: tuple[tuple[str, JoinedTopics], ...]

    def __post_init__(self) -> None:
        names = [name for name, _ in self.groups]
        if len(set(names)) < len(names):
            raise InputError(f"groups: {names} has a name twice. Rename one")


class Metadata(Struct, frozen=True, cache_hash=True):
    """The metadata of a member: its topology, the tasks that it has or had, and their generation."""

    topology: Topology
    claimed: tuple[TopicPartition, ...]
    generation: int | None


class Task(Struct, frozen=True, cache_hash=True):
    """A task, by group and number, with what it reads."""

    name: TopicPartition
    reads: tuple[TopicPartition, ...]


def streams(assignor: Assignor) -> Use:
    """Return the use for members of an application whose tasks an assignor of partitions hands out.

    Members are cooperative if the assignor is. A subscription is a :class:`Topology`, the cluster a tuple of topics.
    """
    cooperative = "cooperative" in assignor.promises

    def protocols(asking: Asking) -> tuple[Protocol, ...]:
        topology = asking.subscription
        tasks: Any = asking.owned if cooperative else asking.had
        generation = asking.generation if cooperative else asking.had_in
        claimed = tuple(task.name for task in tasks)
        return (Protocol("stream", Metadata(topology, claimed, None if generation < 0 else generation)),)

    def assign(choosing: Choosing) -> States:
        topology = choosing.subscription
        counts = _counts(topology, choosing.cluster)
        before: Any = dict(choosing.before)
        members = []
        for joined in choosing.members:
            told: Any = joined.metadata
            if told.topology != topology:
                raise AssignorError(f"member {joined.member_id!r} has another topology than the leader")
            had = before.get(joined.member_id)
            claimed = told.claimed if had is None else tuple(task.name for task in had)
            names = tuple(name for name, _ in topology.groups)
            members.append(Member(joined.member_id, names, claimed, told.generation, joined.instance_id))
        group = Group(tuple(Topic(name, count) for name, count in counts.items()), tuple(members))
        given = assignor.assign(apply_leader_order(group))
        reads = dict(topology.groups)
        return tuple(
            (member.id, tuple(_task(name, reads[name.topic]) for name in given.get(member.id, ())))
            for member in members
        )

    return Use(
        protocol_type="consumer",
        protocols=protocols,
        assign=assign,
        items=lambda state: () if state is None else state,
        joined_as=lambda topology, _cluster: topology,
        watched=_list_watched,
        retained=_list_retained,
        cooperative=cooperative,
    )


def _counts(topology: Topology, cluster: Any) -> dict[str, int]:
    """Return how many tasks each group has; one whose topics are not all there yet has none."""
    known = {topic.name: topic.partitions for topic in cluster}
    counts = {}
    for name, topics in topology.groups:
        found = {topic: known.get(topic, 0) for topic in topics}
        present = set(found.values()) - {0}
        if len(present) > 1:
            listed = ", ".join(f"{topic} {count}" for topic, count in found.items())
            raise AssignorError(
                f"topics that are read together have different counts of partitions: {listed}"
            )
        counts[name] = min(found.values(), default=0)
    return counts


def _task(name: TopicPartition, topics: JoinedTopics) -> Task:
    return Task(name, tuple(TopicPartition(topic, name.partition) for topic in topics))


def _list_watched(choosing: Choosing) -> Hashable:
    topology = choosing.subscription
    cluster = choosing.cluster
    read = {topic for _, topics in topology.groups for topic in topics}
    return frozenset((topic.name, topic.partitions) for topic in cluster if topic.name in read)


def _list_retained(subscription: Topology, _cluster: Hashable, owned: tuple[Task, ...]) -> Items:
    reads = dict(subscription.groups)
    return tuple(task for task in owned if task == _task(task.name, reads.get(task.name.topic, ())))
