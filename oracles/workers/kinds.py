"""A cluster as two groups of members and partitions: its connectors, and its tasks, which are balanced each by themselves.

Members are workers. The connectors are the partitions of one topic, in the order in which they are listed; the tasks of a connector
are those of a topic of its name. An item belongs to the worker that alone runs it; what several workers run they all have to stop, so
it is as free as what nobody runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.model.workers import Cluster, ConnectorTask, Work, WorkAssignment
from kassay.oracles.workers.levels.level import CONNECTORS, TASKS
from kassay.properties.workers.measures import running


@dataclass(frozen=True, slots=True)
class Kinds:
    """The two groups, and the number of each connector."""

    connectors: Group
    tasks: Group
    number: Mapping[str, int]

    @property
    def groups(self) -> dict[str, Group]:
        """The groups by their kinds."""
        return {CONNECTORS: self.connectors, TASKS: self.tasks}


def kinds(cluster: Cluster) -> Kinds:
    """Return a cluster's connectors and tasks as groups."""
    number = {connector.name: n for n, connector in enumerate(cluster.connectors)}
    run = running(cluster)
    alone = {item for item, workers in run.items() if len(workers) == 1}
    configured = set(cluster.configured.items)
    owned: dict[str, tuple[list[TopicPartition], list[TopicPartition]]] = {}
    for worker in cluster.workers:
        mine: tuple[list[TopicPartition], list[TopicPartition]] = ([], [])
        for item in worker.work.items:
            if item in alone and item in configured:
                mine[isinstance(item, ConnectorTask)].append(_partition(item, number))
        owned[worker.id] = mine
    topics = (
        (Topic(CONNECTORS, len(number)),) if number else (),
        tuple(Topic(connector.name, connector.tasks) for connector in cluster.connectors),
    )
    groups = [
        Group(
            topics[kind],
            tuple(
                Member(worker.id, tuple(t.name for t in topics[kind]), tuple(owned[worker.id][kind]), 1)
                for worker in cluster.workers
            ),
        )
        for kind in (0, 1)
    ]
    return Kinds(groups[0], groups[1], number)


def _partition(item: str | ConnectorTask, number: Mapping[str, int]) -> TopicPartition:
    return (
        TopicPartition(*item) if isinstance(item, ConnectorTask) else TopicPartition(CONNECTORS, number[item])
    )


def split(cluster: Cluster, answer: WorkAssignment) -> dict[str, Assignment] | None:
    """Return what an answer gives of each kind, as partitions; None where something in it is not configured."""
    number = {connector.name: n for n, connector in enumerate(cluster.connectors)}
    if any(name not in number for work in answer.workers.values() for name in work.connectors):
        return None
    return {
        CONNECTORS: {
            worker: tuple(TopicPartition(CONNECTORS, number[name]) for name in work.connectors)
            for worker, work in answer.workers.items()
        },
        TASKS: {
            worker: tuple(TopicPartition(*task) for task in work.tasks)
            for worker, work in answer.workers.items()
        },
    }


def joined(cluster: Cluster, given: Mapping[str, Assignment]) -> WorkAssignment:
    """Return what workers are given of both kinds as one answer, which revokes nothing and asks for no delay."""
    names = [connector.name for connector in cluster.connectors]
    return WorkAssignment(
        {
            worker.id: Work(
                tuple(names[partition.partition] for partition in given[CONNECTORS].get(worker.id, ())),
                tuple(ConnectorTask(*partition) for partition in given[TASKS].get(worker.id, ())),
            )
            for worker in cluster.workers
        },
        {},
    )
