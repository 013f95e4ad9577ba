"""One group at somebody else's coordinator: its members are the machines of the simulation, on whose messages faults lie; each request goes over a socket."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from kassay.errors import InputError
from kassay.over_the_wire.groups.cluster import Cluster
from kassay.over_the_wire.groups.dialling import Line, UnansweredError
from kassay.over_the_wire.groups.outside import Outside
from kassay.over_the_wire.groups.real_time import RealTime, struck
from kassay.over_the_wire.groups.saying import Names, answered, asked
from kassay.reference.group.coordinator import Coordinator
from kassay.reference.group.events import Asked, Reply
from kassay.reference.group.member.asking import MOVED
from kassay.reference.group.messages import JoinGroup, LeaveGroup, LeavingMember, SyncGroup
from kassay.reference.wire.kinds import MalformedError
from kassay.simulation.judging.coordination import requests_answered
from kassay.simulation.judging.judge import Outcome, broken
from kassay.simulation.runs.cached_run import START_MS
from kassay.simulation.runs.step_cache import StepCache, Taken
from kassay.simulation.schedule import Schedule
from kassay.simulation.steps import follow, give_up, start
from kassay.simulation.world import REBALANCE_MS, REQUEST_MS, SESSION_MS, Machines, World

NODE = 0
"""The coordinator, whichever broker it is."""
PARKED = (JoinGroup, SyncGroup)
LATE_S = (REBALANCE_MS + REQUEST_MS) / 1000
"""How long a coordinator may park a request: a rebalance, and some more."""
PROMPT_S = SESSION_MS / 1000
"""How long it may take over any other."""


class Away(StepCache):
    """The steps of members as ever; what the coordinator is asked goes elsewhere."""

    def __init__(self, schedule: Schedule, machines: Machines, ask: Callable[[Any], None]) -> None:
        """Let `ask` take what the coordinator is asked."""
        super().__init__(schedule.setting, machines, most=0, quick=False)
        self._ask = ask

    def coordinator(self, coordinator: Any, event: Any) -> Taken:
        """Pass a request on; its answer is to follow."""
        self._ask(event)
        return Taken(coordinator, (), moves=False, shows=False)


class Group:
    """A group at a coordinator, while a schedule runs."""

    def __init__(self, cluster: Cluster, name: str, schedule: Schedule, machines: Machines) -> None:
        """Begin without members."""
        self._cluster, self._name, self._schedule = cluster, name, schedule
        self._names, self._outside = Names(max(1, cluster.partitions)), Outside()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failed: BaseException | None = None
        self._idle: dict[tuple[int, int], list[Line]] = {}
        self._lines: set[Line] = set()
        self._newest: dict[tuple[int, int], Any] = {}
        table = Away(schedule, machines, self._dial)
        world = World(schedule.setting, table, table.use.cluster(schedule.setting))
        world.trace, world.active, world.epoch, world.brokers = [], NODE, NODE, NODE
        world.nodes[NODE] = Coordinator()
        for slot in range(schedule.setting.members):
            world.after(START_MS * (slot + 1), start, slot)
        self._real = RealTime(world)

    async def run(self) -> Outcome:
        """Run the schedule, and let the members leave."""
        try:
            outcome = await struck(self._real, self._schedule)
            await self._leave()
            if self._failed is not None:
                raise self._failed
            return outcome
        finally:
            for task in self._tasks:
                task.cancel()
            for line in self._lines:
                line.close()

    def _dial(self, event: Any) -> None:
        assert type(event) is Asked
        task = asyncio.ensure_future(self._ask(event))
        self._tasks.add(task)
        task.add_done_callback(self._asked)

    def _asked(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._failed = task.exception()

    async def _ask(self, event: Asked) -> None:
        """Ask the coordinator, and let the world hear of the answer."""
        token: Any = event.token
        slot, life, *_ = token
        request, world = event.request, self._real.world
        if type(request) in (*PARKED, LeaveGroup):
            self._newest[slot, life] = token
        dialled = self._outside.ask(request, self._real.now, world.history.newest)
        try:
            value = await self._spoken(request, (slot, life), LATE_S if type(request) in PARKED else PROMPT_S)
            response = answered(request, value, self._names)
        except (UnansweredError, MalformedError, InputError) as wrong:
            self._real.happen(self._unanswered, token, request, str(wrong))
            return
        if response.error in MOVED:
            self._cluster.moved(self._name)
        self._real.happen(self._hear, dialled, token, response)

    async def _spoken(self, request: Any, process: tuple[int, int], within_s: float) -> Any:
        """Ask on a connection of a process on which nothing is under way."""
        idle = self._idle.setdefault(process, [])
        line = idle.pop() if idle else await self._cluster.dial_coordinator(self._name)
        self._lines.add(line)
        slot, life = process
        if (
            slot >= 0 and self._real.world.lives[slot] != life
        ):  # who has ended sends nothing, however slow this machine is
            raise UnansweredError("its process has ended")
        api, body = asked(request, self._name, self._names)
        try:
            value = await line.ask(api, body, within_s)
        except UnansweredError:
            self._lines.discard(line)
            line.close()
            raise
        idle.append(line)
        return value

    def _hear(self, world: World, dialled: Any, token: Any, response: Any) -> None:
        """The coordinator's answer is here: it is judged, and goes on to the member, if nothing befalls it."""
        wrong = tuple(self._outside.answer(dialled, response, world.now))
        seen = self._outside.seen()
        follow(world, NODE, Taken(seen, (Reply(token, response),), moves=False, shows=True, wrong=wrong))

    def _unanswered(self, world: World, token: Any, request: Any, why: str) -> None:
        """A request is not answered, which a process that still waits for it did not bring about itself by asking something in its place."""
        slot, life, own, _ = token
        del world.asked[NODE, token]
        lives = world.lives[slot] == life and world.members[slot] is not None
        replaced = type(request) in PARKED and self._newest[slot, life] != token
        if lives and not replaced:
            name = type(request).__name__
            sentence = (
                f"a {name} of {getattr(request, 'member_id', '') or 'a new member'} is not answered: {why}"
            )
            broken(world, requests_answered.__name__, sentence, NODE)
        give_up(world, slot, life, own)

    async def _leave(self) -> None:
        """Let all members leave, so that nothing is left of the group."""
        members = tuple(
            LeavingMember(one.member_id, one.config.instance_id)
            for one in self._real.world.members
            if one is not None and one.member_id
        )
        if members:
            leaving: Coroutine[Any, Any, Any] = self._spoken(LeaveGroup(members=members), (-1, 0), PROMPT_S)
            try:
                await leaving
            except UnansweredError:
                return  # the group ends with its sessions then
