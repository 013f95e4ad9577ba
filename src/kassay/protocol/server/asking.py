"""A client that is asked about one group after another, and started again where it dies, hangs or sends what cannot be read.

How a leader learns which partitions the topics of a group have, and the names under which it is therefore told of them.

A client knows the cluster by the metadata it has; kassay shows it another cluster with every group. What a client does about that is
found out once, by groups whose right answer needs what was not known before.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import accumulate
from typing import Any, TypeAlias, TypeVar

from kassay.errors import DiedError, SkippedError
from kassay.model import Assignment, AssignorError, Group, Member, Topic, TopicPartition
from kassay.protocol.server.leading import MOST_JOINS, GoneError, Leading
from kassay.protocol.server.process import Process, start
from kassay.protocol.server.server import Server
from kassay.protocol.server.told import Writing, members_of, writing_of
from kassay.reference.java.strings import string_order
from kassay.reference.wire.group import JoinedMember
from kassay.reference.wire.kinds import MalformedError
from kassay.targets.limits import still_due_s, worked_by_all_s

_LONGEST = 249
"""How many characters the name of a topic has at most; clients refuse longer ones."""


class Learning(Enum):
    """What a leader does to know the topics of its group, in the order in which it is tried."""

    ALWAYS = "it asks about all topics each time it leads"
    NEW = "it asks about topics that it has not heard of, so those of each group get new names"
    OWN = "it asks about the topics that it subscribes to itself, so those of each group get their names"
    AFTERWARDS = "it asks about new topics when it has led, so it leads a group to hear of those that follow"


@dataclass(frozen=True, slots=True)
class Disguised:
    """A group as the client is told of it, and the name in the group of each topic that has another one there."""

    group: Group
    names: Mapping[str, str]

    def back(self, given: Assignment) -> Assignment:
        """Return an assignment with the names that the group has."""
        return {
            member: [TopicPartition(self.names.get(name, name), number) for name, number in some]
            for member, some in given.items()
        }


def disguised(group: Group, learning: Learning, own: Sequence[str], number: int) -> Disguised:
    """Give a group's topics names under which the client learns of them; they keep their order.

    Raises SkippedError where it has more topics than the client subscribes to, and these are all it gives.
    """
    if learning is Learning.ALWAYS:
        return Disguised(group, {})
    names = _names_of(group)
    if learning is not Learning.OWN:
        new = [f"k{number}.{name}" for name in names]
        if max(map(len, new), default=0) > _LONGEST:
            new = [f"k{number}.{at:05}" for at in range(len(names))]
    elif len(names) <= len(own):
        new = [*own[: len(names)]]
    else:
        raise SkippedError(f"it has {len(names)} topics, and the client subscribes to {len(own)}")
    told = _renamed(group, dict(zip(names, new, strict=True)))
    if learning is Learning.OWN:
        told = _subscribed(told, own)
    return Disguised(told, dict(zip(new, names, strict=True)))


def _subscribed(group: Group, own: Sequence[str]) -> Group:
    """Let the leader say that it reads what nobody does, too, as the client does subscribe to it; these topics are not there."""
    read = {name for member in group.members for name in member.topics}
    unread = tuple(name for name in own if name not in read)
    members = (
        replace(member, topics=member.topics + unread * (at == 0)) for at, member in enumerate(group.members)
    )
    return Group(tuple(topic for topic in group.topics if topic.name in read), tuple(members))


PROBES = (1, 7, 1, 7)
"""How many partitions the topic of each probe has; a client that knows them by chance does not four times."""


def probe(partitions: int) -> Group:
    """Return a group of one topic."""
    return Group((Topic("probe", partitions),), (Member("m0", ("probe",)), Member("m1", ("probe",))))


def knew(given: Assignment, partitions: int) -> bool:
    """Say whether who gave this knew of the topic of a probe, and whether that has one partition or several."""
    found = [partition.partition for some in given.values() for partition in some]
    return bool(found) and (max(found) > 0) == (partitions > 1)


def _names_of(group: Group) -> list[str]:
    """Return the names of all topics that are there, read or owned, in their order."""
    read = (name for member in group.members for name in member.topics)
    owned = (name for member in group.members for name, _ in member.owned)
    return sorted({topic.name for topic in group.topics}.union(read, owned), key=string_order)


def _renamed(group: Group, names: Mapping[str, str]) -> Group:
    return Group(
        tuple(replace(topic, name=names[topic.name]) for topic in group.topics),
        tuple(
            replace(
                member,
                topics=tuple(names[name] for name in member.topics),
                owned=tuple(TopicPartition(names[name], number) for name, number in member.owned),
            )
            for member in group.members
        ),
    )


T = TypeVar("T")
GROUP = "kassay"
TOPICS = tuple(f"t{number:02}" for number in range(20))
"""What a client is to subscribe to; its groups have topics of any name."""
BATCH = 100
"""Of how many groups a client hears at a time where it hears of new topics only once it has led, or not often."""
MOST_PARTITIONS = 20_000
"""How many partitions these groups may have together, for the client reads of all of them."""
RENEWED = 2_000
"""After so many groups a client that was told of new topics each time is started again, for it may remember them all."""
HEARS_S = 1.0
"""How long is waited for a client to ask about the topics of a group that it has led."""
MANY = (Learning.NEW, Learning.AFTERWARDS)
"""Who can be told of the topics of several groups at a time, since these have new names."""
MOST_STARTS = 3
"""How often a client is started for one group, because it ended before it was told of that."""
Answer: TypeAlias = Assignment | AssignorError | SkippedError


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds until a client first joins, seconds for one group, MB of its data (0: no bound), and MB of a request."""

    start_s: float
    timeout_s: float
    data_mb: int
    request_mb: int


@dataclass(frozen=True, slots=True)
class Running:
    """A client that runs: its process, its sockets, and the conversation with it."""

    process: Process
    server: Server
    leading: Leading


def ahead(groups: Sequence[Group]) -> Sequence[Group]:
    """Return the groups that a client is told of at a time: the first, and those behind it that are not too many or too large."""
    partitions = accumulate(sum(topic.partitions for topic in group.topics) for group in groups[:BATCH])
    return groups[: max(1, sum(so_far <= MOST_PARTITIONS for so_far in partitions))]


class Client:
    """A client, which runs from when it is first asked."""

    def __init__(self, command: Sequence[str], bounds: Bounds) -> None:
        """Note how it is started; nothing runs yet."""
        self._command, self._bounds = command, bounds
        self._running: Running | None = None
        self._writings: dict[str, Writing] = {}
        self._learning: Learning | None = None
        self._number = 0

    async def protocols(self) -> list[str]:
        """Start it where it does not run, and return the protocols for which it joined; raises DiedError where it does not join."""
        await self._run()
        return [*self._writings]

    async def answers(self, groups: Sequence[Group], protocol: str) -> AsyncIterator[Answer]:
        """Ask about some groups, one after another; failures are given as the exceptions they are."""
        done, starts = 0, 0
        while done < len(groups):
            try:
                learning = await self._learn(protocol)
                some = ahead(groups[done:]) if learning in MANY else groups[done : done + 1]
                async for answer in self._led(some, learning, protocol):
                    done, starts = done + 1, 0
                    yield answer
                    if isinstance(answer, DiedError):
                        await self.end()
                        break
            except (DiedError, GoneError) as failure:
                await self.end()
                starts += 1
                if isinstance(failure, DiedError) or starts == MOST_STARTS:
                    done, starts = done + 1, 0
                    yield DiedError(str(failure))

    async def _led(self, groups: Sequence[Group], learning: Learning, protocol: str) -> AsyncIterator[Answer]:
        """Show some groups, and let it lead one after another; raises DiedError or GoneError where it cannot be asked about the first."""
        running = await self._run()
        told = [self._told(group, learning, protocol) for group in groups]
        shown = [each[0].group for each in told if not isinstance(each, SkippedError)]
        if shown and learning is Learning.AFTERWARDS:
            if not await self._announce(running, shown, protocol):
                raise DiedError("it has not heard of the topics of its group")
        elif shown:
            running.leading.show(shown, once=True)
        for each in told:
            answer: Answer
            if isinstance(each, SkippedError):
                answer = each
            else:
                try:
                    given = await self._within(running.leading.lead(each[1], protocol), running)
                    answer = each[0].back(given)
                except AssignorError as failure:
                    answer = failure
            yield answer

    def _told(
        self, group: Group, learning: Learning, protocol: str
    ) -> tuple[Disguised, tuple[JoinedMember, ...]] | SkippedError:
        if protocol not in self._writings:
            raise DiedError(f"it does not offer {protocol} any more, since it was started again")
        self._number += 1
        try:
            told = disguised(group, learning, TOPICS, self._number)
            return told, members_of(told.group, self._writings[protocol])
        except SkippedError as skipped:
            return skipped

    async def _announce(self, running: Running, groups: Sequence[Group], protocol: str) -> bool:
        """Let it hear of some groups' topics by leading a group that is not judged; say whether it has."""
        members = self._shown_probe(running, groups, protocol)
        for _ in range(MOST_JOINS):
            given = await self._within(running.leading.lead(members, protocol), running)
            if knew(given, PROBES[-1]):
                return True
            await self._within(running.leading.join(), running)
            if not await self._within(running.leading.hears(HEARS_S), running):
                # it has forgotten to ask (kafka-python 3.0.12), and does so again about a new topic
                members = self._shown_probe(running, groups, protocol)
        return False

    def _shown_probe(self, running: Running, groups: Sequence[Group], protocol: str) -> tuple[JoinedMember, ...]:  # fmt: skip
        """Show some groups beside one that is not judged, and return the members of that."""
        told = self._told(probe(PROBES[-1]), Learning.AFTERWARDS, protocol)
        assert not isinstance(told, SkippedError)
        running.leading.show([*groups, told[0].group], once=False)
        return told[1]

    async def _learn(self, protocol: str) -> Learning:
        """Find out, once, how it learns of topics."""
        await self._renew()
        if self._learning is None:
            why = ""
            for learning in Learning:
                try:
                    if await self._learns(learning, protocol):
                        self._learning = learning
                        return learning
                except (AssignorError, SkippedError, GoneError) as failure:
                    why = str(failure)
                    await self.end()  # it fails on what it does not know
            if why:
                raise DiedError(why)
            self._learning = Learning.ALWAYS  # it gives nothing that shows what it knows
        return self._learning

    async def _learns(self, learning: Learning, protocol: str) -> bool:
        if learning is Learning.AFTERWARDS:
            return await self._announce(await self._run(), [], protocol)
        for partitions in PROBES:
            async for answer in self._led([probe(partitions)], learning, protocol):
                if isinstance(answer, Exception):
                    raise answer
                if not knew(answer, partitions):
                    return False
        return True

    async def _renew(self) -> None:
        if self._number > RENEWED and self._learning in MANY:
            await self.end()

    async def _run(self) -> Running:
        """Return it running, started where it is not; raises DiedError where it does not join."""
        if self._running is None:
            leading = Leading(TOPICS)
            server = Server(leading, self._bounds.request_mb * 2**20)
            told = {
                "KASSAY_BOOTSTRAP": await server.open(),
                "KASSAY_GROUP": GROUP,
                "KASSAY_TOPICS": ",".join(TOPICS),
            }
            process = await start(self._command, told, self._bounds.data_mb, leading.over)
            leading.last_words = process.last_words
            self._running, self._number = Running(process, server, leading), 0
            try:
                joined = await self._within(
                    leading.join(), self._running, self._bounds.start_s, "did not join"
                )
                self._writings = {each.name: writing_of(each) for each in joined.request.protocols}
            except GoneError as gone:
                await self.end()
                raise DiedError(str(gone)) from None
            except MalformedError as wrong:
                await self.end()
                raise DiedError(f"its subscription cannot be read: {wrong}") from None
        return self._running

    async def _within(
        self,
        waited: Coroutine[Any, Any, T],
        running: Running,
        seconds: float | None = None,
        what: str = "said no assignment",
    ) -> T:
        """Wait so many seconds, in which it can work; raises DiedError where that is not enough."""
        timeout_s = self._bounds.timeout_s if seconds is None else seconds
        task = asyncio.ensure_future(waited)
        began, before = time.monotonic(), worked_by_all_s(running.process.pid)
        left = timeout_s
        while left > 0:
            done, _ = await asyncio.wait({task}, timeout=left)
            if done:
                return task.result()
            left = still_due_s(running.process.pid, timeout_s, began, before)
        task.cancel()
        words = running.process.last_words()
        raise DiedError(f"it {what} within {timeout_s:.4g} seconds{words}")

    async def end(self) -> None:
        """End it where it runs."""
        if self._running is not None:
            running, self._running = self._running, None
            await running.process.end()
            running.server.close()
