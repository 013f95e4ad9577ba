"""Applications of the same size in order and under plain names."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypeVar
from uuid import UUID

from kassay.model.tasks import Application, Client
from kassay.properties.renaming import distance, inversions, renamings
from kassay.properties.tasks.edits import renamed, renumbered, with_client

T = TypeVar("T")

FEW = 4
"""Names are exchanged where there are at most so many clients, and tasks."""
PLAIN_IDS = 10**6
"""UUIDs of lower numbers are plain: 00000000-0000-0000-0000-000000000001, ..."""


def disorder(application: Application) -> tuple[int, ...]:
    """Return how far an application is from plain names and low numbers, and from their order."""
    clients, tasks = application.clients, application.tasks
    ids = [int(client.id.replace("-", ""), 16) for client in clients]
    read = [partition.partition for task in tasks for partition in (*task.inputs, *task.changelogs)]
    return (
        sum(number >= PLAIN_IDS for number in ids),
        sum(number for number in ids if number < PLAIN_IDS),
        *distance(_names(application)),
        sum(map(sum, (task.id for task in tasks))),
        sum(read),
        sum(abs(lag) for client in clients for lag in client.lags.values()),
        sum(abs(n) for client in clients for sums in client.consumers.values() for n in sums.values()),
        inversions([client.order for client in clients]),
        inversions([task.id for task in tasks]),
        inversions([topic.name for topic in application.topics]),
        sum(
            inversions(listed)
            for client in clients
            for listed in (client.active, client.standby, client.tags)
        ),
        sum(inversions(read) for task in tasks for read in (task.inputs, task.changelogs)),
        inversions(application.settings.rack_aware_assignment_tags),
    )


def canonical_order(application: Application) -> Iterator[Application]:
    """Put clients, tasks, topics and what these list in order: all, each kind alone, then neighbours."""
    clients = tuple(sorted(application.clients, key=lambda client: client.order))
    tasks = tuple(sorted(application.tasks, key=lambda task: task.id))
    topics = tuple(sorted(application.topics, key=lambda topic: topic.name))
    tidy = replace(
        application,
        clients=tuple(map(_tidy, application.clients)),
        tasks=tuple(
            replace(task, inputs=tuple(sorted(task.inputs)), changelogs=tuple(sorted(task.changelogs)))
            for task in application.tasks
        ),
    )
    tags = tuple(sorted(application.settings.rack_aware_assignment_tags))
    yield replace(
        tidy,
        clients=tuple(map(_tidy, clients)),
        tasks=tuple(sorted(tidy.tasks, key=lambda task: task.id)),
        topics=topics,
        settings=replace(application.settings, rack_aware_assignment_tags=tags),
    )
    yield tidy
    yield replace(application, clients=clients)
    yield replace(application, tasks=tasks)
    yield replace(application, topics=topics)
    yield replace(application, settings=replace(application.settings, rack_aware_assignment_tags=tags))
    for at, client in enumerate(application.clients):
        yield with_client(application, at, _tidy(client))
    for others in _swapped(application.clients):
        yield replace(application, clients=others)
    for numbered in _swapped(application.tasks):
        yield replace(application, tasks=numbered)


def canonical_names(application: Application) -> Iterator[Application]:
    """Give plain names of the same order to clients, topics, racks, tags and consumers: to all, to a kind, to a single one."""
    named = {kind: sorted(set(names)) for kind, names in _names(application).items()}
    ordered = [client.id for client in sorted(application.clients, key=lambda client: client.order)]
    plain = {name: str(UUID(int=at + 1)) for at, name in enumerate(ordered)}
    for renaming in renamings(named):
        yield renamed(application, {"c": plain, **renaming})
        break
    yield renamed(application, {"c": plain})
    for renaming in renamings(named):
        yield renamed(application, renaming)
    free = next(
        name for name in map(str, (UUID(int=n) for n in range(1, len(ordered) + 2))) if name not in ordered
    )
    for name in ordered:
        yield renamed(application, {"c": {name: free}})


def exchanged(application: Application) -> Iterator[Application]:
    """Yield applications of the same size in which two clients or two tasks have exchanged their names, where there are few."""
    ids, tasks = [client.id for client in application.clients], [task.id for task in application.tasks]
    if len(ids) <= FEW and len(tasks) <= FEW:
        for one, other in combinations(ids, 2):
            yield renamed(application, {"c": {one: other, other: one}})
        for this, that in combinations(tasks, 2):
            yield renumbered(application, {**dict(zip(tasks, tasks, strict=True)), this: that, that: this})


def rack_names(application: Application) -> list[str]:
    """Return all racks that are named, clients' first, each once."""
    found = dict.fromkeys(client.rack for client in application.clients if client.rack is not None)
    for topic in application.topics:
        found.update(dict.fromkeys(rack for near in topic.racks or () for rack in near if rack is not None))
    return list(found)


def _names(application: Application) -> dict[str, Sequence[str]]:
    """Return the names of topics, racks, tags, tags' values and consumers, by the letter of plain ones."""
    clients = application.clients
    asked = application.settings.rack_aware_assignment_tags
    return {
        "t": [topic.name for topic in application.topics],
        "r": rack_names(application),
        "k": list(dict.fromkeys((*asked, *(key for client in clients for key, _ in client.tags)))),
        "v": list(dict.fromkeys(value for client in clients for _, value in client.tags)),
        "m": list(dict.fromkeys(name for client in clients for name in client.consumers)),
    }


def _swapped(listed: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    for at in range(len(listed) - 1):
        yield (*listed[:at], listed[at + 1], listed[at], *listed[at + 2 :])


def _tidy(client: Client) -> Client:
    return replace(
        client,
        active=tuple(sorted(client.active)),
        standby=tuple(sorted(client.standby)),
        tags=tuple(sorted(client.tags)),
        lags=dict(sorted(client.lags.items())),
    )
