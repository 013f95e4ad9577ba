"""Consumers, whose leader assigns partitions; and single writers, of which only the leader writes.

Each strategy is a protocol of the group, under the name of an assignor of partitions. So the members of a group agree on one and can change to
another. A member itself finds the topics that match a regular expression, as in Kafka; the proposal leaves that open.

A single writer works under a lease. It begins when a heartbeat shows that it is in the generation that it leads. It stops when the coordinator has
not answered for the session timeout, counted from the heartbeat that was answered last. This holds as long as clocks run equally fast and no other
coordinator serves the group too; an application that cannot rely on that fences writes by generation.

Source: "Consumer Embedded Protocol" and use case 3, "Single-writer producer", of the client-side assignment proposal, which leaves open how a
writer stops; ConsumerCoordinator of kafka-clients 4.4; KIP-429, KIP-792, KIP-881.
"""

import re
from collections.abc import Callable, Hashable
from typing import Any

from msgspec import Struct

from kassay.errors import InputError
from kassay.model import Assignment, Assignor, AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.config import UNCONFIGURED, Config
from kassay.reference.consumer.members import apply_leader_order
from kassay.reference.group.member.state import Asking, Choosing, Items, States, Use
from kassay.reference.group.messages import UNREADABLE, JoinedMember, Protocol

Cluster = tuple[Topic, ...]
"""The topics of a cluster."""


class Subscription(Struct, frozen=True, cache_hash=True, kw_only=True):
    """The subscription of a consumer: topics, or a pattern for whole names of topics; with its rack and the data of its strategy."""

    topics: tuple[str, ...] = ()
    pattern: str | None = None
    rack: str | None = None
    user_data: bytes | None = None

    def __post_init__(self) -> None:
        if self.pattern is None:
            return
        if self.topics:
            raise InputError(f"pattern: {self.pattern!r} and topics are both given. Give only one")
        try:
            re.compile(self.pattern)
        except re.error as wrong:
            raise InputError(
                f"pattern: {self.pattern!r} is no regular expression ({wrong}). Correct it"
            ) from None


class Metadata(Struct, frozen=True, cache_hash=True):
    """The metadata of a consumer; its version decides which fields are filled (ConsumerProtocolSubscription)."""

    version: int
    topics: tuple[str, ...]
    user_data: bytes | None
    claimed: tuple[TopicPartition, ...]
    generation: int | None
    rack: str | None


class Given(Struct, frozen=True, cache_hash=True):
    """The state of a consumer (ConsumerProtocolAssignment)."""

    partitions: tuple[TopicPartition, ...]
    user_data: bytes | None = None


class Strategy(Struct, frozen=True, kw_only=True):
    """An assignment strategy as a protocol of the group, with the version of its metadata.

    Version 0 has topics and user data, version 1 also owned partitions of cooperative members, 2 their generation, and 3 the rack.
    Eager members send their previous partitions in the user data, as StickyAssignor does.
    """

    name: str
    assign: Callable[[Group], Assignment]
    cooperative: bool = False
    version: int = 3
    config: Config = UNCONFIGURED
    """The configuration of its assignor; the leader's counts."""


def strategy(
    assignor: Assignor, *, name: str | None = None, version: int = 3, config: Config = UNCONFIGURED
) -> Strategy:
    """Make a strategy of an assignor; its name is the one that Kafka gives it, the last part of the assignor's, if none is given."""
    return Strategy(
        name=name or assignor.name.partition("/")[2],
        assign=assignor.assign,
        cooperative="cooperative" in assignor.promises,
        version=version,
        config=config,
    )


def consumer(*strategies: Strategy) -> Use:
    """Return the use for consumers that support these strategies, in the order they prefer.

    They are cooperative if all of the strategies are (KIP-429). Raises InputError without any, or where two have one name.
    """
    by_name = {each.name: each for each in strategies}
    if not strategies or len(by_name) < len(strategies):
        raise InputError(
            f"strategies: got {[each.name for each in strategies]}. Give one or more, each name once"
        )
    cooperative = all(each.cooperative for each in strategies)

    return Use(
        protocol_type="consumer",
        protocols=lambda asking: tuple(
            Protocol(each.name, _metadata(each, cooperative, asking)) for each in strategies
        ),
        assign=lambda choosing: _states(by_name[choosing.protocol], choosing),
        items=lambda state: () if state is None else tuple(dict.fromkeys(state.partitions)),
        joined_as=lambda wants, cluster: (match_topics(wants, cluster), wants.rack, wants.user_data),
        watched=_list_watched,
        retained=_list_retained,
        fits=lambda wants, cluster, items: len(_list_retained(wants, cluster, items)) == len(items),
        cooperative=cooperative,
    )


def match_topics(subscription: Subscription, cluster: Cluster) -> tuple[str, ...]:
    """Return the topics to which a consumer subscribes; topics of a pattern are in the order of their names."""
    if subscription.pattern is None:
        return subscription.topics
    matches = re.compile(subscription.pattern).fullmatch
    return tuple(sorted(topic.name for topic in cluster if matches(topic.name)))


def _metadata(strategy: Strategy, cooperative: bool, asking: Asking) -> Metadata:
    subscription, version = asking.subscription, strategy.version
    claimed: Any
    if cooperative:
        claimed = asking.owned if version >= 1 else ()
        generation = asking.generation if version >= 2 else -1
    else:
        claimed, generation = asking.had, asking.had_in
    return Metadata(
        version,
        match_topics(subscription, asking.cluster),
        subscription.user_data,
        claimed,
        None if generation < 0 else generation,
        subscription.rack if version >= 3 else None,
    )


def _states(strategy: Strategy, choosing: Choosing) -> States:
    before = dict(choosing.before)
    members = tuple(_member(joined, before.get(joined.member_id)) for joined in choosing.members)
    read = {topic for member in members for topic in member.topics}
    topics = tuple(topic for topic in choosing.cluster if topic.name in read)
    group = Group(topics, members, strategy.config)
    given = strategy.assign(apply_leader_order(group))
    return tuple((member.id, Given(tuple(given.get(member.id, ())))) for member in members)


def _member(joined: JoinedMember, given: Any) -> Member:
    """Return a member as assignors see it; what the leader gave it since it joined counts as claimed."""
    if joined.metadata == UNREADABLE:
        raise AssignorError(f"the metadata of {joined.member_id} cannot be read")
    told: Any = joined.metadata
    claimed = told.claimed if given is None else given.partitions
    return Member(
        joined.member_id, told.topics, claimed, told.generation, joined.instance_id, told.rack, told.user_data
    )


def _list_watched(choosing: Choosing) -> Hashable:
    """Return the topics that the group reads, with their racks if the leader has one (KIP-881)."""
    members: Any = choosing.members
    read = {topic for member in members if member.metadata != UNREADABLE for topic in member.metadata.topics}
    return frozenset(
        (
            topic.name,
            topic.partitions,
            tuple(map(frozenset, topic.racks))
            if choosing.subscription.rack and topic.racks is not None
            else None,
        )
        for topic in choosing.cluster
        if topic.name in read
    )


def _list_retained(subscription: Subscription, cluster: Cluster, owned: tuple[TopicPartition, ...]) -> Items:
    topics = match_topics(subscription, cluster)
    return tuple(partition for partition in owned if partition.topic in topics)


WRITER: Items = ("writer",)
"""The one item of a group: its owner may write."""


SINGLE_WRITER = Use(
    protocol_type="producer",
    protocols=lambda asking: (Protocol("single-writer", asking.subscription),),
    assign=lambda choosing: tuple(
        (member.member_id, member.member_id == choosing.leader) for member in choosing.members
    ),
    items=lambda state: WRITER if state is True else (),
    joined_as=lambda subscription, _cluster: subscription,
    leased=True,
    static=False,
)
"""The use for producers of which one writes; a subscription is any value, the cluster is not used."""
