"""A family of a few lines that has nothing to do with Kafka, to show that the engine knows no family by itself.

A group is a number of sweets and a number of children; an assignment is how many sweets each child gets.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from kassay.errors import InputError
from kassay.family import Family
from kassay.model import Assignor
from kassay.properties.laws import crash_free, deterministic
from kassay.shape import Assign, Shape, TextTable


@dataclass(frozen=True, slots=True)
class Sweets:
    sweets: int
    children: int = 1


def all_given(group: Sweets, shares: tuple[int, ...]) -> Iterator[str]:
    """Every sweet is given to a child."""
    if sum(shares) != group.sweets:
        yield f"{sum(shares)} of {group.sweets} sweets are given"


def fair(_: Sweets, shares: tuple[int, ...]) -> Iterator[str]:
    """No child has two sweets more than another."""
    if shares and max(shares) - min(shares) > 1:
        yield f"one child has {max(shares)} sweets, another {min(shares)}"


def growing(assign: Assign, group: Sweets) -> Iterator[str]:
    """A sweet more takes nothing from any child."""
    more = assign(Sweets(group.sweets + 1, group.children))
    if any(after < before for before, after in zip(assign(group), more, strict=False)):
        yield f"a child loses by the sweet number {group.sweets + 1}"


def spread(_: Sweets, shares: tuple[int, ...]) -> int:
    """Most sweets of a child less fewest."""
    return max(shares) - min(shares)


def smaller(group: Sweets) -> Iterator[Sweets]:
    for sweets in range(group.sweets):
        yield Sweets(sweets, group.children)
    for children in range(1, group.children):
        yield Sweets(group.sweets, children)


def read_group(data: Any) -> Sweets:
    if not isinstance(data.get("sweets"), int) or not isinstance(data.get("children"), int):
        raise InputError("sweets: give sweets and children as numbers")
    return Sweets(data["sweets"], data["children"])


def read_assignment(data: Any) -> tuple[int, ...]:
    if not isinstance(data, list) or not all(isinstance(share, int) for share in data):
        raise InputError("give a list of numbers")
    return tuple(data)


def show(group: Sweets, assignments: Any) -> TextTable:
    rows = [[str(n), *(str(shares[n]) for shares in assignments.values())] for n in range(group.children)]
    return TextTable(["child", *assignments], rows)


def evenly(group: Sweets) -> tuple[int, ...]:
    share, rest = divmod(group.sweets, group.children)
    return tuple(share + (child < rest) for child in range(group.children))


def greedily(group: Sweets) -> tuple[int, ...]:
    return (group.sweets,) + (0,) * (group.children - 1)


SWEETS = Shape(
    name="sweets",
    groups=lambda: st.builds(Sweets, st.integers(0, 50), st.integers(1, 20)),
    timelines=lambda: st.lists(st.builds(Sweets, st.integers(0, 50), st.integers(1, 20)), max_size=3),
    play=lambda _, timeline: iter(timeline),
    smaller=smaller,
    read_group=read_group,
    write_group=lambda group: {"sweets": group.sweets, "children": group.children},
    read_assignment=read_assignment,
    write_assignment=list,
    show=show,
    sizes={"children": lambda group: group.children, "sweets": lambda group: group.sweets},
)
TOY = Family(
    name="toy",
    shape=SWEETS,
    invariants={"all_given": all_given, "fair": fair},
    laws={"crash_free": crash_free, "deterministic": deterministic, "growing": growing},
    measures={"spread": spread},
    situations={"more_children_than_sweets": lambda group: group.children > group.sweets},
    expected=frozenset({"all_given", "crash_free"}),
)
EVENLY = Assignor(
    "toy/evenly", evenly, frozenset({"all_given", "fair", "growing", "crash_free", "deterministic"}), "here"
)
GREEDILY = Assignor("toy/greedily", greedily, frozenset({"all_given", "fair"}), "here")
