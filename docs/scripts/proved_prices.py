"""Prices proved by the oracles, at any size, and families of applications on which they grow."""

from collections.abc import Callable, Mapping

from counted_prices import Pair
from placements import build_inputs

from kassay.model.tasks import Application, Given, TaskAssignment
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.optimum import compute_optimum
from kassay.oracles.tasks.worst_case import build_application
from kassay.oracles.worst_case import Content, Shape


def prove_optimum(text: str, group: Application, given: TaskAssignment | None = None) -> int:
    """Return the sum of what active tasks and standbys read across racks in the optimum of a question; it is proved."""
    found = compute_optimum(text, group, given=given).values
    return sum(value for level, value in found.items() if any(LEVELS[level].reads))


def active_first(group: Application) -> Pair:
    """Active tasks first, the best of equally good placements; then standbys."""
    return prove_optimum("balance,active,standby", group), prove_optimum("balance,joint", group)


def fixed_counts(group: Application) -> Pair:
    """Active tasks at the counts of dealing in turn."""
    number = len(group.clients)
    tasks = sorted(task.id for task in group.tasks)
    dealt = {client.id: Given(tuple(tasks[c::number]), ()) for c, client in enumerate(group.clients)}
    return prove_optimum("counts,active", group, TaskAssignment(dealt, probing=False)), prove_optimum(
        "balance,active", group
    )


def subtopology_shares(group: Application) -> Pair:
    """Each client its share of each subtopology."""
    return prove_optimum("subtopologies,balance,joint", group), prove_optimum("balance,joint", group)


def same_active(group: Application, answer: TaskAssignment) -> int:
    """Return the least that standbys read across racks where an answer's active tasks, and all its counts, are kept."""
    return prove_optimum("counts,actives,standby", group, answer)


PROVED: Mapping[str, Callable[[Application], Pair]] = {
    "active first, best tie": active_first,
    "fixed counts": fixed_counts,
    "subtopology bound": subtopology_shares,
}
"""A price in :data:`counted_prices.PRICES` -> the same, proved."""


def ring(number: int) -> Application:
    """Return as many clients, each in a rack of its own, as tasks: all but one can stay, or all go one place on.

    Task n reads racks n and n + 1, the last one rack 0; changelogs are one place on. Staying costs 1, and standbys go to their
    changelogs. Going on costs nothing, but then active tasks are where alone their standbys would cost nothing.
    """
    contents: list[Content] = [
        (((n, n + 1) if n + 1 < number else (0,), ((n + 1) % number,)), ()) for n in range(number)
    ]
    return build_application(Shape(tuple(((0,), n) for n in range(number)), (tuple(contents),)))


def remainders(number: int) -> Application:
    """Return twice as many clients as tasks: dealing in turn gives a task to each of the first half, and all read the other's rack."""
    shape = Shape(tuple(((0,), int(n >= number)) for n in range(2 * number)), (((((1,),), ()),) * number,))
    return build_inputs(shape)


def build_two_racks(number: int) -> Application:
    """Return two clients in two racks, and two subtopologies of `number` tasks, each of which reads one rack alone."""
    parts: list[tuple[Content, ...]] = [((((rack,), (0, 1)), ()),) * number for rack in (0, 1)]
    return build_application(Shape((((0, 1), 0), ((0, 1), 1)), tuple(parts)))


def ties(number: int) -> Application:
    """Return two clients in two racks, and twice as many tasks that read both; changelogs are in one rack and the other in turn.

    Active tasks cost nothing anywhere. Dealt out in turn, each is where alone its standby would cost nothing.
    """
    pair: tuple[Content, ...] = tuple((((0, 1), (rack,)), ()) for rack in (0, 1))
    return build_application(Shape((((0,), 0), ((0,), 1)), (pair * number,)))


def detours(number: int) -> Application:
    """Return three clients, two of them in one rack, and three times as many tasks that read that rack, one in three with a changelog in the other.

    The standbys that are best swapped can only be swapped through a third client, which gains nothing by it.
    """
    some: tuple[Content, ...] = tuple((((0,), (rack,)), ()) for rack in (1, 0, 0))
    return build_application(Shape((((0,), 0), ((0,), 0), ((0,), 1)), (some * number,)))


GROWN: Mapping[str, tuple[Callable[[int], Application], Callable[[Application], Pair]]] = {
    "active first, best tie": (ring, active_first),
    "fixed counts": (remainders, fixed_counts),
    "subtopology bound": (build_two_racks, subtopology_shares),
}
"""A price -> a family on which it grows without bound, by a number that doubles, and the price proved."""
