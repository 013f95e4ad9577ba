"""An input model (shape): how groups of one kind are read, written, generated, minimised and shown.

Families of one shape have the same kind of groups and differ in their promises.
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
    """A small table of text: column names, rows and a note for the reader."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sampler:
    """The way in which sweeps draw groups of a shape from a seed."""

    numbers: Mapping[str, tuple[int, int]]
    """Number -> its widest limits."""
    usual: Mapping[str, tuple[int, int]]
    """Number -> its limits if a grid gives none."""
    kinds: Mapping[str, Sequence[str]]
    """Choice -> its kinds, which are drawn by weight. The first one is taken if a grid gives no weights."""
    draw: Callable[[Mapping[str, tuple[int, int]], Mapping[str, Mapping[str, int]], int], Any]
    """Draws a timeline from limits, weights and a seed. It has changes only if the grid asks for them."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The functions for groups of one input model. The engine handles groups only with these."""

    name: str
    groups: "Callable[[], SearchStrategy[Any]]"
    timelines: "Callable[[], SearchStrategy[Any]]"
    play: Callable[[Assign, Any], Iterator[Any]]
    """Plays a timeline with an assignor and yields the complete group of each step."""
    smaller: Callable[[Any], Iterator[Any]]
    """Yields groups that are slightly smaller than this one, for the minimiser."""
    read_group: Callable[[Json], Any]
    """Returns the group of decoded JSON; raises InputError naming the field."""
    write_group: Callable[[Any], Mapping[str, Json]]
    """Returns the JSON of a group without its family."""
    read_assignment: Callable[[Json], Any]
    write_assignment: Callable[[Any], Json]
    show: Callable[[Any, Mapping[str, Any]], TextTable]
    """A group with several assignments side by side (column title -> assignment), for people."""
    sizes: Mapping[str, Callable[[Any], int]] = field(default_factory=dict)
    """Quantity -> the function that counts it in a group, such as members. The last one drives the response time."""
    items: str = "items"
    """The plural of the things that an assignment distributes, such as partitions."""
    most_rounds: int = 0
    """The most rounds until an assignor converges; its measure `rounds` is one more if it never does."""
    show_change: Callable[[Run, Run], TextTable] | None = None
    """Returns two runs side by side, with the changes from the first to the second."""
    same: Callable[[Any, Any], bool] = field(default=operator.eq)
    """Returns True if two answers give the same to every member, in any order."""
    present: Callable[[Any], Any] = field(default=lambda _group: None)
    """Returns the current assignment of a group, by the claims of its members; None if no member claims anything.

    If there is one, `show` has a column for it, before the assignments.
    """
    write_beside: Callable[[Any], Mapping[str, Json]] = field(default=lambda _answer: {})
    """Returns the further fields of an answer, such as a request for a probing rebalance."""
    read_beside: Callable[[Any, Mapping[str, Json]], Any] = field(default=lambda answer, _beside: answer)
    """Returns the assignment with the further fields of its answer; unknown keys are ignored."""
    goes_on: bool = False
    """True if the next round needs the further fields of an answer, so that they are always printed."""
    sampler: Sampler | None = None
    decode_group: Callable[[str], tuple[str | None, str | None, Any] | None] = field(
        default=lambda _text: None
    )
    """Returns family, name and group of JSON text in one step; None for any other text."""

    write_lightly: Callable[[Any], Json] | None = None
    """Returns what encoders write as the same JSON as the result of `write_assignment`, in less time and memory.

    It has tuples in place of lists. None if `write_assignment` is as good.
    """

    changed: Callable[[Any, int, Sequence[str], Mapping[str, int]], Any] | None = None
    """Returns the group of the next rebalance, given the number of joining members, the leaving members, and topic -> new partition count.

    None if the shape does not support changes.
    """

    directed: "Callable[[], SearchStrategy[Any]] | None" = None
    """Draws groups on which some assignor is known to fail and that are rarely drawn otherwise; None if there are no such groups.

    A check adds some of them to the generated groups.
    """

    large: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Kind of large groups -> the function that chooses one from choices (kassay.properties.choices). A check adds some of each kind."""
    dimensions: Mapping[str, tuple[int, Callable[[Any], int]]] = field(default_factory=dict)
    """Dimension, such as members -> the number from which a group is large in it, and the function that finds the number of a group."""
    lives: "Callable[[], SearchStrategy[Any]] | None" = None
    """Draws timelines on which the first member stays, to play them on one instance; by default `timelines`."""

    def write_without_copies(self, answer: Any) -> Json:
        """Return the JSON of an assignment, or tuples that encoders write as the same JSON."""
        return (self.write_lightly or self.write_assignment)(answer)

    def write_answer(self, answer: Any) -> dict[str, Json]:
        """Return the JSON of an answer: its assignment and its further fields."""
        return {"assignment": self.write_assignment(answer), **self.write_beside(answer)}

    def brief(self, answer: Any) -> Json:
        """Return the shortest JSON of an answer: only the assignment if there are no further fields."""
        said = self.write_answer(answer)
        return said if len(said) > 1 else said["assignment"]

    def read_answer(self, data: Mapping[str, Json]) -> Any:
        """Return the answer of decoded JSON with a key ``assignment``; raises InputError if its form is wrong."""
        return self.read_beside(self.read_assignment(data["assignment"]), data)
