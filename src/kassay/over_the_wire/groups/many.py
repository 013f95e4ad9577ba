"""Many schedules at somebody else's coordinator: some groups at a time, each on its own; what came of each is kept, for none can be run again as it ran."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from kassay.errors import InputError
from kassay.over_the_wire.groups.cluster import Cluster
from kassay.over_the_wire.groups.coordinator import Group
from kassay.over_the_wire.groups.holding import Difference, differences
from kassay.over_the_wire.groups.questions import QUESTIONS
from kassay.reference.group.behaviour import Behaviour
from kassay.simulation.faults import FAULTS
from kassay.simulation.group import Judged, Shown
from kassay.simulation.judging.judge import Outcome, met
from kassay.simulation.schedule import Schedule, Setting, saved
from kassay.simulation.search.campaign import Campaign, Counterexample
from kassay.simulation.search.verdicts import verdicts
from kassay.simulation.world import Machines

Numbered = tuple[int, Schedule]
STRIKING = frozenset(name for name, kind in FAULTS.items() if kind.strikes != "coordinator")
"""The faults that can be brought about from outside."""


@dataclass
class Ran:
    """What came of the schedules, those with the fewest faults first, and what is answered otherwise than Kafka does."""

    outcomes: list[tuple[int, Schedule, Outcome]] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    asked: int = 0
    """How many questions were asked."""
    odd: Mapping[str, int] = field(default_factory=dict)
    whole: bool = True
    """Whether all ran, and nobody interrupted it."""


@dataclass(frozen=True)
class Plan:
    """Which schedules run, how many at a time, on which machines; and whose answers a coordinator is held against."""

    schedules: Iterable[Numbered]
    machines: Callable[[Setting], Machines]
    at_once: int
    like: Behaviour
    asks: bool = True
    """Whether the questions are asked."""


def run_all(cluster: Cluster, plan: Plan, report: Callable[[int], None]) -> Ran:
    """Run a plan on a cluster, and leave nothing there; raises InputError where that cannot be."""
    return asyncio.run(carried_out(cluster, plan, report))


async def carried_out(cluster: Cluster, plan: Plan, report: Callable[[int], None]) -> Ran:
    """Run a plan as `run_all` does; where it is cancelled, return what came of it until then."""
    ran, groups, names = (
        Ran(odd=cluster.odd),
        list[str](),
        (f"{cluster.prefix}-{number}" for number in count()),
    )
    waiting = iter(plan.schedules)

    async def new_group() -> str:
        name = next(names)
        if not await cluster.is_new(name):
            raise InputError(
                f"--group-prefix {cluster.prefix}: there is a group {name} already; give another prefix"
            )
        groups.append(name)
        return name

    async def some() -> None:
        for number, schedule in waiting:
            name = await new_group()
            own = schedule if cluster.partitions else _without_commits(schedule)
            outcome = await Group(cluster, name, own, plan.machines(schedule.setting)).run()
            ran.outcomes.append((number, schedule, outcome))
            report(len(ran.outcomes))

    await cluster.open()
    tasks = []
    try:
        if plan.asks:
            asked = {
                name: one
                for name, one in QUESTIONS.items()
                if cluster.partitions or all(step.do != "commit" for step in one.steps)
            }
            ran.asked = len(asked)
            ran.differences = await differences(cluster, asked, plan.like, [await new_group() for _ in asked])
        tasks = [asyncio.ensure_future(some()) for _ in range(plan.at_once)]
        await asyncio.gather(*tasks)
    except asyncio.CancelledError:
        ran.whole = False
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await cluster.close(groups)
    ran.outcomes.sort(key=lambda one: (len(one[1].faults), one[0]))
    return ran


def _without_commits(schedule: Schedule) -> Schedule:
    """Leave out commits, for which there is no topic."""
    return Schedule(schedule.setting, tuple(fault for fault in schedule.faults if fault.kind != "commit"))


def judged(
    ran: Ran, name: str, target: str, promises: frozenset[str] | None, invariants: Sequence[str], seed: int
) -> Judged:
    """Judge what ran by these invariants: of each breach the run with the fewest faults is shown. `target` and `promises` are those of the assignor."""
    campaign, shown = Campaign(), list[Shown]()
    for number, schedule, outcome in ran.outcomes:
        seen = set(campaign.first)
        campaign.add(number, schedule, outcome)
        for broken, sentence in outcome.breaches:
            known = met(outcome, broken)
            if (broken, known) in seen:
                continue
            one = Counterexample(broken, sentence, number, schedule, False, known)
            file = saved(
                schedule,
                target=target,
                seed=seed,
                number=number,
                breaks=broken,
                sentences=(sentence,),
                minimised=False,
            )
            shown.append(Shown(one, file, outcome.breaches, outcome.trace))
    found = verdicts(campaign, [one.found for one in shown], name, promises, invariants)
    return Judged(campaign, found, shown, (), ran.whole)
