"""The oracle of the oracles: every placement of a tiny application's tasks, counted out from the application itself.

Shares nothing with the other oracles but the words of a question, and takes every value from the measures, so that an error in
reading an application shows.
"""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product

from kassay.model.tasks import Application, Given, Task, TaskAssignment
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.tasks.question import ACTIVES, COUNTS, SUBTOPOLOGIES, Question

MOST = 200_000
"""How many placements are tried at most."""


def exhaust(
    application: Application, asked: Question, given: TaskAssignment | None = None, most: int = MOST
) -> tuple[tuple[int, ...], TaskAssignment]:
    """Return the least values of the question's levels over all placements, and the first placement that has them.

    The value of balance is the sum of the clients' squared loads by threads, times the least number that makes all of them whole.
    Raises TooLargeError where there are more than `most` placements, ImpossibleError if no placement exists.
    """
    number = math.prod(len(_ways(application, task)) for task in application.tasks)
    if number > most:
        raise TooLargeError(f"there are {number} placements; {most} are tried out at most")
    best: tuple[tuple[int, ...], TaskAssignment] | None = None
    for values, answer in yield_answers(application, asked, given):
        if best is None or values < best[0]:
            best = values, answer
    if best is None:
        raise ImpossibleError("no placement keeps what is asked")
    return best


def yield_answers(
    application: Application, asked: Question, given: TaskAssignment | None = None
) -> Iterator[tuple[tuple[int, ...], TaskAssignment]]:
    """Yield the values of the question's levels for every placement that keeps its contracts."""
    tried = [LEVELS[level].tried or LEVELS[level].measure for level in asked.levels]
    for answer in placements(application):
        if _keeps(application, asked, answer, given):
            yield tuple(counted(application, answer) for counted in tried), answer


def placements(application: Application) -> Iterator[TaskAssignment]:
    """Yield every placement: each task active on one client, its standbys on others."""
    names = [client.id for client in application.clients]
    for chosen in product(*(_ways(application, task) for task in application.tasks)):
        given: dict[str, Given] = {}
        for name in names:
            held = [
                (task.id, copies.index(name))
                for task, copies in zip(application.tasks, chosen, strict=True)
                if name in copies
            ]
            given[name] = Given(
                tuple(sorted(task for task, rank in held if not rank)),
                tuple(sorted(task for task, rank in held if rank)),
            )
        yield TaskAssignment(given, probing=False)


def _ways(application: Application, task: Task) -> list[tuple[str, ...]]:
    """Return the clients of a task's copies, the active one first, in every way there is."""
    names = [client.id for client in application.clients]
    standbys = min(application.settings.num_standby_replicas, len(names) - 1) if task.stateful else 0
    return [
        (active, *others)
        for active in names
        for others in combinations([name for name in names if name != active], standbys)
    ]


def _keeps(
    application: Application, asked: Question, answer: TaskAssignment, given: TaskAssignment | None
) -> bool:
    names = [client.id for client in application.clients]
    if given is not None:
        pairs = [(given.clients[name], answer.clients[name]) for name in names]
        if COUNTS in asked.contracts and any([*map(len, one)] != [*map(len, other)] for one, other in pairs):
            return False
        if ACTIVES in asked.contracts and any(one.active != other.active for one, other in pairs):
            return False
    if SUBTOPOLOGIES not in asked.contracts:
        return True
    weights = {client.id: client.threads for client in application.clients}
    if COUNTS in asked.contracts:
        weights = {name: len(answer.clients[name].active) for name in names}
    whole = sum(weights.values())
    sizes = Counter(task.id.subtopology for task in application.tasks)
    return all(
        abs(whole * sum(task.subtopology == j for task in answer.clients[name].active) - size * weights[name])
        < whole
        for j, size in sizes.items()
        for name in names
    )
