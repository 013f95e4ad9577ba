"""One group at somebody else's coordinator: its members are the machines of the simulation, on whose messages faults lie; each request goes over a socket.

Many schedules at somebody else's coordinator: some groups at a time, each on its own; what came of each is kept, for none can be run again as it ran.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from kassay.errors import InputError
from kassay.protocol.server.groups.cluster import Cluster
from kassay.protocol.server.groups.dialling import Line, UnansweredError
from kassay.protocol.server.groups.holding import Difference, differences
from kassay.protocol.server.groups.outside import Outside
from kassay.protocol.server.groups.questions import QUESTIONS
from kassay.protocol.server.groups.real_time import RealTime, struck
from kassay.protocol.server.groups.saying import Names, answered, asked
from kassay.protocol.simulation.campaign import Campaign, Counterexample
from kassay.protocol.simulation.faults import FAULTS
from kassay.protocol.simulation.group import Judged, Shown, verdicts
from kassay.protocol.simulation.monitor import Outcome, broken, met
from kassay.protocol.simulation.runner import START_MS
from kassay.protocol.simulation.schedule import Schedule, Setting, saved
from kassay.protocol.simulation.step_cache import StepCache, Taken
from kassay.protocol.simulation.step_invariants import requests_answered
from kassay.protocol.simulation.steps import follow, give_up, start
from kassay.protocol.simulation.world import REBALANCE_MS, REQUEST_MS, SESSION_MS, Machines, World
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator import Coordinator
from kassay.reference.group.member.joining import MOVED
from kassay.reference.group.messages import Asked, JoinGroup, LeaveGroup, LeavingMember, Reply, SyncGroup
from kassay.reference.wire.kinds import MalformedError

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


Numbered = tuple[int, Schedule]
STRIKING = frozenset(name for name, kind in FAULTS.items() if kind.strikes != "coordinator")
"""The faults that can be brought about from outside."""


@dataclass
class Ran:
    """What came of the schedules, those with the fewest faults first, and what is answered otherwise than Kafka does."""

    outcomes: list[tuple[int, Schedule, Outcome]] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    asked: int = 0
    """How many questions were asked."""
    odd: Mapping[str, int] = field(default_factory=dict)
    whole: bool = True
    """Whether all ran, and nobody interrupted it."""


@dataclass(frozen=True)
class Plan:
    """Which schedules run, how many at a time, on which machines; and whose answers a coordinator is held against."""

    schedules: Iterable[Numbered]
    machines: Callable[[Setting], Machines]
    at_once: int
    like: Behaviour
    asks: bool = True
    """Whether the questions are asked."""


def run_all(cluster: Cluster, plan: Plan, report: Callable[[int], None]) -> Ran:
    """Run a plan on a cluster, and leave nothing there; raises InputError where that cannot be."""
    return asyncio.run(carried_out(cluster, plan, report))


async def carried_out(cluster: Cluster, plan: Plan, report: Callable[[int], None]) -> Ran:
    """Run a plan as `run_all` does; where it is cancelled, return what came of it until then."""
    ran, groups, names = (
        Ran(odd=cluster.odd),
        list[str](),
        (f"{cluster.prefix}-{number}" for number in count()),
    )
    waiting = iter(plan.schedules)

    async def new_group() -> str:
        name = next(names)
        if not await cluster.is_new(name):
            raise InputError(
                f"--group-prefix {cluster.prefix}: there is a group {name} already; give another prefix"
            )
        groups.append(name)
        return name

    async def some() -> None:
        for number, schedule in waiting:
            name = await new_group()
            own = schedule if cluster.partitions else _without_commits(schedule)
            outcome = await Group(cluster, name, own, plan.machines(schedule.setting)).run()
            ran.outcomes.append((number, schedule, outcome))
            report(len(ran.outcomes))

    await cluster.open()
    tasks = []
    try:
        if plan.asks:
            asked = {
                name: one
                for name, one in QUESTIONS.items()
                if cluster.partitions or all(step.do != "commit" for step in one.steps)
            }
            ran.asked = len(asked)
            ran.differences = await differences(cluster, asked, plan.like, [await new_group() for _ in asked])
        tasks = [asyncio.ensure_future(some()) for _ in range(plan.at_once)]
        await asyncio.gather(*tasks)
    except asyncio.CancelledError:
        ran.whole = False
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await cluster.close(groups)
    ran.outcomes.sort(key=lambda one: (len(one[1].faults), one[0]))
    return ran


def _without_commits(schedule: Schedule) -> Schedule:
    """Leave out commits, for which there is no topic."""
    return Schedule(schedule.setting, tuple(fault for fault in schedule.faults if fault.kind != "commit"))


def judged(
    ran: Ran, name: str, target: str, promises: frozenset[str] | None, invariants: Sequence[str], seed: int
) -> Judged:
    """Judge what ran by these invariants: of each breach the run with the fewest faults is shown. `target` and `promises` are those of the assignor."""
    campaign, shown = Campaign(), list[Shown]()
    for number, schedule, outcome in ran.outcomes:
        seen = set(campaign.first)
        campaign.add(number, schedule, outcome)
        for promise, sentence in outcome.breaches:
            known = met(outcome, promise)
            if (promise, known) in seen:
                continue
            one = Counterexample(promise, sentence, number, schedule, False, known)
            file = saved(
                schedule,
                target=target,
                seed=seed,
                number=number,
                breaks=promise,
                sentences=(sentence,),
                minimised=False,
            )
            shown.append(Shown(one, file, outcome.breaches, outcome.trace))
    found = verdicts(campaign, [one.found for one in shown], name, promises, invariants)
    return Judged(campaign, found, shown, (), ran.whole)
