"""Read-only queries on the groups of a cluster: their members, topics and progress."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import re2
from kio.schema.errors import ErrorCode

from kassay.errors import InputError
from kassay.listings.applications import is_thread
from kassay.listings.groups import GroupRows
from kassay.listings.location import Assumed, Place, State, list_some, quote
from kassay.listings.reading import Reading, Taken
from kassay.listings.streams_groups import STANDBYS, StreamsGroupRows
from kassay.model import TopicPartition
from kassay.protocol.client.cluster_connection import Access, Brokers
from kassay.protocol.client.listing_rows import (
    list_topics,
    read_classic_group,
    read_modern_group,
    read_streams_group,
    read_topic,
)
from kassay.protocol.server.addresses import Place as Address
from kassay.protocol.server.api_messages import Api, build_message
from kassay.protocol.server.external_cluster import NoResponseError, find_coordinator_entry, make_body
from kassay.sentences import FEW, format_count, suggest_name

GROUPS_MAX = 10_000
"""The most groups of one query."""
AT_ONCE = 100
"""The groups that one request describes."""
OFFSETS = "__consumer_offsets"
"""Kafka's own topic of groups, which a search for a coordinator would create."""
GROUP = 32
"""The type of a group in DescribeConfigs (ConfigResource.Type)."""
LATEST = -1
_QUIET = re2.Options()
_QUIET.log_errors = False  # otherwise RE2 writes invalid patterns to standard error
SOON = {
    ErrorCode.coordinator_not_available,
    ErrorCode.coordinator_load_in_progress,
    ErrorCode.not_coordinator,
}
DENIED = {ErrorCode.group_authorization_failed, ErrorCode.topic_authorization_failed}
Rows: TypeAlias = GroupRows | StreamsGroupRows


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of groups: the request that describes it, its field of names, and the reader of its response."""

    api: Api
    request: str
    names: str
    read: Callable[[Any, Place], tuple[Rows, State]]


KINDS = {
    "classic": Kind(Api.DESCRIBE_GROUPS, "DescribeGroupsRequest", "groups", read_classic_group),
    "consumer": Kind(
        Api.CONSUMER_GROUP_DESCRIBE, "ConsumerGroupDescribeRequest", "group_ids",
        lambda group, place: read_modern_group(group, place, shares=False),
    ),
    "share": Kind(
        Api.SHARE_GROUP_DESCRIBE, "ShareGroupDescribeRequest", "group_ids",
        lambda group, place: read_modern_group(group, place, shares=True),
    ),
    "streams": Kind(Api.STREAMS_GROUP_DESCRIBE, "StreamsGroupDescribeRequest", "group_ids", read_streams_group),
}  # fmt: skip
"""The types of groups by their names in ListGroups, from Kafka 4.0 on; before, all groups are classic."""


@dataclass(slots=True)
class Asking:
    """The state of one query."""

    brokers: Brokers
    place: Place
    """The address of the cluster in messages."""
    strict: bool
    """True if a group that cannot be read is an error, because it was named; otherwise it is left out."""
    left_out: list[str] = field(default_factory=list)
    reading: Reading = field(default_factory=Reading)
    coordinators: dict[str, int] = field(default_factory=dict)
    committed: dict[str, dict[str, dict[int, int]]] = field(default_factory=dict)
    ends: dict[str, dict[int, int]] = field(default_factory=dict)

    def refuse(self, said: InputError) -> None:
        """Raise an error of a group, or note it."""
        if self.strict:
            raise said
        self.left_out.append(str(said))

    async def find_types(self, names: Sequence[str]) -> dict[str, str]:
        """Find the coordinators of groups, of all groups if no name is given, and return the type of each group."""
        told = (await self.brokers.fetch_metadata((OFFSETS,))).topics
        offsets = next((topic for topic in told if topic.name == OFFSETS), None)
        if offsets is None:
            raise InputError(
                f"{self.place}: the answer to Metadata does not have {OFFSETS}. Give the address of a Kafka broker."
            )
        if offsets.error_code is ErrorCode.unknown_topic_or_partition:
            raise InputError(f"{self.place}: there is no group. Start a member first")
        where = dict.fromkeys(self.brokers.places)
        if names:
            self.coordinators = {name: await self._find_coordinator(name) for name in names}
            where = dict.fromkeys(self.coordinators.values())
        found: dict[str, str] = {}
        for broker in where:
            listed = await self.brokers.ask(
                broker, Api.LIST_GROUPS, make_body("ListGroupsRequest", states_filter=(), types_filter=())
            )
            self._check(listed.error_code, f"{self.place}: does not list its groups")
            for one in listed.groups:
                found[one.group_id] = (getattr(one, "group_type", "") or "classic").lower()
                self.coordinators.setdefault(one.group_id, broker)
        for name in names:
            if name not in found:
                there = (
                    f". There are {', '.join(sorted(found))}"
                    if 0 < len(found) <= FEW
                    else suggest_name(name, found)
                )
                raise InputError(f"{self.place}: there is no group {name!r}{there}")
        chosen = {name: found[name] for name in (names or sorted(found))}
        if len(chosen) > GROUPS_MAX:
            raise InputError(
                f"{self.place}: has {len(chosen)} groups. Name at most {GROUPS_MAX} with --group"
            )
        return chosen

    async def _find_coordinator(self, name: str) -> int:
        request = make_body("FindCoordinatorRequest", key=name, key_type=0, coordinator_keys=(name,))
        told = await self.brokers.ask(None, Api.FIND_COORDINATOR, request)
        try:
            one = find_coordinator_entry(told)
        except NoResponseError as wrong:
            raise InputError(f"{self.place}: group {name!r}: {wrong}") from None
        self._check(one.error_code, f"{self.place}: group {name!r}")
        broker: int = one.node_id
        return broker

    def _check(self, error: ErrorCode, what: str, *, state: str = "") -> None:
        """Raise InputError for an error, or the state of a deleted group."""
        if state == "Dead" or error is ErrorCode.group_id_not_found:
            raise InputError(f"{what}: no longer exists. Ask again, or name another")
        if error in DENIED:
            raise InputError(
                f"{what}: this user may not describe it. Allow DESCRIBE (kafka-acls), or name another user"
            )
        if error in SOON:
            raise InputError(f"{what}: its coordinator is just starting or moving. Ask again in a moment")
        if error is not ErrorCode.none:
            raise InputError(f"{what}: {error.name}. Correct that at the broker")

    async def describe(self, kinds: Mapping[str, str]) -> None:
        """Describe groups, and read the responses."""
        batches: dict[tuple[str, int], list[str]] = {}
        for name, kind in kinds.items():
            if kind not in KINDS:
                self.refuse(
                    InputError(f"{name}: is a group of type {kind!r}, which is unknown. Name another group")
                )
            else:
                batches.setdefault((kind, self.coordinators[name]), []).append(name)
        for (kind, broker), names in batches.items():
            of = KINDS[kind]
            for at in range(0, len(names), AT_ONCE):
                some_names = tuple(names[at : at + AT_ONCE])
                fields: dict[str, Any] = {of.names: some_names, "include_authorized_operations": False}
                told = await self.brokers.ask(broker, of.api, make_body(of.request, **fields))
                for one in told.groups:
                    self._read_group(one, of)

    def _read_group(self, group: Any, of: Kind) -> None:
        if group.group_id not in self.coordinators:
            raise InputError(
                f"{self.place}: describes a group {quote(group.group_id)} that was not requested. Give the address of a Kafka broker"
            )
        try:
            self._check(group.error_code, f"{self.place}: group {group.group_id!r}", state=group.group_state)
            rows, state = of.read(group, self.place)
        except InputError as said:
            self.refuse(said)
            return
        self.reading.states[rows.name] = state
        if isinstance(rows, StreamsGroupRows):
            self.reading.streams_groups[rows.name] = rows
        else:
            self.reading.groups[rows.name] = rows

    async def fetch_topics(self) -> dict[int, dict[str, list[int]]]:
        """Fetch the topics of all groups, and return the partitions that each broker leads."""
        await self._match_patterns()
        self.committed = {
            name: await self._ask_committed(name)
            for name in (*self.reading.groups, *self.reading.streams_groups)
        }
        groups: list[Rows] = [*self.reading.groups.values(), *self.reading.streams_groups.values()]
        wanted = dict.fromkeys(
            name for rows in groups for name in (*list_topics(rows), *self.committed[rows.name])
        )
        leaders: dict[int, dict[str, list[int]]] = {}
        # The threads of applications of Kafka Streams do not subscribe to changelogs.
        begin = tuple(
            f"{rows.name}-"
            for rows in self.reading.groups.values()
            if any(map(is_thread, rows.members.values()))
        )
        if begin:
            every = [one.name for one in (await self.brokers.fetch_metadata(None)).topics]
            wanted |= dict.fromkeys(
                name for name in every if name.startswith(begin) and name.endswith("-changelog")
            )
        for topic in (await self.brokers.fetch_metadata(tuple(wanted))).topics if wanted else ():
            if topic.error_code is ErrorCode.unknown_topic_or_partition:
                continue  # members may subscribe to missing topics
            self._check(topic.error_code, f"{self.place}: topic {topic.name}")
            self.reading.topics[topic.name] = read_topic(topic, self.place)
            for one in topic.partitions:
                leaders.setdefault(one.leader_id, {}).setdefault(topic.name, []).append(one.partition_index)
        for one in self.reading.groups.values():
            read = {*list_topics(one)}
            for name, offsets in self.committed[one.name].items():
                if name not in read and name in self.reading.topics:
                    one.unread[name] = sorted(offsets)
        for rows in self.reading.streams_groups.values():
            rows.tasks = {
                name: max(
                    (self.reading.topics[one].partitions() for one in sources if one in self.reading.topics),
                    default=0,
                )
                for name, sources in (rows.sources or {}).items()
            }
            rows.standbys = await self._ask_standbys(rows.name)
        return leaders

    async def _match_patterns(self) -> None:
        """Add the matching topics to subscriptions by a regular expression (KIP-848)."""
        asking = [
            (rows, row)
            for rows in self.reading.groups.values()
            for row in rows.members.values()
            if row.pattern
        ]
        if not asking:
            return
        names = [one.name for one in (await self.brokers.fetch_metadata(None)).topics]
        for rows, row in asking:
            assert row.pattern is not None
            try:
                matches = re2.compile(row.pattern, _QUIET).fullmatch
            except re2.error:
                raise InputError(
                    f"{rows.name}: member {row.id!r} subscribes by {quote(row.pattern)}, which cannot be read. Name its topics, or another group"
                ) from None
            matched = tuple(name for name in names if matches(name))
            rows.members[row.id] = row._replace(topics=(*(row.topics or ()), *matched))
            rows.warnings.append(
                Assumed(
                    f"member {quote(row.id)} subscribes by {quote(row.pattern)}, which is taken to match {format_count(len(matched), 'topic')} "
                    f"that this user sees ({list_some(matched, len(matched)) or 'none'})"
                )
            )

    async def _ask_standbys(self, name: str) -> int | None:
        """Return num.standby.replicas of a streams group, None if it is unknown."""
        broker = self.coordinators[name]
        if await self.brokers.find_version(broker, Api.DESCRIBE_CONFIGS) is None:
            return None

        told = await self.brokers.ask(
            broker,
            Api.DESCRIBE_CONFIGS,
            lambda kinds, _: build_message(
                kinds.DescribeConfigsRequest,
                resources=(
                    kinds.DescribeConfigsResource(
                        resource_type=GROUP, resource_name=name, configuration_keys=None
                    ),
                ),
                include_synonyms=False,
                include_documentation=False,
            ),
        )
        settings = {one.name: one.value for result in told.results for one in result.configs}
        value = settings.get(f"streams.{STANDBYS}")
        return int(value) if value is not None and re.fullmatch(r"[0-9]{1,9}", value) else None

    async def fetch_progress(
        self, leaders: Mapping[int, Mapping[str, Sequence[int]]]
    ) -> dict[str, dict[str, list[list[int | None]]]]:
        """Fetch the end offsets of partitions, and return the progress of groups; values that this user may not see are None."""
        ends = self.ends
        for broker, topics in leaders.items():
            if broker in self.brokers.places:  # otherwise these have no leader now
                told = await self.brokers.ask(broker, Api.LIST_OFFSETS, partial(_ask_ends, topics))
                for topic in told.topics:
                    ends.setdefault(topic.name, {}).update(
                        (one.partition_index, one.offset)
                        for one in topic.partitions
                        if one.error_code is ErrorCode.none
                    )
        known = self.reading.topics
        return {
            group: {
                topic: [
                    [offsets.get(number), ends.get(topic, {}).get(number)]
                    for number in range(known[topic].partitions())
                ]
                for topic, offsets in of.items()
                if topic in known
            }
            for group, of in self.committed.items()
        }

    async def _ask_committed(self, name: str) -> dict[str, dict[int, int]]:
        """Return the committed offsets of a group, or the start offsets of a share group."""
        broker, rows = self.coordinators[name], self.reading.groups.get(name)
        what = f"{self.place}: offsets of group {name!r}"
        if rows is not None and rows.shares:
            if await self.brokers.find_version(broker, Api.DESCRIBE_SHARE_GROUP_OFFSETS) is None:
                return {}

            told = await self.brokers.ask(
                broker,
                Api.DESCRIBE_SHARE_GROUP_OFFSETS,
                lambda kinds, _: kinds.DescribeShareGroupOffsetsRequest(
                    groups=(kinds.DescribeShareGroupOffsetsRequestGroup(group_id=name, topics=None),)
                ),
            )
            self._check(told.groups[0].error_code if told.groups else ErrorCode.none, what)
            topics = {one.topic_name: one.partitions for of in told.groups for one in of.topics}
            return _list_known(topics, "start_offset")

        def ask_commits(kinds: Any, version: int) -> Any:
            groups = (kinds.OffsetFetchRequestGroup(group_id=name, topics=None),) if version >= 8 else ()
            return build_message(
                kinds.OffsetFetchRequest, groups=groups, group_id=name, topics=None, require_stable=False
            )

        told = await self.brokers.ask(broker, Api.OFFSET_FETCH, ask_commits)
        one = next(iter(getattr(told, "groups", (told,))), None)
        if one is None:
            raise InputError(
                f"{what}: the answer to OffsetFetch does not have the group. Ask again in a moment."
            )
        self._check(one.error_code, what)
        return _list_known({topic.name: topic.partitions for topic in one.topics}, "committed_offset")


def _list_known(topics: Mapping[str, Sequence[Any]], offset: str) -> dict[str, dict[int, int]]:
    """Return the known offsets by topic and partition."""
    return {
        name: {
            one.partition_index: getattr(one, offset)
            for one in partitions
            if one.error_code is ErrorCode.none and getattr(one, offset) >= 0
        }
        for name, partitions in topics.items()
    }


def _ask_ends(topics: Mapping[str, Sequence[int]], kinds: Any, _: int) -> Any:
    asked = tuple(
        kinds.ListOffsetsTopic(
            name=name,
            partitions=tuple(
                build_message(kinds.ListOffsetsPartition, partition_index=one, timestamp=LATEST)
                for one in numbers
            ),
        )
        for name, numbers in topics.items()
    )
    return build_message(kinds.ListOffsetsRequest, replica_id=-1, isolation_level=0, topics=asked)


async def take(servers: Sequence[Address], access: Access, names: Sequence[str]) -> Taken:
    """Fetch groups of a cluster, all if no name is given; raises InputError if it does not answer, or a named group is unreadable."""
    address = ",".join(map(str, servers))
    brokers = Brokers(servers, access)
    asking = Asking(brokers, Place(address, 0), strict=bool(names))
    try:
        async with asyncio.timeout(access.whole_s):
            await brokers.open()
            await asking.describe(await asking.find_types(names))
            progress = await asking.fetch_progress(await asking.fetch_topics())
    except TimeoutError:
        raise InputError(
            f"{address}: has not told all within {access.whole_s:g} s. Give a longer default.api.timeout.ms in --command-config FILE, or fewer groups"
        ) from None
    finally:
        await brokers.close()
    reading = asking.reading
    if not reading.groups and not reading.streams_groups:
        raise InputError(
            f"{address}: no group can be read: {'; '.join(asking.left_out) or 'the cluster has no group'}"
        )
    racks = brokers.racks if any(rack is not None for rack in brokers.racks.values()) else None
    ends = {
        TopicPartition(name, number): offset
        for name, of in asking.ends.items()
        for number, offset in of.items()
    }
    return Taken(address, reading, racks, progress, ends, asking.left_out)
