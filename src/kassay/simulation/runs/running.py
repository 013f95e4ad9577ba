"""Run a schedule from its beginning, or from the last snapshot before its first fault that is known already."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from kassay.simulation.faults import FAULTS
from kassay.simulation.judging.invariants import (
    MOST_ROUNDS,
    bounded_rounds,
    eventually_converges,
    legal_target_assignment,
    owned_in_time,
    stays_stable,
)
from kassay.simulation.judging.judge import broken, summed
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


class Outcome(Struct, frozen=True):
    """What came of a schedule: the invariants that broke, each with a sentence, and how the group became stable.

    `rounds` are generations that began after the last fault, `stable_ms` the time until the group was stable, None where it was not; `trace`
    is what happened, where that was asked for.
    """

    breaches: tuple[tuple[str, str], ...]
    rounds: int
    stable_ms: int | None
    trace: tuple[Any, ...] = ()
    known: tuple[tuple[str, str], ...] = ()
    """Invariants of which all breaches are of known defects, and the defect of the first."""


def met(outcome: Outcome, name: str) -> tuple[str, ...]:
    """Return the known defect that all breaches of an invariant are of; empty where one is of none."""
    return tuple(defect for of, defect in outcome.known if of == name)


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
        outcome = _strike(quiet.run(first), schedule) if self._quick and not trace else None
        if outcome is None:
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
        left = run.leave()
        late = owned_in_time(left)
        if late is not None:
            broken(left, owned_in_time.__name__, late)
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
    ends = (
        (stays_stable, stays_stable(world, calm)),
        (eventually_converges, eventually_converges(world) if stable is None else None),
        (legal_target_assignment, lacks),
        (bounded_rounds, bounded_rounds(world, rounds)),
    )
    for invariant, sentence in ends:
        if sentence is not None:
            broken(world, invariant.__name__, sentence, *((calm,) if invariant is stays_stable else ()))
    breaches, known = summed(world)
    return Outcome(breaches, rounds, stable, tuple(world.trace or ()), known)
