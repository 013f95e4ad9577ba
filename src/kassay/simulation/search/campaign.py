"""Many schedules: run them, count what breaks, and make the first schedule of each breach smaller."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kassay.simulation.running import Outcome
from kassay.simulation.schedule import Schedule
from kassay.simulation.search.promises import met
from kassay.simulation.search.smaller import smallest

Run = Callable[[Schedule], Outcome]


@dataclass(frozen=True)
class Found:
    """A schedule that breaks an invariant: the number it was drawn with, how small it was made and whether nothing smaller is left.

    `known` names the known defect that it is of; empty where it is of none.
    """

    invariant: str
    sentence: str
    number: int
    schedule: Schedule
    minimised: bool
    known: tuple[str, ...]


@dataclass
class Campaign:
    """What came of the schedules so far: how many ran, how many broke what, and the first that did so."""

    ran: int = 0
    broken: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    """(invariant, the known defect or nothing) -> number of schedules."""
    first: dict[tuple[str, tuple[str, ...]], tuple[int, Schedule]] = field(default_factory=dict)
    caused: dict[tuple[str, ...], int] = field(default_factory=dict)
    """The known defect, or nothing -> number of schedules in which something broke for it."""
    faults: dict[str, int] = field(default_factory=dict)
    """Kind of fault -> how many of it struck."""
    rounds: dict[int, int] = field(default_factory=dict)
    """Generations that began after the last fault -> number of schedules."""
    slowest_ms: int = 0
    """The longest time that a group took to become stable."""

    def add(self, number: int, schedule: Schedule, outcome: Outcome) -> None:
        """Count what came of a schedule."""
        self.ran += 1
        self.rounds[outcome.rounds] = self.rounds.get(outcome.rounds, 0) + 1
        self.slowest_ms = max(self.slowest_ms, outcome.stable_ms or 0)
        for fault in schedule.faults:
            self.faults[fault.kind] = self.faults.get(fault.kind, 0) + 1
        for cause in {met(outcome, name) for name, _ in outcome.breaches}:
            self.caused[cause] = self.caused.get(cause, 0) + 1
        for name, _ in outcome.breaches:
            key = name, met(outcome, name)
            self.broken[key] = self.broken.get(key, 0) + 1
            self.first.setdefault(key, (number, schedule))


def run_all(
    run: Run, schedules: Iterable[tuple[int, Schedule]], report: Callable[[int], None]
) -> tuple[Campaign, bool]:
    """Run schedules and count; the second value says whether it came to the end, or was interrupted from the keyboard."""
    campaign = Campaign()
    try:
        for number, schedule in schedules:
            campaign.add(number, schedule, run(schedule))
            if not campaign.ran % 64:
                report(campaign.ran)
    except KeyboardInterrupt:
        return campaign, False
    return campaign, True


def found(campaign: Campaign, run: Run, *, until: float = float("inf")) -> tuple[list[Found], bool]:
    """Make the first schedule of each breach as small as it gets until the clock (:func:`time.monotonic`) says so; what is left stays as it was drawn.

    The second value says whether it came to the end, or was interrupted from the keyboard.
    """
    findings, whole = [], True
    for (name, known), (number, schedule) in campaign.first.items():
        least = Least(run, name, known, schedule)
        try:
            finished = whole and least.find(until)
        except KeyboardInterrupt:
            finished = whole = False
        sentence = dict(run(least.schedule).breaches)[name]
        findings.append(Found(name, sentence, number, least.schedule, finished, known))
    return findings, whole


class Least:
    """The smallest schedule so far that breaks an invariant as another does; it can be had however the search for a smaller one ends."""

    def __init__(self, run: Run, name: str, known: tuple[str, ...], schedule: Schedule) -> None:
        self._run, self._name, self._known = run, name, known
        self.schedule = schedule

    def find(self, until: float) -> bool:
        """Look for a smaller one until none is left, or the time is over; say whether none is left."""
        left = until - time.monotonic()
        return smallest(self.schedule, self._broken, wall_s=left).finished

    def _broken(self, candidate: Schedule) -> bool:
        outcome = self._run(candidate)
        broken = any(broke == self._name for broke, _ in outcome.breaches)
        if broken and met(outcome, self._name) == self._known:
            self.schedule = candidate
            return True
        return False
