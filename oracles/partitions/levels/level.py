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
    """One of all assignments of a tiny group under a question."""

    group: Group
    owners: Mapping[TopicPartition, list[str]]
    choice: Choice
    several: bool
    """A partition may have several owners."""
    together: bool
    """The range contract fixes the loads."""
    joined: frozenset[str]
    """The topics whose loads are fixed as well."""


def uncounted(one: Tried) -> int:
    """Stand for what a level did not give; raises NotImplementedError."""
    raise NotImplementedError("a level is not counted out; give it `tried`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """All that is known of one level of partitions.

    Its costs for the core are the sum of `owned` and `in_rack`. A level with neither is one of the core's own levels
    (see :mod:`kassay.oracles.assignment.own_levels`).
    """

    words: LevelWords
    least: str
    """The best there is, as a sentence begins: ``The fewest partitions that must leave their owners``."""
    brief: str
    """The same behind another level: ``the fewest moves``."""
    measure: Measure
    """The value of any answer, also of a wrong one."""
    of_copies: Measure | None = None
    """Another measure for questions with several owners of a partition."""
    beside_joins: Measure | None = None
    """Another measure for questions that keep joined topics together."""
    owned: Callable[[Sequence[Owners], bool], tuple[int, Mapping[int, int]]] | None = None
    """The cost of partitions that stay together without any of their owners, and what each owner saves, 0 or more.

    It is given the owners of each partition, and True if each owner counts by itself.
    """
    in_rack: Callable[[Near, Sequence[str]], tuple[int, ...]] | None = None
    """The cost of partitions that stay together in each of these racks, and last with a member without a rack."""
    tried: Callable[[Tried], int] = uncounted
    """Its value counted from a tiny group itself, independently of the measure and the costs."""
    weighs: bool = False
    """True if it is about weights: its answer is an interval, and no flow (see :mod:`kassay.oracles.partitions.weights`)."""
    compared: bool = True
    """True if every answer is compared in it, at the most even loads; otherwise only if that is asked."""
    about: Literal["", "owners", "racks", "weights"] = ""
    """The feature of groups, in addition to loads, that makes answers differ; the search for the worst varies it."""
    why: tuple[str, str, str] | None = None
    """Phrases for partitions that cost something except at ``{}``, or anywhere, and for their fate. None: no such count proves it."""

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
