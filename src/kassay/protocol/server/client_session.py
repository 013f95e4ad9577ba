"""A client that leads one group after another, and is started again if it fails."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import accumulate
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.model import Assignment, AssignorError, Group, Member, Topic
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
from kassay.protocol.server.rejoin_prompts import PromptChoice
from kassay.protocol.server.topic_pool import RenamedGroup, TopicPool, list_names, rename_group
from kassay.reference.wire.group import JoinedMember
from kassay.reference.wire.schema import MalformedError
from kassay.targets.limits import compute_due_s, read_total_cpu_s


class MetadataStrategy(Enum):
    """The ways in which a leader refreshes its metadata, in the order in which they are tested."""

    ALWAYS = "it asks about all topics each time it leads"
    NEW = "it asks about unknown topics, so new topics get new names"
    OWN = "it asks about its own topics, so the topics of each group get their names"
    AFTERWARDS = "it asks about new topics after it has led, so it leads one more group before"


def take_own_names(group: Group, own: Sequence[str]) -> RenamedGroup:
    """Return a group whose topics have names of the client's own topics; raises SkippedError if the group has more topics.

    The client subscribes to all of them, so the leader of the group does so too. Topics without subscribers are left out.
    """
    names = list_names(group)
    if len(names) > len(own):
        raise SkippedError(f"it has {len(names)} topics, and the client subscribes to {len(own)}")
    told = rename_group(group, dict(zip(names, own, strict=False)))
    shown = {name for member in told.group.members for name in member.topics}
    unread = tuple(name for name in own if name not in shown)
    topics = tuple(topic for topic in told.group.topics if topic.name in shown)
    leader, *others = told.group.members
    members = (replace(leader, topics=leader.topics + unread), *others)
    return replace(told, group=Group(topics, members))


PROBES = (1, 7, 1, 7)
"""The partitions of the topic of each probe. Four correct answers are no accident."""


def build_probe(partitions: int) -> Group:
    """Return a group of one topic."""
    return Group((Topic("probe", partitions),), (Member("m0", ("probe",)), Member("m1", ("probe",))))


def is_probe_known(given: Assignment, partitions: int) -> bool:
    """Return True if an assignment shows that the client knew if the topic of a probe has one partition or several."""
    found = [partition.partition for some in given.values() for partition in some]
    return bool(found) and (max(found) > 0) == (partitions > 1)


def sort_topics(assignment: Assignment) -> Assignment:
    """Return an assignment with the topics of each member in the order of their names; partitions of a topic keep their order.

    The order of topics in a message means nothing: sarama writes them in the random order of a Go map.
    """
    return {member: tuple(sorted(some, key=attrgetter("topic"))) for member, some in assignment.items()}


def add_members_without_topics(group: Group, assignment: Assignment) -> Assignment:
    """Return an assignment that also names the members without topics.

    librdkafka leaves them out of its SyncGroup. Kafka's coordinator then gives them an empty assignment.
    """
    idle = [member.id for member in group.members if not member.topics and member.id not in assignment]
    return {**assignment, **dict.fromkeys(idle, ())} if idle else assignment


T = TypeVar("T")
GROUP = "kassay"
TOPICS = tuple(f"t{number:02}" for number in range(20))
"""The topics that a client subscribes to; the groups under test have topics of any name."""
BATCH = 100
"""The most groups that are announced at a time, for clients that refresh their metadata seldom or only after they have led."""
MOST_PARTITIONS = 20_000
"""The most partitions of these groups together, as the client reads the metadata of all of them."""
RENEWED = 10_000
"""The number of topics after which a client restarts, because it may keep all of them in memory."""
HEARS_S = 1.0
"""The time in which a client must ask for the topics of a group that it has led."""
MANY = (MetadataStrategy.NEW, MetadataStrategy.AFTERWARDS)
"""The ways with which several groups can be announced at a time, as their topics have new names."""
RACK_SINCE = 3
"""The first version of a subscription that has a rack (KIP-881)."""
MOST_STARTS = 3
"""The most starts for one group, if the client ends before it receives the group."""
KEEPS_METADATA = (
    "as the leader it assigns by old metadata of its own topics, and does not ask again when their partitions change. "
    "Let it refresh metadata before it leads: set metadata.max.age.ms (metadataMaxAge) to 0"
)
"""The reason to give up a client that keeps its metadata, as @platformatic/kafka (1.35.0) does for 5 minutes by default."""
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
        self._pool, self._prompts = TopicPool(), PromptChoice()
        self._ahead: Sequence[Group] = ()
        self._has_led, self._failed, self._last = False, 0, ""
        self._keeps_metadata = False
        """True if the client has led a group with stale metadata of its own topics, and has not asked for it."""
        self._has_assigned = False
        """True if the client has ever assigned anything, also in a probe."""

    async def protocols(self) -> list[str]:
        """Return the protocols with which the client joins; raises DiedError if it does not join."""
        await self._run()
        return [*self._writings]

    def expect(self, groups: Sequence[Group]) -> None:
        """Note groups that will be asked about, and announce their topics with the next new topic."""
        self._ahead = groups

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
            except TargetGoneError as gone:
                yield gone
                return
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
        if learning not in MANY:
            running.leading.show(shown)
        elif not all(map(self._pool.is_shown, shown)):
            if self._pool.partitions > MOST_PARTITIONS // 2:
                self._pool.clear()
                told = [self._prepare(group, learning, protocol) for group in groups]
            self._add_expected(groups[0])
            if learning is MetadataStrategy.NEW:
                self._show_pool(running)
            elif not await self._announce(running, protocol):
                raise DiedError("it has not asked for the topics of its group")
        for group, each in zip(groups, told, strict=True):
            answer: Answer
            if isinstance(each, SkippedError):
                answer = each
            else:
                await self._wait_for_rejoin(running)
                try:
                    given = await self._wait_for(running.leading.lead(each[1], protocol), running)
                    answer = add_members_without_topics(group, sort_topics(each[0].restore_names(given)))
                    self._has_assigned = self._has_assigned or bool(given)
                except AssignorError as failure:
                    answer = failure
            yield answer

    def _add_expected(self, group: Group) -> None:
        """Add the topics of the groups that are expected after a group to the pool, as far as it may grow."""
        if group in self._ahead:
            self._ahead = self._ahead[self._ahead.index(group) :]
        for each in self._ahead:
            if self._pool.partitions + sum(topic.partitions for topic in each.topics) <= MOST_PARTITIONS:
                self._pool.rename(self._drop_unread_racks(each))

    def _drop_unread_racks(self, group: Group) -> Group:
        """Return a group without racks of brokers if no subscription of the client has a rack, because its leader then cannot use them.

        kafkajs (2.2.4) takes brokers at one address for one broker whose rack changes, and disconnects at each Metadata response.
        """
        if any(writing.fields >= RACK_SINCE for writing in self._writings.values()):
            return group
        return replace(group, topics=tuple(Topic(topic.name, topic.partitions) for topic in group.topics))

    def _show_pool(self, running: RunningClient) -> None:
        """Announce all topics of the pool in every Metadata response."""
        topics = tuple(self._pool.topics)
        running.leading.show(
            [Group(topics, (Member("m", tuple(topic.name for topic in topics)),))], whole=True
        )
        self._pool.note_shown()

    def _prepare(
        self, group: Group, learning: MetadataStrategy, protocol: str, *, fresh: bool = False
    ) -> tuple[RenamedGroup, tuple[JoinedMember, ...]] | SkippedError:
        """Return a group for the client, and its members as in the JoinGroup response of the leader."""
        if protocol not in self._writings:
            raise DiedError(f"it does not offer {protocol} any more, since it was started again")
        group = self._drop_unread_racks(group)
        try:
            match learning:
                case MetadataStrategy.ALWAYS:
                    told = RenamedGroup(group, {})
                case MetadataStrategy.OWN:
                    told = take_own_names(group, TOPICS)
                case _:
                    told = self._pool.rename(group, fresh=fresh)
            return told, write_members(told.group, self._writings[protocol])
        except SkippedError as skipped:
            return skipped

    async def _announce(self, running: RunningClient, protocol: str) -> bool:
        """Let the client lead a probe, so that it asks for the topics of the pool; return True if it has."""
        members = self._show_probe(running, protocol)
        for _ in range(MOST_JOINS):
            given = await self._wait_for(running.leading.lead(members, protocol), running)
            self._has_assigned = self._has_assigned or bool(given)
            if is_probe_known(given, PROBES[-1]):
                return True
            await self._wait_for(running.leading.join(), running)
            if not await self._wait_for(running.leading.wait_for_metadata(HEARS_S), running):
                # It did not ask (kafka-python 3.0.12 sometimes does not), but it will ask about a new topic.
                members = self._show_probe(running, protocol)
        return False

    def _show_probe(self, running: RunningClient, protocol: str) -> tuple[JoinedMember, ...]:
        """Announce the pool with the new topic of a probe, and return the members of the probe."""
        told = self._prepare(build_probe(PROBES[-1]), MetadataStrategy.AFTERWARDS, protocol, fresh=True)
        assert not isinstance(told, SkippedError)
        self._show_pool(running)
        return told[1]

    async def _learn(self, protocol: str) -> MetadataStrategy:
        """Return how the client refreshes its metadata, found out once."""
        if self._pool.number > RENEWED:
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
            if self._keeps_metadata:
                raise TargetGoneError(KEEPS_METADATA)
            if why:
                raise DiedError(why)
            self._learning = MetadataStrategy.ALWAYS  # its assignments do not show what it knows
        return self._learning

    async def _test_strategy(self, learning: MetadataStrategy, protocol: str) -> bool:
        if learning is MetadataStrategy.AFTERWARDS:
            return await self._announce(await self._run(), protocol)
        for partitions in PROBES:
            self._pool.clear()  # a probe shares no topic
            async for answer in self._lead([build_probe(partitions)], learning, protocol):
                if isinstance(answer, Exception):
                    raise answer
                if not is_probe_known(answer, partitions):
                    leading = (await self._run()).leading
                    own = learning is MetadataStrategy.OWN and any(answer.values())
                    self._keeps_metadata = own and not leading.heard.is_set()
                    return False
        return True

    async def _run(self) -> RunningClient:
        """Return the running client, started if need be; raises DiedError if it does not join."""
        if self._running is not None:
            return self._running
        leading = LeaderSession(TOPICS, self._prompts)
        server = Server(leading, self._bounds.request_mb * 2**20)
        environment = {
            "KASSAY_BOOTSTRAP": await server.open(),
            "KASSAY_GROUP": GROUP,
            "KASSAY_TOPICS": ",".join(TOPICS),
        }
        process = await start(self._command, environment, self._bounds.data_mb, leading.note_end)
        leading.last_words = process.last_words
        self._running, self._pool = RunningClient(process, server, leading), TopicPool()
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

    async def _wait_for_rejoin(self, running: RunningClient) -> None:
        """Wait until the client joins again, which is no part of the time for a group; raises GoneError after the time for a start."""
        try:
            async with asyncio.timeout(self._bounds.start_s):
                await running.leading.join()
        except TimeoutError:
            raise GoneError(
                f"it did not join again within {self._bounds.start_s:.4g} seconds{running.process.last_words()}"
            ) from None

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
