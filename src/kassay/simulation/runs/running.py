"""Run a schedule from its beginning, or from the last snapshot before its first fault that is known already."""

from collections.abc import Callable

from kassay.simulation.faults import FAULTS
from kassay.simulation.judging.invariants import MOST_ROUNDS
from kassay.simulation.judging.judge import Outcome, judge_at_rest, judge_unrest
from kassay.simulation.runs.cached_run import CachedRun, Quiet
from kassay.simulation.schedule import Schedule, Setting
from kassay.simulation.world import HEARTBEAT_MS, REBALANCE_MS, REQUEST_MS, SESSION_MS, Machines

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
