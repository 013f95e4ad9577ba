"""Running schedules: from the quiet beginning of a group, through its faults, until the group is stable again."""

from bisect import bisect_right
from collections.abc import Callable
from heapq import heappop

from kassay.protocol.simulation.faults import FAULTS, take_over
from kassay.protocol.simulation.group_invariants import is_stable, legal_target_assignment
from kassay.protocol.simulation.monitor import Outcome, check_end, check_unstable_group
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting
from kassay.protocol.simulation.step_cache import MOST, StepCache
from kassay.protocol.simulation.steps import start
from kassay.protocol.simulation.uses import USES
from kassay.protocol.simulation.world import (
    HEARTBEAT_MS,
    REBALANCE_MS,
    REQUEST_MS,
    SESSION_MS,
    Machines,
    World,
)

MOST_EVENTS = 5_000
"""How many events may follow the last fault until a group is stable: members that ask again and again would never end."""
START_MS = 10
"""The time between the starts of two members."""
STEP_MS = 250
"""The time between two kept worlds of a quiet group."""
BOUND_MS = 6 * (REBALANCE_MS + SESSION_MS)
"""The longest time after the last fault until a group is stable."""
OWNED_MS = SESSION_MS + REBALANCE_MS + REQUEST_MS
"""The longest time after the last fault for which an item may have no owner."""
ARRIVE_MS = 1_000
"""The longest time after the last fault for which messages that it delayed may be under way."""
LOOKED_AT = 16
"""One in this many groups, by the time at which faults end, is watched for some more heartbeats."""


def run_until(world: World, time: int) -> None:
    """Let everything happen that is due at this time or before."""
    queue = world.queue
    while queue and queue[0][0] <= time:
        world.now, _, act, args = heappop(queue)
        act(world, *args)
    world.now = max(world.now, time)


def inject_fault(world: World, fault: Fault) -> None:
    """Inject a fault."""
    world.note("fault", fault)
    FAULTS[fault.kind].begin(world, fault)


def settle(world: World, deadline: int) -> int | None:
    """Go on until the group is stable, and return the time; None if it is not stable at the deadline."""
    queue, world.changed = world.queue, True
    for _ in range(MOST_EVENTS):
        if world.changed:
            world.changed = False
            if is_stable(world):
                return world.now
        if not queue or queue[0][0] > deadline:
            return None
        world.now, _, act, args = heappop(queue)
        act(world, *args)
    return None


class UndisturbedGroup:
    """A group without faults, kept at several times: runs of the same setting begin at one of them."""

    def __init__(self, setting: Setting, machines: Machines, *, quick: bool = True) -> None:
        """Begin with brokers and no member; steps are only looked up if `quick`."""
        table = StepCache(setting, machines, most=MOST if quick else 0, quick=quick)
        world = World(setting, table, USES[setting.use].cluster(setting))
        take_over(world)
        for slot in range(setting.members):
            world.after(START_MS * (slot + 1), start, slot)
        self._times, self._worlds = [0], [world]

    def at(self, time: int) -> World:
        """Return a copy of the last kept world that is not later than this time."""
        while self._times[-1] + STEP_MS <= time:
            later, until = self._worlds[-1].copy(), self._times[-1] + STEP_MS
            run_until(later, until - 1)
            self._times.append(until)
            self._worlds.append(later)
        return self._worlds[bisect_right(self._times, time) - 1].copy()


class Runner:
    """Runs schedules; keeps the quiet beginnings of each setting, and the steps that its machines have taken."""

    def __init__(self, build: Callable[[Setting], Machines], *, quick: bool = True) -> None:
        """Take what builds the machines of a setting; unless `quick`, each step is computed anew."""
        self._build, self._quick = build, quick
        self._quiet: dict[Setting, UndisturbedGroup] = {}

    def run(self, schedule: Schedule, *, trace: bool = False) -> Outcome:
        """Run a schedule until the group is stable again, or should have been."""
        setting = schedule.setting
        quiet = self._quiet.get(setting)
        if quiet is None:
            quiet = self._quiet[setting] = UndisturbedGroup(setting, self._build(setting), quick=self._quick)
        # A trace tells of the beginning, too.
        world = quiet.at(schedule.faults[0].at if schedule.faults and not trace else 0)
        if trace:
            world.trace = []
        return _run(world, schedule)


def _run(world: World, schedule: Schedule) -> Outcome:
    """Inject the faults, and go on until the group is stable or the time is over."""
    for fault in schedule.faults:
        run_until(world, fault.at - 1)
        world.now = fault.at
        inject_fault(world, fault)
    lingers = any(FAULTS[fault.kind].lingers for fault in schedule.faults)
    heals = schedule.heals + ARRIVE_MS + lingers * HEARTBEAT_MS
    run_until(world, heals)
    world.links, world.refuses = {}, 0
    before = world.history.rounds
    stable = settle(world, heals + OWNED_MS)
    if stable is None:
        check_unstable_group(world)
        stable = settle(world, heals + BOUND_MS)
    lacks = None if stable is None else legal_target_assignment(world)
    calm = world.history.rounds
    rounds = calm - before
    if stable is not None and not schedule.heals % LOOKED_AT:
        run_until(world, stable + SESSION_MS + REQUEST_MS)  # a loss before may still end a session
        calm = world.history.rounds
        run_until(world, world.now + 2 * HEARTBEAT_MS)
    return check_end(world, stable, lacks, rounds, calm)
