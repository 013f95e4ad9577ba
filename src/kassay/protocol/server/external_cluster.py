"""Somebody else's cluster: where it may be, which groups are our own there, and the topic in which they commit."""

import asyncio
import os
import re
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from kio.schema.errors import ErrorCode

from kassay.errors import InputError
from kassay.protocol.server.addresses import Place, is_loopback
from kassay.protocol.server.api_messages import Api
from kassay.protocol.server.broker_connection import Line, UnansweredError, body, coordinator_of, dial

PREFIX = "kassay"
PARTITIONS = 32
"""How many partitions the topic gets."""
SIGNS = re.compile(r"[A-Za-z0-9._-]{1,200}")
"""What a name of a group may be made of that is one of a topic, too."""
WITHIN = timedelta(seconds=30)
TRIES, AGAIN_S = 100, 0.2
"""How often a coordinator is looked for that is not there yet, and how long is waited in between."""


def own_prefix() -> str:
    """Return a prefix for groups that no other run has: of the time and this process."""
    return f"{PREFIX}-{time.time_ns() // 1_000_000}-{os.getpid()}"


def checked_prefix(prefix: str) -> str:
    """Return a prefix that may begin names of groups; raises InputError for one that may not."""
    if not SIGNS.fullmatch(prefix):
        raise InputError(
            f"--group-prefix {prefix!r}: give 1 to 200 letters, digits, dots, underscores or dashes"
        )
    return prefix


class Cluster:
    """A cluster on which groups of our own are run, all of whose names begin with `prefix`."""

    def __init__(self, place: Place, prefix: str, *, remote: bool, old: bool) -> None:
        """Note where it is; it may only be elsewhere than on loopback where `remote`. It is spoken to in `old` versions, if so."""
        self.place, self.prefix, self._remote, self._old = place, prefix, remote, old
        self.versions: Mapping[int, int] = {}
        """The version in which each request is asked, by its key."""
        self._places: dict[str, Place] = {}
        self.odd: dict[str, int] = {}
        """What is wrong with answers that can be read all the same, with how many."""
        self.partitions = 0
        """How many partitions the topic has in which our groups commit; 0: there is none."""

    async def open(self) -> None:
        """Connect, see that no group is there whose name begins like our own, and make the topic; raises InputError."""
        line = await self._dialled(self.place)
        self.versions = line.versions
        try:
            await self._alone(line)
            await self._make_topic(line)
        except UnansweredError as wrong:
            raise InputError(f"{self.place}: {wrong}") from None
        finally:
            line.close()

    async def _dialled(self, place: Place) -> Line:
        self._check(place, "it")
        try:
            return await dial(place, self._note, old=self._old)
        except UnansweredError as wrong:
            raise InputError(f"{place}: {wrong}; is a broker there?") from None

    def _note(self, odd: str) -> None:
        self.odd[odd] = self.odd.get(odd, 0) + 1

    def _check(self, place: Place, what: str) -> None:
        if not self._remote and not is_loopback(place.host):
            raise InputError(
                f"{place}: {what} is not on loopback; give --allow-remote and --group-prefix PREFIX where groups may be made there"
            )

    async def _alone(self, line: Line) -> None:
        """See that no group has our prefix."""
        if Api.LIST_GROUPS not in self.versions:
            if self._remote:
                raise InputError(
                    f"{self.place}: lists no groups, so nobody can tell whose they are; run against one on loopback"
                )
            return
        listed = await line.ask(Api.LIST_GROUPS, body("ListGroupsRequest", states_filter=()))
        if listed.error_code is not ErrorCode.none:
            raise InputError(
                f"{self.place}: does not list its groups ({listed.error_code.name}); allow that first"
            )
        theirs = sorted(one.group_id for one in listed.groups if one.group_id.startswith(self.prefix))
        if theirs:
            raise InputError(
                f"--group-prefix {self.prefix}: there is a group {theirs[0]} already; give another prefix"
            )

    async def _make_topic(self, line: Line) -> None:
        """Make the topic in which our groups commit, which has the name of their prefix; some brokers make one because it is asked for."""
        if Api.CREATE_TOPICS in self.versions:
            made = await line.ask(Api.CREATE_TOPICS, _topic(self.prefix))
            errors = {one.error_code for one in made.topics} - {ErrorCode.none}
            if errors:
                raise InputError(
                    f"{self.place}: makes no topic {self.prefix} ({errors.pop().name}), to which offsets are committed; allow that first"
                )
            self.partitions = PARTITIONS
            return
        for _ in range(TRIES):
            found = await line.ask(Api.METADATA, _asking(self.prefix))
            if any(one.error_code is ErrorCode.none and one.partitions for one in found.topics):
                self.partitions = min(len(one.partitions) for one in found.topics)
                return
            await asyncio.sleep(AGAIN_S)

    async def dial_coordinator(self, group: str) -> Line:
        """Connect to the coordinator of a group of ours; raises UnansweredError, and InputError where it is not where it may be."""
        if group not in self._places:
            self._places[group] = await self._find(group)
        return await dial(self._places[group], self._note, self.versions)

    def moved(self, group: str) -> None:
        """Note that a group is coordinated elsewhere now."""
        self._places.pop(group, None)

    async def _find(self, group: str) -> Place:
        line = await dial(self.place, self._note, self.versions)
        try:
            for _ in range(TRIES):
                found = await line.ask(
                    Api.FIND_COORDINATOR,
                    body("FindCoordinatorRequest", key=group, key_type=0, coordinator_keys=(group,)),
                )
                one = coordinator_of(found)
                if one.error_code is ErrorCode.none:
                    place = Place(one.host, one.port)
                    self._check(place, f"where {self.place} says that the coordinator is")
                    return place
                await asyncio.sleep(AGAIN_S)
        finally:
            line.close()
        raise UnansweredError(f"no coordinator was found ({one.error_code.name})")

    async def is_new(self, group: str) -> bool:
        """Say whether there is no group of this name, as far as the broker describes groups."""
        try:
            line = await self.dial_coordinator(group)
        except UnansweredError as wrong:
            raise InputError(f"{self.place}: {wrong}") from None
        try:
            if Api.DESCRIBE_GROUPS not in self.versions:
                return True
            told = await line.ask(
                Api.DESCRIBE_GROUPS,
                body("DescribeGroupsRequest", groups=(group,), include_authorized_operations=False),
            )
            return all(one.group_state in ("Dead", "") and not one.members for one in told.groups)
        finally:
            line.close()

    async def close(self, groups: list[str]) -> None:
        """Delete our groups, which no member is in any more, and the topic."""
        for group in groups if Api.DELETE_GROUPS in self.versions else ():
            await self._quietly(group, Api.DELETE_GROUPS, body("DeleteGroupsRequest", groups_names=(group,)))
        if Api.DELETE_TOPICS in self.versions:
            await self._quietly(
                None,
                Api.DELETE_TOPICS,
                body("DeleteTopicsRequest", topic_names=(self.prefix,), timeout=WITHIN),
            )

    async def _quietly(self, group: str | None, api: Api, asked: Any) -> None:
        """Ask for what nobody depends on: an answer that does not come leaves something behind of our own name."""
        try:
            line = await (
                dial(self.place, self._note, self.versions) if group is None else self.dial_coordinator(group)
            )
            await line.ask(api, asked)
            line.close()
        except UnansweredError:
            return


def _asking(name: str) -> Any:
    def made(kinds: Any, version: int) -> Any:
        return body(
            "MetadataRequest",
            topics=(kinds.MetadataRequestTopic(name=name),),
            allow_auto_topic_creation=True,
            include_cluster_authorized_operations=False,
            include_topic_authorized_operations=False,
        )(kinds, version)

    return made


def _topic(name: str) -> Any:
    def made(kinds: Any, version: int) -> Any:
        topic = kinds.CreatableTopic(
            name=name, num_partitions=PARTITIONS, replication_factor=1, assignments=(), configs=()
        )
        return body("CreateTopicsRequest", topics=(topic,), timeout=WITHIN, validate_only=False)(
            kinds, version
        )

    return made
