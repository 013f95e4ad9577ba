"""An external cluster: where it may be, the names of kassay's groups there, and the topic in which they commit."""

import asyncio
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from kio.schema.errors import ErrorCode

from kassay.errors import InputError
from kassay.protocol.server.addresses import Place, is_loopback
from kassay.protocol.server.api_messages import Api, made
from kassay.protocol.server.broker_connection import (
    BrokerConnection,
    NoResponseError,
    connect,
    coordinator_of,
    make_body,
)

PREFIX = "kassay"
PARTITIONS = 32
"""The partitions of the topic."""
SIGNS = re.compile(r"[A-Za-z0-9._-]{1,200}")
"""A name that a group and a topic may have."""
WITHIN = timedelta(seconds=30)
TRIES, AGAIN_S = 100, 0.2
"""The tries to find a coordinator that is not there yet, and the seconds in between."""


def own_prefix() -> str:
    """Return a prefix for groups that no other run has: the time and this process."""
    return f"{PREFIX}-{time.time_ns() // 1_000_000}-{os.getpid()}"


def checked_prefix(prefix: str) -> str:
    """Return a prefix; raises InputError if it may not begin names of groups."""
    if not SIGNS.fullmatch(prefix):
        raise InputError(
            f"--group-prefix {prefix!r}: give 1 to 200 letters, digits, dots, underscores or dashes"
        )
    return prefix


class Cluster:
    """A cluster for kassay's groups, all of whose names begin with `prefix`."""

    def __init__(self, place: Place, prefix: str, *, remote: bool, old: bool) -> None:
        """Note where it is: on loopback, unless `remote`. With `old`, requests are in old versions."""
        self.place, self.prefix, self._remote, self._old = place, prefix, remote, old
        self.versions: Mapping[int, int] = {}
        """The version of each request, by its key."""
        self._places: dict[str, Place] = {}
        self.odd: dict[str, int] = {}
        """The defects of responses that can be read all the same, with their number."""
        self.partitions = 0
        """The partitions of the topic in which our groups commit; 0 if there is none."""

    async def open(self) -> None:
        """Connect, check that no other group has our prefix, and make the topic; raises InputError."""
        self._check(self.place, "it")
        try:
            line = await connect(self.place, self._note, old=self._old)
        except NoResponseError as wrong:
            raise InputError(f"{self.place}: {wrong}; is a broker there?") from None
        self.versions = line.versions
        try:
            await self._refuse_other_groups(line)
            await self._make_topic(line)
        except NoResponseError as wrong:
            raise InputError(f"{self.place}: {wrong}") from None
        finally:
            line.close()

    def _note(self, odd: str) -> None:
        self.odd[odd] = self.odd.get(odd, 0) + 1

    def _check(self, place: Place, what: str) -> None:
        if not self._remote and not is_loopback(place.host):
            raise InputError(
                f"{place}: {what} is not on loopback; give --allow-remote and --group-prefix PREFIX where groups may be made there"
            )

    async def _refuse_other_groups(self, line: BrokerConnection) -> None:
        """Raise InputError if a group has our prefix."""
        if Api.LIST_GROUPS not in self.versions:
            if self._remote:
                raise InputError(
                    f"{self.place}: lists no groups, so nobody can tell whose they are; run against one on loopback"
                )
            return
        listed = await line.ask(Api.LIST_GROUPS, make_body("ListGroupsRequest", states_filter=()))
        if listed.error_code is not ErrorCode.none:
            raise InputError(
                f"{self.place}: does not list its groups ({listed.error_code.name}); allow that first"
            )
        theirs = sorted(one.group_id for one in listed.groups if one.group_id.startswith(self.prefix))
        if theirs:
            raise InputError(
                f"--group-prefix {self.prefix}: there is a group {theirs[0]} already; give another prefix"
            )

    async def _make_topic(self, line: BrokerConnection) -> None:
        """Make the topic in which our groups commit, named like their prefix; some brokers make it when it is asked for."""
        if Api.CREATE_TOPICS in self.versions:
            created = await line.ask(Api.CREATE_TOPICS, self._topic_request)
            errors = {one.error_code for one in created.topics} - {ErrorCode.none}
            if errors:
                raise InputError(
                    f"{self.place}: makes no topic {self.prefix} ({errors.pop().name}), to which offsets are committed; allow that first"
                )
            self.partitions = PARTITIONS
            return
        for _ in range(TRIES):
            found = await line.ask(Api.METADATA, self._metadata_request)
            if any(one.error_code is ErrorCode.none and one.partitions for one in found.topics):
                self.partitions = min(len(one.partitions) for one in found.topics)
                return
            await asyncio.sleep(AGAIN_S)

    def _topic_request(self, kinds: Any, _: int) -> Any:
        topic = kinds.CreatableTopic(
            name=self.prefix, num_partitions=PARTITIONS, replication_factor=1, assignments=(), configs=()
        )
        return made(kinds.CreateTopicsRequest, topics=(topic,), timeout=WITHIN, validate_only=False)

    def _metadata_request(self, kinds: Any, _: int) -> Any:
        return made(
            kinds.MetadataRequest,
            topics=(kinds.MetadataRequestTopic(name=self.prefix),),
            allow_auto_topic_creation=True,
            include_cluster_authorized_operations=False,
            include_topic_authorized_operations=False,
        )

    async def dial_coordinator(self, group: str) -> BrokerConnection:
        """Connect to the coordinator of a group of ours; raises NoResponseError, or InputError if it is not on loopback but must be."""
        if group not in self._places:
            self._places[group] = await self._find(group)
        return await connect(self._places[group], self._note, self.versions)

    def moved(self, group: str) -> None:
        """Note that a group has another coordinator now."""
        self._places.pop(group, None)

    async def _find(self, group: str) -> Place:
        line = await connect(self.place, self._note, self.versions)
        try:
            for _ in range(TRIES):
                found = await line.ask(
                    Api.FIND_COORDINATOR,
                    make_body("FindCoordinatorRequest", key=group, key_type=0, coordinator_keys=(group,)),
                )
                one = coordinator_of(found)
                if one.error_code is ErrorCode.none:
                    place = Place(one.host, one.port)
                    self._check(place, f"where {self.place} says that the coordinator is")
                    return place
                await asyncio.sleep(AGAIN_S)
        finally:
            line.close()
        raise NoResponseError(f"no coordinator was found ({one.error_code.name})")

    async def is_new(self, group: str) -> bool:
        """Return True if there is no group of this name, as far as the broker describes groups."""
        try:
            line = await self.dial_coordinator(group)
        except NoResponseError as wrong:
            raise InputError(f"{self.place}: {wrong}") from None
        try:
            if Api.DESCRIBE_GROUPS not in self.versions:
                return True
            told = await line.ask(
                Api.DESCRIBE_GROUPS,
                make_body("DescribeGroupsRequest", groups=(group,), include_authorized_operations=False),
            )
            return all(one.group_state in ("Dead", "") and not one.members for one in told.groups)
        finally:
            line.close()

    async def close(self, groups: list[str]) -> None:
        """Delete our groups, whose members have left, and the topic."""
        for group in groups if Api.DELETE_GROUPS in self.versions else ():
            await self._quietly(
                group, Api.DELETE_GROUPS, make_body("DeleteGroupsRequest", groups_names=(group,))
            )
        if Api.DELETE_TOPICS in self.versions:
            await self._quietly(
                None,
                Api.DELETE_TOPICS,
                make_body("DeleteTopicsRequest", topic_names=(self.prefix,), timeout=WITHIN),
            )

    async def _quietly(self, group: str | None, api: Api, asked: Any) -> None:
        """Send a request whose failure only leaves something behind with our own name."""
        with suppress(NoResponseError):
            line = await (
                connect(self.place, self._note, self.versions)
                if group is None
                else self.dial_coordinator(group)
            )
            await line.ask(api, asked)
            line.close()
