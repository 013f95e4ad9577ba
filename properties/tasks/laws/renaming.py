"""Renaming: the same application with other client ids and topic names that sort alike, so that only their hashes differ."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from kassay.model.partitions import TopicPartition
from kassay.model.tasks import Application, Client
from kassay.properties.renaming import new_names, slot_of_rank

HALF = 64
"""The bits of half a UUID."""


def renamed(application: Application) -> tuple[Application, Mapping[str, str]]:
    """Return the application with new client ids and topic names, and of each new id the old one.

    Java orders UUIDs by their halves as signed numbers. A first half stays negative or not, so that the ids of clients that
    differ there sort alike as text too. In Java's hash maps the new names stand in the opposite of their order.
    """
    ordered = sorted(application.clients, key=lambda client: client.order)
    clients = {client.id: _id(rank, client) for rank, client in enumerate(ordered)}
    topic = new_names({topic.name for topic in application.topics}, "s")

    def read(partitions: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
        return tuple(TopicPartition(topic[name], number) for name, number in partitions)

    other = replace(
        application,
        tasks=tuple(
            replace(task, inputs=read(task.inputs), changelogs=read(task.changelogs))
            for task in application.tasks
        ),
        clients=tuple(replace(client, id=clients[client.id]) for client in application.clients),
        topics=tuple(replace(each, name=topic[each.name]) for each in application.topics),
    )
    return other, {new: old for old, new in clients.items()}


def _id(rank: int, client: Client) -> str:
    """Return an id that sorts by its rank, with the sign of the old one, and has the hash that its rank asks for."""
    high = rank + (client.order[0] < 0) * (1 << HALF - 1)
    sign = high >> 32 & 0xFFFFFFFF
    return str(UUID(int=high << HALF | sign ^ rank ^ slot_of_rank(rank)))
