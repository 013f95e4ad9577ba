"""Laws about what carries no meaning: orders in which things are listed, and names."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model.tasks import Application
from kassay.properties.runs import Run
from kassay.properties.tasks.laws.differences import differences
from kassay.properties.tasks.laws.renaming import renamed
from kassay.properties.tasks.rounds import Assign


def client_order_independent(assign: Assign, application: Application) -> Iterator[str]:
    """Which tasks a client is given does not depend on the order in which the clients are listed.

    Source: StreamsPartitionAssignor hands the clients over in a hash map.
    """
    turned = replace(application, clients=application.clients[::-1])
    yield from _compared(assign, application, turned, "with the clients in reverse order")


def task_order_independent(assign: Assign, application: Application) -> Iterator[str]:
    """Which tasks a client is given does not depend on the order in which tasks are listed.

    All tasks are reversed, and those that each client held.
    Source: StreamsPartitionAssignor hands the tasks over in hash sets.
    """
    clients = tuple(
        replace(client, active=client.active[::-1], standby=client.standby[::-1])
        for client in application.clients
    )
    turned = replace(application, tasks=application.tasks[::-1], clients=clients)
    yield from _compared(assign, application, turned, "with the tasks in reverse order")


def renaming_independent(assign: Assign, application: Application) -> Iterator[str]:
    """Renaming clients and topics without changing their order changes nothing.

    Clients are ordered as Java orders their UUIDs. Source: names carry no meaning for an assignor but their order; one that
    hashes them breaks this.
    """
    other, old = renamed(application)
    theirs = assign(other)
    mapped = theirs._replace(clients={old.get(name, name): given for name, given in theirs.clients.items()})
    yield from differences(
        Run("as listed", application, assign(application)),
        Run("under other names of the same order", application, mapped),
    )


def _compared(assign: Assign, application: Application, turned: Application, condition: str) -> Iterator[str]:
    yield from differences(
        Run("as listed", application, assign(application)), Run(condition, turned, assign(turned))
    )
