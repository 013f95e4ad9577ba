"""Clients as members of simulated groups: kassay's machines are the coordinator and all other members, and faults delay or drop messages.

A client owns the partitions of its assignments and JoinGroup requests, and reads the partitions of its Fetch requests.
"""

import asyncio
import dataclasses
import signal
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kassay.errors import InputError
from kassay.families.assignors import ASSIGNORS
from kassay.model import Group as Topics
from kassay.model import Member as Reader
from kassay.model import Topic, TopicPartition
from kassay.protocol.server.api_messages import Api
from kassay.protocol.server.api_messages import Request as Sent
from kassay.protocol.server.broker_responses import (
    NODE,
    decode_request,
    encode_coordinator,
    encode_response,
    respond,
    show_groups,
)
from kassay.protocol.server.client_process import Process, Reply, Server
from kassay.protocol.server.client_process import start as started
from kassay.protocol.server.client_session import Bounds
from kassay.protocol.server.external_groups import CampaignResult, Numbered, RealTimeWorld, run_schedule
from kassay.protocol.server.join_diagnosis import (
    NotJoinedError,
    explain_end,
    refuse_wrong_join,
    wait_for_join,
)
from kassay.protocol.server.leader_session import WAIT_S
from kassay.protocol.server.message_codec import ClientDialect, read_metadata, record_response
from kassay.protocol.server.outside_invariants import (
    GRACE_MS,
    goes_on,
    reads_what_it_owns,
    says_what_can_be_read,
)
from kassay.protocol.simulation.campaign import START_MS
from kassay.protocol.simulation.faults import take_over
from kassay.protocol.simulation.monitor import Outcome, note_breach
from kassay.protocol.simulation.schedule import Schedule, Setting
from kassay.protocol.simulation.steps import make_machines, start, stop, tell_member
from kassay.protocol.simulation.uses import USES
from kassay.protocol.simulation.world import RESTART_MS, SESSION_MS, Machines, Step, StepCache, Taken, World
from kassay.reference.group.member.state import Closed, ClusterChanged, Lose, Member, Own, Revoke, Started
from kassay.reference.group.messages import (
    Answered,
    FindCoordinatorResponse,
    JoinGroup,
    NotAnswered,
    Protocol,
    Send,
)
from kassay.reference.group.uses.consumer import Strategy, consumer
from kassay.reference.wire.schema import MalformedError

BROKERS = 4
"""The fewest brokers in a Metadata response; one of them is the coordinator."""
SLOT = 0
"""The slot of the client."""
GROUP = "kassay"
"""The group of the client."""
Build = Callable[[tuple[Protocol, ...]], Machines]
"""Builds the machines of the other members, which support the protocols of the client."""


class Asked(Struct, frozen=True):
    """A request of the client."""

    token: tuple[str, int]
    request: Any


class NoClientError(Exception):
    """The client did not join, for a reason of its own."""


class ClientSteps(StepCache):
    """The steps of the machines, with the client in place of one member."""

    def __init__(self, schedule: Schedule, machines: Machines, client: "Client") -> None:
        """Make a client one of the members."""
        super().__init__(schedule.setting, machines, most=0, quick=False)
        self._client = client

    def make_member(self, slot: int, program: int, cluster: Any) -> Any:
        """Return a new member."""
        made = super().make_member(slot, program, cluster)
        return self._client.begin(made) if slot == SLOT else made

    def step_member(self, member: Any, event: Any) -> Taken:
        """Return the step of a member."""
        if member.config.client_id == f"m{SLOT}":
            return self._client.step(member, event)
        return super().step_member(member, event)


class Client:
    """A group with a client in it, while a schedule runs."""

    def __init__(self, command: Sequence[str], schedule: Schedule, build: Build, bounds: Bounds) -> None:
        """Note how the client is started; nothing runs yet."""
        self._command, self._schedule, self._build, self._bounds = command, schedule, build, bounds
        self.address = ("", 0)
        self.cleaning: asyncio.Future[None] | None = None
        """The task that ends the process and the sockets, even if the caller is interrupted."""
        self._server = Server(self, bounds.request_mb * 2**20)
        self._real: RealTimeWorld | None = None
        self._process: Process | None = None
        self._life = 1
        self._is_stopped, self._starting = False, False
        self._tasks: set[asyncio.Future[Any]] = set()
        self._number = self._answered_ms = 0
        self._pending: dict[Hashable, tuple[Sent, Reply]] = {}
        self._dialect = ClientDialect()
        self._lost: dict[Hashable, int] = {}
        self._first: asyncio.Future[tuple[Sent, Reply, JoinGroup]] = (
            asyncio.get_running_loop().create_future()
        )
        self._topics = tuple(f"t{number}" for number in range(len(schedule.setting.partitions)))

    async def run(self) -> Outcome:
        """Run the schedule from the client's first JoinGroup on; raises NoClientError if it does not join."""
        try:
            await asyncio.shield(self._run_task(self._server.open()))
            await asyncio.shield(self._run_task(self._start(1)))
            sent, reply, request = await self._wait_for_join()
            self._begin(request)
            self._take(sent, reply, request)
            assert self._real is not None
            return await run_schedule(self._real, self._schedule)
        finally:
            self.cleaning = asyncio.ensure_future(self._clean())
            await asyncio.shield(self.cleaning)

    async def _wait_for_join(self) -> tuple[Sent, Reply, JoinGroup]:
        """Return the first JoinGroup of the client; raises NoClientError if it does not join with an assignor."""

        async def receive() -> tuple[Sent, Reply, JoinGroup]:
            return await self._first

        assert self._process is not None
        bounds = self._bounds
        try:
            first = await wait_for_join(
                receive(), self._process, self._server, bounds.start_s, bounds.quiet_s
            )
            refuse_wrong_join(first[2].protocol_type, first[2].protocols)
        except NotJoinedError as wrong:
            raise NoClientError(str(wrong)) from None
        return first

    async def _clean(self) -> None:
        """End the process and the sockets, after the start of those that are just starting."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._server.close()
        if self._process is not None:
            await self._end(self._process)

    def _begin(self, request: JoinGroup) -> None:
        """Create the world, in which the client has just started."""
        table = ClientSteps(self._schedule, self._build(request.protocols), self)
        setting = self._schedule.setting
        world = World(setting, table, table.use.cluster(setting))
        world.trace = []
        take_over(world)
        self._real = RealTimeWorld(world, self._update_process)
        self._real.insert(start, SLOT)
        for slot in range(1, setting.members):
            world.schedule(START_MS * (slot + 1), start, slot)

    # The process

    async def _start(self, life: int) -> None:
        environment = {
            "KASSAY_BOOTSTRAP": f"{self.address[0]}:{self.address[1]}",
            "KASSAY_GROUP": GROUP,
            "KASSAY_TOPICS": ",".join(self._topics),
        }
        self._process = await started(
            self._command, environment, self._bounds.data_mb, lambda how: self._note_end(life, how)
        )
        self._starting = False

    async def _end(self, process: Process) -> None:
        if self._is_stopped:
            process.signal(signal.SIGCONT)
            self._is_stopped = False
        await process.end()

    def _note_end(self, life: int, how: str) -> None:
        """Note that the process has ended by itself; after the first JoinGroup this is a violation."""
        if self._real is None:
            if not self._first.done():
                self._first.set_exception(NoClientError(f"it did not join: {explain_end(how, self._server)}"))
            return

        def stop_member(world: World) -> None:
            if world.lives[SLOT] == life and world.members[SLOT] is not None:
                note_breach(world, goes_on.__name__, str(goes_on(SLOT, how)), SLOT, at=Step(SLOT))
                stop(world, SLOT)
                world.schedule(RESTART_MS, start, SLOT)

        self._real.insert(stop_member)

    def _update_process(self, world: World) -> None:
        """Start, pause, continue or end the process, as the world has done with the member in its slot."""
        if self._starting:
            return
        life, runs = world.lives[SLOT], world.members[SLOT] is not None
        if self._process is not None and (not runs or life != self._life):
            process, self._process = self._process, None
            for _, reply in self._pending.values():
                reply.drop()
            self._pending.clear()
            self._lost.clear()
            self._run_task(self._end(process))
        elif runs and self._process is None:
            self._life, self._starting = life, True
            self._run_task(self._start(life))
        elif self._process is not None and self._is_stopped != (world.asleep[SLOT] is not None):
            self._is_stopped = not self._is_stopped
            self._process.signal(signal.SIGSTOP if self._is_stopped else signal.SIGCONT)

    def _run_task(self, what: Any) -> asyncio.Future[Any]:
        task: asyncio.Future[Any] = asyncio.ensure_future(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Requests of the client

    def take(self, sent: Sent, reply: Reply) -> None:
        """Take a request of the client; requests about its group go into the world."""
        request = decode_request(sent)
        if request is not None and self._real is not None:
            self._take(sent, reply, request)
        elif sent.api is Api.FIND_COORDINATOR:
            reply.send(encode_coordinator(sent, NODE, self.address))
        elif isinstance(request, JoinGroup) and not self._first.done():
            self._first.set_result((sent, reply, request))  # the world begins with it
        elif request is not None:
            reply.drop()
        elif sent.api is Api.FETCH:
            self._fetch(sent, reply)
        else:
            reply.send(respond(sent, self._make_cluster(), self.address))

    def _make_cluster(self) -> Any:
        """Return the cluster without racks: for kafkajs (2.2.4), brokers at one address are one broker whose rack changes, and it disconnects."""
        setting = self._schedule.setting
        topics = USES["consumer"].cluster(setting) if self._real is None else self._real.world.cluster
        without_racks = tuple(Topic(topic.name, topic.partitions) for topic in topics)
        shown = show_groups([Topics(without_racks, (Reader("m", self._topics),))], ())
        taken_over = 0 if self._real is None else self._real.world.brokers
        return dataclasses.replace(shown, racks=(None,) * max(BROKERS, taken_over + 1))

    def _take(self, sent: Sent, reply: Reply, request: Any) -> None:
        assert self._real is not None
        world = self._real.world
        if world.members[SLOT] is None:
            reply.drop()
            return
        self._number += 1
        token = (type(request).__name__, self._number)
        self._pending[token] = sent, reply
        self._real.insert(tell_member, SLOT, Asked(token, request))

    def _fetch(self, sent: Sent, reply: Reply) -> None:
        """Check the partitions that the client reads, and respond later without records."""
        wait = min(max(sent.body.max_wait.total_seconds(), 0), WAIT_S)
        asyncio.get_running_loop().call_later(
            wait, reply.send, respond(sent, self._make_cluster(), self.address)
        )
        if self._real is None or self._real.world.members[SLOT] is None:
            return
        read = [
            TopicPartition(topic.topic, int(one.partition))
            for topic in sent.body.topics
            for one in topic.partitions
        ]

        def check(world: World) -> None:
            member = world.members[SLOT]
            foreign = [
                item
                for item in read
                if item not in member.owned and world.now - self._lost.get(item, -GRACE_MS) >= GRACE_MS
            ]
            sentence = reads_what_it_owns(member, foreign)
            if sentence is not None and world.asleep[SLOT] is None:
                note_breach(world, reads_what_it_owns.__name__, sentence, SLOT, at=Step(SLOT))

        self._real.insert(check)

    def note_end(self, why: str) -> None:
        """Note unreadable bytes; the connection is already closed."""
        if self._real is None:
            if not self._first.done():
                self._first.set_exception(NoClientError(why))
        elif self._real.world.members[SLOT] is not None:
            why = why.removeprefix("it sent ")

            def break_invariant(world: World) -> None:
                sentence = says_what_can_be_read(world.members[SLOT], why)
                note_breach(world, says_what_can_be_read.__name__, str(sentence), SLOT, at=Step(SLOT))

            self._real.insert(break_invariant)

    # The state of the client, as its requests and responses show it

    def begin(self, made: Member) -> Member:
        """Return the client after its start; its first process already knows the coordinator."""
        return replace(made, phase="Unjoined", rejoins=True, node=NODE if self._number == 0 else None)

    def step(self, before: Member, event: Any) -> Taken:
        """Return the client after a request or a response, and the message for the coordinator."""
        assert self._real is not None
        now = self._real.world.now
        wrong: list[tuple[str, str]] = []
        effects: tuple[Any, ...] = ()
        after = before
        match event:
            case Asked(token, request):
                # After a session without a response it may assume that it was removed.
                alone = now - self._answered_ms >= SESSION_MS
                after, request = self._dialect.read_request(before, request, wrong, alone=alone)
                effects = (Send(token, request, None if token[0] == "FindCoordinator" else before.node),)
            case Answered(token, response):
                after = self._pass_on(before, token, response)
            case NotAnswered(token):
                if token in self._pending:
                    self._pending.pop(token)[1].drop()
            case ClusterChanged(cluster):
                after = replace(before, cluster=cluster)
            case Closed() | Started():
                pass
        gone = tuple(item for item in before.owned if item not in after.owned)
        self._lost.update(dict.fromkeys(gone, now))
        effects += ((Lose if after.generation < 0 else Revoke)(gone),) * bool(gone)
        added = tuple(item for item in after.owned if item not in before.owned)
        effects += (Own(added),) * bool(added)
        moves = after.owned != before.owned or after.generation != before.generation
        return Taken(after, effects, moves, shows=after != before, wrong=tuple(wrong))

    def _pass_on(self, before: Member, token: Hashable, response: Any) -> Member:
        """Send a response to the client, if it still waits for one, and return the client after it."""
        if token not in self._pending:
            return before
        sent, reply = self._pending.pop(token)
        if not reply.is_open():
            return before
        assert self._real is not None
        self._answered_ms = self._real.world.now
        if isinstance(response, FindCoordinatorResponse):
            reply.send(encode_coordinator(sent, response.node, self.address))
            return before if response.node is None else replace(before, node=response.node)
        reply.send(encode_response(sent, self._dialect.write_response(response, before)))
        return record_response(before, response, sent.api)


OF_PROCESSES = frozenset({"crash", "pause", "cut", "loss", "delay", "reorder", "duplicate"})
"""The faults of the client's process and messages; all others go to one of kassay's members instead."""
FOREIGN = frozenset(
    {"upgrade", "redeploy", "unreadable", "twin", "grow", "racks", "create", "stranger", "rolling-upgrade", "contested-commit"}
)  # fmt: skip
"""The faults of the client's program, or of the cluster, whose metadata a client may refresh at any time."""


@dataclass(frozen=True)
class ClientPlan:
    """The schedules to run with a client, their number at a time, and the limits of the client."""

    command: Sequence[str]
    schedules: Iterable[Numbered]
    at_once: int
    bounds: Bounds


def run_clients(plan: ClientPlan, report: Callable[[int], None]) -> CampaignResult:
    """Run a plan; raises InputError if the program does not exist or does not join."""
    return asyncio.run(run_client_schedules(plan, report))


async def run_client_schedules(plan: ClientPlan, report: Callable[[int], None]) -> CampaignResult:
    """Run a plan; return the outcomes so far if it is cancelled."""
    ran, waiting = CampaignResult(), iter(plan.schedules)
    made: list[Client] = []

    async def run_some() -> None:
        for number, schedule in waiting:
            client = Client(plan.command, schedule, partial(build_machines, schedule.setting), plan.bounds)
            made.append(client)
            ran.outcomes.append((number, schedule, await client.run()))
            report(len(ran.outcomes))

    tasks = [asyncio.ensure_future(run_some()) for _ in range(plan.at_once)]
    try:
        await asyncio.gather(*tasks)
    except NoClientError as none:
        raise InputError(f"--client: {none}") from None
    except asyncio.CancelledError:
        ran.whole = False
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(one.cleaning for one in made if one.cleaning is not None))
    ran.outcomes.sort(key=lambda one: (len(one[1].faults), one[0]))
    return ran


def redirect_faults(schedule: Schedule) -> Schedule:
    """Return the schedule with faults that a client cannot have moved to the next member, or left out without one."""
    alone = schedule.setting.members == 1
    faults = []
    for fault in schedule.faults:
        if fault.kind in OF_PROCESSES:
            faults.append(fault)
        elif not alone:
            faults.append(replace(fault, who=SLOT + 1) if fault.who == SLOT else fault)
    return Schedule(schedule.setting, tuple(faults))


def build_machines(setting: Setting, protocols: tuple[Protocol, ...]) -> Machines:
    """Return the machines of members that support the client's protocols, in its order and its format."""
    strategies = []
    for protocol in protocols:
        data: Any = protocol.metadata
        try:
            version = read_metadata(data).version
        except MalformedError as wrong:
            raise NoClientError(f"its subscription cannot be read: {wrong}") from None
        cooperative = "cooperative" in protocol.name
        usual = "consumer/cooperative-sticky" if cooperative else "consumer/range"
        assign = (ASSIGNORS.get(f"consumer/{protocol.name}") or ASSIGNORS[usual]).assign
        strategies.append(
            Strategy(name=protocol.name, assign=assign, cooperative=cooperative, version=version)
        )
    use = consumer(*strategies)
    made = make_machines(replace(setting, cooperative=use.cooperative), dict)

    def new_member(setting: Setting, slot: int, program: int, cluster: Any) -> Any:
        return replace(made.new_member(setting, slot, program, cluster), use=use)

    return replace(made, new_member=new_member, items=use.items)
