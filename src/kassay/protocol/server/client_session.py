"""A client that leads one group after another, and is started again if it fails."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import accumulate
from typing import Any, TypeAlias, TypeVar

from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.model import Assignment, AssignorError, Group, Member, Topic, TopicPartition
from kassay.protocol.server.client_process import Process, Server, start
from kassay.protocol.server.join_diagnosis import (
    NotJoinedError,
    explain_end,
    refuse_wrong_join,
    wait_for_join,
)
from kassay.protocol.server.leader_session import (
    MOST_JOINS,
    GoneError,
    LeaderSession,
    PayloadFormat,
    read_format,
    write_members,
)
from kassay.reference.java.strings import string_order
from kassay.reference.wire.group import JoinedMember
from kassay.reference.wire.schema import MalformedError
from kassay.targets.limits import compute_due_s, read_total_cpu_s

_LONGEST = 249
"""The most characters in the name of a topic; clients refuse longer names."""


class MetadataStrategy(Enum):
    """The ways in which a leader refreshes its metadata, in the order in which they are tested."""

    ALWAYS = "it asks about all topics each time it leads"
    NEW = "it asks about unknown topics, so the topics of each group get new names"
    OWN = "it asks about its own topics, so the topics of each group get their names"
    AFTERWARDS = "it asks about new topics after it has led, so it leads one more group before"


@dataclass(frozen=True, slots=True)
class RenamedGroup:
    """A group with its topics renamed for the client."""

    group: Group
    names: Mapping[str, str]
    """The original name of each renamed topic."""

    def restore_names(self, given: Assignment) -> Assignment:
        """Return an assignment with the original names."""
        return {
            member: [TopicPartition(self.names.get(name, name), number) for name, number in some]
            for member, some in given.items()
        }


def rename_topics(group: Group, learning: MetadataStrategy, own: Sequence[str], number: int) -> RenamedGroup:
    """Rename a group's topics so that the client refreshes its metadata; they keep their order.

    Raises SkippedError if the client asks only about its own topics, and the group has more.
    """
    if learning is MetadataStrategy.ALWAYS:
        return RenamedGroup(group, {})
    read = {name for member in group.members for name in member.topics}
    owned = {name for member in group.members for name, _ in member.owned}
    names = sorted({topic.name for topic in group.topics} | read | owned, key=string_order)
    if learning is not MetadataStrategy.OWN:
        new = [f"k{number}.{name}" for name in names]
        if max(map(len, new), default=0) > _LONGEST:
            new = [f"k{number}.{at:05}" for at in range(len(names))]
    elif len(names) <= len(own):
        new = [*own[: len(names)]]
    else:
        raise SkippedError(f"it has {len(names)} topics, and the client subscribes to {len(own)}")
    renamed = dict(zip(names, new, strict=True))
    topics = [replace(topic, name=renamed[topic.name]) for topic in group.topics]
    members = [
        replace(
            member,
            topics=tuple(renamed[name] for name in member.topics),
            owned=tuple(TopicPartition(renamed[name], number) for name, number in member.owned),
        )
        for member in group.members
    ]
    if learning is MetadataStrategy.OWN:
        # The client subscribes to all of `own`, so the leader of the group does so too. Topics without subscribers are left out.
        shown = {renamed[name] for name in read}
        unread = tuple(name for name in own if name not in shown)
        topics = [topic for topic in topics if topic.name in shown]
        members[:1] = [replace(leader, topics=leader.topics + unread) for leader in members[:1]]
    return RenamedGroup(Group(tuple(topics), tuple(members)), dict(zip(new, names, strict=True)))


PROBES = (1, 7, 1, 7)
"""The partitions of the topic of each probe. Four correct answers are no accident."""


def build_probe(partitions: int) -> Group:
    """Return a group of one topic."""
    return Group((Topic("probe", partitions),), (Member("m0", ("probe",)), Member("m1", ("probe",))))


def is_probe_known(given: Assignment, partitions: int) -> bool:
    """Return True if an assignment shows that the client knew if the topic of a probe has one partition or several."""
    found = [partition.partition for some in given.values() for partition in some]
    return bool(found) and (max(found) > 0) == (partitions > 1)


T = TypeVar("T")
GROUP = "kassay"
TOPICS = tuple(f"t{number:02}" for number in range(20))
"""The topics that a client subscribes to; the groups under test have topics of any name."""
BATCH = 100
"""The most groups that are announced at a time, for clients that refresh their metadata seldom or only after they have led."""
MOST_PARTITIONS = 20_000
"""The most partitions of these groups together, as the client reads the metadata of all of them."""
RENEWED = 2_000
"""The number of groups after which a client restarts, because it may keep all topics in memory."""
HEARS_S = 1.0
"""The time in which a client must ask for the topics of a group that it has led."""
MANY = (MetadataStrategy.NEW, MetadataStrategy.AFTERWARDS)
"""The ways with which several groups can be announced at a time, as their topics have new names."""
MOST_STARTS = 3
"""The most starts for one group, if the client ends before it receives the group."""
EMPTY_SYNC = (
    "as the leader it sent a SyncGroup without assignments. A member leads if `leader` equals its own `member_id`: "
    "then run the assignor of partition.assignment.strategy"
)
"""The reason of an empty assignment, as long as the client has sent no other one."""
Answer: TypeAlias = Assignment | AssignorError | SkippedError | TargetGoneError


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a client."""

    start_s: float
    """Seconds until it first joins."""
    timeout_s: float
    """Seconds for one group."""
    data_mb: int
    """MB of its data, 0 for no bound."""
    request_mb: int
    """MB of one request."""
    quiet_s: float = 10.0
    """Seconds without anything new after which a client that has not joined is given up."""
    most_failed: int = 20
    """The number of groups after which a client is given up if it failed on all of them."""


@dataclass(frozen=True, slots=True)
class RunningClient:
    """A running client: its process, its sockets, and its session."""

    process: Process
    server: Server
    leading: LeaderSession


def list_shown_groups(groups: Sequence[Group]) -> Sequence[Group]:
    """Return the groups to announce at a time: the first one, and the next ones within BATCH and MOST_PARTITIONS."""
    partitions = accumulate(sum(topic.partitions for topic in group.topics) for group in groups[:BATCH])
    return groups[: max(1, sum(so_far <= MOST_PARTITIONS for so_far in partitions))]


class Client:
    """A client, started at its first group, and again if it crashes, times out or sends unreadable bytes.

    A leader knows the partitions of topics from its metadata, and kassay has a new cluster for every group. Probes find out once how the
    client refreshes its metadata (:class:`MetadataStrategy`).
    """

    def __init__(self, command: Sequence[str], bounds: Bounds) -> None:
        """Note how the client is started; nothing runs yet."""
        self._command, self._bounds = command, bounds
        self._running: RunningClient | None = None
        self._writings: dict[str, PayloadFormat] = {}
        self._learning: MetadataStrategy | None = None
        self._number = 0
        self._has_led, self._failed, self._last = False, 0, ""
        self._has_assigned = False
        """True if the client has ever assigned anything, also in a probe."""

    async def protocols(self) -> list[str]:
        """Return the protocols with which the client joins; raises DiedError if it does not join."""
        await self._run()
        return [*self._writings]

    async def answers(self, groups: Sequence[Group], protocol: str) -> AsyncIterator[Answer]:
        """Yield the assignments of groups, in their order; failures are yielded as exceptions.

        If the client has failed on each of its first groups, the last answer is a TargetGoneError, and no other group is tried.
        """
        done, starts = 0, 0
        while done < len(groups):
            if self._is_given_up():
                yield TargetGoneError(
                    f"it failed on each of its first {self._failed} groups, and no more are tried; the last: {self._last}"
                )
                return
            try:
                learning = await self._learn(protocol)
                some = list_shown_groups(groups[done:]) if learning in MANY else groups[done : done + 1]
                async for answer in self._lead(some, learning, protocol):
                    done, starts = done + 1, 0
                    judged = self._note_answer(answer, groups[done - 1])
                    yield judged
                    if isinstance(judged, DiedError):
                        await self.end()
                        break
                    if self._is_given_up():
                        break
            except (DiedError, GoneError) as failure:
                await self.end()
                starts += 1
                if isinstance(failure, DiedError) or starts == MOST_STARTS:
                    done, starts = done + 1, 0
                    yield self._note_answer(DiedError(str(failure)), groups[done - 1])

    def _is_given_up(self) -> bool:
        """Return True if the client has failed on all of its groups so far, and these are enough."""
        return not self._has_led and self._failed >= self._bounds.most_failed

    def _note_answer(self, answer: Answer, group: Group) -> Answer:
        """Count an answer, and return it; an empty SyncGroup is a failure until the client has sent another one."""
        if answer == {} and not self._has_assigned and any(member.topics for member in group.members):
            answer = AssignorError(EMPTY_SYNC)
        if isinstance(answer, AssignorError):
            self._failed += 1
            self._last = str(answer)
        elif not isinstance(answer, SkippedError):
            self._has_led = True
        return answer

    async def _lead(
        self, groups: Sequence[Group], learning: MetadataStrategy, protocol: str
    ) -> AsyncIterator[Answer]:
        """Announce groups, and let the client lead each; raises DiedError or GoneError if it cannot lead the first one."""
        running = await self._run()
        told = [self._prepare(group, learning, protocol) for group in groups]
        shown = [each[0].group for each in told if not isinstance(each, SkippedError)]
        if shown and learning is MetadataStrategy.AFTERWARDS:
            if not await self._announce(running, shown, protocol):
                raise DiedError("it has not asked for the topics of its group")
        elif shown:
            running.leading.show(shown, once=True)
        for each in told:
            answer: Answer
            if isinstance(each, SkippedError):
                answer = each
            else:
                try:
                    given = await self._wait_for(running.leading.lead(each[1], protocol), running)
                    answer = each[0].restore_names(given)
                    self._has_assigned = self._has_assigned or bool(given)
                except AssignorError as failure:
                    answer = failure
            yield answer

    def _prepare(
        self, group: Group, learning: MetadataStrategy, protocol: str
    ) -> tuple[RenamedGroup, tuple[JoinedMember, ...]] | SkippedError:
        """Return a group for the client, and its members as in the JoinGroup response of the leader."""
        if protocol not in self._writings:
            raise DiedError(f"it does not offer {protocol} any more, since it was started again")
        self._number += 1
        try:
            told = rename_topics(group, learning, TOPICS, self._number)
            return told, write_members(told.group, self._writings[protocol])
        except SkippedError as skipped:
            return skipped

    async def _announce(self, running: RunningClient, groups: Sequence[Group], protocol: str) -> bool:
        """Let the client lead a probe, so that it asks for the topics of groups; return True if it has."""
        members = self._show_probe(running, groups, protocol)
        for _ in range(MOST_JOINS):
            given = await self._wait_for(running.leading.lead(members, protocol), running)
            self._has_assigned = self._has_assigned or bool(given)
            if is_probe_known(given, PROBES[-1]):
                return True
            await self._wait_for(running.leading.join(), running)
            if not await self._wait_for(running.leading.wait_for_metadata(HEARS_S), running):
                # It did not ask (kafka-python 3.0.12 sometimes does not), but it will ask about a new topic.
                members = self._show_probe(running, groups, protocol)
        return False

    def _show_probe(
        self, running: RunningClient, groups: Sequence[Group], protocol: str
    ) -> tuple[JoinedMember, ...]:
        """Announce groups and a probe, and return the members of the probe."""
        told = self._prepare(build_probe(PROBES[-1]), MetadataStrategy.AFTERWARDS, protocol)
        assert not isinstance(told, SkippedError)
        running.leading.show([*groups, told[0].group], once=False)
        return told[1]

    async def _learn(self, protocol: str) -> MetadataStrategy:
        """Return how the client refreshes its metadata, found out once."""
        if self._number > RENEWED and self._learning in MANY:
            await self.end()
        if self._learning is None:
            why = ""
            for learning in MetadataStrategy:
                try:
                    if await self._test_strategy(learning, protocol):
                        self._learning = learning
                        return learning
                except (AssignorError, SkippedError, GoneError) as failure:
                    why = str(failure)
                    if isinstance(failure, AssignorError):
                        self._failed += 1
                    await self.end()  # it fails on unknown topics
            if why:
                raise DiedError(why)
            self._learning = MetadataStrategy.ALWAYS  # its assignments do not show what it knows
        return self._learning

    async def _test_strategy(self, learning: MetadataStrategy, protocol: str) -> bool:
        if learning is MetadataStrategy.AFTERWARDS:
            return await self._announce(await self._run(), [], protocol)
        for partitions in PROBES:
            async for answer in self._lead([build_probe(partitions)], learning, protocol):
                if isinstance(answer, Exception):
                    raise answer
                if not is_probe_known(answer, partitions):
                    return False
        return True

    async def _run(self) -> RunningClient:
        """Return the running client, started if need be; raises DiedError if it does not join."""
        if self._running is not None:
            return self._running
        leading = LeaderSession(TOPICS)
        server = Server(leading, self._bounds.request_mb * 2**20)
        environment = {
            "KASSAY_BOOTSTRAP": await server.open(),
            "KASSAY_GROUP": GROUP,
            "KASSAY_TOPICS": ",".join(TOPICS),
        }
        process = await start(self._command, environment, self._bounds.data_mb, leading.note_end)
        leading.last_words = process.last_words
        self._running, self._number = RunningClient(process, server, leading), 0
        try:
            bounds = self._bounds
            joined = await wait_for_join(leading.join(), process, server, bounds.start_s, bounds.quiet_s)
            refuse_wrong_join(joined.request.protocol_type, joined.request.protocols)
            self._writings = {each.name: read_format(each) for each in joined.request.protocols}
        except NotJoinedError as silent:
            await self.end()
            raise DiedError(str(silent)) from None
        except GoneError as gone:
            await self.end()
            raise DiedError(explain_end(str(gone), server)) from None
        except MalformedError as unreadable:
            await self.end()
            raise DiedError(f"its subscription cannot be read: {unreadable}") from None
        return self._running

    async def _wait_for(self, waited: Coroutine[Any, Any, T], running: RunningClient) -> T:
        """Wait until the client has had this CPU time; raises DiedError if it has not answered by then."""
        timeout_s = self._bounds.timeout_s
        task = asyncio.ensure_future(waited)
        began, before = time.monotonic(), read_total_cpu_s(running.process.pid)
        left = timeout_s
        while left > 0:
            done, _ = await asyncio.wait({task}, timeout=left)
            if done:
                return task.result()
            left = compute_due_s(running.process.pid, timeout_s, began, before)
        task.cancel()
        words = running.process.last_words()
        raise DiedError(f"it said no assignment within {timeout_s:.4g} seconds{words}")

    async def end(self) -> None:
        """End the client if it runs."""
        if self._running is not None:
            running, self._running = self._running, None
            await running.process.end()
            running.server.close()
