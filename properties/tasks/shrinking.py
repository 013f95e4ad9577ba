"""Shrinking of applications of Kafka Streams: the steps that the minimiser tries.

A step is a function that yields applications; those that are not smaller are left out, see `descend`.

>>> from kassay.model.tasks import Task
>>> from kassay.properties.minimise import minimise
>>> clients = tuple(Client(f"12345678-0000-0000-0000-00000000000{n}", threads=7) for n in range(3))
>>> application = Application(tuple(Task(TaskId(4, n)) for n in range(9)), clients)
>>> [client.threads for client in minimise(application, lambda each: len(each.tasks) >= 2, smaller).group.clients]
[1]
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from typing import TypeVar
from uuid import UUID

from kassay.model.partitions import INT64_MAX, Topic, TopicPartition
from kassay.model.tasks import RUNNING, STRATEGIES, UNKNOWN, Application, Client, TaskId
from kassay.properties.minimise import (
    cut,
    descend,
    in_pairs,
    left_out,
    one_by_one,
    parts,
    put,
    renamings,
    swapped,
    with_each,
    with_one,
)
from kassay.properties.tasks.edits import (
    not_having_run,
    only_tasks,
    read_alone,
    reading,
    renamed,
    renumbered,
    stateless,
    with_settings,
)
from kassay.properties.tasks.smallest import USUAL, catalogue, disorder, names_by_kind, size, weight

T = TypeVar("T")

FEW = 4
"""Names are exchanged where there are at most so many clients, and tasks."""
MOST = 6
"""Pairs of subtopologies or topics are merged where there are at most this many."""
MOST_PARTITIONS = 1_000
"""No topic is made larger than this, and tasks are not moved behind so many."""


def smaller(application: Application) -> Iterator[Application]:
    """Yield applications smaller than this one by `order_key`: steps, pairs of steps, then the smallest of all.

    Before these, steps after two clients or two tasks have exchanged their names. Never one without clients.
    """
    yield from in_pairs(application, steps)
    own = size(application)
    for other in _exchanged(application):
        for candidate in steps(other):
            if size(candidate) < own:
                yield candidate
    for its, candidate in catalogue():
        if its >= own:
            return
        yield candidate


def steps(application: Application) -> Iterator[Application]:
    """Yield the applications that are a step smaller than this one."""
    return descend(application, STEPS, size, disorder)


def _exchanged(application: Application) -> Iterator[Application]:
    """Yield applications of the same size in which two clients or two tasks have exchanged their names, where there are few."""
    ids, tasks = [client.id for client in application.clients], [task.id for task in application.tasks]
    if len(ids) <= FEW and len(tasks) <= FEW:
        for one, other in combinations(ids, 2):
            yield renamed(application, {"c": {one: other, other: one}})
        for this, that in combinations(tasks, 2):
            yield renumbered(application, {this: that, that: this})


# Leave out clients, tasks, topics or what tasks read, many at once first; or let one stand for two.


def remove_clients(application: Application) -> Iterator[Application]:
    """Leave out clients: alone, with the tasks that were active there, or with as many tasks as are their share."""
    clients, tasks = application.clients, sorted(task.id for task in application.tasks)
    for part in parts(len(clients)):
        if left := cut(clients, part):
            fewer = replace(application, clients=left)
            yield fewer
            if active := {task for client in clients[part] for task in client.active}:
                yield only_tasks(fewer, set(tasks) - active)
            if share := (len(clients) - len(left)) * (len(tasks) // len(clients)):
                yield only_tasks(fewer, tasks[:-share])


def remove_tasks(application: Application) -> Iterator[Application]:
    """Leave out tasks: those of whole subtopologies, those of the highest partitions of all subtopologies, any."""
    tasks = tuple(sorted(task.id for task in application.tasks))
    for place in (0, 1):  # the number of the subtopology, of the partition
        for kept in left_out(tuple(sorted({task[place] for task in tasks}))):
            if kept:
                yield only_tasks(application, [task for task in tasks if task[place] in kept])
    for left in left_out(tasks):
        yield only_tasks(application, left)


def merge_subtopologies(application: Application) -> Iterator[Application]:
    """Give a subtopology the tasks of another one, behind its own."""
    tasks = [task.id for task in application.tasks]
    numbers = sorted({task.subtopology for task in tasks})
    for one, other in combinations(numbers, 2) if len(numbers) <= MOST else ():
        behind = 1 + max(task.partition for task in tasks if task.subtopology == one)
        if behind <= MOST_PARTITIONS:
            theirs = sorted(task for task in tasks if task.subtopology == other)
            yield renumbered(application, {task: TaskId(one, behind + at) for at, task in enumerate(theirs)})


def remove_topics(application: Application) -> Iterator[Application]:
    """Leave out topics: all, those that no task reads, any; and what no task reads of the others.

    With a strategy for racks each task goes on reading something, and each stateful one keeps a changelog.
    """
    topics = application.topics
    if topics:
        yield read_alone(application)
    for part in parts(len(topics)):
        gone = {topic.name for topic in topics[part]}
        yield from _sound(_unread(application, gone, gone))
    for topic in topics:
        yield from _sound(_unread(application, {topic.name}, ()))
        yield from _sound(_unread(application, (), {topic.name}))


def _unread(application: Application, inputs: Collection[str], changelogs: Collection[str]) -> Application:
    """Return the application whose tasks read these topics no more."""
    tasks = tuple(
        replace(
            task,
            inputs=tuple(p for p in task.inputs if p.topic not in inputs),
            changelogs=tuple(p for p in task.changelogs if p.topic not in changelogs),
        )
        for task in application.tasks
    )
    return read_alone(replace(application, tasks=tasks))


def _sound(application: Application) -> Iterator[Application]:
    """Yield an application unless it asks for racks of partitions that a task lacks; Kafka's classes fail there."""
    if application.settings.rack_aware_assignment_strategy == "none" or all(
        task.inputs and (task.changelogs or not task.stateful) for task in application.tasks
    ):
        yield application


def merge_topics(application: Application) -> Iterator[Application]:
    """Let tasks read the same partitions of another topic instead, or these partitions behind those of the other."""
    topics = application.topics
    for one, other in combinations(topics, 2) if len(topics) <= MOST else ():
        for kept, gone in ((one, other), (other, one)):
            if kept.partitions >= gone.partitions:
                yield _moved(application, kept, gone, 0)
        if one.partitions + other.partitions <= MOST_PARTITIONS:
            yield _moved(application, one, other, one.partitions)


def _moved(application: Application, kept: Topic, gone: Topic, behind: int) -> Application:
    """Return the application that reads the partitions of one topic, so far behind, instead of those of another one."""
    racks = kept.racks
    if behind and not kept.racks == gone.racks is None:
        racks = (kept.racks or ((),) * kept.partitions) + (gone.racks or ((),) * gone.partitions)
    both = Topic(kept.name, max(kept.partitions, behind + gone.partitions), racks)

    def new(one: TopicPartition) -> TopicPartition:
        return TopicPartition(kept.name, one.partition + behind) if one.topic == gone.name else one

    topics = tuple(both if topic is kept else topic for topic in application.topics if topic is not gone)
    return reading(application, new, topics)


def remove_reading(application: Application) -> Iterator[Application]:
    """Let one task read one partition less; or all that read a partition read another one of the same topic."""
    for at, task in enumerate(application.tasks if len(application.tasks) <= MOST else ()):
        for gone in dict.fromkeys((*task.inputs, *task.changelogs)):
            for role in ("inputs", "changelogs"):
                left = tuple(partition for partition in getattr(task, role) if partition != gone)
                if left != getattr(task, role):
                    yield from _sound(read_alone(with_one(application, "tasks", at, **{role: left})))
    for topic in application.topics:
        for one, other in combinations(topic, 2) if topic.partitions <= MOST else ():
            yield read_alone(reading(application, partial(_mapped, {other: one}), application.topics))


# Leave out features: of all at once, then of one client, task or topic after the other.


def drop_feature(application: Application) -> Iterator[Application]:
    """Leave out at once: settings, racks, tags, consumers, what was run before, lags, state."""
    yield replace(application, settings=USUAL)
    unknown = with_each(with_each(application, "topics", racks=None), "clients", rack=None)
    yield with_settings(unknown, rack_aware_assignment_strategy="none")
    yield unknown
    untagged = with_each(application, "clients", tags=())
    yield with_settings(untagged, rack_aware_assignment_tags=())
    yield untagged
    yield with_each(application, "clients", consumers={})
    yield with_each(application, "clients", lambda client: _without_lags(_idle(client)))
    yield with_each(application, "clients", _idle)
    yield with_each(application, "clients", _without_lags)
    yield stateless(application, {task.id for task in application.tasks})


def drop_state(application: Application) -> Iterator[Application]:
    """Make tasks stateless."""
    stateful = sorted(task.id for task in application.tasks if task.stateful)
    for part in parts(len(stateful)):
        yield stateless(application, set(stateful[part]))


def drop_holdings(application: Application) -> Iterator[Application]:
    """Leave out what a client ran before, with what its consumers say of it."""
    for at, client in enumerate(application.clients):
        yield _with_client(application, at, _idle(client))
        yield with_one(application, "clients", at, active=(), standby=())
        for tasks in (client.active, client.standby):
            for part in parts(len(tasks)):
                yield _with_client(application, at, not_having_run(client, set(tasks[part])))


def drop_tags(application: Application) -> Iterator[Application]:
    """Leave out tags, of all clients and the settings or of one client; or make two values one."""
    asked = application.settings.rack_aware_assignment_tags
    for key in names_by_kind(application)["k"]:
        left = tuple(tag for tag in asked if tag != key)
        untagged = partial(_untagged, key)
        less = with_each(application, "clients", untagged)
        yield with_settings(less, rack_aware_assignment_tags=left)
        yield less
        yield with_settings(application, rack_aware_assignment_tags=left)
        for at, client in enumerate(application.clients):
            yield _with_client(application, at, untagged(client))
    for one, other in combinations(names_by_kind(application)["v"], 2):
        yield renamed(application, {"v": {other: one}})


def drop_consumers(application: Application) -> Iterator[Application]:
    """Leave out consumers of a client, or what they report."""
    for at, client in enumerate(application.clients):
        for consumers in _fewer(client.consumers) if client.consumers else ():
            yield with_one(application, "clients", at, consumers=consumers)


def _fewer(consumers: Mapping[str, Mapping[TaskId, int]]) -> Iterator[Mapping[str, Mapping[TaskId, int]]]:
    yield {}
    yield {name: {} for name in consumers}
    for name, sums in consumers.items():
        yield {other: each for other, each in consumers.items() if other != name}
        for task in sums:
            yield {**consumers, name: {other: offsets for other, offsets in sums.items() if other != task}}
        if any(sums.values()):
            yield {**consumers, name: dict.fromkeys(sums, 0)}


def drop_racks(application: Application) -> Iterator[Application]:
    """Leave out racks: a client's, a topic's, a partition's, a replica's; or make two racks one."""
    yield from one_by_one(application, "clients", "rack")
    for at, topic in enumerate(application.topics):
        if topic.racks is not None:
            yield with_one(application, "topics", at, racks=None)
            yield with_one(application, "topics", at, racks=tuple(near[:1] for near in topic.racks))
            for place, near in enumerate(topic.racks):
                for left in left_out(near):
                    yield with_one(application, "topics", at, racks=put(topic.racks, place, left))
    for one, other in combinations(names_by_kind(application)["r"], 2):
        yield renamed(application, {"r": {other: one}})


def _with_client(application: Application, at: int, client: Client) -> Application:
    return replace(application, clients=put(application.clients, at, client))


def _idle(client: Client) -> Client:
    """Return the client as if it had run nothing; what it has restored stays."""
    return not_having_run(client, {*client.active, *client.standby, *client.lags})


def _without_lags(client: Client) -> Client:
    return replace(client, lags=dict.fromkeys(client.lags, 0))


def _untagged(key: str, client: Client) -> Client:
    return replace(client, tags=tuple(tag for tag in client.tags if tag[0] != key))


# Lower settings, threads and lags.


def lower_settings(application: Application) -> Iterator[Application]:
    """Give a setting its default, or another that is nearer to it; lags go with the acceptable one."""
    settings = application.settings
    for usual in dict.fromkeys((USUAL.acceptable_recovery_lag, 0)):
        if usual != settings.acceptable_recovery_lag:
            yield with_settings(_within(application, usual), acceptable_recovery_lag=usual)
            yield with_settings(application, acceptable_recovery_lag=usual)
    standbys, warmups = settings.num_standby_replicas, settings.max_warmup_replicas
    for number in dict.fromkeys((0, 1, standbys // 2, standbys - 1)) if standbys else ():
        yield with_settings(application, num_standby_replicas=number)
    for number in dict.fromkeys(
        (USUAL.max_warmup_replicas, USUAL.max_warmup_replicas + 1, warmups // 2, warmups - 1)
    ):
        if number:
            yield with_settings(application, max_warmup_replicas=number)
    for strategy in STRATEGIES[: STRATEGIES.index(settings.rack_aware_assignment_strategy)]:
        yield with_settings(application, rack_aware_assignment_strategy=strategy)
    costs = settings.rack_aware_assignment_traffic_cost, settings.rack_aware_assignment_non_overlap_cost
    for traffic, overlap in product((None, 0, 1), repeat=2) if costs != (None, None) else ():
        yield with_settings(
            application,
            rack_aware_assignment_traffic_cost=traffic,
            rack_aware_assignment_non_overlap_cost=overlap,
        )


def _within(application: Application, usual: int) -> Application:
    """Give lags that are acceptable, or not, where so much is."""
    acceptable = application.settings.acceptable_recovery_lag

    def lag(old: int) -> int:
        if old in (RUNNING, UNKNOWN, 0, acceptable):
            return usual if old == acceptable else old
        return min(old, usual) if old <= acceptable else usual + min(old - acceptable, INT64_MAX - usual)

    return _with_lags(application, lag)


def lower_threads(application: Application) -> Iterator[Application]:
    """Give clients fewer threads: one, half of them, one less; all clients or one."""
    most = max(client.threads for client in application.clients)
    for number in dict.fromkeys((1, most // 2, most - 1)):
        if number:
            yield with_each(application, "clients", partial(_at_most, number))
    for at, client in enumerate(application.clients):
        for number in dict.fromkeys((1, client.threads // 2, client.threads - 1)):
            if 1 <= number < client.threads:
                yield with_one(application, "clients", at, threads=number)


def _at_most(threads: int, client: Client) -> Client:
    return replace(client, threads=min(client.threads, threads))


def lower_lags(application: Application) -> Iterator[Application]:
    """Give simpler lags: to a client, to a task, by their ranks, one by one."""
    acceptable = application.settings.acceptable_recovery_lag
    for at, client in enumerate(application.clients):
        yield _with_client(application, at, _without_lags(client))
    for task in sorted({task for client in application.clients for task in client.lags}):
        yield with_each(application, "clients", partial(_caught_up, task))
    # Each lag by its rank becomes the lowest that is acceptable, or too much, as it was.
    lags = sorted({lag for client in application.clients for lag in client.lags.values() if lag > 0})
    near, far = ([lag for lag in lags if (lag <= acceptable) is within] for within in (True, False))
    ranked = {lag: 1 + at for at, lag in enumerate(near)}
    ranked |= {lag: acceptable + 1 + at for at, lag in enumerate(far)}
    yield _with_lags(application, partial(_mapped, ranked))
    simple = [lag for lag in (0, RUNNING, min(1, acceptable), acceptable + 1) if lag <= INT64_MAX]
    for at, client in enumerate(application.clients):
        for task, lag in client.lags.items():
            for lower in simple:
                if (weight(lower, acceptable), lower) < (weight(lag, acceptable), lag):
                    yield with_one(application, "clients", at, lags={**client.lags, task: lower})


def _caught_up(task: TaskId, client: Client) -> Client:
    return replace(client, lags={**client.lags, task: 0}) if task in client.lags else client


def _mapped(new: Mapping[T, T], old: T) -> T:
    return new.get(old, old)


def _with_lags(application: Application, new: Callable[[int], int]) -> Application:
    def changed(client: Client) -> Client:
        return replace(client, lags={task: new(lag) for task, lag in client.lags.items()})

    return with_each(application, "clients", changed)


# Put numbers, orders and names into a plain form.


def renumber(application: Application) -> Iterator[Application]:
    """Number subtopologies from 0, and in each of them the tasks; or one task lower."""
    tasks = sorted(task.id for task in application.tasks)
    dense: dict[TaskId, TaskId] = {}
    places: dict[int, list[TaskId]] = {}
    for task in tasks:
        places.setdefault(task.subtopology, []).append(task)
    for subtopology, own in enumerate(places.values()):
        dense |= {task: TaskId(subtopology, at) for at, task in enumerate(own)}
    yield renumbered(application, dense)
    for task in tasks:
        for lower in (TaskId(0, 0), TaskId(task.subtopology, max(0, task.partition - 1))):
            if lower < task and lower not in tasks:
                yield renumbered(application, {task: lower})


def canonical_order(application: Application) -> Iterator[Application]:
    """Put clients, tasks, topics and what these list in order: all, each kind alone, then neighbours."""
    clients = tuple(sorted(application.clients, key=lambda client: client.order))
    tasks = tuple(sorted(application.tasks, key=lambda task: task.id))
    topics = tuple(sorted(application.topics, key=lambda topic: topic.name))
    tags = tuple(sorted(application.settings.rack_aware_assignment_tags))
    tidy = replace(
        application,
        clients=tuple(map(_tidy, application.clients)),
        tasks=tuple(
            replace(task, inputs=tuple(sorted(task.inputs)), changelogs=tuple(sorted(task.changelogs)))
            for task in application.tasks
        ),
    )
    in_order = replace(
        tidy,
        clients=tuple(map(_tidy, clients)),
        tasks=tuple(sorted(tidy.tasks, key=lambda task: task.id)),
        topics=topics,
    )
    yield with_settings(in_order, rack_aware_assignment_tags=tags)
    yield tidy
    yield replace(application, clients=clients)
    yield replace(application, tasks=tasks)
    yield replace(application, topics=topics)
    yield with_settings(application, rack_aware_assignment_tags=tags)
    for at, client in enumerate(application.clients):
        yield _with_client(application, at, _tidy(client))
    for others in swapped(application.clients):
        yield replace(application, clients=others)
    for numbered in swapped(application.tasks):
        yield replace(application, tasks=numbered)


def _tidy(client: Client) -> Client:
    return replace(
        client,
        active=tuple(sorted(client.active)),
        standby=tuple(sorted(client.standby)),
        tags=tuple(sorted(client.tags)),
        lags=dict(sorted(client.lags.items())),
    )


def canonical_names(application: Application) -> Iterator[Application]:
    """Give plain names of the same order to clients, topics, racks, tags and consumers: to all, to a kind, to a single one."""
    named = {kind: sorted(set(names)) for kind, names in names_by_kind(application).items()}
    ordered = [client.id for client in sorted(application.clients, key=lambda client: client.order)]
    plain = {name: str(UUID(int=at + 1)) for at, name in enumerate(ordered)}
    others = list(renamings(named))
    for renaming in (*({"c": plain, **every} for every in others[:1]), {"c": plain}, *others):
        yield renamed(application, renaming)
    free = next(
        name for name in map(str, (UUID(int=n) for n in range(1, len(ordered) + 2))) if name not in ordered
    )
    for name in ordered:
        yield renamed(application, {"c": {name: free}})


STEPS = (
    remove_clients, remove_tasks, merge_subtopologies, remove_topics, merge_topics, remove_reading, drop_feature,
    lower_settings, drop_state, lower_threads, drop_holdings, lower_lags, drop_tags, drop_consumers, drop_racks, renumber,
    canonical_order, canonical_names,
)  # fmt: skip
"""The kinds of step, in the order in which they are tried."""
