"""Sets of connectors and tasks, and the order in which Kafka goes through what it finds by difference.

The leader's view of a round: what it remembers, and what it finds out from that and from what workers report.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, filterfalse
from typing import NamedTuple, TypeVar

from kassay.model.workers import NOTHING, Cluster, ConnectorTask, Memory, Work, WorkAssignment
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
        """Return True if both have a common item."""
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


def sort_items(items: Items, known: Work = NOTHING) -> Work:
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


def list_configured(cluster: Cluster) -> Work:
    """Return all connectors and tasks that are configured, in the same order."""
    connectors = sorted(cluster.connectors, key=lambda connector: string_order(connector.name))
    return Work(tuple(connector.name for connector in connectors), tuple(chain.from_iterable(connectors)))


T = TypeVar("T")


class Load:
    """The work of one worker, in the order in which it got it."""

    __slots__ = ("connectors", "id", "tasks")

    def __init__(self, worker: str, work: Work = NOTHING) -> None:
        self.id = worker
        self.connectors: dict[str, None] = dict.fromkeys(work.connectors)
        self.tasks: dict[ConnectorTask, None] = dict.fromkeys(work.tasks)

    @property
    def work(self) -> Work:
        """Its current work."""
        return Work(tuple(self.connectors), tuple(self.tasks))

    @property
    def is_empty(self) -> bool:
        """True if it has no work."""
        return not self.connectors and not self.tasks

    def remove(self, items: Work | Items) -> None:
        """Take items from it, those that it has."""
        for name in items.connectors:
            self.connectors.pop(name, None)
        for task in items.tasks:
            self.tasks.pop(task, None)


def build_loads(cluster: Cluster, without: Items) -> list[Load]:
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


class Leader:
    """The state of the leader during a round.

    `previous` is the assigned work, `configured` the existing work, `active` the running work. From these follow `deleted`, `lost`
    (assigned, but not running), `created`, and `doubled`: work that runs on several workers.
    """

    def __init__(self, cluster: Cluster) -> None:
        memory = cluster.memory
        known = memory.generation == cluster.last_completed_generation
        self.members = memory.members
        self.candidates = list(memory.candidates)
        self.scheduled_ms = memory.scheduled_rebalance_ms
        self.delay_ms = memory.delay_ms
        self.revoked = memory.revoked
        self.revoking_rounds = memory.revoking_rounds
        self.may_revoke = memory.may_revoke
        self.known = list_configured(cluster)
        self.configured = Items.of(self.known)
        running = [worker.work for worker in cluster.workers]
        self.active = Items.of(*running)
        self.revocation_failed = Items.of(memory.revocation).meets(self.active)
        self.previous = Items.of(memory.assignment) if known else NO_ITEMS
        if self.revocation_failed:
            self.previous = self.active
        self.deleted = self.previous.minus(self.configured)
        self.lost = self.previous.minus(self.active, self.deleted)
        self.created = self.configured.minus(self.previous, self.active)
        self.doubled = twice(running, self.active)

    def reset_delay(self) -> None:
        """Stop waiting for lost workers."""
        self.candidates = []
        self.scheduled_ms = self.delay_ms = 0

    def in_order(self, items: Items) -> Work:
        """Return items in the order of Java's TreeSets."""
        return sort_items(items, self.known)

    def answer(
        self, cluster: Cluster, loads: Sequence[Load], revoked: Mapping[str, Items], dropped: Items = NO_ITEMS
    ) -> WorkAssignment:
        """Make the answer of what workers are to have and what is revoked from them; `dropped` is remembered as revoked, too."""
        given = works(loads)
        taken = dropped.plus(*revoked.values())
        remembered = Items.of(*given.values()).minus(taken).plus(self.lost)
        listed = [worker.id for worker in cluster.workers]
        return WorkAssignment(
            {one.id: _apply_round(one.work, given[one.id], revoked.get(one.id, NO_ITEMS)) for one in cluster.workers},
            {name: sort_items(revoked.get(name, NO_ITEMS)) for name in listed},
            self.delay_ms,
            Memory(
                cluster.generation, tuple(listed), self.in_order(remembered), self.in_order(taken), tuple(self.candidates),
                self.scheduled_ms, self.delay_ms, self.revoked, self.revoking_rounds, self.may_revoke,
            ),
        )  # fmt: skip


def find_held(cluster: Cluster, items: Items) -> dict[str, Items]:
    """Return what of some items each worker runs, for those that run any."""
    if items == NO_ITEMS:
        return {}
    held = {
        worker.id: Items(
            items.connectors.intersection(worker.work.connectors), items.tasks.intersection(worker.work.tasks)
        )
        for worker in cluster.workers
    }
    return {name: some for name, some in held.items() if some != NO_ITEMS}


def _apply_round(held: Work, given: Work, revoked: Items) -> Work:
    """Return what a worker has after a round: first what is new, then what it keeps (WorkerCoordinator.onJoinComplete)."""
    if held == NOTHING:
        return given
    had = Items.of(held)
    return Work(
        (
            *filterfalse(had.connectors.__contains__, given.connectors),
            *filterfalse(revoked.connectors.__contains__, held.connectors),
        ),
        (
            *filterfalse(had.tasks.__contains__, given.tasks),
            *filterfalse(revoked.tasks.__contains__, held.tasks),
        ),
    )
