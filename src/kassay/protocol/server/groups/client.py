"""A client as a member of a simulated group: kassay's machines are its coordinator and all other members, and faults lie on its messages.

What it owns is known by what it is given and what it says when it joins; that it does not read what it has lost, by its Fetch requests.
"""

import asyncio
import dataclasses
import signal
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kassay.model import Group as Topics
from kassay.model import Member as Reader
from kassay.model import Topic, TopicPartition
from kassay.protocol.server.answers import NODE, answer, cluster_of
from kassay.protocol.server.apis import Api
from kassay.protocol.server.apis import Request as Sent
from kassay.protocol.server.asking import Bounds
from kassay.protocol.server.groups.hearing import answer_to, coordinator_at, heard
from kassay.protocol.server.groups.kept_by_clients import (
    GRACE_MS,
    goes_on,
    reads_what_it_owns,
    says_what_can_be_read,
)
from kassay.protocol.server.groups.real_time import RealTime, struck
from kassay.protocol.server.groups.speaking import Speech, told
from kassay.protocol.server.leading import WAIT_S, Reply
from kassay.protocol.server.process import Process
from kassay.protocol.server.process import start as started
from kassay.protocol.server.server import Server
from kassay.protocol.simulation.faults import take_over
from kassay.protocol.simulation.monitor import Outcome, broken
from kassay.protocol.simulation.runner import START_MS
from kassay.protocol.simulation.schedule import Schedule
from kassay.protocol.simulation.step_cache import StepCache, Taken
from kassay.protocol.simulation.steps import start, stop, tell_member
from kassay.protocol.simulation.uses import USES
from kassay.protocol.simulation.world import RESTART_MS, SESSION_MS, Machines, World
from kassay.reference.group.member.state import Closed, ClusterChanged, Lose, Member, Own, Revoke, Started
from kassay.reference.group.messages import (
    Answered,
    FindCoordinatorResponse,
    JoinGroup,
    NotAnswered,
    Protocol,
    Send,
)

BROKERS = 4
"""Of so many brokers a client is told, and of all that have taken over: who coordinates is one of them."""
SLOT = 0
"""The member that is the client."""
GROUP = "kassay"
"""The group that it joins."""
Build = Callable[[tuple[Protocol, ...]], Machines]
"""Makes the machines of the others, which support what the client does."""


class Asked(Struct, frozen=True):
    """The client asks something; `token` is the request's own."""

    token: tuple[str, int]
    request: Any


class NoClientError(Exception):
    """The client did not join, for which nobody but itself is to blame."""


class Beside(StepCache):
    """The steps of the machines; those of the client are its own."""

    def __init__(self, schedule: Schedule, machines: Machines, client: "Client") -> None:
        """Let a client be a member."""
        super().__init__(schedule.setting, machines, most=0, quick=False)
        self._client = client

    def new(self, slot: int, program: int, cluster: Any) -> Any:
        """Return a new member."""
        made = super().new(slot, program, cluster)
        return self._client.new(made) if slot == SLOT else made

    def member(self, member: Any, event: Any) -> Taken:
        """Return the step of a member."""
        if member.config.client_id == f"m{SLOT}":
            return self._client.step(member, event)
        return super().member(member, event)


class Client:
    """A group with a client in it, while a schedule runs."""

    def __init__(self, command: Sequence[str], schedule: Schedule, build: Build, bounds: Bounds) -> None:
        """Note how it is started; nothing runs yet."""
        self._command, self._schedule, self._build, self._bounds = command, schedule, build, bounds
        self.address = ("", 0)
        self.cleaning: asyncio.Future[None] | None = None
        """What ends it all, also where whoever runs it is interrupted meanwhile."""
        self._server = Server(self, bounds.request_mb * 2**20)
        self._real: RealTime | None = None
        self._process: Process | None = None
        self._life = 1
        self._is_stopped, self._starting = False, False
        self._tasks: set[asyncio.Future[Any]] = set()
        self._number = self._heard_ms = 0
        self._pending: dict[Hashable, tuple[Sent, Reply]] = {}
        self._speech = Speech()
        self._lost: dict[Hashable, int] = {}
        self._first: asyncio.Future[tuple[Sent, Reply, JoinGroup]] = (
            asyncio.get_running_loop().create_future()
        )
        self._topics = tuple(f"t{number}" for number in range(len(schedule.setting.partitions)))

    async def run(self) -> Outcome:
        """Run the schedule from when the client first asks to join; raises NoClientError where it does not."""
        try:
            await asyncio.shield(self._do(self._server.open()))
            await asyncio.shield(self._do(self._start(1)))
            try:
                sent, reply, request = await asyncio.wait_for(self._first, self._bounds.start_s)
            except TimeoutError:
                words = self._process.last_words() if self._process else ""
                raise NoClientError(
                    f"it did not join within {self._bounds.start_s:g} seconds{words}"
                ) from None
            self._begin(request)
            self._take(sent, reply, request)
            assert self._real is not None
            return await struck(self._real, self._schedule)
        finally:
            self.cleaning = asyncio.ensure_future(self._clean())
            await asyncio.shield(self.cleaning)

    async def _clean(self) -> None:
        """End the process and the sockets; none of them is left half started."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._server.close()
        if self._process is not None:
            await self._end(self._process)

    def _begin(self, request: JoinGroup) -> None:
        """Begin the world, in which the client has just started."""
        table = Beside(self._schedule, self._build(request.protocols), self)
        setting = self._schedule.setting
        world = World(setting, table, table.use.cluster(setting))
        world.trace = []
        take_over(world)
        self._real = RealTime(world, self._tend)
        self._real.happen(start, SLOT)
        for slot in range(1, setting.members):
            world.after(START_MS * (slot + 1), start, slot)

    # The process

    async def _start(self, life: int) -> None:
        told = {
            "KASSAY_BOOTSTRAP": f"{self.address[0]}:{self.address[1]}",
            "KASSAY_GROUP": GROUP,
            "KASSAY_TOPICS": ",".join(self._topics),
        }
        self._process = await started(
            self._command, told, self._bounds.data_mb, lambda how: self._ended(life, how)
        )
        self._starting = False

    async def _end(self, process: Process) -> None:
        if self._is_stopped:
            process.signal(signal.SIGCONT)
            self._is_stopped = False
        await process.end()

    def _ended(self, life: int, how: str) -> None:
        """The process has ended by itself."""
        if self._real is None:
            if not self._first.done():
                self._first.set_exception(NoClientError(f"it did not join: {how}"))
            return
        self._real.happen(self._has_ended, life, how)

    def _has_ended(self, world: World, life: int, how: str) -> None:
        if world.lives[SLOT] == life and world.members[SLOT] is not None:
            broken(world, goes_on.__name__, str(goes_on(SLOT, how)), SLOT)
            stop(world, SLOT)
            world.after(RESTART_MS, start, SLOT)

    def _tend(self, world: World) -> None:
        """Let the process run, stand still or end, as the member in its place does."""
        if self._starting:
            return
        life, runs = world.lives[SLOT], world.members[SLOT] is not None
        if self._process is not None and (not runs or life != self._life):
            process, self._process = self._process, None
            self._forget()
            self._do(self._end(process))
        elif runs and self._process is None:
            self._life, self._starting = life, True
            self._do(self._start(life))
        elif self._process is not None and self._is_stopped != (world.asleep[SLOT] is not None):
            self._is_stopped = not self._is_stopped
            self._process.signal(signal.SIGSTOP if self._is_stopped else signal.SIGCONT)

    def _do(self, what: Any) -> asyncio.Future[Any]:
        task: asyncio.Future[Any] = asyncio.ensure_future(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _forget(self) -> None:
        for _, reply in self._pending.values():
            reply.drop()
        self._pending.clear()
        self._lost.clear()

    # What it asks

    def take(self, sent: Sent, reply: Reply) -> None:
        """Take a request of the client: what is about its group goes into the world."""
        request = heard(sent)
        if request is not None and self._real is None:
            self._take_before(sent, reply, request)
        elif request is not None:
            self._take(sent, reply, request)
        elif sent.api is Api.FETCH:
            self._fetch(sent, reply)
        else:
            reply.send(answer(sent, self._cluster(), self.address))

    def _take_before(self, sent: Sent, reply: Reply, request: Any) -> None:
        """Take what it asks of its group until the world begins, which it does with its first JoinGroup."""
        if sent.api is Api.FIND_COORDINATOR:
            reply.send(coordinator_at(sent, NODE, self.address))
        elif isinstance(request, JoinGroup) and not self._first.done():
            self._first.set_result((sent, reply, request))
        else:
            reply.drop()

    def _cluster(self) -> Any:
        """Return what it is told of the cluster: no racks, for kafkajs (2.2.4) takes brokers at one address for one whose rack changes, and hangs up on it."""
        setting = self._schedule.setting
        topics = USES["consumer"].cluster(setting) if self._real is None else self._real.world.cluster
        without_racks = tuple(Topic(topic.name, topic.partitions) for topic in topics)
        told = cluster_of([Topics(without_racks, (Reader("m", self._topics),))], ())
        taken_over = 0 if self._real is None else self._real.world.brokers
        return dataclasses.replace(told, racks=(None,) * max(BROKERS, taken_over + 1))

    def _take(self, sent: Sent, reply: Reply, request: Any) -> None:
        assert self._real is not None
        world = self._real.world
        if world.members[SLOT] is None:
            reply.drop()
            return
        self._number += 1
        token = (type(request).__name__, self._number)
        self._pending[token] = sent, reply
        self._real.happen(tell_member, SLOT, Asked(token, request))

    def _fetch(self, sent: Sent, reply: Reply) -> None:
        """Judge what it reads, and let it wait, for there is nothing."""
        wait = min(max(sent.body.max_wait.total_seconds(), 0), WAIT_S)
        asyncio.get_running_loop().call_later(wait, reply.send, answer(sent, self._cluster(), self.address))
        if self._real is not None and self._real.world.members[SLOT] is not None:
            read = [
                TopicPartition(topic.topic, int(one.partition))
                for topic in sent.body.topics
                for one in topic.partitions
            ]
            self._real.happen(self._reads, read)

    def _reads(self, world: World, read: list[TopicPartition]) -> None:
        member = world.members[SLOT]
        foreign = [
            item
            for item in read
            if item not in member.owned and world.now - self._lost.get(item, -GRACE_MS) >= GRACE_MS
        ]
        sentence = reads_what_it_owns(member, foreign)
        if sentence is not None and world.asleep[SLOT] is None:
            broken(world, reads_what_it_owns.__name__, sentence, SLOT)

    def over(self, why: str) -> None:
        """Note that it sent what cannot be read; its connection is closed already."""
        if self._real is None:
            if not self._first.done():
                self._first.set_exception(NoClientError(why))
        elif self._real.world.members[SLOT] is not None:
            self._real.happen(self._malformed, why.removeprefix("it sent "))

    def _malformed(self, world: World, why: str) -> None:
        sentence = says_what_can_be_read(world.members[SLOT], why)
        broken(world, says_what_can_be_read.__name__, str(sentence), SLOT)

    # What it becomes

    def new(self, made: Member) -> Member:
        """Return the client as it has just started; the first has been told already where its coordinator is."""
        return replace(made, phase="Unjoined", rejoins=True, node=NODE if self._number == 0 else None)

    def step(self, before: Member, event: Any) -> Taken:
        """Return what it becomes by what it asks or hears, and what goes on to the coordinator."""
        wrong: list[tuple[str, str]] = []
        effects: tuple[Any, ...] = ()
        after = before
        match event:
            case Asked(token, request):
                after, request = self._speech.asks(before, request, wrong, alone=self._is_alone())
                effects = (Send(token, request, None if token[0] == "FindCoordinator" else before.node),)
            case Answered(token, response):
                after = self._hears(before, token, response)
            case NotAnswered(token):
                if token in self._pending:
                    self._pending.pop(token)[1].drop()
            case ClusterChanged(cluster):
                after = replace(before, cluster=cluster)
            case Closed() | Started():
                pass
        assert self._real is not None
        gone = tuple(item for item in before.owned if item not in after.owned)
        self._lost.update(dict.fromkeys(gone, self._real.world.now))
        effects += ((Lose if after.generation < 0 else Revoke)(gone),) * bool(gone)
        added = tuple(item for item in after.owned if item not in before.owned)
        effects += (Own(added),) * bool(added)
        moves = after.owned != before.owned or after.generation != before.generation
        return Taken(after, effects, moves, shows=after != before, wrong=tuple(wrong))

    def _now(self) -> int:
        assert self._real is not None
        return self._real.world.now

    def _is_alone(self) -> bool:
        """Say whether it has heard nothing for so long that it may think that its session is over."""
        return self._now() - self._heard_ms >= SESSION_MS

    def _hears(self, before: Member, token: Hashable, response: Any) -> Member:
        if token not in self._pending:
            return before
        sent, reply = self._pending.pop(token)
        if not reply.is_open():  # it has stopped to wait for this
            return before
        self._heard_ms = self._now()
        if isinstance(response, FindCoordinatorResponse):
            reply.send(coordinator_at(sent, response.node, self.address))
            return before if response.node is None else replace(before, node=response.node)
        reply.send(answer_to(sent, self._speech.written(response, before)))
        return told(before, response, sent.api)
