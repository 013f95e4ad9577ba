"""Make a schedule smaller as long as it breaks the same invariant: fewer faults, fewer members, rounder and smaller numbers."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from kassay.properties.minimise import Minimised, minimise, parts
from kassay.simulation.schedule import Fault, Schedule, Setting

TRIES = 3_000


def smallest(
    schedule: Schedule, broken: Callable[[Schedule], bool], *, wall_s: float = float("inf")
) -> Minimised[Schedule]:
    """Return the smallest schedule reached that is still broken, in so many seconds at most."""
    return minimise(schedule, broken, smaller, tries=TRIES, wall_s=wall_s)


def smaller(schedule: Schedule) -> Iterator[Schedule]:
    """Yield schedules that are a step smaller, the boldest steps first."""
    setting, faults = schedule.setting, schedule.faults
    for part in parts(len(faults)):
        yield Schedule(setting, faults[: part.start] + faults[part.stop :])
    if setting.members > 1:
        for gone in range(setting.members - 1, -1, -1):
            kept = tuple(replace(f, who=f.who - (f.who > gone)) for f in faults if f.who != gone)
            yield Schedule(replace(setting, members=setting.members - 1), kept)
    for plainer in _plainer(setting):
        yield Schedule(plainer, faults)
    for at, fault in enumerate(faults):
        for other in _simpler(fault):
            yield Schedule(setting, tuple(sorted((*faults[:at], other, *faults[at + 1 :]))))


def _plainer(setting: Setting) -> Iterator[Setting]:
    """Yield settings with fewer topics and partitions, and with less said of them."""
    counts = setting.partitions
    for at, number in enumerate(counts):
        if len(counts) > 1:
            yield replace(setting, partitions=counts[:at] + counts[at + 1 :])
        if number > 1:
            yield replace(setting, partitions=(*counts[:at], number - 1, *counts[at + 1 :]))
    for name, plain in (("cooperative", False), ("static", False), ("chooses", 0)):
        if getattr(setting, name) != plain:
            yield replace(setting, **{name: plain})


def _simpler(fault: Fault) -> Iterator[Fault]:
    for name in ("much", "span", "who", "at"):
        value = getattr(fault, name)
        for less in _less(value):
            yield replace(fault, **{name: less})


def _less(value: int) -> Iterator[int]:
    """Yield smaller numbers: nothing, the value with fewer digits that are not 0, half, one less."""
    known = {value}
    for less in (0, *(value - value % 10**n for n in range(4, 0, -1)), value // 2, value - 1):
        if 0 <= less < value and less not in known:
            known.add(less)
            yield less
