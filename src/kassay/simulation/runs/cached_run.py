"""One run on its way: through known snapshots as long as there are any, then in a world of its own; and the quiet groups in which runs begin."""

from bisect import bisect_right
from heapq import heappop

from kassay.simulation.faults import FAULTS, take_over
from kassay.simulation.judging.invariants import is_stable, legal_target_assignment
from kassay.simulation.runs.snapshot_cache import (
    SPAN,
    Following,
    Snapshot,
    SnapshotCache,
    entered,
    left,
)
from kassay.simulation.runs.step_cache import MOST, StepCache
from kassay.simulation.schedule import Fault, Setting
from kassay.simulation.steps import start
from kassay.simulation.uses import USES
from kassay.simulation.world import Machines, World

MOST_EVENTS = 5_000
"""How much may happen after the last fault until a group is stable; members that ask ever again would make it endless."""
FEW_EVENTS = 500
"""How much of that may happen in known snapshots: with what does not count there, it stays below the bound."""
LEARNS = 16
"""How many snapshots a run may find out at a time where it comes to one that another run has come to; it goes on in a world of its own then, which costs less."""

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
    """Where a run is: in a `world`, or, where that is None, at a `snapshot`, with the times of what is due."""

    __slots__ = ("_learns", "_now", "_rounds", "_snapshots", "_times", "passed", "snapshot", "world")

    def __init__(self, world: World | None, snapshots: SnapshotCache | None) -> None:
        """Begin in a world; `snapshots` are the known ones, None where the run is to stay in its world."""
        self.world, self._snapshots = world, snapshots
        self.snapshot: Snapshot | None = None
        self._times: list[int] = []
        self._now = self._rounds = 0
        self._learns = 0
        self.passed = False
        """Whether it came through known snapshots: then what broke is not told as it is in a world."""

    def copy(self) -> "CachedRun":
        """Return another run from the same place."""
        twin = CachedRun(None if self.world is None else self.world.copy(), self._snapshots)
        twin.snapshot, twin._times, twin._now, twin._rounds = (
            self.snapshot,
            self._times.copy(),
            self._now,
            self._rounds,
        )
        twin.passed = self.passed
        return twin

    @property
    def now(self) -> int:
        """The time in milliseconds."""
        return self._now if self.world is None else self.world.now

    @property
    def rounds(self) -> int:
        """How many generations were begun."""
        return self._rounds if self.world is None else self.world.history.rounds

    def until(self, time: int) -> None:
        """Let everything happen that is due at this time or before."""
        if self.world is None:
            self._go(time, settles=False)
        if self.world is None:
            self._now = max(self._now, time)
        else:
            run_until(self.world, time)

    def strike(self, fault: Fault) -> None:
        """Let a fault strike at its time, which is now."""
        self._now = fault.at
        if self.world is None and FAULTS[fault.kind].passes:
            assert self.snapshot is not None
            assert self._snapshots is not None
            following = self._snapshots.struck(self.snapshot, fault)
            if following is not None and not following.breaks:
                self._follow(following, fault.span)
                return
        world = self.leave()
        world.now = fault.at
        begin(world, fault)

    def heal(self) -> None:
        """End all faults that have not ended."""
        if self.world is None:
            assert self.snapshot is not None
            assert self._snapshots is not None
            self.snapshot = self._snapshots.healed(self.snapshot)
        else:
            self.world.links, self.world.refuses = {}, 0

    def enter(self) -> None:
        """Go over from a world that no fault has struck to its snapshot, unless something broke in it."""
        world = self.world
        assert world is not None
        assert self._snapshots is not None
        found = entered(world)
        if found is not None:
            self._times, due = found
            self.snapshot = self._snapshots.of(world, due)
            self._now, self._rounds = world.now, world.history.rounds
            self.world, self.passed = None, True

    def settle(self, deadline: int) -> int | None:
        """Go on until the group is stable, and return the time; None where it is not until the deadline."""
        if self.world is None and self._go(deadline, settles=True):
            return self._now
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
        if self.world is not None:
            return legal_target_assignment(self.world)
        assert self.snapshot is not None
        return self.snapshot.is_stable()[1]

    def _go(self, limit: int, *, settles: bool) -> bool:
        """Go from snapshot to snapshot until this time or, if it `settles`, until the group is stable; say whether it is. Leave them where the next is not to be learned."""
        times, snapshot, now, rounds = self._times, self.snapshot, self._now, self._rounds
        assert snapshot is not None
        assert self._snapshots is not None
        looks, few, found = settles, FEW_EVENTS, False
        while True:
            if looks and snapshot.is_stable()[0]:
                found = True
                break
            if not times or times[0] > limit:
                break
            following = snapshot.next
            if following is None:
                following = self._learned(snapshot)
            if following is None or following.breaks or not few:
                self.snapshot, self._now, self._rounds = snapshot, now, rounds
                self.leave()
                return False
            now = times.pop(0)
            places: tuple[int, ...] = ()
            for place in following.gone:
                del times[place]
            for delay in following.delays:
                place = bisect_right(times, now + delay)
                times.insert(place, now + delay)
                places += (place,)
            after = following.snapshots.get(places)
            snapshot = self._snapshots.then(following, places) if after is None else after
            rounds += following.rounds
            if settles:
                few -= 1
                looks = following.changed
        self.snapshot, self._now, self._rounds = snapshot, now, rounds
        return found

    def _learned(self, snapshot: Snapshot) -> Following | None:
        """Find out what follows a snapshot that a run has come to before, or that this run has found out; None where it is the first."""
        if snapshot.visited:
            self._learns = LEARNS
        snapshot.visited = True
        if not self._learns:
            return None
        self._learns -= 1
        assert self._snapshots is not None
        return self._snapshots.next(snapshot)

    def _follow(self, following: Following, span: int) -> None:
        """Go on to the snapshot at which what comes of a fault has taken its place."""
        times, now = self._times, self._now
        places: tuple[int, ...] = ()
        for place in following.gone:
            del times[place]
        for delay in following.delays:
            time = now + delay if delay < SPAN else now + delay - SPAN + span
            place = bisect_right(times, time)
            times.insert(place, time)
            places += (place,)
        assert self._snapshots is not None
        self.snapshot = following.snapshots.get(places) or self._snapshots.then(following, places)
        self._rounds += following.rounds

    def leave(self) -> World:
        """Go on in a world."""
        if self.world is None:
            assert self.snapshot is not None
            self.world = left(self.snapshot, self._now, self._times, self._rounds)
            self.snapshot = None
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
            known = self._runs[place] = CachedRun(self._worlds[place].copy(), self._snapshots)
            known.enter()
        return known.copy()

    def _place(self, time: int) -> int:
        while self._times[-1] + STEP_MS <= time:
            later = self._worlds[-1].copy()
            until = self._times[-1] + STEP_MS
            run_until(later, until - 1)
            self._times.append(until)
            self._worlds.append(later)
        return bisect_right(self._times, time) - 1
