"""Groups in real time: the world of the simulation, and groups with an external coordinator behind a socket.

The members are the machines of the simulation, and faults concern their messages. Outcomes are kept, because no run can be repeated exactly.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from kassay.errors import InputError
from kassay.protocol.server.coordinator_comparison import QUESTIONS, Difference, compare_responses
from kassay.protocol.server.coordinator_watch import CoordinatorWatch
from kassay.protocol.server.external_cluster import BrokerConnection, Cluster, NoResponseError
from kassay.protocol.server.message_codec import Names, decode_response, encode_request
from kassay.protocol.server.outside_invariants import ObservedGroup
from kassay.protocol.simulation.campaign import (
    ARRIVE_MS,
    BOUND_MS,
    LOOKED_AT,
    OWNED_MS,
    START_MS,
    Campaign,
    Counterexample,
    inject_fault,
    run_until,
)
from kassay.protocol.simulation.faults import FAULTS
from kassay.protocol.simulation.group import Judged, Shown, build_shown, build_verdicts
from kassay.protocol.simulation.invariants.groups import is_stable, legal_target_assignment
from kassay.protocol.simulation.invariants.steps import requests_answered
from kassay.protocol.simulation.monitor import (
    Outcome,
    check_end,
    check_stable_group,
    check_unstable_group,
    find_defects,
    note_breach,
)
from kassay.protocol.simulation.schedule import Schedule, Setting
from kassay.protocol.simulation.steps import follow, give_up, start
from kassay.protocol.simulation.world import (
    HEARTBEAT_MS,
    REBALANCE_MS,
    REQUEST_MS,
    SESSION_MS,
    Machines,
    Step,
    StepCache,
    Taken,
    World,
)
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator import Coordinator
from kassay.reference.group.member.joining import MOVED
from kassay.reference.group.messages import Asked, JoinGroup, LeaveGroup, LeavingMember, Reply, SyncGroup
from kassay.reference.wire.schema import MalformedError

NODE = 0
"""The number of the coordinator, on any broker."""
PARKED = (JoinGroup, SyncGroup)
LATE_S = (REBALANCE_MS + REQUEST_MS) / 1000
"""The time for which a coordinator may park a request: a rebalance timeout and a request timeout."""
PROMPT_S = SESSION_MS / 1000
"""The time in which it must answer any other request."""


class RealTimeWorld:
    """A world whose milliseconds are real."""

    def __init__(self, world: World, tend: Callable[[World], None] = lambda _: None) -> None:
        """Begin now; `tend` is called after each event."""
        self.world, self._tend = world, tend
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._woken = asyncio.Event()

    @property
    def now(self) -> int:
        """The milliseconds since the beginning."""
        return int((self._loop.time() - self._began) * 1000)

    def insert(self, act: Callable[..., None], *args: Any) -> None:
        """Insert an event from outside: `act(world, *args)`."""
        run_until(self.world, self.now)
        act(self.world, *args)
        self._tend(self.world)
        self._woken.set()

    async def wait_until(self, time: int, condition: Callable[[World], bool] = lambda _: False) -> bool:
        """Run events until this time, or until a condition holds; return True if it holds."""
        world = self.world
        world.changed = True
        while True:
            run_until(world, min(self.now, time))
            self._tend(world)
            if world.changed:
                world.changed = False
                if condition(world):
                    return True
            if world.now >= time:
                return False
            due = min(world.queue[0][0], time) if world.queue else time
            self._woken.clear()
            try:
                async with asyncio.timeout(max(0, due - self.now) / 1000):
                    await self._woken.wait()
            except TimeoutError:
                continue


async def run_schedule(real: RealTimeWorld, schedule: Schedule) -> Outcome:
    """Run a schedule until the group is stable again or out of time, and return the outcome."""
    world, history = real.world, real.world.history
    for fault in schedule.faults:
        await real.wait_until(fault.at)
        inject_fault(world, fault)
    lingers = any(FAULTS[fault.kind].lingers for fault in schedule.faults)
    heals = schedule.heals + ARRIVE_MS + lingers * HEARTBEAT_MS
    await real.wait_until(heals)
    world.links, world.refuses = {}, 0
    before = history.rounds
    stable = await real.wait_until(heals + OWNED_MS, is_stable)
    if not stable:
        check_unstable_group(world)
        stable = await real.wait_until(heals + BOUND_MS, is_stable)
    stable_ms = world.now if stable else None
    rounds, calm = history.rounds - before, history.rounds
    watched = stable and not schedule.heals % LOOKED_AT
    if stable:
        check_stable_group(world, (legal_target_assignment,))
    if watched:
        await real.wait_until(world.now + SESSION_MS + REQUEST_MS)
        calm = history.rounds
        await real.wait_until(world.now + 2 * HEARTBEAT_MS)
    return check_end(world, stable_ms, rounds, calm, watched=watched)


class ExternalSteps(StepCache):
    """The steps of members as in the simulation; requests go to the external coordinator."""

    has_log = False

    def __init__(self, schedule: Schedule, machines: Machines, ask: Callable[[Any], None]) -> None:
        """Send the requests to the coordinator by `ask`."""
        super().__init__(schedule.setting, machines, most=0, quick=False)
        self._ask = ask

    def step_coordinator(self, coordinator: Any, event: Any) -> Taken:
        """Pass on a request; its response follows later."""
        self._ask(event)
        return Taken(coordinator, (), moves=False, shows=False)


class Group:
    """A group at a coordinator, while a schedule runs."""

    def __init__(self, cluster: Cluster, name: str, schedule: Schedule, machines: Machines) -> None:
        """Begin without members."""
        self._cluster, self._name, self._schedule = cluster, name, schedule
        self._names, self._outside = Names(max(1, cluster.partitions)), ObservedGroup()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failed: BaseException | None = None
        self._idle: dict[tuple[int, int], list[BrokerConnection]] = {}
        self._lines: set[BrokerConnection] = set()
        self._newest: dict[tuple[int, int], Any] = {}
        table = ExternalSteps(schedule, machines, self._send)
        world = World(schedule.setting, table, table.use.cluster(schedule.setting))
        world.trace, world.active, world.epoch, world.brokers = [], NODE, NODE, NODE
        world.nodes[NODE] = Coordinator()
        for slot in range(schedule.setting.members):
            world.schedule(START_MS * (slot + 1), start, slot)
        self._real = RealTimeWorld(world)

    async def run(self) -> Outcome:
        """Run the schedule, and let the members leave."""
        try:
            outcome = await run_schedule(self._real, self._schedule)
            await self._leave()
            if self._failed is not None:
                raise self._failed
            return outcome
        finally:
            for task in self._tasks:
                task.cancel()
            for line in self._lines:
                line.close()

    def _send(self, event: Any) -> None:
        assert type(event) is Asked
        task = asyncio.ensure_future(self._ask(event))
        self._tasks.add(task)

        def finish(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            if not task.cancelled() and task.exception() is not None:
                self._failed = task.exception()

        task.add_done_callback(finish)

    async def _ask(self, event: Asked) -> None:
        """Send a request to the coordinator, and pass the response to the world."""
        token: Any = event.token
        slot, life, *_ = token
        request, world = event.request, self._real.world
        if type(request) in (*PARKED, LeaveGroup):
            self._newest[slot, life] = token
        sent = self._outside.ask(request, self._real.now, world.history.newest)
        try:
            within_s = LATE_S if type(request) in PARKED else PROMPT_S
            value = await self._exchange(request, (slot, life), within_s)
            response = decode_response(request, value, self._names)
        except (NoResponseError, MalformedError, InputError) as wrong:
            self._real.insert(self._note_unanswered, token, request, str(wrong))
            return
        if response.error in MOVED:
            self._cluster.forget_coordinator(self._name)

        def receive(world: World) -> None:
            wrong = tuple(self._outside.note_response(sent, response, world.now))
            effects = (Reply(token, response),)
            seen = Taken(self._outside.describe_coordinator(), effects, moves=False, shows=True, wrong=wrong)
            follow(world, NODE, seen)

        self._real.insert(receive)

    async def _exchange(self, request: Any, process: tuple[int, int], within_s: float) -> Any:
        """Send a request on an idle connection of a process, and return the response."""
        idle = self._idle.setdefault(process, [])
        line = idle.pop() if idle else await self._cluster.dial_coordinator(self._name)
        self._lines.add(line)
        slot, life = process
        # A process that has ended sends nothing, even if this machine is slow.
        if slot >= 0 and self._real.world.lives[slot] != life:
            raise NoResponseError("its process has ended")
        api, body = encode_request(request, self._name, self._names)
        try:
            value = await line.ask(api, body, within_s)
        except NoResponseError:
            self._lines.discard(line)
            line.close()
            raise
        idle.append(line)
        return value

    def _note_unanswered(self, world: World, token: Any, request: Any, why: str) -> None:
        """Note a request without a response: a violation, if its process still waits and has not replaced the request."""
        slot, life, own, _ = token
        del world.asked[NODE, token]
        lives = world.lives[slot] == life and world.members[slot] is not None
        replaced = type(request) in PARKED and self._newest[slot, life] != token
        if lives and not replaced:
            name = type(request).__name__
            sentence = (
                f"a {name} of {getattr(request, 'member_id', '') or 'a new member'} is not answered: {why}"
            )
            note_breach(world, requests_answered.__name__, sentence, NODE, at=Step(slot))
        give_up(world, slot, life, own)

    async def _leave(self) -> None:
        """Let all members leave, so that the group ends."""
        members = tuple(
            LeavingMember(one.member_id, one.config.instance_id)
            for one in self._real.world.members
            if one is not None and one.member_id
        )
        if members:
            with suppress(NoResponseError):  # the group then ends with its sessions
                await self._exchange(LeaveGroup(members=members), (-1, 0), PROMPT_S)


Numbered = tuple[int, Schedule]
STRIKING = frozenset(
    name for name, kind in FAULTS.items() if kind.strikes != "coordinator" and not kind.added
)
"""The faults that can be caused from outside."""


@dataclass
class CampaignResult:
    """The outcomes of schedules, ordered by their number of faults, and the responses that differ from Kafka's."""

    outcomes: list[tuple[int, Schedule, Outcome]] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    asked: int = 0
    """The number of probes."""
    odd: Mapping[str, int] = field(default_factory=dict)
    whole: bool = True
    """False if it was interrupted."""
    dead: str = ""
    """Why the coordinator is dead, if it died; the runs that ended after its last response are left out."""


@dataclass(frozen=True)
class CampaignPlan:
    """The schedules to run, their number at a time, the machines, and the behaviour with which a coordinator is compared."""

    schedules: Iterable[Numbered]
    machines: Callable[[Setting], Machines]
    at_once: int
    like: Behaviour
    asks: bool = True
    """True if the probes are sent, too."""


def run_plan(cluster: Cluster, plan: CampaignPlan, report: Callable[[int], None]) -> CampaignResult:
    """Run a plan on a cluster, and delete its groups; raises InputError if this is not possible."""
    return asyncio.run(run_schedules(cluster, plan, report))


async def _make_group_name(cluster: Cluster, names: Iterator[str], groups: list[str]) -> str:
    """Return the name of a new group, and add it to our groups; raises InputError if it exists already."""
    name = next(names)
    if not await cluster.is_new(name):
        raise InputError(
            f"--group-prefix {cluster.prefix}: there is a group {name} already. Give another prefix"
        )
    groups.append(name)
    return name


def _drop_commits(schedule: Schedule) -> Schedule:
    """Return a schedule for a broker without a topic, on which no offset can be committed."""
    return Schedule(schedule.setting, tuple(one for one in schedule.faults if one.kind != "commit"))


async def _compare(
    cluster: Cluster,
    plan: CampaignPlan,
    watch: CoordinatorWatch,
    new_group: Callable[[], Awaitable[str]],
    ran: CampaignResult,
) -> bool:
    """Note the responses that differ from Kafka's; return False if the coordinator has died, because its responses then differ, too."""
    questions = {
        name: one
        for name, one in QUESTIONS.items()
        if cluster.partitions or all(step.do != "commit" for step in one.steps)
    }
    differences = await compare_responses(
        cluster, questions, plan.like, [await new_group() for _ in questions]
    )
    if await watch.check_life():
        return False
    ran.asked, ran.differences = len(questions), differences
    return True


async def run_schedules(
    cluster: Cluster, plan: CampaignPlan, report: Callable[[int], None]
) -> CampaignResult:
    """Run a plan as `run_plan` does; return the outcomes so far if it is cancelled."""
    ran, groups, waiting = CampaignResult(odd=cluster.odd), list[str](), iter(plan.schedules)

    names = (f"{cluster.prefix}-{number}" for number in count())
    new_group = partial(_make_group_name, cluster, names, groups)
    ended = list[tuple[float, tuple[int, Schedule, Outcome]]]()

    async def run_some() -> None:
        for number, schedule in waiting:
            name = await new_group()
            own = schedule if cluster.partitions else _drop_commits(schedule)
            outcome = await Group(cluster, name, own, plan.machines(schedule.setting)).run()
            ended.append((asyncio.get_running_loop().time(), (number, schedule, outcome)))
            report(len(ended))

    async def run_all() -> None:
        if plan.asks and not await _compare(cluster, plan, watch, new_group, ran):
            return
        tasks = [asyncio.ensure_future(run_some()) for _ in range(plan.at_once)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    await cluster.open()
    watch = CoordinatorWatch(cluster.place)
    running = asyncio.ensure_future(run_all())
    try:
        await asyncio.wait({running, watch.dying}, return_when=asyncio.FIRST_COMPLETED)
        ran.dead = await watch.check_life()
        if not ran.dead:
            await running
    except asyncio.CancelledError:
        ran.whole = False
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await watch.stop()
        if not ran.dead:  # a dead coordinator deletes nothing
            await cluster.close(groups)
    ran.outcomes = [one for at, one in ended if not ran.dead or at <= watch.answered]
    ran.outcomes.sort(key=lambda one: (len(one[1].faults), one[0]))
    return ran


def build_result(
    ran: CampaignResult,
    name: str,
    target: str,
    promises: frozenset[str] | None,
    invariants: Sequence[str],
    seed: int,
) -> Judged:
    """Return the verdicts on these invariants, and for each violation the run with the fewest faults.

    `target` is the name of the assignor, and `promises` what it promises.
    """
    campaign, shown = Campaign(), list[Shown]()
    for number, schedule, outcome in ran.outcomes:
        seen = set(campaign.first)
        campaign.add(number, schedule, outcome)
        for promise, sentence in outcome.breaches:
            known = find_defects(outcome, promise)
            if (promise, known) in seen:
                continue
            one = Counterexample(promise, sentence, number, schedule, False, known)
            shown.append(build_shown(one, outcome, outcome.trace, target, seed))
    found = build_verdicts(campaign, [one.found for one in shown], name, promises, invariants)
    return Judged(campaign, found, shown, (), ran.whole)
