"""A shape of groups, as the engine sees it: how they are read, written, generated, made smaller and shown.

Families of one shape differ in what they promise; what their groups look like stands in one such record.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from kassay.properties.runs import Run

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Json: TypeAlias = Any
Assign: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A small table of text: its column names and its rows, and what a reader has to know of them."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sampler:
    """How groups of a shape are sampled by seed, for sweeps.

    `numbers` are drawn between limits (here the widest), `usual` are the limits where none are given; `kinds` are drawn by
    weight, the first where none is given. `draw` takes limits, weights and a seed and gives a timeline, with no changes in
    it unless they are asked for.
    """

    numbers: Mapping[str, tuple[int, int]]
    usual: Mapping[str, tuple[int, int]]
    kinds: Mapping[str, Sequence[str]]
    draw: Callable[[Mapping[str, tuple[int, int]], Mapping[str, Mapping[str, int]], int], Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """What groups of one kind of input look like; the engine handles them by these functions alone."""

    name: str
    groups: "Callable[[], SearchStrategy[Any]]"
    timelines: "Callable[[], SearchStrategy[Any]]"
    play: Callable[[Assign, Any], Iterator[Any]]
    """Plays a timeline with an assignor: the group of each step, complete in itself."""
    smaller: Callable[[Any], Iterator[Any]]
    """The groups a little smaller than this one, for the minimiser."""
    read_group: Callable[[Json], Any]
    """From decoded JSON; raises InputError naming the field."""
    write_group: Callable[[Any], Mapping[str, Json]]
    """Without the family, which only the family knows."""
    read_assignment: Callable[[Json], Any]
    write_assignment: Callable[[Any], Json]
    show: Callable[[Any, Mapping[str, Any]], TextTable]
    """A group with several assignments side by side (column title -> assignment), for people."""
    sizes: Mapping[str, Callable[[Any], int]] = field(default_factory=dict)
    """What is counted in a group, such as its members; the last one is what answers take longer for."""
    items: str = "items"
    """What an assignment gives out, as people call it: partitions."""
    most_rounds: int = 0
    """How many rounds an assignor has to settle in; its measure `rounds` is one more where it never does."""
    show_change: Callable[[Run, Run], TextTable] | None = None
    """Two runs side by side, with what changed from the first to the second."""
    same: Callable[[Any, Any], bool] = field(default=operator.eq)
    """Whether two answers give everybody the same, in whatever order."""
    present: Callable[[Any], Any] = field(default=lambda _group: None)
    """The assignment that a group has now, as its members claim it; None where nobody claims anything.

    Where there is one, `show` has a column of it, the last before those of the assignments.
    """
    write_beside: Callable[[Any], Mapping[str, Json]] = field(default=lambda _answer: {})
    """What an answer says beside its assignment, such as that a probing rebalance is to follow."""
    read_beside: Callable[[Any, Mapping[str, Json]], Any] = field(default=lambda answer, _beside: answer)
    """Adds to an assignment what its answer says beside it; keys that it does not know are ignored."""
    goes_on: bool = False
    """Whether what stands beside an assignment is needed for the next round, so that it is always printed with it."""
    sampler: Sampler | None = None
    decode_group: Callable[[str], tuple[str | None, str | None, Any] | None] = field(
        default=lambda _text: None
    )
    """From JSON text at once, with the family and the name that it states; None where the text is anything else."""

    changed: Callable[[Any, int, Sequence[str], Mapping[str, int]], Any] | None = None
    """The group of the next rebalance, before which so many join, these leave, and topics, or what else has partitions, get so many; None where nobody says."""

    directed: "Callable[[], SearchStrategy[Any]] | None" = None
    """Groups that lead to where an assignor is known to go wrong, and others seldom come; None where there are none such.

    A check tries some beside the others.
    """

    def write_answer(self, answer: Any) -> dict[str, Json]:
        """Make the JSON of an answer: its assignment and what it says beside it."""
        return {"assignment": self.write_assignment(answer), **self.write_beside(answer)}

    def brief(self, answer: Any) -> Json:
        """Make the JSON of an answer in short: the assignment alone where nothing is said beside it."""
        said = self.write_answer(answer)
        return said if len(said) > 1 else said["assignment"]

    def read_answer(self, data: Mapping[str, Json]) -> Any:
        """Make an answer of decoded JSON with a key ``assignment``; raises InputError where its shape is wrong."""
        return self.read_beside(self.read_assignment(data["assignment"]), data)
