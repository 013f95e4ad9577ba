"""Sets of connectors and tasks, and the order in which Kafka goes through what it finds by difference."""

from collections.abc import Iterable
from typing import NamedTuple

from kassay.model.workers import ConnectorTask, Work
from kassay.reference.java.strings import string_order


class Items(NamedTuple):
    """A set of connectors and a set of tasks."""

    connectors: frozenset[str] = frozenset()
    tasks: frozenset[ConnectorTask] = frozenset()

    @staticmethod
    def of(*works: Work) -> "Items":
        """Return all that some works hold."""
        return Items(
            frozenset(name for work in works for name in work.connectors),
            frozenset(task for work in works for task in work.tasks),
        )

    def minus(self, *others: "Items") -> "Items":
        """Return what is in none of the others."""
        return Items(
            self.connectors.difference(*(other.connectors for other in others)),
            self.tasks.difference(*(other.tasks for other in others)),
        )

    def plus(self, other: "Items") -> "Items":
        """Return what is in one or the other."""
        return Items(self.connectors | other.connectors, self.tasks | other.tasks)

    def meets(self, other: "Items") -> bool:
        """Say whether anything is in both."""
        return not (self.connectors.isdisjoint(other.connectors) and self.tasks.isdisjoint(other.tasks))


NO_ITEMS = Items()


def twice(works: Iterable[Work]) -> Items:
    """Return what more than one of some works holds."""
    seen, again = NO_ITEMS, NO_ITEMS
    for work in works:
        items = Items.of(work)
        again = again.plus(Items(items.connectors & seen.connectors, items.tasks & seen.tasks))
        seen = seen.plus(items)
    return again


def in_order(items: Items) -> Work:
    """Return items in the order of Java's TreeSets: connectors by name, tasks by connector and number."""
    return Work(
        tuple(sorted(items.connectors, key=string_order)),
        tuple(sorted(items.tasks, key=lambda task: (string_order(task.connector), task.task))),
    )
