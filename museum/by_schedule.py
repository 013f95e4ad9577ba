"""Search for bugs of the group protocol by simulation: each is a module of museum/protocol, with the machines without and with the bug.

A bug counts as found if a schedule violates an invariant with the affected machines, not in a known way, and not with the fixed machines.
Groups and faults are generated equally for all bugs, and the search has no hint.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from bug_records import StagedBug

from kassay.protocol.simulation.campaign import Runner, draw_schedule, list_fitting_faults, shrink_schedule
from kassay.protocol.simulation.monitor import find_defects
from kassay.protocol.simulation.schedule import Schedule, Setting
from kassay.protocol.simulation.timeline import build_timeline, describe_timed_fault, render_text

SCHEDULES = Path(__file__).with_name("schedules.json")
TRIES = 40_000
SETTINGS = [
    Setting(coordinator="kafka@4.4.0", members=members, partitions=partitions, cooperative=cooperative, static=static)
    for members, partitions in ((2, (2,)), (3, (2, 2)))
    for cooperative in (False, True)
    for static in (False, True)
]  # fmt: skip


class FoundSchedule(msgspec.Struct, frozen=True):
    """The smallest schedule that shows a bug."""

    breaks: str
    """The invariant that it violates."""
    schedule: Schedule


def import_machines(bug: StagedBug) -> Any:
    """Return the module of a bug."""
    return importlib.import_module(f"protocol.{bug.key.lower().replace('-', '_')}")


@dataclass(frozen=True)
class MachinePair:
    """The machines with a bug and the fixed ones."""

    affected: Runner
    fixed: Runner

    @classmethod
    def build(cls, bug: StagedBug) -> "MachinePair":
        """Build both machines of a bug."""
        module = import_machines(bug)
        return cls(Runner(module.build_affected), Runner(module.build_fixed))

    def list_broken(self, schedule: Schedule) -> list[str]:
        """Return the invariants that only the affected machines violate."""
        outcome = self.affected.run(schedule)
        broken = [name for name, _ in outcome.breaches if not find_defects(outcome, name)]
        also_fixed = {name for name, _ in self.fixed.run(schedule).breaches} if broken else set()
        return [name for name in broken if name not in also_fixed]

    def shrink(self, schedule: Schedule, name: str) -> Schedule:
        """Return the smallest schedule that violates an invariant like this one."""
        return shrink_schedule(schedule, lambda one: name in self.list_broken(one)).group


def find_schedule(bug: StagedBug, tries: int = TRIES) -> FoundSchedule | None:
    """Generate schedules until one shows the bug, and make it small; None if no schedule shows it."""
    pair = MachinePair.build(bug)
    for number in range(tries):
        setting = SETTINGS[number % len(SETTINGS)]
        schedule = draw_schedule(setting, list_fitting_faults(setting, None), 0, number)
        for name in pair.list_broken(schedule):
            return FoundSchedule(name, pair.shrink(schedule, name))
    return None


def read_schedules() -> dict[str, FoundSchedule]:
    """Return the kept schedules by issue."""
    return msgspec.json.decode(SCHEDULES.read_bytes(), type=dict[str, FoundSchedule])


def save_schedule(bug: StagedBug, found: FoundSchedule) -> None:
    """Replace the schedule of one bug, and keep the others."""
    kept = dict(sorted({**read_schedules(), bug.key: found}.items()))
    SCHEDULES.write_bytes(msgspec.json.format(msgspec.json.encode(kept)) + b"\n")


def describe_schedule(schedule: Schedule) -> str:
    """Return the group and the faults of a schedule as a sentence."""
    setting = schedule.setting
    kinds = [kind for kind in ("cooperative", "static") if getattr(setting, kind)]
    plural = "" if setting.members == 1 else "s"
    group = " ".join([str(setting.members), *kinds, f"member{plural}"])
    partitions = " and ".join(map(str, setting.partitions))
    return f"{group}, {partitions} partition{'' if partitions == '1' else 's'}; " + (
        "; ".join(map(describe_timed_fault, schedule.faults)) or "no fault"
    )


def render_timeline(bug: StagedBug, schedule: Schedule) -> str:
    """Return the events of a schedule with the affected machines, one per line."""
    return render_text(build_timeline(MachinePair.build(bug).affected.run(schedule, trace=True).trace))
