"""The world of the simulation on the real clock: what is due happens when its time has come, and what comes from outside when it comes."""

import asyncio
from collections.abc import Callable
from typing import Any

from kassay.protocol.simulation.faults import FAULTS
from kassay.protocol.simulation.group_invariants import is_stable, legal_target_assignment
from kassay.protocol.simulation.monitor import Outcome, judge_at_rest, judge_unrest
from kassay.protocol.simulation.runner import (
    ARRIVE_MS,
    BOUND_MS,
    LOOKED_AT,
    OWNED_MS,
    begin,
    run_until,
)
from kassay.protocol.simulation.schedule import Schedule
from kassay.protocol.simulation.world import HEARTBEAT_MS, REQUEST_MS, SESSION_MS, World


class RealTime:
    """A world whose milliseconds are real."""

    def __init__(self, world: World, tend: Callable[[World], None] = lambda _: None) -> None:
        """Begin it now; `tend` is called whenever something has happened."""
        self.world, self._tend = world, tend
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._woken = asyncio.Event()

    @property
    def now(self) -> int:
        """How many milliseconds have passed."""
        return int((self._loop.time() - self._began) * 1000)

    def happen(self, act: Callable[..., None], *args: Any) -> None:
        """Let something happen that comes from outside: `act(world, *args)`."""
        run_until(self.world, self.now)
        act(self.world, *args)
        self._tend(self.world)
        self._woken.set()

    async def until(self, time: int, so: Callable[[World], bool] = lambda _: False) -> bool:
        """Let everything happen until this time, or until something is so; say whether it is."""
        world = self.world
        world.changed = True
        while True:
            run_until(world, min(self.now, time))
            self._tend(world)
            if world.changed:
                world.changed = False
                if so(world):
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


async def struck(real: RealTime, schedule: Schedule) -> Outcome:
    """Let the faults of a schedule strike, go on until the group is stable or the time is over, and say what came of it."""
    world, history = real.world, real.world.history
    for fault in schedule.faults:
        await real.until(fault.at)
        begin(world, fault)
    lingers = any(FAULTS[fault.kind].lingers for fault in schedule.faults)
    heals = schedule.heals + ARRIVE_MS + lingers * HEARTBEAT_MS
    await real.until(heals)
    world.links, world.refuses = {}, 0
    before = history.rounds
    stable = await real.until(heals + OWNED_MS, is_stable)
    if not stable:
        judge_unrest(world)
        stable = await real.until(heals + BOUND_MS, is_stable)
    stable_ms = world.now if stable else None
    rounds, calm = history.rounds - before, history.rounds
    lacks = legal_target_assignment(world) if stable else None
    if stable and not schedule.heals % LOOKED_AT:
        await real.until(world.now + SESSION_MS + REQUEST_MS)
        calm = history.rounds
        await real.until(world.now + 2 * HEARTBEAT_MS)
    return judge_at_rest(world, stable_ms, lacks, rounds, calm)
