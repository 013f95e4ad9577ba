"""Timelines: an application and what happens to it, one event between two rebalances, played with an assignor."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from typing import TypeAlias

from kassay.model import Topic
from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Client, Settings, TaskId
from kassay.properties.tasks.doubling import altered
from kassay.properties.tasks.lags import left, log
from kassay.properties.tasks.rounds import Assign, after


@dataclass(frozen=True, slots=True)
class Join:
    """A client joins; what its lags do not name it has no state of. Nothing happens if its id is there already."""

    client: Client


@dataclass(frozen=True, slots=True)
class Leave:
    """A client leaves for good."""

    client: str


@dataclass(frozen=True, slots=True)
class Stop:
    """A client stops or crashes, from this rebalance on, until it restarts."""

    client: str


@dataclass(frozen=True, slots=True)
class Restart:
    """A client that stopped comes back with its state on disk; each changelog has grown by `behind` records since."""

    client: str
    behind: int


@dataclass(frozen=True, slots=True)
class Restore:
    """A client reads up to `records` records of each changelog that it restores, None: all there are."""

    client: str
    records: int | None = None


@dataclass(frozen=True, slots=True)
class CleanUp:
    """A client's state of tasks that it was not given is deleted (state.cleanup.delay.ms)."""

    client: str


@dataclass(frozen=True, slots=True)
class Probe:
    """Nothing happens: a probing rebalance."""


@dataclass(frozen=True, slots=True)
class Alter:
    """A topic that tasks read is altered: its replicas move, and partitions are added, which brings new tasks."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class Relocate:
    """A client comes back from another rack, or from none, with its state."""

    client: str
    rack: str | None


@dataclass(frozen=True, slots=True)
class Scale:
    """A client adds or removes threads."""

    client: str
    threads: int


@dataclass(frozen=True, slots=True)
class Configure:
    """All clients come back with other settings."""

    settings: Settings


Event: TypeAlias = (
    Join | Leave | Stop | Restart | Restore | CleanUp | Probe | Alter | Relocate | Scale | Configure
)


@dataclass(frozen=True, slots=True)
class Timeline:
    """An application as it starts and the events before each further rebalance.

    Between two rebalances a client reads `restored` records of each changelog that it restores, None: all there are, and each
    task that runs writes `written` records.
    """

    start: Application
    events: tuple[Event, ...]
    restored: int | None = None
    written: int = 0

    def __post_init__(self) -> None:
        if self.written < 0 or (self.restored is not None and self.restored < 0):
            raise ValueError(f"restored, written: {self.restored}, {self.written}; give 0 or more records")


def play(assign: Assign, timeline: Timeline) -> Iterator[Application]:
    """Yield the application of each rebalance, complete in itself: clients hold what the assignor gave them before.

    Raises AssignorError when the assignor fails on an application, which has been yielded then.
    """
    application = timeline.start
    stopped: dict[str, Client] = {}
    yield application
    for event in timeline.events:
        joining = after(
            application, assign(application), restored=timeline.restored, written=timeline.written
        )
        application = happen(joining, event, stopped)
        yield application


def happen(application: Application, event: Event, stopped: dict[str, Client]) -> Application:
    """Return the application after an event; `stopped` holds the clients that may restart, and is brought up to date.

    An event that cannot happen (an unknown client leaves, the last one, a topic that nobody reads is altered) changes nothing.
    """
    match event:
        case Join(client):
            return _with(application, client)
        case Restart(name, behind):
            return (
                _with(application, _restarted(stopped.pop(name), behind)) if name in stopped else application
            )
        case Leave(name):
            return _without(application, name)
        case Stop(name):
            stopped.update(
                (c.id, c) for c in application.clients if c.id == name and len(application.clients) > 1
            )
            return _without(application, name)
        case Restore() | CleanUp() | Relocate() | Scale():
            clients = (
                _changed(application, client, event) if client.id == event.client else client
                for client in application.clients
            )
            return replace(application, clients=tuple(clients))
        case Alter(topic):
            return altered(application, topic)
        case Configure(settings):
            return replace(application, settings=settings)
        case Probe():
            return application


def _with(application: Application, client: Client) -> Application:
    """Add a client, which knows the tasks that there are now."""
    if any(other.id == client.id for other in application.clients):
        return application
    logs = {task.id: log(application, task.id) for task in application.tasks if task.stateful}
    joining = replace(client, lags={**logs, **client.lags})
    return replace(application, clients=(*application.clients, joining))


def _without(application: Application, name: str) -> Application:
    left = tuple(client for client in application.clients if client.id != name)
    return replace(application, clients=left) if left else application


def _restarted(client: Client, behind: int) -> Client:
    """Return a client as it comes back: what it ran it has on disk, which Kafka takes for previous standbys."""
    return replace(
        client,
        active=(),
        standby=(*(task for task in client.active if task in client.lags), *client.standby),
        lags={
            task: lag if lag == UNKNOWN else min(max(lag, 0) + behind, INT64_MAX)
            for task, lag in client.lags.items()
        },
        consumers={name: {} for name in client.consumers},
    )


def _changed(application: Application, client: Client, event: Restore | CleanUp | Relocate | Scale) -> Client:
    match event:
        case Relocate(_, rack):
            return replace(client, rack=rack)
        case Scale(_, threads):
            named = (name for n in count(1) if (name := f"{client.id}-{n}") not in client.consumers)
            consumers = islice(chain(client.consumers, named), threads if client.consumers else 0)
            reported = {name: client.consumers.get(name, {}) for name in consumers}
            return replace(client, threads=threads, consumers=reported)
        case Restore(_, records):
            return _restored(application, client, records)
        case CleanUp():
            held = {*client.active, *client.standby}
            logs = {task: log(application, task) for task in client.lags if task not in held}
            return replace(client, lags={**client.lags, **logs})


def _restored(application: Application, client: Client, records: int | None) -> Client:
    def lag(task: TaskId, before: int) -> int:
        if task not in client.active and task not in client.standby:
            return before
        behind = left(before, log(application, task), records)
        return behind or (RUNNING if task in client.active else 0)

    return replace(client, lags={task: lag(task, before) for task, before in client.lags.items()})
