"""The form of a level of applications."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.levels import LevelWords

Measure: TypeAlias = Callable[[Application, TaskAssignment], int]
NO_CLIENT: frozenset[int] = frozenset()


class Holders(NamedTuple):
    """The clients that have, or had, a task."""

    ran: frozenset[int] = NO_CLIENT
    kept: frozenset[int] = NO_CLIENT
    """The clients that had a standby."""
    ready: frozenset[int] | None = None
    """The clients that are caught up; None if the task has no state."""
    active: frozenset[int] = NO_CLIENT
    standby: frozenset[int] = NO_CLIENT
    """The clients of the active task and of standbys in a given answer."""

    @property
    def every(self) -> tuple[int, ...]:
        """All of them, in ascending order."""
        return tuple(sorted(self.ran | self.kept | (self.ready or NO_CLIENT) | self.active | self.standby))


@dataclass(frozen=True, slots=True)
class HolderCosts:
    """The costs of a task by its holders: a loss, less 1 for each copy at a holder."""

    looks: Literal["had", "ready", "given"]
    """The holders that count: previous ones, those caught up, or those of a given answer."""
    loss: Callable[[Holders, int], int]
    """The loss, given the number of standbys."""
    active: Callable[[Holders, int], bool]
    """True if a client's active copy is at a holder."""
    standby: Callable[[Holders, int], bool] | None = None
    """The same for its standby; None: no standby is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """All that is known of one level of tasks.

    Its costs for the core are those of `reads` or of `held`; a level with neither is one that the core has of its own
    (see :mod:`kassay.oracles.assignment.own_levels`).
    """

    words: LevelWords
    least: str
    """The best there is, as a sentence begins: ``The fewest copies that move``."""
    what: str
    """The counted things, in the sentence that says why there are no fewer."""
    best: str
    """The phrase after *for the sake of*, if it comes before another level: ``the fewest moves``."""
    measure: Measure
    """The value of any answer, also of a wrong one."""
    reads: tuple[bool, bool] = (False, False)
    """True if it counts the reads across racks of active tasks, and of standbys (KIP-925)."""
    held: HolderCosts | None = None
    tried: Measure | None = None
    """Its value counted from a tiny application in the unit of the core; None: the measure."""
    about: Literal["owners", "racks"] = "owners"
    """The feature of applications, in addition to loads, that makes answers differ; the search for the worst varies it."""
    compared: bool = False
    """True if answers are compared in it, at the most even loads."""
    traded: bool = False
    """True if a frontier trades it for moves."""

    @property
    def name(self) -> str:
        """As questions name it."""
        return self.words.name

    @property
    def alone(self) -> str:
        """A sentence on the question with only this level."""
        return (
            f"{self.least}." if self.words.counts == "loads" else f"{self.least}, whatever the loads become."
        )
