"""Measures of answers of task assignors. All are integers, and less is better.

Loads are tasks per thread, compared as exact fractions. They are balanced if the sum of the squared tasks of clients, each
divided by its client's threads, is minimal. If tasks may go to any client, then no move of a single task improves the balance
of two clients. Threads then differ by one task at most, and the clients are balanced too: see docs/explanation/tasks.md.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heapreplace
from math import lcm
from typing import NamedTuple

from kassay.model.partitions import TopicPartition
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Task, TaskAssignment, TaskId
from kassay.properties.tasks.rounds import (
    NOTHING,
    ROUNDS,
    Assign,
    is_caught_up,
    list_caught_up,
    select_tasks,
    settle,
)


class Holding(NamedTuple):
    """The existing tasks of a client in each role."""

    active: frozenset[TaskId]
    standby: frozenset[TaskId]


def holdings(application: Application, answer: TaskAssignment) -> dict[str, Holding]:
    """Return the existing tasks of each client of the application, in the order of the clients."""
    known = frozenset(task.id for task in application.tasks)
    given = {client.id: answer.clients.get(client.id, NOTHING) for client in application.clients}
    return {name: Holding(*(known.intersection(role) for role in roles)) for name, roles in given.items()}


def stateful_tasks(application: Application) -> list[TaskId]:
    """Return the stateful tasks, in ascending order."""
    return sorted(task.id for task in application.tasks if task.stateful)


def active_on(held: dict[str, Holding]) -> dict[TaskId, list[str]]:
    """Return the clients on which each task is active."""
    found: dict[TaskId, list[str]] = {}
    for name, roles in held.items():
        for task in sorted(roles.active):
            found.setdefault(task, []).append(name)
    return found


def standby_on(held: dict[str, Holding]) -> dict[TaskId, list[str]]:
    """Return the clients that have each task as a standby, but not active as well."""
    found: dict[TaskId, list[str]] = {}
    for name, roles in held.items():
        for task in sorted(roles.standby - roles.active):
            found.setdefault(task, []).append(name)
    return found


def lag_in_words(lag: int) -> str:
    """Return a lag as text."""
    known = {RUNNING: "runs it", UNKNOWN: "lags by an unknown number"}
    return known.get(lag, f"lags by {lag}")


def evens(many: int, threads: int, few: int, others: int) -> bool:
    """Return True if the move of one task from one client to another improves the balance of their tasks per thread."""
    return 2 * (many * others - few * threads) > threads + others


def uneven(loads: Iterable[tuple[int, int]]) -> bool:
    """Return True if the move of one task would improve the balance of two clients; `loads` are tasks and threads of each."""
    known = list(loads)
    # the squared load per thread falls more on the giver than it rises on the taker
    last = max((Fraction(2 * tasks - 1, threads) for tasks, threads in known if tasks), default=Fraction(0))
    return any(last > Fraction(2 * tasks + 1, threads) for tasks, threads in known)


def least_squares(tasks: int, threads: Sequence[int]) -> Fraction:
    """Return the minimum sum of squared tasks per thread: full rounds of all threads, then each task where it costs least."""
    rounds, rest = divmod(tasks, sum(threads))
    total = Fraction(rounds * rounds * sum(threads))
    next_ = [(Fraction(2 * rounds * own + 1, own), own) for own in threads]
    heapify(next_)
    for _ in range(rest):
        cost, own = next_[0]
        total += cost
        heapreplace(next_, (cost + Fraction(2, own), own))
    return total


def imbalance(loads: Iterable[tuple[int, int]]) -> int:
    """Return the maximum minus the minimum tasks of a thread, and at least 2 if clients are not balanced.

    A client's tasks are divided evenly among its threads. Threads that differ by at most one can belong to an idle client and a
    full one.
    """
    known = list(loads)
    busiest = max((-(-tasks // threads) for tasks, threads in known), default=0)
    apart = busiest - min((tasks // threads for tasks, threads in known), default=0)
    return 2 if apart < 2 and uneven(known) else apart


Read = Callable[[Task], Sequence[TopicPartition]]


def inputs(task: Task) -> Sequence[TopicPartition]:
    """Return the partitions that a task reads while it is active."""
    return task.inputs


def changelogs(task: Task) -> Sequence[TopicPartition]:
    """Return the partitions that a standby reads."""
    return task.changelogs


def racks_known(application: Application) -> bool:
    """Return True if the racks of all clients and of all replicas that tasks read are known, of changelogs if there are standbys."""
    read = [*application.racks(inputs).values()]
    if application.settings.num_standby_replicas:
        read += application.racks(changelogs).values()
    return all(client.rack for client in application.clients) and all(
        near and None not in near for partitions in read for near in partitions
    )


def rack_aware(application: Application) -> bool:
    """Return True if a strategy is set and all racks that it needs are known (KIP-925)."""
    return application.settings.rack_aware_assignment_strategy != "none" and racks_known(application)


def partitions_across(application: Application, read: Read) -> Callable[[str, TaskId], int]:
    """Return a function that counts the partitions that a client would read across racks for a task.

    Clients without a rack, partitions without a known replica rack and unknown tasks do not count.
    """
    racks = application.racks(read)
    home = {client.id: client.rack for client in application.clients if client.rack}
    return lambda name, task: sum(
        name in home and any(rack is not None for rack in near) and home[name] not in near
        for near in racks.get(task, ())
    )


def crossings(application: Application, answer: TaskAssignment, role: str, read: Read) -> int:
    """Return how many partitions are read across racks for tasks in a role."""
    across = partitions_across(application, read)
    return sum(
        across(name, task)
        for name, held in holdings(application, answer).items()
        for task in getattr(held, role)
    )


Values = Mapping[str, str]
"""Tag -> its value for a client."""


def configured_tags(application: Application) -> dict[str, Values]:
    """Return each client's values of the tags in rack.aware.assignment.tags."""
    keys = application.settings.rack_aware_assignment_tags
    return {
        client.id: {key: value for key, value in client.tags if key in keys} for client in application.clients
    }


def tag_counts(holders: Sequence[str], values: Mapping[str, Values]) -> dict[str, int]:
    """Return how many different values of each tag the holders of a task's copies have."""
    found: dict[str, set[str]] = {}
    for name in holders:
        for key, value in values[name].items():
            found.setdefault(key, set()).add(value)
    return {key: len(different) for key, different in found.items()}


def active_imbalance(application: Application, answer: TaskAssignment) -> int:
    """Maximum minus minimum active tasks of a thread; at least 2 if a single move improves the balance of two clients.

    A client's tasks are divided evenly among its threads, as in Kafka.
    """
    return _measure_imbalance(application, answer, lambda held: len(held.active))


def total_imbalance(application: Application, answer: TaskAssignment) -> int:
    """Maximum minus minimum tasks of a thread, active and standby; at least 2 if a single move improves the balance."""
    return _measure_imbalance(application, answer, lambda held: len(held.active | held.standby))


def _measure_imbalance(
    application: Application, answer: TaskAssignment, count: Callable[[Holding], int]
) -> int:
    held = holdings(application, answer)
    return imbalance((count(held[client.id]), client.threads) for client in application.clients)


def subtopology_excess(application: Application, answer: TaskAssignment) -> int:
    """Half the excess of the squares of clients' active tasks per subtopology over the minimum.

    Squares are divided by threads, n * n / k, and multiplied by the least common multiple of all numbers of threads. If half of
    that is not always an integer, all of it counts. It is 0 exactly if no move of a task improves the balance of a subtopology.
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
    """Missing standbys of stateful tasks up to num.standby.replicas, as far as there are clients for them."""
    wanted = min(application.settings.num_standby_replicas, len(application.clients) - 1)
    return sum(max(0, wanted - number) for number in _standbys(application, answer))


def warm_ups(application: Application, answer: TaskAssignment) -> int:
    """Standbys of stateful tasks beyond num.standby.replicas."""
    asked = application.settings.num_standby_replicas
    return sum(max(0, number - asked) for number in _standbys(application, answer))


def active_moves(application: Application, answer: TaskAssignment) -> int:
    """Tasks that were active and now are active only on other clients, or nowhere."""
    before = {task for client in application.clients for task in client.active}
    before &= {task.id for task in application.tasks}
    now = holdings(application, answer)
    stay = {task for client in application.clients for task in client.active if task in now[client.id].active}
    return len(before - stay)


def standby_moves(application: Application, answer: TaskAssignment) -> int:
    """Standbys of tasks that had some, on clients that did not have the task in any role before."""
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
    """Stateful tasks that are active on a client that is not caught up, even if no client is."""
    stateful = frozenset(stateful_tasks(application))
    now = holdings(application, answer)
    return sum(
        not is_caught_up(application.settings, client.lags[task])
        for client in application.clients
        for task in now[client.id].active & stateful
    )


def tag_collisions(application: Application, answer: TaskAssignment) -> int:
    """Copies of stateful tasks whose value of a tag in rack.aware.assignment.tags another copy has, for each tag."""
    held = holdings(application, answer)
    active, standby = active_on(held), standby_on(held)
    values = configured_tags(application)
    count = 0
    for task in stateful_tasks(application):
        holders = [*active.get(task, ()), *standby.get(task, ())]
        count += sum(len(values[name]) for name in holders) - sum(tag_counts(holders, values).values())
    return count


def probing(_application: Application, answer: TaskAssignment) -> int:
    """1 if a probing rebalance follows, else 0."""
    return int(answer.probing)


def _standbys(application: Application, answer: TaskAssignment) -> list[int]:
    copies = standby_on(holdings(application, answer))
    return [len(copies.get(task, ())) for task in stateful_tasks(application)]


def rebalances(assign: Assign, application: Application) -> int:
    """Rebalances until it converges, with all copies caught up between them; ROUNDS + 1 if it never does."""
    rounds = settle(assign, application).rounds
    return ROUNDS + 1 if rounds is None else rounds


def tasks_moved(assign: Assign, application: Application) -> int:
    """Moves of active tasks until it converges, from a client that runs them to another one."""
    moved = 0
    for joined, answer in settle(assign, application).rebalances[:-1]:
        ran = {task: client.id for client in joined.clients for task in client.active}
        moved += sum(
            ran[task] != client.id
            for client in joined.clients
            for task in select_tasks(answer, client, ran).active
        )
    return moved


def time_without_caught_up_active(assign: Assign, application: Application) -> int:
    """Rebalances, summed over stateful tasks, that leave a task without a caught-up active copy."""
    return sum(
        not any(
            task.id in answer.clients.get(name, NOTHING).active for name in list_caught_up(joined, task.id)
        )
        for joined, answer in settle(assign, application).rebalances[:-1]
        for task in application.tasks
        if task.stateful
    )
