"""The smallest schedules that show what was planted in coordinator and member: they are run first, on whatever is simulated."""

from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files

import msgspec
from msgspec.structs import replace

from kassay.simulation.schedule import Schedule, Setting
from kassay.simulation.uses import USES

FILE = "corpus.json"
"""Beside this file; written by ``python tests/simulation/catching.py``."""


def corpus(setting: Setting, kinds: Collection[str]) -> Iterator[Schedule]:
    """Yield the schedules that have faults of these kinds alone, for what a setting simulates: its use and coordinator.

    Members, partitions and whether members are static are those that the schedule needs, where the use knows static members.
    """
    known: dict[Schedule, None] = {}
    for one in _written():
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


@cache
def _written() -> tuple[Schedule, ...]:
    text = files(__package__).joinpath(FILE).read_bytes()
    return msgspec.json.decode(text, type=tuple[Schedule, ...])
