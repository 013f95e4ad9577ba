"""One run on its way: through known snapshots as long as there are any, then in a world of its own; and the quiet groups in which runs begin.

Run a schedule from its beginning, or from the last snapshot before its first fault that is known already.
"""

from bisect import bisect_right
from collections.abc import Callable
from heapq import heappop

from kassay.protocol.simulation.faults import FAULTS, take_over
from kassay.protocol.simulation.judging.invariants import MOST_ROUNDS, is_stable, legal_target_assignment
from kassay.protocol.simulation.judging.judge import Outcome, judge_at_rest, judge_unrest
from kassay.protocol.simulation.runs.snapshot_cache import Position, SnapshotCache, entered
from kassay.protocol.simulation.runs.step_cache import MOST, StepCache
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting
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
"""How much may happen after the last fault until a group is stable; members that ask ever again would make it endless."""
START_MS = 10
"""How much later than the member before it a member starts."""
STEP_MS = 250
"""How far the known snapshots of a quiet group are apart."""


def run_until(world: World, time: int) -> None:
    """Let everything happen that is due at this time or before."""
    queue = world.queue
    while queue and queue[0][0] <= time:
        world.now, _, act, args = heappop(queue)
        act(world, *args)
    world.now = max(world.now, time)


def begin(world: World, fault: Fault) -> None:
    """A fault strikes."""
    world.note("fault", fault)
    FAULTS[fault.kind].begin(world, fault)


class CachedRun:
    """Where a run is: in a `world`, or, where that is None, among the known snapshots."""

    __slots__ = ("_at", "passed", "world")

    def __init__(self, world: World | None, at: Position | None = None) -> None:
        """Begin in a world, in which it then stays, or at a position."""
        self.world, self._at = world, at
        self.passed = at is not None
        """Whether it came through known snapshots: then what broke is not told as it is in a world."""

    def copy(self) -> "CachedRun":
        """Return another run from the same place."""
        return CachedRun(self.world and self.world.copy(), self._at and self._at.copy())

    @property
    def now(self) -> int:
        """The time in milliseconds."""
        return self._place.now

    @property
    def rounds(self) -> int:
        """How many generations were begun."""
        return self._at.rounds if self._at is not None else self.leave().history.rounds

    @property
    def _place(self) -> World | Position:
        return self._at if self._at is not None else self.leave()

    def until(self, time: int) -> None:
        """Let everything happen that is due at this time or before."""
        if self._at is None or self._at.go(time, settles=False) is None:
            run_until(self.leave(), time)
        else:
            self._at.now = max(self._at.now, time)

    def strike(self, fault: Fault) -> None:
        """Let a fault strike at its time, which is now."""
        self._place.now = fault.at
        if self._at is None or not FAULTS[fault.kind].passes or not self._at.strike(fault):
            begin(self.leave(), fault)

    def heal(self) -> None:
        """End all faults that have not ended."""
        if self._at is not None:
            self._at.heal()
        else:
            world = self.leave()
            world.links, world.refuses = {}, 0

    def settle(self, deadline: int) -> int | None:
        """Go on until the group is stable, and return the time; None where it is not until the deadline."""
        if self._at is not None and self._at.go(deadline, settles=True):
            return self._at.now
        world = self.leave()
        queue, world.changed = world.queue, True
        for _ in range(MOST_EVENTS // 2 if self.passed else MOST_EVENTS):
            if world.changed:
                world.changed = False
                if is_stable(world):
                    return world.now
            if not queue or queue[0][0] > deadline:
                return None
            world.now, _, act, args = heappop(queue)
            act(world, *args)
        return None

    def lacks(self) -> str | None:
        """Say what a stable group lacks."""
        return self._at.lacks() if self._at is not None else legal_target_assignment(self.leave())

    def leave(self) -> World:
        """Return the world in which it goes on, having left the snapshots."""
        if self.world is None:
            assert self._at is not None
            self.world, self._at = self._at.world(), None
        return self.world


class Quiet:
    """A group that nothing strikes, at snapshots from its beginning on: where runs of the same setting begin."""

    def __init__(self, setting: Setting, machines: Machines, *, quick: bool = True) -> None:
        """Begin with brokers and no member."""
        table = StepCache(setting, machines, most=MOST if quick else 0, quick=quick)
        world = World(setting, table, USES[setting.use].cluster(setting))
        take_over(world)
        for slot in range(setting.members):
            world.after(START_MS * (slot + 1), start, slot)
        self._times, self._worlds = [0], [world]
        self._snapshots, self._runs = SnapshotCache(), dict[int, CachedRun]()

    def at(self, time: int) -> World:
        """Return a copy of the last known snapshot that is no later than this one."""
        return self._worlds[self._place(time)].copy()

    def run(self, time: int) -> CachedRun:
        """Return a run that begins there."""
        if self._snapshots.are_many:
            self._snapshots.forget()
            self._runs.clear()
        place = self._place(time)
        known = self._runs.get(place)
        if known is None:
            world = self._worlds[place].copy()
            at = entered(world, self._snapshots)
            known = self._runs[place] = CachedRun(world if at is None else None, at)
        return known.copy()

    def _place(self, time: int) -> int:
        while self._times[-1] + STEP_MS <= time:
            later = self._worlds[-1].copy()
            until = self._times[-1] + STEP_MS
            run_until(later, until - 1)
            self._times.append(until)
            self._worlds.append(later)
        return bisect_right(self._times, time) - 1


BOUND_MS = 6 * (REBALANCE_MS + SESSION_MS)
"""How long after the last fault a group may take until it is stable."""
OWNED_MS = SESSION_MS + REBALANCE_MS + REQUEST_MS
"""How long after the last fault an item may be without an owner."""
ARRIVE_MS = 1_000
"""How long after the last fault messages that it delayed may still be under way."""
LOOKED_AT = 16
"""One in so many groups, by the time at which faults end, is watched for some heartbeats more."""


class Runner:
    """Runs schedules; keeps the quiet beginnings of the settings that it has seen, and the steps that their machines have taken."""

    def __init__(self, build: Callable[[Setting], Machines], *, quick: bool = True) -> None:
        """Take what makes the machines of a setting; unless `quick`, everything that happens is found out anew in each run."""
        self._build, self._quick = build, quick
        self._quiet: dict[Setting, Quiet] = {}

    def run(self, schedule: Schedule, *, trace: bool = False) -> Outcome:
        """Run a schedule until the group is stable again, or should have been."""
        setting = schedule.setting
        quiet = self._quiet.get(setting)
        if quiet is None:
            quiet = self._quiet[setting] = Quiet(setting, self._build(setting), quick=self._quick)
        first = schedule.faults[0].at if schedule.faults else 0
        if self._quick and not trace:
            cached = quiet.run(first)
            outcome = _strike(cached, schedule)
            if outcome is not None:
                return outcome
        world = quiet.at(0 if trace else first)
        if trace:
            world.trace = []
        outcome = _strike(CachedRun(world), schedule)
        assert outcome is not None
        return outcome


def _strike(run: CachedRun, schedule: Schedule) -> Outcome | None:
    """Let the faults strike, and go on until the group is stable or the time is over.

    Returns None where something broke in a run that came through known snapshots, where nobody tells what: it is to run in a world then.
    """
    for fault in schedule.faults:
        run.until(fault.at - 1)
        run.strike(fault)
    lingers = any(FAULTS[fault.kind].lingers for fault in schedule.faults)
    heals = schedule.heals + ARRIVE_MS + lingers * HEARTBEAT_MS
    run.until(heals)
    run.heal()
    before = run.rounds
    stable = run.settle(heals + OWNED_MS)
    if stable is None:
        judge_unrest(run.leave())
        stable = run.settle(heals + BOUND_MS)
    rounds = run.rounds - before
    lacks = None if stable is None else run.lacks()
    calm = run.rounds
    if stable is not None and not schedule.heals % LOOKED_AT:
        run.until(stable + SESSION_MS + REQUEST_MS)  # what was lost before may still let a session end
        calm = run.rounds
        run.until(run.now + 2 * HEARTBEAT_MS)
    world = run.world
    if run.passed:
        many = rounds > MOST_ROUNDS * schedule.setting.members or run.rounds > calm
        broke = stable is None or lacks or many or (world is not None and world.breaches)
        return None if broke else Outcome((), rounds, stable)
    assert world is not None
    return judge_at_rest(world, stable, lacks, rounds, calm)
