"""Machines with a fault each, which the simulator must find: what is changed, and the group in which to look."""

from collections.abc import Callable
from dataclasses import dataclass

from kassay.simulation.schedule import Setting
from kassay.simulation.world import Machines

KAFKA = Setting(coordinator="kafka@4.4.0")


@dataclass(frozen=True)
class Mutant:
    """A change of the machines; `faults` are those under which it shows, and `setting` the group in which it does."""

    change: Callable[[Machines], Machines]
    faults: tuple[str, ...]
    setting: Setting = KAFKA

    @property
    def name(self) -> str:
        return self.change.__name__

    @property
    def says(self) -> str:
        return " ".join((self.change.__doc__ or "").split()).rstrip(".")
