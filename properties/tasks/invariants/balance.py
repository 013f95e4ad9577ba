"""Invariants about loads: tasks for each thread, compared as exact fractions."""

from collections.abc import Iterator
from fractions import Fraction

from kassay.model.tasks import Application, TaskAssignment
from kassay.properties.runs import LOADS, Violation
from kassay.properties.tasks.evenness import evens
from kassay.properties.tasks.holdings import active_on, holdings, standby_on
from kassay.properties.tasks.invariants.spread import configured_tags, effect


def active_balanced(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No single move of an active task makes the active tasks for each thread of two clients differ by less.

    Without such a move the squares of the counts, each by its client's threads, have the least sum there is. Demanded only of
    answers that no probing rebalance follows: until then tasks run where they are caught up.
    Source: HighAvailabilityTaskAssignor, which evens the loads of clients two by two.
    """
    if answer.probing:
        return
    threads = {client.id: client.threads for client in application.clients}
    counts = {name: len(held.active) for name, held in holdings(application, answer).items()}
    for giver, many in counts.items():
        for taker, few in counts.items():
            if many and evens(many, threads[giver], few, threads[taker]):
                yield Violation(
                    f"{giver} has {_load(many, threads[giver], 'active task')}, {taker} {_load(few, threads[taker])}; "
                    "more even: move one",
                    LOADS,
                    Fraction(many, threads[giver]) - Fraction(few, threads[taker]),
                )
                break


def total_balanced(application: Application, answer: TaskAssignment) -> Iterator[str]:
    """No single move of a standby makes the tasks for each thread, active and standby, of two clients differ by less.

    Moves that cost one of a task's values of rack.aware.assignment.tags do not count. Demanded only of answers that no probing
    rebalance follows. Source: HighAvailabilityTaskAssignor, which evens the loads again when it has placed standbys.
    """
    if answer.probing:
        return
    values = configured_tags(application)
    threads = {client.id: client.threads for client in application.clients}
    held = holdings(application, answer)
    counts = {name: len(roles.active | roles.standby) for name, roles in held.items()}
    active, standby = active_on(held), standby_on(held)
    for giver, many in counts.items():
        lighter = [taker for taker, few in counts.items() if evens(many, threads[giver], few, threads[taker])]
        moves = (
            (task, taker)
            for task, names in standby.items()
            if giver in names
            for taker in lighter
            if taker not in names and taker not in active.get(task, ())
        )
        for task, taker in moves:
            if not effect([*active.get(task, ()), *standby[task]], giver, taker, values)[0]:
                yield Violation(
                    f"{giver} has {_load(many, threads[giver], 'task')}, {taker} {_load(counts[taker], threads[taker])}; "
                    f"more even: move standby {task}",
                    LOADS,
                    Fraction(many, threads[giver]) - Fraction(counts[taker], threads[taker]),
                )
                break


def _load(tasks: int, threads: int, noun: str = "") -> str:
    plural = f" {noun}{'s' if tasks != 1 else ''}" if noun else ""
    return f"{tasks}{plural} on {threads} thread{'s' if threads != 1 else ''}"
