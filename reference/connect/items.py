"""Sets of connectors and tasks, and the order in which Kafka goes through what it finds by difference."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from kassay.model.workers import NOTHING, Cluster, ConnectorTask, Work
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order


class Items(NamedTuple):
    """A set of connectors and a set of tasks."""

    connectors: frozenset[str] = frozenset()
    tasks: frozenset[ConnectorTask] = frozenset()

    @staticmethod
    def of(*works: Work) -> "Items":
        """Return all that some works hold."""
        return Items(
            frozenset(chain.from_iterable(work.connectors for work in works)),
            frozenset(chain.from_iterable(work.tasks for work in works)),
        )

    def minus(self, *others: "Items") -> "Items":
        """Return what is in none of the others."""
        return Items(
            self.connectors.difference(*(other.connectors for other in others)),
            self.tasks.difference(*(other.tasks for other in others)),
        )

    def plus(self, *others: "Items") -> "Items":
        """Return also what is in the others."""
        return Items(
            self.connectors.union(*(other.connectors for other in others)),
            self.tasks.union(*(other.tasks for other in others)),
        )

    def meets(self, other: "Items") -> bool:
        """Say whether anything is in both."""
        return not (self.connectors.isdisjoint(other.connectors) and self.tasks.isdisjoint(other.tasks))


NO_ITEMS = Items()


def twice(works: Sequence[Work], all_of_them: Items) -> Items:
    """Return what more than one of some works holds; `all_of_them` is what they hold together."""
    if sum(len(work.connectors) + len(work.tasks) for work in works) == sum(map(len, all_of_them)):
        return NO_ITEMS
    seen, again = NO_ITEMS, NO_ITEMS
    for work in works:
        items = Items.of(work)
        again = again.plus(Items(items.connectors & seen.connectors, items.tasks & seen.tasks))
        seen = seen.plus(items)
    return again


def in_order(items: Items, known: Work = NOTHING) -> Work:
    """Return items in the order of Java's TreeSets: connectors by name, tasks by connector and number.

    `known` is in that order: what it has need not be sorted.
    """
    if items == NO_ITEMS:
        return NOTHING
    some = Work(
        tuple(name for name in known.connectors if name in items.connectors),
        tuple(task for task in known.tasks if task in items.tasks),
    )
    if sum(map(len, some)) == sum(map(len, items)):
        return some
    return Work(
        tuple(sorted(items.connectors, key=string_order)),
        tuple(sorted(items.tasks, key=lambda task: (string_order(task.connector), task.task))),
    )


def configured(cluster: Cluster) -> Work:
    """Return all connectors and tasks that are configured, in the same order."""
    connectors = sorted(cluster.connectors, key=lambda connector: string_order(connector.name))
    return Work(tuple(connector.name for connector in connectors), tuple(chain.from_iterable(connectors)))


T = TypeVar("T")


class Load:
    """What one worker has, in the order in which it got it."""

    __slots__ = ("connectors", "id", "tasks")

    def __init__(self, worker: str, work: Work = NOTHING) -> None:
        self.id = worker
        self.connectors: dict[str, None] = dict.fromkeys(work.connectors)
        self.tasks: dict[ConnectorTask, None] = dict.fromkeys(work.tasks)

    @property
    def work(self) -> Work:
        """What it has now."""
        return Work(tuple(self.connectors), tuple(self.tasks))

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing."""
        return not self.connectors and not self.tasks

    def remove(self, items: Work | Items) -> None:
        """Take items from it, those that it has."""
        for name in items.connectors:
            self.connectors.pop(name, None)
        for task in items.tasks:
            self.tasks.pop(task, None)


def loads_of(cluster: Cluster, without: Items) -> list[Load]:
    """Return what workers run, but for some items, in the order of the HashMap that Kafka keeps workers in."""
    works = {worker.id: worker.work for worker in cluster.workers}
    loads = [Load(name, works[name]) for name in worker_order(works)]
    for load in loads:
        load.remove(without)
    return loads


def worker_order(workers: Iterable[str]) -> list[str]:
    """Return the order in which a HashMap or HashSet of workers iterates."""
    return hash_order(workers, string_hash, order_of=string_order)


def give_out(loads: Sequence[Load], work: Work) -> None:
    """Give each connector to a worker with the fewest connectors, each task to one with the fewest tasks."""
    _level(loads, work.connectors, lambda load: load.connectors)
    _level(loads, work.tasks, lambda load: load.tasks)


def _level(loads: Sequence[Load], items: Sequence[T], had: Callable[[Load], dict[T, None]]) -> None:
    """Give one item each, in order of ids, to the workers that have no more than the first, and again from the first."""
    ordered = [had(load) for load in sorted(loads, key=lambda load: (len(had(load)), string_order(load.id)))]
    left = iter(items)
    item = next(left, None)
    while item is not None:
        least = len(ordered[0])
        for held in ordered:
            if len(held) > least or item is None:
                break
            held[item] = None
            item = next(left, None)


def works(loads: Iterable[Load]) -> Mapping[str, Work]:
    """Return what each worker has."""
    return {load.id: load.work for load in loads}
