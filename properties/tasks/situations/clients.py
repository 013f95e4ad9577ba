"""Situations in the clients of an application: how many there are, their threads and their ids."""

from kassay.model.tasks import Application
from kassay.reference.java.hash_map import spread
from kassay.reference.java.uuids import uuid_hash

SLOTS = 16
"""Of a hash map of up to 12 clients."""


def single_client(application: Application) -> bool:
    """The application has one client."""
    return len(application.clients) == 1


def more_clients_than_tasks(application: Application) -> bool:
    """There are more clients than tasks, so that some run nothing."""
    return len(application.clients) > len(application.tasks)


def more_threads_than_tasks(application: Application) -> bool:
    """All clients together have more threads than there are tasks."""
    return sum(client.threads for client in application.clients) > len(application.tasks)


def mixed_threads(application: Application) -> bool:
    """Two clients have different numbers of threads."""
    return len({client.threads for client in application.clients}) > 1


def negative_id(application: Application) -> bool:
    """A half of a client's id is negative to Java, so that its place in order is not that of its text."""
    return any(half < 0 for client in application.clients for half in client.order)


def permuted_clients(application: Application) -> bool:
    """The clients are not listed in the order of their ids."""
    orders = [client.order for client in application.clients]
    return orders != sorted(orders)


def hash_order(application: Application) -> bool:
    """In a Java hash map the clients stand in another order than that of their ids."""
    ordered = sorted(application.clients, key=lambda client: client.order)
    slots = [spread(uuid_hash(client.id)) % SLOTS for client in ordered]
    return slots != sorted(slots)
