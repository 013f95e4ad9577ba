"""Sets of connectors and tasks, and the order in which Kafka goes through what it finds by difference."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from kassay.model.workers import NOTHING, Cluster, ConnectorTask, Work
from kassay.reference.java.strings import string_order


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
