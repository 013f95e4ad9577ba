"""Descriptions of groups by brokers as rows of listings: rows of members, and topics.

Brokers send more than Kafka's tools print: subscriptions, racks, instance ids and subtopologies. Source: KIP-848, KIP-932, KIP-1071.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from kassay.errors import InputError
from kassay.listings.groups import GroupRows, MemberRow
from kassay.listings.location import Place, State
from kassay.listings.streams_groups import ROLES, StreamsGroupRows, TaskMember, Tasks
from kassay.listings.topics import TopicLines, refuse_many
from kassay.model import TopicPartition
from kassay.reference.wire.consumer import list_partitions, read_assignment, read_subscription
from kassay.reference.wire.schema import MalformedError


def read_classic_group(group: Any, place: Place) -> tuple[GroupRows, State]:
    """Read a group of the classic protocol from DescribeGroups; raises InputError if the members are not described."""
    name, state = group.group_id, group.group_state
    if group.protocol_type == "connect":
        raise InputError(
            f"{name}: is a group of Kafka Connect, whose workers know the assignment. Import the output of GET /connectors?expand=status"
        )
    if group.protocol_type not in {"consumer", ""} or (group.members and not group.protocol_type):
        raise InputError(f"{name}: has protocol type {group.protocol_type!r}. Name a consumer group")
    if group.members and state != "Stable":
        raise InputError(
            f"{name}: is {state}. A coordinator describes the members of Stable groups only. Ask again in a moment"
        )
    rows = GroupRows(name, told=True)
    for each in group.members:
        try:
            sent = read_subscription(each.member_metadata)
            held = tuple(
                dict.fromkeys(list_partitions(read_assignment(each.member_assignment).assigned_partitions))
            )
        except MalformedError as wrong:
            raise InputError(
                f"{name}: the subscription or assignment of member {each.member_id!r} cannot be read ({wrong}). Name another group"
            ) from None
        rows.members[each.member_id] = MemberRow(
            place, each.member_id, getattr(each, "group_instance_id", None) or None, each.client_host, each.client_id,
            held=held, topics=sent.topics, told_rack=sent.rack_id or None,
        )  # fmt: skip
    _warn_if_empty(rows, group, place)
    return rows, State(place, state, len(group.members), group.protocol_data or None)


def read_modern_group(group: Any, place: Place, *, shares: bool) -> tuple[GroupRows, State]:
    """Read a group whose coordinator assigns from ConsumerGroupDescribe or ShareGroupDescribe."""
    rows = GroupRows(group.group_id, shares=shares, told=True)
    for each in group.members:
        target = None if shares else _read_partitions(each.target_assignment)
        rows.members[each.member_id] = MemberRow(
            place, each.member_id, getattr(each, "instance_id", None) or None, each.client_host, each.client_id,
            held=_read_partitions(each.assignment), target=target, epoch=max(0, each.member_epoch),
            classic=getattr(each, "member_type", None) == 0, topics=tuple(each.subscribed_topic_names),
            told_rack=each.rack_id or None, pattern=getattr(each, "subscribed_topic_regex", None) or None,
        )  # fmt: skip
    state = State(
        place, group.group_state, len(group.members), group.assignor_name or None, group.group_epoch, group.assignment_epoch,
        "share" if shares else "broker",
    )  # fmt: skip
    _warn_if_empty(rows, group, place)
    return rows, state


def read_streams_group(group: Any, place: Place) -> tuple[StreamsGroupRows, State]:
    """Read a streams group from StreamsGroupDescribe; raises InputError if the topology is missing."""
    topology = group.topology
    if topology is None or topology.subtopologies is None:
        raise InputError(
            f"{group.group_id}: is {group.group_state}, and its coordinator describes the topology only if all topics exist. Create them first"
        )
    rows = StreamsGroupRows(group.group_id)
    for each in group.members:
        rows.members[each.member_id] = TaskMember(
            place, each.member_id, each.process_id, each.client_id, _read_tasks(each.assignment), _read_tasks(each.target_assignment),
            each.member_epoch, "classic" if each.is_classic else "streams", each.instance_id or None, each.rack_id or None,
            {one.key: one.value for one in each.client_tags}, _read_sums(each.task_offsets), _read_sums(each.task_end_offsets),
        )  # fmt: skip
    rows.sources = {
        one.subtopology_id: (*one.source_topics, *(each.name for each in one.repartition_source_topics))
        for one in topology.subtopologies
    }
    rows.stateful = {one.subtopology_id for one in topology.subtopologies if one.state_changelog_topics}
    state = State(
        place, group.group_state, len(group.members), None, group.group_epoch, group.assignment_epoch, "streams-group",
    )  # fmt: skip
    return rows, state


def read_topic(topic: Any, place: Place) -> TopicLines:
    """Read a topic from Metadata."""
    refuse_many(place, topic.name, len(topic.partitions))
    known: UUID | None = getattr(topic, "topic_id", None)
    id_ = None if known is None or not known.int else urlsafe_b64encode(known.bytes).decode().rstrip("=")
    replicas = {one.partition_index: tuple(one.replica_nodes) for one in topic.partitions}
    return TopicLines(topic.name, place, id_, len(topic.partitions), replicas)


def list_topics(rows: GroupRows | StreamsGroupRows) -> Iterator[str]:
    """Yield the topics to which a group subscribes, or whose partitions it owns, some more than once."""
    if isinstance(rows, StreamsGroupRows):
        for names in (rows.sources or {}).values():
            yield from names
        return
    for row in rows.members.values():
        yield from row.topics or ()
        yield from (partition.topic for partition in row.known)


def _warn_if_empty(rows: GroupRows, group: Any, place: Place) -> None:
    if not group.members:
        rows.warnings.append(f"{place}: the group is {group.group_state}: no member is in it")


def _read_partitions(assignment: Any) -> tuple[TopicPartition, ...]:
    return tuple(
        TopicPartition(one.topic_name, number)
        for one in assignment.topic_partitions
        for number in one.partitions
    )


def _read_tasks(assignment: Any) -> Tasks:
    return {
        role: [
            (one.subtopology_id, number)
            for one in getattr(assignment, f"{role.lower()}_tasks")
            for number in one.partitions
        ]
        for role in ROLES
    }


def _read_sums(offsets: Iterable[Any]) -> dict[tuple[str, int], int]:
    return {(one.subtopology_id, one.partition): one.offset for one in offsets}
