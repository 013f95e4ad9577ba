"""The form of a level of groups of topics and members."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.levels import LevelWords

Measure: TypeAlias = Callable[[Group, Assignment], int]
Owners: TypeAlias = tuple[int, ...]
"""The numbers of the members that own a partition."""
Near: TypeAlias = tuple[tuple[str | None, ...], ...]
"""The racks of the replicas of such partitions."""
Choice: TypeAlias = dict[TopicPartition, tuple[str, ...]]
"""The holders of each partition."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One of all assignments of a tiny group: who owns and who holds each partition, and what was asked.

    `several`: a partition may have several owners. `together`: the range contract gives the loads. `joined` are the topics whose loads
    are given as well.
    """

    group: Group
    owners: Mapping[TopicPartition, list[str]]
    choice: Choice
    several: bool
    together: bool
    joined: frozenset[str]


def uncounted(one: Tried) -> int:
    """Stand for what a level did not give; raises NotImplementedError."""
    raise NotImplementedError("a level is not counted out; give it `tried`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """All that is known of one level of partitions.

    Its costs for the core are those of `owned` and `in_rack`, added up; a level with neither is that of the squared loads, which the
    core has of its own (see :mod:`kassay.oracles.assignment.own_levels`).
    """

    words: LevelWords
    least: str
    """The best there is, as a sentence begins: ``The fewest partitions that must leave their owners``."""
    brief: str
    """The same behind another level: ``the fewest moves``."""
    measure: Measure
    """What an answer is worth, however wrong it is."""
    of_copies: Measure | None = None
    """The measure where a partition may have several owners, if that is another."""
    beside_joins: Measure | None = None
    """The measure where joined topics are kept together, if that is another."""
    owned: Callable[[Sequence[Owners], bool], tuple[int, Mapping[int, int]]] | None = None
    """What partitions that stay together cost with none of their owners, given the owners of each and whether each owner counts by
    itself; and what less it is, 0 or more, for each owner that has them."""
    in_rack: Callable[[Near, Sequence[str]], tuple[int, ...]] | None = None
    """What partitions that stay together cost in each of these racks, and last with a member that has none."""
    tried: Callable[[Tried], int] = uncounted
    """Its value counted out from a tiny group itself, with nothing of the measure or the costs."""
    weighs: bool = False
    """Whether it is of what partitions weigh: no flow answers it, but an interval (see :mod:`kassay.oracles.partitions.weights`)."""
    compared: bool = True
    """Whether every answer is compared in it, at the most even loads; otherwise only where that is asked."""
    about: Literal["", "owners", "racks", "weights"] = ""
    """What has to vary in a group for an answer to go wrong besides loads; the search for the worst varies it."""
    why: tuple[str, str, str] | None = None
    """What partitions are that cost something except at ``{}``, or anywhere; and what they must do then. None: no such count proves it."""

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
