"""Holdings: what an answer, which may be wrong in any way, gives to the clients of an application, and what they read across racks."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from heapq import heapify, heapreplace
from typing import NamedTuple

from kassay.model.partitions import TopicPartition
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Task, TaskAssignment, TaskId
from kassay.properties.tasks.rounds import NOTHING


class Holding(NamedTuple):
    """The tasks of the application that a client is given in each role."""

    active: frozenset[TaskId]
    standby: frozenset[TaskId]


def holdings(application: Application, answer: TaskAssignment) -> dict[str, Holding]:
    """Return what each client of the application holds of the tasks that exist, in the order of the clients."""
    known = frozenset(task.id for task in application.tasks)
    given = {client.id: answer.clients.get(client.id, NOTHING) for client in application.clients}
    return {name: Holding(*(known.intersection(role) for role in roles)) for name, roles in given.items()}


def stateful_tasks(application: Application) -> list[TaskId]:
    """Return the tasks that keep state, in ascending order."""
    return sorted(task.id for task in application.tasks if task.stateful)


def active_on(held: dict[str, Holding]) -> dict[TaskId, list[str]]:
    """Return of each task the clients on which it is active."""
    found: dict[TaskId, list[str]] = {}
    for name, roles in held.items():
        for task in sorted(roles.active):
            found.setdefault(task, []).append(name)
    return found


def standby_on(held: dict[str, Holding]) -> dict[TaskId, list[str]]:
    """Return of each task the clients that hold it as a standby and not active as well."""
    found: dict[TaskId, list[str]] = {}
    for name, roles in held.items():
        for task in sorted(roles.standby - roles.active):
            found.setdefault(task, []).append(name)
    return found


def lag_in_words(lag: int) -> str:
    """Write how far a client lags."""
    known = {RUNNING: "runs it", UNKNOWN: "lags by an unknown number"}
    return known.get(lag, f"lags by {lag}")


def evens(many: int, threads: int, few: int, others: int) -> bool:
    """Return True if a task less on one client and one more on another makes their tasks for each thread differ by less."""
    return 2 * (many * others - few * threads) > threads + others


def uneven(loads: Iterable[tuple[int, int]]) -> bool:
    """Return True if a task on another client would make two clients differ by less; `loads` are tasks and threads of each."""
    known = list(loads)
    # what the square by threads of the giver loses is more than what that of the taker gains
    last = max((Fraction(2 * tasks - 1, threads) for tasks, threads in known if tasks), default=Fraction(0))
    return any(last > Fraction(2 * tasks + 1, threads) for tasks, threads in known)


def least_squares(tasks: int, threads: Sequence[int]) -> Fraction:
    """Return the least sum of squares by threads of a number of tasks: whole rounds of all threads, then each where it costs least."""
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
    """Return the tasks of the busiest thread less those of the idlest one, and 2 at least where clients are uneven.

    A client's tasks are dealt evenly to its threads, so these have the quotient, rounded up or down. Threads that differ by one at
    most can belong to clients of which one idles while another one is full.
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
    """Return what counts the partitions that a client would read across racks for a task.

    Clients without a rack and partitions without any known replica rack do not count, nor does what is not of the application.
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
