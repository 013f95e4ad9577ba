"""Many schedules: run them, count what breaks, and make the first schedule of each breach smaller."""

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
    rounds: dict[int, int] = field(default_factory=dict)
    """Generations that began after the last fault -> number of schedules."""
    slowest_ms: int = 0
    """The longest time that a group took to become stable."""

    def add(self, number: int, schedule: Schedule, outcome: Outcome) -> None:
        """Count what came of a schedule."""
        self.ran += 1
        self.rounds[outcome.rounds] = self.rounds.get(outcome.rounds, 0) + 1
        self.slowest_ms = max(self.slowest_ms, outcome.stable_ms or 0)
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


def found(campaign: Campaign, run: Run) -> list[Found]:
    """Make the first schedule of each breach as small as it gets."""
    findings = []
    for (name, known), (number, schedule) in campaign.first.items():

        def broken(candidate: Schedule, name: str = name, known: tuple[str, ...] = known) -> bool:
            outcome = run(candidate)
            return any(broke == name for broke, _ in outcome.breaches) and met(outcome, name) == known

        least = smallest(schedule, broken)
        sentence = dict(run(least.group).breaches)[name]
        findings.append(Found(name, sentence, number, least.group, least.finished, known))
    return findings
