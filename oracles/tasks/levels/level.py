"""What a level of applications is made of: a file of this folder fills it in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.levels import LevelWords

Measure: TypeAlias = Callable[[Application, TaskAssignment], int]
NO_CLIENT: frozenset[int] = frozenset()


class Holders(NamedTuple):
    """The clients that ran a task, that had a standby of it, and that are caught up on it; `ready` is None where no state is kept.

    `active` and `standby` are those that have it in an answer that is given.
    """

    ran: frozenset[int] = NO_CLIENT
    kept: frozenset[int] = NO_CLIENT
    ready: frozenset[int] | None = None
    active: frozenset[int] = NO_CLIENT
    standby: frozenset[int] = NO_CLIENT

    @property
    def every(self) -> tuple[int, ...]:
        """All of them, in ascending order."""
        return tuple(sorted(self.ran | self.kept | (self.ready or NO_CLIENT) | self.active | self.standby))


@dataclass(frozen=True, slots=True)
class HolderCosts:
    """What a task costs by who had what of it: `loss`, given how many standbys there are, less 1 for each copy where it was.

    `active` says of a client whether its active copy is such a one, `standby` whether its standby is; None: none is. `looks` is what has
    to be known: who had it, who is caught up, or where a given answer has it.
    """

    looks: Literal["had", "ready", "given"]
    loss: Callable[[Holders, int], int]
    active: Callable[[Holders, int], bool]
    standby: Callable[[Holders, int], bool] | None = None


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
    """What is counted, in the sentence that says why it is no less."""
    best: str
    """What stands behind *for the sake of*, where it comes before another level: ``the fewest moves``."""
    measure: Measure
    """What an answer is worth, however wrong it is."""
    reads: tuple[bool, bool] = (False, False)
    """Whether it counts what active tasks, and what standbys, read across racks (KIP-925)."""
    held: HolderCosts | None = None
    tried: Measure | None = None
    """Its value counted out of a tiny application in the unit of the core; None: the measure."""
    about: Literal["owners", "racks"] = "owners"
    """What has to vary in an application for an answer to go wrong besides loads; the search for the worst varies it."""
    compared: bool = False
    """Whether answers are compared in it, at the most even loads."""
    traded: bool = False
    """Whether a frontier shows what more moves buy of it."""

    @property
    def name(self) -> str:
        """As questions name it."""
        return self.words.name

    @property
    def alone(self) -> str:
        """What is asked where it is the only level, in a sentence."""
        return (
            f"{self.least}." if self.words.counts == "loads" else f"{self.least}, whatever the loads become."
        )
