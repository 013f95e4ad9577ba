"""Faults of the group protocol, found by simulating whole groups: each is a module of museum/protocol, with the machines as they were and without the fault.

A fault counts as found where a schedule breaks an invariant with the affected machines, in none of the known ways, and not with the fixed ones.
Groups and faults are drawn alike for all: nothing tells the search what to look for.
"""

import importlib
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kassay.protocol.simulation.campaign import Runner, draw_schedule, list_fitting_faults, shrink_schedule
from kassay.protocol.simulation.monitor import Outcome, find_defects
from kassay.protocol.simulation.schedule import Schedule, Setting
from kassay.protocol.simulation.timeline import build_timeline, describe_timed_fault, render_text
from kassay.protocol.simulation.world import Machines

FILE = Path(__file__).with_name("museum.toml")
RECORDED = Path(__file__).with_name("schedules.json")
TRIES = 40_000
SETTINGS = [
    Setting(coordinator="kafka@4.4.0", members=members, partitions=partitions, cooperative=cooperative, static=static)
    for members, partitions in ((2, (2,)), (3, (2, 2)))
    for cooperative in (False, True)
    for static in (False, True)
]  # fmt: skip
sys.path.insert(0, str(Path(__file__).parent))


@dataclass(frozen=True)
class Staged:
    """A fault of the protocol as museum.toml lists it; `side` is who had it: coordinator or member."""

    issue: str
    affected: str
    fixed: str
    side: str
    about: str

    @property
    def module(self) -> Any:
        """Return the module with its machines."""
        return importlib.import_module(f"protocol.{self.issue.lower().replace('-', '_')}")


def staged(wanted: list[str]) -> list[Staged]:
    """Read the faults of the protocol, all or those of some issues."""
    every = [Staged(**entry) for entry in tomllib.loads(FILE.read_text())["staged"]]
    return [one for one in every if not wanted or one.issue in wanted]


class MachinePair:
    """The affected machines of a fault beside the fixed ones."""

    def __init__(self, staged: Staged) -> None:
        """Put both machines together, as settings need them."""
        self.affected: Callable[[Setting], Machines] = staged.module.affected
        self._affected, self._fixed = Runner(self.affected), Runner(staged.module.fixed)

    def shows(self, schedule: Schedule) -> list[str]:
        """Return the invariants that break with the affected machines alone."""
        outcome = self._affected.run(schedule)
        breaks = [name for name, _ in outcome.breaches if not find_defects(outcome, name)]
        keeps = {name for name, _ in self._fixed.run(schedule).breaches} if breaks else set()
        return [name for name in breaks if name not in keeps]

    def smallest(self, schedule: Schedule, breaks: str) -> Schedule:
        """Make a schedule as small as it still shows the fault by this invariant."""
        return shrink_schedule(schedule, lambda one: breaks in self.shows(one)).group

    def trace(self, schedule: Schedule) -> Outcome:
        """Run a schedule with the affected machines, and keep what happens."""
        return Runner(self.affected).run(schedule, trace=True)


@dataclass(frozen=True)
class Caught:
    """How a fault was found: by which invariant, on which smallest schedule, after how many seconds and schedules."""

    breaks: str
    schedule: Schedule
    seconds: float
    number: int


def caught(staged: Staged, tries: int = TRIES) -> Caught | None:
    """Draw schedules until one shows the fault, and make it smaller; None where none of so many does."""
    held, start = MachinePair(staged), time.perf_counter()
    for number in range(tries):
        setting = SETTINGS[number % len(SETTINGS)]
        schedule = draw_schedule(setting, list_fitting_faults(setting, None), 0, number)
        shown = held.shows(schedule)
        if shown:
            return Caught(
                shown[0], held.smallest(schedule, shown[0]), time.perf_counter() - start, number + 1
            )
    return None


def plain(found: Caught) -> dict[str, Any]:
    """Make what is kept and printed of a fault: the invariant that it breaks, and the smallest schedule."""
    return {"breaks": found.breaks, "schedule": msgspec.to_builtins(found.schedule)}


def recorded() -> dict[str, dict[str, Any]]:
    """Return what is recorded of each fault: the invariant that it breaks, and the smallest schedule."""
    return msgspec.json.decode(RECORDED.read_bytes()) if RECORDED.exists() else {}


def record(found: dict[str, Caught]) -> None:
    """Keep the smallest schedules, besides those of other faults."""
    kept = recorded() | {issue: plain(one) for issue, one in found.items()}
    RECORDED.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(kept.items())))) + b"\n")


def said(schedule: Schedule) -> str:
    """Say what the group of a schedule is, and what strikes it."""
    setting = schedule.setting
    kinds = [kind for kind in ("cooperative", "static") if getattr(setting, kind)]
    plural = "" if setting.members == 1 else "s"
    group = " ".join([str(setting.members), *kinds, f"member{plural}"])
    partitions = " and ".join(map(str, setting.partitions))
    return f"{group}, {partitions} partition{'' if partitions == '1' else 's'}; " + (
        "; ".join(map(describe_timed_fault, schedule.faults)) or "no fault"
    )


def told(staged: Staged, schedule: Schedule) -> str:
    """Tell line by line what happens in a schedule with the affected machines."""
    return render_text(build_timeline(MachinePair(staged).trace(schedule).trace))
