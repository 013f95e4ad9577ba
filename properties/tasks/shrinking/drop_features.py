"""Drop features: applications whose clients and topics carry less: racks, tags, consumers, state, what was run before."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

from kassay.model.tasks import RUNNING, Application, Client, Settings, TaskId
from kassay.properties.minimise import parts
from kassay.properties.tasks.edits import (
    renamed,
    stateless,
    with_client,
    with_clients,
    with_settings,
    with_topic,
)
from kassay.properties.tasks.shrinking.canonicalise import rack_names


def drop_feature(application: Application) -> Iterator[Application]:
    """Leave out at once: settings, racks, tags, consumers, what was run before, lags, state."""
    yield replace(application, settings=Settings())
    unknown = replace(
        with_clients(application, lambda client: replace(client, rack=None)),
        topics=tuple(replace(topic, racks=None) for topic in application.topics),
    )
    yield with_settings(unknown, rack_aware_assignment_strategy="none")
    yield unknown
    untagged = with_clients(application, lambda client: replace(client, tags=()))
    yield with_settings(untagged, rack_aware_assignment_tags=())
    yield untagged
    yield with_clients(application, lambda client: replace(client, consumers={}))
    yield with_clients(application, lambda client: replace(_idle(client), lags=dict.fromkeys(client.lags, 0)))
    yield with_clients(application, _idle)
    yield with_clients(application, lambda client: replace(client, lags=dict.fromkeys(client.lags, 0)))
    yield stateless(application, {task.id for task in application.tasks})


def drop_state(application: Application) -> Iterator[Application]:
    """Make tasks stateless."""
    stateful = sorted(task.id for task in application.tasks if task.stateful)
    for part in parts(len(stateful)):
        yield stateless(application, set(stateful[part]))


def drop_holdings(application: Application) -> Iterator[Application]:
    """Leave out what a client ran before, with what its consumers say of it."""
    for at, client in enumerate(application.clients):
        yield with_client(application, at, _idle(client))
        yield with_client(application, at, replace(client, active=(), standby=()))
        for tasks in (client.active, client.standby):
            for part in parts(len(tasks)):
                yield with_client(application, at, _without(client, set(tasks[part])))


def drop_consumers(application: Application) -> Iterator[Application]:
    """Leave out consumers of a client, or what they report."""
    for at, client in enumerate(application.clients):
        if not client.consumers:
            continue
        yield with_client(application, at, replace(client, consumers={}))
        yield with_client(application, at, replace(client, consumers={name: {} for name in client.consumers}))
        for name, sums in client.consumers.items():
            others = {other: each for other, each in client.consumers.items() if other != name}
            yield with_client(application, at, replace(client, consumers=others))
            for task in sums:
                less = {other: offsets for other, offsets in sums.items() if other != task}
                yield with_client(
                    application, at, replace(client, consumers={**client.consumers, name: less})
                )
            if any(sums.values()):
                zero = {**client.consumers, name: dict.fromkeys(sums, 0)}
                yield with_client(application, at, replace(client, consumers=zero))


def drop_tags(application: Application) -> Iterator[Application]:
    """Leave out tags, of all clients and the settings or of one client; or make two values one."""
    asked = application.settings.rack_aware_assignment_tags
    for key in dict.fromkeys((*asked, *(key for client in application.clients for key, _ in client.tags))):
        left = tuple(tag for tag in asked if tag != key)
        less = with_clients(application, partial(_untagged, key))
        yield with_settings(less, rack_aware_assignment_tags=left)
        yield less
        yield with_settings(application, rack_aware_assignment_tags=left)
        for at, client in enumerate(application.clients):
            yield with_client(application, at, _untagged(key, client))
    values = dict.fromkeys(value for client in application.clients for _, value in client.tags)
    for one, other in combinations(values, 2):
        yield renamed(application, {"v": {other: one}})


def drop_racks(application: Application) -> Iterator[Application]:
    """Leave out racks: a client's, a topic's, a partition's, a replica's; or make two racks one."""
    for at, client in enumerate(application.clients):
        if client.rack is not None:
            yield with_client(application, at, replace(client, rack=None))
    for at, topic in enumerate(application.topics):
        if topic.racks is None:
            continue
        yield with_topic(application, at, replace(topic, racks=None))
        yield with_topic(application, at, replace(topic, racks=tuple(near[:1] for near in topic.racks)))
        for place, near in enumerate(topic.racks):
            for part in parts(len(near)):
                left = near[: part.start] + near[part.stop :]
                racks = (*topic.racks[:place], left, *topic.racks[place + 1 :])
                yield with_topic(application, at, replace(topic, racks=racks))
    for one, other in combinations(dict.fromkeys(rack_names(application)), 2):
        yield renamed(application, {"r": {other: one}})


def _idle(client: Client) -> Client:
    """Return the client as if it had run nothing; what it has restored stays."""
    return _without(client, {*client.active, *client.standby, *client.lags})


def _without(client: Client, gone: Collection[TaskId]) -> Client:
    """Return the client as if it had not run these tasks."""
    return replace(
        client,
        active=tuple(task for task in client.active if task not in gone),
        standby=tuple(task for task in client.standby if task not in gone),
        lags={task: 0 if task in gone and lag == RUNNING else lag for task, lag in client.lags.items()},
        consumers={
            name: {task: offsets for task, offsets in sums.items() if task not in gone}
            for name, sums in client.consumers.items()
        },
    )


def _untagged(key: str, client: Client) -> Client:
    return replace(client, tags=tuple(tag for tag in client.tags if tag[0] != key))
