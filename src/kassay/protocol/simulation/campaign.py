"""Runs of fault schedules, and campaigns: draw schedules from a seed, run them, count violations, and shrink the first schedule of each.

A drawn schedule is the same on every machine and does not depend on the schedules before it. The corpus runs first: the smallest schedules
that show the defects which the tests plant in coordinator and member.
"""

import time
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop
from importlib.resources import files
from operator import attrgetter

import msgspec
from msgspec.structs import replace

from kassay.errors import InputError
from kassay.properties.choices import Choices, from_seed
from kassay.properties.minimise import Minimised, minimise, parts
from kassay.protocol.simulation.faults import FAULTS, take_over
from kassay.protocol.simulation.invariants.groups import is_stable
from kassay.protocol.simulation.monitor import (
    Outcome,
    build_outcome,
    check_end,
    check_stable_group,
    check_unstable_group,
    find_defects,
)
from kassay.protocol.simulation.schedule import SEE, Fault, Schedule, Setting
from kassay.protocol.simulation.step_limits import runs_end, watch_steps
from kassay.protocol.simulation.steps import perform, start
from kassay.protocol.simulation.uses import USES
from kassay.protocol.simulation.world import (
    HEARTBEAT_MS,
    MOST,
    REBALANCE_MS,
    REQUEST_MS,
    SESSION_MS,
    Machines,
    StepCache,
    World,
)
from kassay.sentences import refuse_unknown

TRIES = 3_000


def shrink_schedule(
    schedule: Schedule, broken: Callable[[Schedule], bool], *, wall_s: float = float("inf")
) -> Minimised[Schedule]:
    """Return the smallest schedule found in `wall_s` seconds that is still broken."""
    return minimise(schedule, broken, list_simpler_schedules, tries=TRIES, wall_s=wall_s)


def list_simpler_schedules(schedule: Schedule) -> Iterator[Schedule]:
    """Yield schedules that are one step smaller, the largest steps first."""
    setting, faults = schedule.setting, schedule.faults
    for part in parts(len(faults)):
        yield Schedule(setting, faults[: part.start] + faults[part.stop :])
    if setting.members > 1:
        for gone in range(setting.members - 1, -1, -1):
            kept = tuple(replace(f, who=f.who - (f.who > gone)) for f in faults if f.who != gone)
            yield Schedule(replace(setting, members=setting.members - 1), kept)
    for simpler in _list_simpler_settings(setting):
        yield Schedule(simpler, faults)
    for at, fault in enumerate(faults):
        for other in _list_simpler_faults(fault):
            yield Schedule(setting, tuple(sorted((*faults[:at], other, *faults[at + 1 :]))))


def _list_simpler_settings(setting: Setting) -> Iterator[Setting]:
    """Yield settings with one topic, partition or feature less."""
    counts = setting.partitions
    for at, number in enumerate(counts):
        if len(counts) > 1:
            yield replace(setting, partitions=counts[:at] + counts[at + 1 :])
        if number > 1:
            yield replace(setting, partitions=(*counts[:at], number - 1, *counts[at + 1 :]))
    for name, plain in (("cooperative", False), ("static", False), ("chooses", 0)):
        if getattr(setting, name) != plain:
            yield replace(setting, **{name: plain})


def _list_simpler_faults(fault: Fault) -> Iterator[Fault]:
    """Yield the fault with one smaller number: 0, the number with fewer digits other than 0, half of it, or one less."""
    for name in ("much", "span", "who", "at"):
        value = getattr(fault, name)
        rounded = (value - value % 10**n for n in range(4, 0, -1))
        for less in dict.fromkeys((0, *rounded, value // 2, value - 1)):
            if 0 <= less < value:
                yield replace(fault, **{name: less})


MOST_ENDLESS = 5
"""The number of runs without end after which a campaign stops."""
ENDLESS_S = 60
"""The seconds in which a schedule whose run does not end is shrunk."""
Run = Callable[[Schedule], Outcome]


@dataclass(frozen=True)
class Counterexample:
    """A schedule that breaks an invariant."""

    invariant: str
    sentence: str
    number: int
    """The number with which the schedule was drawn."""
    schedule: Schedule
    minimised: bool
    """True if no smaller schedule is left to try."""
    known: tuple[str, ...]
    """The known defect that causes the violation, () if it is a new one."""


@dataclass
class Campaign:
    """The counts of a campaign: schedules that ran, violations, and the first schedule of each violation."""

    ran: int = 0
    broken: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    """(invariant, the known defect or nothing) -> number of schedules."""
    first: dict[tuple[str, tuple[str, ...]], tuple[int, Schedule]] = field(default_factory=dict)
    caused: dict[tuple[str, ...], int] = field(default_factory=dict)
    """The known defect, or nothing -> number of schedules that it made break an invariant."""
    faults: dict[str, int] = field(default_factory=dict)
    """Kind of fault -> number of injections."""
    rounds: dict[int, int] = field(default_factory=dict)
    """Generations that began after the last fault -> number of schedules."""
    exercised: dict[str, int] | None = None
    """Invariant -> the number of events that exercised it, where equal steps of machines count once; None if they were not counted."""
    endless: int = 0
    """The number of schedules whose run did not come to an end, without a known defect."""
    left: int = 0
    """The number of schedules that did not run, because the time was over or too many runs did not end."""
    slowest_ms: int = 0
    """The longest time after the last fault until a group was stable."""

    def add(self, number: int, schedule: Schedule, outcome: Outcome) -> None:
        """Count the outcome of a schedule."""
        self.ran += 1
        self.rounds[outcome.rounds] = self.rounds.get(outcome.rounds, 0) + 1
        self.slowest_ms = max(self.slowest_ms, (outcome.stable_ms or 0) - schedule.heals)
        for fault in schedule.faults:
            self.faults[fault.kind] = self.faults.get(fault.kind, 0) + 1
        for cause in {find_defects(outcome, name) for name, _ in outcome.breaches}:
            self.caused[cause] = self.caused.get(cause, 0) + 1
        ends = runs_end.__name__
        self.endless += ends in dict(outcome.breaches) and not find_defects(outcome, ends)
        for name, _ in outcome.breaches:
            key = name, find_defects(outcome, name)
            self.broken[key] = self.broken.get(key, 0) + 1
            self.first.setdefault(key, (number, schedule))


def run_campaign(
    run: Run,
    schedules: Iterable[tuple[int, Schedule]],
    report: Callable[[int], None],
    *,
    until: float = float("inf"),
) -> tuple[Campaign, bool]:
    """Run schedules until the clock (:func:`time.monotonic`) is at `until`, and count; the second value is False if the keyboard interrupted it."""
    campaign = Campaign()
    try:
        for number, schedule in schedules:
            if time.monotonic() >= until:
                break
            campaign.add(number, schedule, run(schedule))
            if campaign.endless >= MOST_ENDLESS:
                break
            if not campaign.ran % 64:
                report(campaign.ran)
    except KeyboardInterrupt:
        return campaign, False
    return campaign, True


def find_counterexamples(
    campaign: Campaign, run: Run, *, until: float = float("inf")
) -> tuple[list[Counterexample], bool]:
    """Shrink the first schedule of each violation until the clock (:func:`time.monotonic`) is at `until`. The others stay as drawn.

    The second value is False if the keyboard interrupted it.
    """
    findings, whole = [], True
    for (name, known), (number, schedule) in campaign.first.items():
        least, finished = schedule, False

        def is_broken(candidate: Schedule, name: str = name, known: tuple[str, ...] = known) -> bool:
            nonlocal least
            outcome = run(candidate)
            if name not in dict(outcome.breaches) or find_defects(outcome, name) != known:
                return False
            least = candidate  # kept if an interrupt ends the search
            return True

        try:
            if whole:
                left = until - time.monotonic()
                wall_s = min(left, ENDLESS_S) if name == runs_end.__name__ else left
                finished = shrink_schedule(schedule, is_broken, wall_s=wall_s).finished
        except KeyboardInterrupt:
            whole = False
        sentence = dict(run(least).breaches)[name]
        findings.append(Counterexample(name, sentence, number, least, finished, known))
    return findings, whole


MOST_FAULTS = 4
FIRST_MS = 12_000
"""The latest time of the first fault."""
SPANS_MS = (30, 400, 4_000, 16_000)
"""The longest durations of faults and times between them: a message delivery, a rebalance, a heartbeat, a session."""
LIMITS_MS = (SESSION_MS, REBALANCE_MS, REQUEST_MS)
"""The timeouts of sessions, join phases and requests of members."""
FORMED_MS = 6_000
"""When the first generation of a group begins if its coordinator waits for more members."""
STATIC_FAULTS = frozenset({"twin", "contested-commit"})
"""Faults that need two static members."""
DYNAMIC_FAULTS = frozenset({"silent-newcomer"})
"""Faults that need two dynamic members."""
STATIC = 8
"""One in this many groups has static members; another one in this many has one more topic."""
MOST_TOPICS = 20
LOSSES, SLOWER_MS = 3, 500


def list_fitting_faults(setting: Setting, kinds: Sequence[str] | None) -> list[str]:
    """Return the faults that fit a use, or the requested ones; raises InputError for a fault that is unknown or does not fit."""
    unfit = USES[setting.use].unfit
    if not setting.static or setting.members == 1:
        unfit |= STATIC_FAULTS
    if setting.static or setting.members == 1:
        unfit |= DYNAMIC_FAULTS
    if kinds is None:
        return [kind for kind, fault in FAULTS.items() if fault.drawn and kind not in unfit]
    for kind in kinds:
        refuse_unknown("--faults", kind, FAULTS, SEE)
        if kind in STATIC_FAULTS & unfit:
            raise InputError(
                f"--faults: {kind!r} strikes two static members. Add --static, with --members 2 or more"
            )
        if kind in DYNAMIC_FAULTS & unfit:
            raise InputError(
                f"--faults: {kind!r} strikes two dynamic members. Leave out --static, with --members 2 or more"
            )
        if not FAULTS[kind].drawn:
            raise InputError(f"--faults: {kind!r} is never drawn. Write it into a schedule for --replay")
        if kind in unfit:
            raise InputError(f"--faults: {kind!r} does not fit the use {setting.use}. Leave it out")
    return list(kinds)


def vary_setting(setting: Setting, number: int) -> Setting:
    """Return the group for the schedule of this number.

    One group in eight has static members, if the use knows them. Another one in eight has one more topic.
    """
    static = setting.static or (USES[setting.use].knows_static and number % STATIC == STATIC - 1)
    more = number % STATIC == STATIC // 2 and len(setting.partitions) < MOST_TOPICS
    partitions = (*setting.partitions, 1) if more else setting.partitions
    return replace(setting, static=static, partitions=partitions)


def draw_run(setting: Setting, asked: Sequence[str] | None, seed: int, number: int) -> Schedule:
    """Draw the schedule of this number for one of the groups of :func:`vary_setting`, of the requested faults or all that fit.

    A group has a second topic if a member is to subscribe to other ones.
    """
    one = vary_setting(setting, number)
    drawn = draw_schedule(one, list_fitting_faults(one, asked), seed, number)
    if len(one.partitions) == 1 and any(fault.kind == "subscribe" for fault in drawn.faults):
        return Schedule(replace(one, partitions=(*one.partitions, 1)), drawn.faults)
    return drawn


def draw_schedule(setting: Setting, kinds: Sequence[str], seed: int, number: int) -> Schedule:
    """Draw the schedule of this number, of faults of these kinds."""
    choices = from_seed(seed << 32 | number)
    at = choices.below(FIRST_MS) if choices.below(4) else choices.below(SPANS_MS[1])
    faults = []
    added, kinds = (
        [one for one in kinds if FAULTS[one].added],
        [one for one in kinds if not FAULTS[one].added] or kinds,
    )
    for _ in range(1 + choices.below(MOST_FAULTS)):
        at = _move_to_rebalance(choices, at)
        kind = kinds[choices.below(len(kinds))]
        much = choices.below(MUCH.get(kind) or len(setting.partitions) + 1)
        who, span = choices.below(setting.members), _draw_span(choices) * LONGER.get(kind, 1)
        faults.append(Fault(at, kind, who, span + FAULTS[kind].least_ms, much))
        at += _draw_span(choices)
    if added and not choices.below(ADDED):
        faults.append(_draw_added(choices, setting, added, faults[0].at))
    return Schedule(setting, tuple(sorted(faults, key=attrgetter("at"))))


def _draw_added(choices: Choices, setting: Setting, kinds: Sequence[str], at: int) -> Fault:
    """Return a fault that is drawn in addition, near the time of the first of the other faults."""
    kind = kinds[choices.below(len(kinds))]
    who, span = choices.below(setting.members), _draw_span(choices) * LONGER.get(kind, 1)
    return Fault(max(0, at - choices.below(SPANS_MS[1])), kind, who, span + FAULTS[kind].least_ms)


def _move_to_rebalance(choices: Choices, at: int) -> int:
    """Return the time of the next fault: this one, or one near a rebalance or the end of a timeout."""
    near = choices.below(SPANS_MS[0] * 2)
    match choices.below(8):
        case 0 | 1 | 2:  # most rebalances begin when a heartbeat informs a member
            return at + -at % HEARTBEAT_MS + near
        case 3:  # a group forms when its first members have waited for others
            return FORMED_MS + near if at < FORMED_MS else at
        case 4:
            return at + LIMITS_MS[choices.below(len(LIMITS_MS))] + near - SPANS_MS[0]
    return at


MUCH = {"loss": LOSSES, "refused-write": LOSSES, "delay": SLOWER_MS, "slow-log": SLOWER_MS}
"""The upper bound of a fault's number, if it does not count topics."""

LONGER = {"stall": 2, "hang": 4}
"""The factor on a fault's duration: the coordinator removes a member that does not poll or synchronise only after a rebalance timeout."""
ADDED = 4
"""One in this many schedules has a fault of the kinds that are drawn in addition."""


def _draw_span(choices: Choices) -> int:
    return choices.below(SPANS_MS[choices.below(len(SPANS_MS))])


def read_corpus(setting: Setting, kinds: Collection[str]) -> Iterator[Schedule]:
    """Yield the schedules of the corpus that have only faults of these kinds, for the use and coordinator of a setting.

    Each keeps its members and partitions. Members are static if the schedule needs it and the use allows it.
    """
    # `python tests/simulation/catching.py` writes this file.
    text = files(__package__).joinpath("corpus.json").read_bytes()
    known: dict[Schedule, None] = {}
    for one in msgspec.json.decode(text, type=tuple[Schedule, ...]):
        if all(fault.kind in kinds for fault in one.faults):
            static = setting.static or (one.setting.static and USES[setting.use].knows_static)
            own = replace(
                one.setting,
                use=setting.use,
                coordinator=setting.coordinator,
                cooperative=setting.cooperative,
                static=static,
            )
            known[Schedule(own, one.faults)] = None
    yield from known


MOST_EVENTS = 5_000
"""The most events after the last fault until a group is stable; members that repeat requests would never end."""
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
    """Run the events that are due at this time or before."""
    queue = world.queue
    while queue and queue[0][0] <= time:
        world.now, _, act, args = heappop(queue)
        perform(world, act, *args)
    world.now = max(world.now, time)


def inject_fault(world: World, fault: Fault) -> None:
    """Inject a fault."""
    world.note("fault", fault)
    perform(world, FAULTS[fault.kind].begin, fault)


def settle(world: World, deadline: int) -> int | None:
    """Run events until the group is stable, and return the time; None if it is not stable at the deadline."""
    queue, world.changed = world.queue, True
    for _ in range(MOST_EVENTS):
        if world.changed:
            world.changed = False
            if is_stable(world):
                return world.now
        if not queue or queue[0][0] > deadline:
            return None
        world.now, _, act, args = heappop(queue)
        perform(world, act, *args)
    return None


def wait_until_stable(world: World, heals: int) -> int | None:
    """Run events until a group is stable after its faults, and check it if that takes long; return the time as `settle` does."""
    stable = settle(world, heals + OWNED_MS)
    if stable is None and not world.failed:
        check_unstable_group(world)
        stable = settle(world, heals + BOUND_MS)
    return stable


class UndisturbedGroup:
    """A group without faults and its state at several times, at which runs of the same setting begin."""

    def __init__(self, setting: Setting, machines: Machines, *, quick: bool = True) -> None:
        """Begin with brokers and no member; steps are looked up only if `quick`."""
        self.table = table = StepCache(setting, machines, most=MOST if quick else 0, quick=quick)
        world = World(setting, table, USES[setting.use].cluster(setting))
        take_over(world)
        for slot in range(setting.members):
            world.schedule(START_MS * (slot + 1), start, slot)
        self._times, self._worlds = [0], [world]

    def copy_world(self, time: int) -> World:
        """Return a copy of the last kept world that is not later than this time."""
        while self._times[-1] + STEP_MS <= time:
            later, until = self._worlds[-1].copy(), self._times[-1] + STEP_MS
            run_until(later, until - 1)
            self._times.append(until)
            self._worlds.append(later)
        return self._worlds[bisect_right(self._times, time) - 1].copy()


class Runner:
    """Runs schedules; keeps for each setting the group without faults and the steps of its machines."""

    def __init__(self, build: Callable[[Setting], Machines], *, quick: bool = True) -> None:
        """Note how the machines of a setting are built; unless `quick`, each step is computed anew."""
        self._build, self._quick = build, quick
        self._quiet: dict[Setting, UndisturbedGroup] = {}

    def run(self, schedule: Schedule, *, trace: bool = False) -> Outcome:
        """Run a schedule until the group is stable again, or should have been."""
        with watch_steps():
            return self._run(schedule, trace=trace)

    def _run(self, schedule: Schedule, *, trace: bool) -> Outcome:
        setting = schedule.setting
        quiet = self._quiet.get(setting)
        if quiet is None:
            quiet = self._quiet[setting] = UndisturbedGroup(setting, self._build(setting), quick=self._quick)
        # A trace begins at 0, so that it has the first rebalance too.
        world = quiet.copy_world(schedule.faults[0].at if schedule.faults and not trace else 0)
        if trace:
            world.trace = []
        for fault in schedule.faults:
            run_until(world, fault.at - 1)
            world.now = fault.at
            if not world.failed:
                inject_fault(world, fault)
        lingers = any(FAULTS[fault.kind].lingers for fault in schedule.faults)
        heals = schedule.heals + ARRIVE_MS + lingers * HEARTBEAT_MS
        run_until(world, heals)
        world.links, world.refuses = {}, 0
        before = world.history.rounds
        stable = wait_until_stable(world, heals)
        if world.failed:
            return build_outcome(world, None, 0)
        if stable is not None:
            check_stable_group(world)
        calm = world.history.rounds
        rounds = calm - before
        watched = stable is not None and not schedule.heals % LOOKED_AT
        if stable is not None and watched:
            run_until(
                world, stable + SESSION_MS + REQUEST_MS
            )  # a request lost before may still end a session
            calm = world.history.rounds
            run_until(world, world.now + 2 * HEARTBEAT_MS)
        if world.failed:
            return build_outcome(world, None, rounds)
        return check_end(world, stable, rounds, calm, watched=watched)

    @property
    def exercised(self) -> dict[str, int]:
        """How many events exercised each invariant; equal steps of machines count once."""
        counts: dict[str, int] = {}
        for quiet in self._quiet.values():
            for name, count in quiet.table.exercised.items():
                counts[name] = counts.get(name, 0) + count
        return counts
