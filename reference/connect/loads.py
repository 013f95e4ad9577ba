"""What workers have while a round is worked out, and giving more to those with the least."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from kassay.model.workers import NOTHING, Cluster, ConnectorTask, Work
from kassay.reference.connect.items import Items
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order

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
