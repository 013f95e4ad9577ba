"""Measures: numbers by which answers of task assignors are compared. All are whole, and less is better.

Loads are tasks for each thread, compared as exact fractions. They are even where the squares of clients' tasks, each by its
client's threads, have the least sum. Where tasks may go anywhere, that is where no single task on another client makes the tasks for
each thread of two clients differ by less. Threads then differ by one task at most, and among all such loads the clients are even
too: see docs/oracles/tasks.md.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import lcm

from kassay.model.tasks import Application, TaskAssignment
from kassay.properties.tasks.holdings import (
    Holding,
    active_on,
    changelogs,
    crossings,
    holdings,
    imbalance,
    inputs,
    least_squares,
    standby_on,
    stateful_tasks,
)
from kassay.properties.tasks.invariants import configured_tags, tag_counts
from kassay.properties.tasks.rounds import caught_up


def active_imbalance(application: Application, answer: TaskAssignment) -> int:
    """Active tasks of the busiest thread less those of the idlest one; 2 at least where one on another client evens two clients.

    A client's tasks are dealt evenly to its threads, as Kafka does, so its threads have the quotient, rounded up or down.
    """
    return _imbalance(application, answer, lambda held: len(held.active))


def total_imbalance(application: Application, answer: TaskAssignment) -> int:
    """Tasks, active and standby, of the busiest thread less those of the idlest one, dealt evenly within each client; 2 at least as above."""
    return _imbalance(application, answer, lambda held: len(held.active | held.standby))


def _imbalance(application: Application, answer: TaskAssignment, count: Callable[[Holding], int]) -> int:
    held = holdings(application, answer)
    return imbalance((count(held[client.id]), client.threads) for client in application.clients)


def subtopology_excess(application: Application, answer: TaskAssignment) -> int:
    """How much less evenly subtopologies lie on the clients than they could: half of what the squares of clients' active tasks of each are above the least.

    Squares are by threads, n * n / k, times the least common multiple of all numbers of threads; where half of that is not always whole, the
    whole counts. It is 0 exactly where no task of a subtopology on another client would make two clients' shares of it differ by less.
    """
    threads = [client.threads for client in application.clients]
    multiple = lcm(*threads)
    squares = Fraction(0)
    held = holdings(application, answer)
    of_client = [Counter(task.subtopology for task in held[each.id].active) for each in application.clients]
    for subtopology in {task for own in of_client for task in own}:
        counts = [own[subtopology] for own in of_client]
        squares += sum(Fraction(n * n, k) for n, k in zip(counts, threads, strict=True))
        squares -= least_squares(sum(counts), threads)
    whole = all(multiple // k % 2 for k in threads)
    return int(squares * multiple / (2 if whole else 1))


def standbys_missing(application: Application, answer: TaskAssignment) -> int:
    """Standbys that stateful tasks lack of num.standby.replicas, as far as there are clients for them."""
    wanted = min(application.settings.num_standby_replicas, len(application.clients) - 1)
    return sum(max(0, wanted - number) for number in _standbys(application, answer))


def warm_ups(application: Application, answer: TaskAssignment) -> int:
    """Standbys of stateful tasks beyond num.standby.replicas."""
    asked = application.settings.num_standby_replicas
    return sum(max(0, number - asked) for number in _standbys(application, answer))


def active_moves(application: Application, answer: TaskAssignment) -> int:
    """Tasks that were active somewhere and now are active on none of the clients that ran them."""
    before = {task for client in application.clients for task in client.active}
    before &= {task.id for task in application.tasks}
    now = holdings(application, answer)
    stay = {task for client in application.clients for task in client.active if task in now[client.id].active}
    return len(before - stay)


def standby_moves(application: Application, answer: TaskAssignment) -> int:
    """Standbys of tasks that had some, on clients that held the task in no role before."""
    had = {task for client in application.clients for task in client.standby}
    now = holdings(application, answer)
    return sum(
        len((now[client.id].standby & had).difference(client.active, client.standby))
        for client in application.clients
    )


def cross_rack(application: Application, answer: TaskAssignment) -> int:
    """Partitions that active tasks read from brokers in other racks than their client's (KIP-925)."""
    return crossings(application, answer, "active", inputs)


def cross_rack_standby(application: Application, answer: TaskAssignment) -> int:
    """Partitions of changelogs that standbys read from brokers in other racks than their client's (KIP-925)."""
    return crossings(application, answer, "standby", changelogs)


def not_caught_up(application: Application, answer: TaskAssignment) -> int:
    """Stateful tasks that are active where they are not caught up, though they may be so nowhere."""
    stateful = frozenset(stateful_tasks(application))
    now = holdings(application, answer)
    return sum(
        not caught_up(application.settings, client.lags[task])
        for client in application.clients
        for task in now[client.id].active & stateful
    )


def tag_collisions(application: Application, answer: TaskAssignment) -> int:
    """Copies of a stateful task that have a value of a tag in rack.aware.assignment.tags which another one has, of each tag."""
    held = holdings(application, answer)
    active, standby = active_on(held), standby_on(held)
    values = configured_tags(application)
    count = 0
    for task in stateful_tasks(application):
        holders = [*active.get(task, ()), *standby.get(task, ())]
        count += sum(len(values[name]) for name in holders) - sum(tag_counts(holders, values).values())
    return count


def probing(_application: Application, answer: TaskAssignment) -> int:
    """Whether a probing rebalance is to follow: 1 or 0."""
    return int(answer.probing)


def _standbys(application: Application, answer: TaskAssignment) -> list[int]:
    copies = standby_on(holdings(application, answer))
    return [len(copies.get(task, ())) for task in stateful_tasks(application)]
