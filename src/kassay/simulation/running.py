"""Run a schedule from its beginning, or from the last moment before its first fault that is known already."""

from bisect import bisect_right
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from msgspec import Struct

from kassay.simulation.faults import FAULTS, take_over
from kassay.simulation.invariants import (
    bounded_rounds,
    broken,
    eventually_converges,
    is_stable,
    legal_target_assignment,
    stays_stable,
)
from kassay.simulation.schedule import Fault, Schedule, Setting
from kassay.simulation.steps import start
from kassay.simulation.transitions import Table
from kassay.simulation.uses import USES
from kassay.simulation.world import HEARTBEAT_MS, REBALANCE_MS, REQUEST_MS, SESSION_MS, Machines, World

BOUND_MS = 6 * (REBALANCE_MS + SESSION_MS)
"""How long after the last fault a group may take until it is stable."""
ARRIVE_MS = 1_000
"""How long after the last fault messages that it delayed may still be under way."""
LINGERING = frozenset({"reorder", "duplicate"})
"""Faults that befall the next message, which may be sent a heartbeat later."""
MOST_EVENTS = 5_000
"""How much may happen after the last fault until a group is stable; members that ask ever again would make it endless."""
LOOKED_AT = 16
"""One in so many groups, by the time at which faults end, is watched for some heartbeats more."""
START_MS = 10
"""How much later than the member before it a member starts."""
STEP_MS = 250
"""How far the known moments of a quiet group are apart."""


class Outcome(Struct, frozen=True):
    """What came of a schedule: the invariants that broke, each with a sentence, and how the group became stable.

    `rounds` are generations that began after the last fault, `stable_ms` the time until the group was stable, None where it was not; `trace`
    is what happened, where that was asked for.
    """

    breaches: tuple[tuple[str, str], ...]
    rounds: int
    stable_ms: int | None
    trace: tuple[Any, ...] = ()


class Quiet:
    """A group that nothing strikes, at moments from its beginning on: where runs of the same setting begin."""

    def __init__(self, setting: Setting, machines: Machines) -> None:
        """Begin with brokers and no member."""
        world = World(setting, Table(setting, machines), USES[setting.use].cluster(setting))
        take_over(world)
        for slot in range(setting.members):
            world.after(START_MS * (slot + 1), start, slot)
        self._times, self._moments = [0], [world]

    def at(self, time: int) -> World:
        """Return a copy of the last known moment that is no later than this one."""
        while self._times[-1] + STEP_MS <= time:
            later = self._moments[-1].copy()
            until = self._times[-1] + STEP_MS
            run_until(later, until - 1)
            self._times.append(until)
            self._moments.append(later)
        return self._moments[bisect_right(self._times, time) - 1].copy()


def run_until(world: World, time: int) -> None:
    """Let everything happen that is due at this time or before."""
    queue, world.until = world.queue, time
    while queue and queue[0][0] <= time:
        world.now, _, act, args = heappop(queue)
        act(world, *args)
    world.now = max(world.now, time)


class Runner:
    """Runs schedules; keeps the quiet beginnings of the settings that it has seen, and the steps that their machines have taken."""

    def __init__(self, build: Callable[[Setting], Machines]) -> None:
        """Take what makes the machines of a setting."""
        self._build = build
        self._quiet: dict[Setting, Quiet] = {}

    def run(self, schedule: Schedule, *, trace: bool = False) -> Outcome:
        """Run a schedule until the group is stable again, or should have been."""
        setting = schedule.setting
        quiet = self._quiet.get(setting)
        if quiet is None:
            quiet = self._quiet[setting] = Quiet(setting, self._build(setting))
        world = quiet.at(schedule.faults[0].at if schedule.faults and not trace else 0)
        if trace:
            world.trace = []
        return _strike(world, schedule)


def _strike(world: World, schedule: Schedule) -> Outcome:
    """Let the faults strike, and go on until the group is stable or the time is over."""
    queue = world.queue
    number = len(schedule.faults)
    for order, fault in enumerate(schedule.faults):
        heappush(queue, (fault.at, order - number, begin, (fault,)))
    lingers = any(fault.kind in LINGERING for fault in schedule.faults)
    heals = schedule.heals + ARRIVE_MS + lingers * HEARTBEAT_MS
    run_until(world, heals)
    world.links, world.refuses = {}, 0
    before, deadline = world.history.rounds, heals + BOUND_MS
    world.changed, stable = True, None
    world.until, world.happened = deadline, 0
    while world.happened < MOST_EVENTS:
        world.happened += 1
        if world.changed:
            world.changed = False
            if is_stable(world):
                stable = world.now
                break
        if not queue or queue[0][0] > deadline:
            break
        world.now, _, act, args = heappop(queue)
        act(world, *args)
    rounds = world.history.rounds - before
    lacks = None if stable is None else legal_target_assignment(world)
    stirs = None
    if stable is not None and not schedule.heals % LOOKED_AT:
        run_until(world, stable + SESSION_MS + REQUEST_MS)  # what was lost before may still let a session end
        calm = world.history.rounds
        run_until(world, world.now + 2 * HEARTBEAT_MS)
        stirs = stays_stable(world, calm)
    ends = (
        (stays_stable, stirs),
        (eventually_converges, eventually_converges(world) if stable is None else None),
        (legal_target_assignment, lacks),
        (bounded_rounds, bounded_rounds(world, rounds)),
    )
    for invariant, sentence in ends:
        if sentence is not None:
            broken(world, invariant.__name__, sentence)
    return Outcome(tuple(dict(reversed(world.breaches)).items()), rounds, stable, tuple(world.trace or ()))


def begin(world: World, fault: Fault) -> None:
    """A fault strikes."""
    world.note("fault", fault)
    FAULTS[fault.kind](world, fault)
