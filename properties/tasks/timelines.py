"""Timelines: an application and its events, one between two rebalances, played with an assignor."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from typing import TypeAlias
from uuid import UUID

from kassay.errors import InputError
from kassay.model import Topic, TopicPartition
from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Client, Settings, Task, TaskAssignment, TaskId
from kassay.properties.runs import run_until_converged
from kassay.properties.tasks.rounds import (
    PATIENCE,
    Assign,
    apply_answer,
    bound_rounds,
    build_follow_up,
    count_left,
    log,
)


def alter_topic(application: Application, topic: Topic) -> Application:
    """Return the application with an altered topic; unchanged if no task reads the topic, or it would lose partitions.

    A new task of the same number reads each new partition of a source topic, with the same partition of the subtopology's other
    source topics (PartitionGrouper). A stateful task gets a partition of each changelog. Kafka does not add these itself, but
    stops the application until an operator has. They are empty, so all clients are caught up.
    """
    topics = {known.name: known for known in application.topics}
    if topic.name not in topics or topic.partitions < topics[topic.name].partitions:
        return application
    new = range(topics[topic.name].partitions, topic.partitions)
    topics[topic.name] = topic
    tasks = {task.id: task for task in application.tasks}
    first = {task.id.subtopology: task for task in reversed(application.tasks)}
    for subtopology, like in sorted(first.items()):
        members = [task for task in application.tasks if task.id.subtopology == subtopology]
        sources = dict.fromkeys(read.topic for task in members for read in task.inputs)
        changelogs = dict.fromkeys(read.topic for task in members for read in task.changelogs)
        for partition in new if topic.name in sources else ():
            at = TaskId(subtopology, partition)
            if at not in tasks:
                inputs = [name for name in sources if topics[name].partitions > partition]
                for name in changelogs:
                    topics[name] = grow_topic(topics[name], partition + 1)
                read, kept = (
                    tuple(TopicPartition(name, partition) for name in names) for names in (inputs, changelogs)
                )
                tasks[at] = Task(at, like.stateful, read, kept, like.weight)
    empty = {at: 0 for at, task in tasks.items() if task.stateful}
    return replace(
        application,
        tasks=tuple(tasks.values()),
        topics=tuple(topics.values()),
        clients=tuple(replace(c, lags={**empty, **c.lags}) for c in application.clients),
    )


def grow_topic(topic: Topic, partitions: int) -> Topic:
    """Return a topic with at least this number of partitions; the replicas of new ones are in the racks of the first ones in turn."""
    if topic.partitions >= partitions:
        return topic
    racks = topic.racks
    spread = (
        None if racks is None else tuple(racks[n % len(racks)] if racks else () for n in range(partitions))
    )
    return Topic(topic.name, partitions, spread)


@dataclass(frozen=True, slots=True)
class Join:
    """A client joins, with state only of tasks in its lags. No effect if its id exists already."""

    client: Client


@dataclass(frozen=True, slots=True)
class Leave:
    """A client leaves permanently."""

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
    """A client's state of tasks outside its assignment is deleted (state.cleanup.delay.ms)."""

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
            raise ValueError(f"restored, written: {self.restored}, {self.written}. Give 0 or more records")


def play(assign: Assign, timeline: Timeline) -> Iterator[Application]:
    """Yield the complete application of each rebalance: clients have their previous assignment.

    Raises AssignorError if the assignor fails on an application, after yielding it.
    """
    application = timeline.start
    stopped: dict[str, Client] = {}
    yield application
    for event in timeline.events:
        joining = apply_answer(
            application, assign(application), restored=timeline.restored, written=timeline.written
        )
        application = apply_event(joining, event, stopped)
        yield application


def apply_event(application: Application, event: Event, stopped: dict[str, Client]) -> Application:
    """Return the application after an event; `stopped` has the clients that may restart, and is updated.

    An impossible event (an unknown client or the last one leaves, a topic without readers is altered) changes nothing.
    """
    match event:
        case Join(client):
            return _with(application, client)
        case Restart(name, behind):
            return (
                _with(application, _restart_client(stopped.pop(name), behind))
                if name in stopped
                else application
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
                _change_client(application, client, event) if client.id == event.client else client
                for client in application.clients
            )
            return replace(application, clients=tuple(clients))
        case Alter(topic):
            return alter_topic(application, topic)
        case Configure(settings):
            return replace(application, settings=settings)
        case Probe():
            return application


def _with(application: Application, client: Client) -> Application:
    """Add a client with lags for the current tasks."""
    if any(other.id == client.id for other in application.clients):
        return application
    logs = {task.id: log(application, task.id) for task in application.tasks if task.stateful}
    joining = replace(client, lags={**logs, **client.lags})
    return replace(application, clients=(*application.clients, joining))


def _without(application: Application, name: str) -> Application:
    left = tuple(client for client in application.clients if client.id != name)
    return replace(application, clients=left) if left else application


def _restart_client(client: Client, behind: int) -> Client:
    """Return a client as it comes back: with its tasks on disk, which Kafka counts as previous standbys."""
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


def _change_client(
    application: Application, client: Client, event: Restore | CleanUp | Relocate | Scale
) -> Client:
    match event:
        case Relocate(_, rack):
            return replace(client, rack=rack)
        case Scale(_, threads):
            named = (name for n in count(1) if (name := f"{client.id}-{n}") not in client.consumers)
            consumers = islice(chain(client.consumers, named), threads if client.consumers else 0)
            reported = {name: client.consumers.get(name, {}) for name in consumers}
            return replace(client, threads=threads, consumers=reported)
        case Restore(_, records):
            lags = {}
            for task, lag in client.lags.items():
                running = task in client.active
                held_too = running or task in client.standby
                behind = count_left(lag, log(application, task), records) if held_too else lag
                lags[task] = behind or (RUNNING if running else 0)
            return replace(client, lags=lags)
        case CleanUp():
            held = {*client.active, *client.standby}
            logs = {task: log(application, task) for task in client.lags if task not in held}
            return replace(client, lags={**client.lags, **logs})


def restart(application: Application, number: int) -> Timeline:
    """Return the rolling restart of the first `number` clients: each leaves and rejoins without state before the next one.

    Its disk is lost, as in a container without a volume. Raises InputError if there are fewer clients, or none would be left.
    """
    clients = application.clients
    if len(clients) < 2 or not 1 <= number <= len(clients):
        raise InputError(
            f"restart: {number} of {len(clients)} clients. Take an application of 2 or more and restart 1 to all of them"
        )
    events: list[Event] = []
    for client in clients[:number]:
        events += [Leave(client.id), _rejoin(client)]
    return Timeline(application, tuple(events))


def bounce(application: Application, number: int) -> Timeline:
    """Return the timeline in which the first `number` clients leave one by one, and then rejoin one by one without state.

    Raises InputError if there are fewer clients, or none would be left.
    """
    clients = application.clients
    if not 1 <= number < len(clients):
        raise InputError(
            f"bounce: {number} of {len(clients)} clients. Take 1 or more, and fewer than there are"
        )
    gone = clients[:number]
    return Timeline(application, (*(Leave(client.id) for client in gone), *map(_rejoin, gone)))


def _rejoin(client: Client) -> Join:
    return Join(_build_fresh(client, client.id, list(client.consumers)))


def scale_out(application: Application, number: int) -> Timeline:
    """Return the timeline in which `number` clients join one by one, with threads, racks and tags of the clients in turn.

    Raises InputError if the application has no client, or none is to join.
    """
    clients = application.clients
    if not clients or number < 1:
        raise InputError(f"scale-out: {number} join {len(clients)} clients. Give 1 or more for each")
    known = {client.id for client in clients}
    names = [name for n in range(number + len(known)) if (name := str(UUID(int=2**124 + n))) not in known]
    events = []
    for n, name in enumerate(names[:number]):
        like = clients[n % len(clients)]
        events.append(Join(_build_fresh(like, name, [f"{name}-{k}" for k in range(len(like.consumers))])))
    return Timeline(application, tuple(events))


def _build_fresh(like: Client, name: str, consumers: Sequence[str]) -> Client:
    return replace(like, id=name, active=(), standby=(), lags={}, consumers={each: {} for each in consumers})


def apply_changes(
    application: Application, join: int, leave: Sequence[str], partitions: Mapping[str, int]
) -> Application:
    """Return the application of the next rebalance after clients join or leave and topics get new partition counts.

    Clients join as in a scale-out. New partitions bring new tasks, and changelogs for stateful ones.
    """
    events: list[Event] = [*(scale_out(application, join).events if join else ()), *map(Leave, leave)]
    topics = [one for one in application.topics if one.name in partitions]
    events += [Alter(grow_topic(one, partitions[one.name])) for one in topics]
    return stages(Timeline(application, tuple(events)))[-1]


SEQUENCES: Mapping[str, Callable[[Application, int], Timeline]] = {
    "restart": restart,
    "bounce": bounce,
    "scale-out": scale_out,
}
"""Kind of sequence -> its timeline for a number of clients."""


def stages(timeline: Timeline) -> tuple[Application, ...]:
    """Return the groups of each rebalance of a timeline, with unchanged assignments."""
    found, stopped = [timeline.start], dict[str, Client]()
    for event in timeline.events:
        found.append(apply_event(found[-1], event, stopped))
    return tuple(found)


def rounds(assign: Assign, timeline: Timeline) -> Iterator[Sequence[tuple[Application, TaskAssignment]]]:
    """Play a timeline: yield for each event a rebalance and its probing rebalances (KIP-441).

    Copies catch up between two rebalances. Raises AssignorError if the assignor fails.
    """
    application, stopped = timeline.start, dict[str, Client]()
    for event in (None, *timeline.events):
        application = application if event is None else apply_event(application, event, stopped)
        played = run_until_converged(
            assign, build_follow_up, application, 1 + bound_rounds(application) + PATIENCE
        )
        yield played
        application = apply_answer(*played[-1])
