"""Applications with structure, to begin a search with: random changes of a small one seldom come to such.

Each combines where the inputs and the changelogs of tasks have their replicas (in runs, in turn, the one against the other) with
racks of one client or several, and, where the question asks for it, with who held what.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import TypeAlias

from kassay.model.tasks import Application
from kassay.oracles.worst_case.spaces import Content, Kind, Numbers, Shape

Rule: TypeAlias = Callable[[int, int, int], int]
"""From a task's number, how many tasks there are and how many places, to a place, or a negative one for all or none of them."""

RULES: Mapping[str, Rule] = {
    "in runs": lambda number, tasks, places: number * places // tasks,
    "in runs, backwards": lambda number, tasks, places: places - 1 - number * places // tasks,
    "in turn": lambda number, _tasks, places: number % places,
    "in turn, one on": lambda number, _tasks, places: (number + 1) % places,
    "everywhere": lambda _number, _tasks, _places: -1,
}
"""In which rack a partition has its only replica, or which client held the task."""


def seeds(
    kind: Kind[Application], *, claims: bool, clients: int = 4, tasks: int = 8
) -> Iterator[Application]:
    """Yield structured applications of up to so many clients and tasks: with owners where there are claims, else with racks."""
    sizes = product(
        (c for c in (2, 3, 4) if c <= clients), (t for t in (2, 3, 4, 6, 8) if t <= tasks), (1, 2)
    )
    for (members, items, parts), one, other in product(sizes, RULES.values(), RULES.values()):
        if items < parts:
            continue
        for racks in (0,) if claims else sorted({2, members}):
            yield kind.group(_shape((members, items, parts, racks), one, other))


def _shape(counts: tuple[int, int, int, int], one: Rule, other: Rule) -> Shape:
    members, items, parts, racks = counts
    contents: list[list[Content]] = [[] for _ in range(parts)]
    for number in range(items):
        places = tuple(rule(number, items, racks or members) for rule in (one, other))
        near = tuple(_near(place, racks) for place in places)
        active, standby = (-1, -1) if racks else places
        owners = active, standby if standby != active else -1
        contents[number * parts // items].append((near, owners))
    reads = tuple(range(parts))
    return Shape(
        tuple((reads, m % racks if racks else -1) for m in range(members)), tuple(map(tuple, contents))
    )


def _near(place: int, racks: int) -> Numbers:
    if not racks:
        return ()
    return (place,) if place >= 0 else tuple(range(racks))
