"""Shrinking of applications of Kafka Streams: the steps that the shrinker tries.

A step is a function that yields applications. Applications that are not smaller are left out, see `Shrinker`.

>>> from kassay.model.tasks import Task
>>> from kassay.properties.minimise import minimise
>>> clients = tuple(Client(f"12345678-0000-0000-0000-00000000000{n}", threads=7) for n in range(3))
>>> application = Application(tuple(Task(TaskId(4, n)) for n in range(9)), clients)
>>> [client.threads for client in minimise(application, lambda each: len(each.tasks) >= 2, smaller).group.clients]
[1]
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, product
from uuid import UUID

from kassay.model.partitions import INT64_MAX, Topic, TopicPartition
from kassay.model.tasks import RUNNING, STRATEGIES, UNKNOWN, Application, Client, TaskId
from kassay.properties import minimise
from kassay.properties.minimise import (
    Shrinker,
    append_topic,
    drop_some,
    keep_some,
    list_lower,
    parts,
    put,
    rack_names,
    renamings,
    swap_neighbours,
    with_each,
    with_one,
)
from kassay.properties.tasks.edits import (
    drop_unread,
    forget_tasks,
    keep_tasks,
    make_stateless,
    rename,
    renumber_tasks,
    replace_partitions,
    with_settings,
)
from kassay.properties.tasks.smallest import (
    USUAL,
    disorder,
    lag_weight,
    list_smallest,
    names_by_kind,
    size,
)

FEW = 4
"""Names are exchanged if there are at most this many clients, and tasks."""
MOST = 6
"""Pairs of subtopologies or topics are merged if there are at most this many."""
MOST_PARTITIONS = 1_000
"""No topic is made larger than this, and tasks are not moved behind this many."""


def list_smaller(application: Application) -> Iterator[Application]:
    """Yield smaller applications: single steps, pairs of steps, steps after an exchange of names, the smallest of all.

    Two clients or two tasks exchange their names. No application is without clients.
    """
    yield from minimise.try_pairs(application, steps)
    own = size(application)
    ids, tasks = [client.id for client in application.clients], [task.id for task in application.tasks]
    if len(ids) <= FEW and len(tasks) <= FEW:
        exchanged = chain(
            (rename(application, {"c": {one: other, other: one}}) for one, other in combinations(ids, 2)),
            (renumber_tasks(application, {one: other, other: one}) for one, other in combinations(tasks, 2)),
        )
        yield from (candidate for other in exchanged for candidate in steps(other) if size(candidate) < own)
    yield from SHRINKER.list_smallest(application)


# Leave out clients, tasks, topics or what tasks read, many at once first; or merge two of them.


def remove_clients(application: Application) -> Iterator[Application]:
    """Leave out clients: alone, with the tasks that were active there, or with their share of the tasks."""
    clients, tasks = application.clients, sorted(task.id for task in application.tasks)
    for left, gone in keep_some(clients):
        fewer = replace(application, clients=left)
        yield fewer
        if active := {task for client in gone for task in client.active}:
            yield keep_tasks(fewer, set(tasks) - active)
        if share := len(gone) * (len(tasks) // len(clients)):
            yield keep_tasks(fewer, tasks[:-share])


def remove_tasks(application: Application) -> Iterator[Application]:
    """Leave out tasks: of whole subtopologies, of the highest partitions of all subtopologies, any."""
    tasks = tuple(sorted(task.id for task in application.tasks))
    for place in (0, 1):  # the number of the subtopology, of the partition
        for kept in drop_some(tuple(sorted({task[place] for task in tasks}))):
            if kept:
                yield keep_tasks(application, [task for task in tasks if task[place] in kept])
    for left in drop_some(tasks):
        yield keep_tasks(application, left)


def merge_subtopologies(application: Application) -> Iterator[Application]:
    """Give a subtopology the tasks of another one, behind its own."""
    tasks = [task.id for task in application.tasks]
    numbers = sorted({task.subtopology for task in tasks})
    for one, other in combinations(numbers, 2) if len(numbers) <= MOST else ():
        behind = 1 + max(task.partition for task in tasks if task.subtopology == one)
        if behind <= MOST_PARTITIONS:
            theirs = sorted(task for task in tasks if task.subtopology == other)
            yield renumber_tasks(
                application, {task: TaskId(one, behind + at) for at, task in enumerate(theirs)}
            )


def remove_topics(application: Application) -> Iterator[Application]:
    """Leave out topics: all that no task reads, then any.

    With a rack-aware strategy each task keeps an input, and each stateful task keeps a changelog.
    """
    names = [topic.name for topic in application.topics]
    if names:
        yield drop_unread(application)
    unread: list[tuple[list[str], list[str]]] = [
        (gone, gone) for part in parts(len(names)) for gone in [names[part]]
    ]
    for name in names:
        unread += ([name], []), ([], [name])
    for inputs, changelogs in unread:
        tasks = (
            replace(
                task,
                inputs=tuple(p for p in task.inputs if p.topic not in inputs),
                changelogs=tuple(p for p in task.changelogs if p.topic not in changelogs),
            )
            for task in application.tasks
        )
        yield from _yield_sound(drop_unread(replace(application, tasks=tuple(tasks))))


def _yield_sound(application: Application) -> Iterator[Application]:
    """Yield an application unless its strategy needs racks of partitions that a task lacks; Kafka's classes fail then."""
    if application.settings.rack_aware_assignment_strategy == "none" or all(
        task.inputs and (task.changelogs or not task.stateful) for task in application.tasks
    ):
        yield application


def merge_topics(application: Application) -> Iterator[Application]:
    """Let tasks read the same partitions of another topic instead, or merge two topics into one with all partitions."""

    def merge(both: Topic, kept: Topic, gone: Topic, behind: int) -> Application:
        def move(one: TopicPartition) -> TopicPartition:
            return TopicPartition(kept.name, one.partition + behind) if one.topic == gone.name else one

        topics = tuple(both if topic is kept else topic for topic in application.topics if topic is not gone)
        return replace_partitions(application, move, topics)

    topics = application.topics
    for one, other in combinations(topics, 2) if len(topics) <= MOST else ():
        for kept, gone in ((one, other), (other, one)):
            if kept.partitions >= gone.partitions:
                yield merge(Topic(kept.name, kept.partitions, kept.racks), kept, gone, 0)
        if one.partitions + other.partitions <= MOST_PARTITIONS:
            yield merge(append_topic(one, other), one, other, one.partitions)


def remove_reading(application: Application) -> Iterator[Application]:
    """Let one task read one partition less; or all tasks that read a partition read another one of the same topic."""
    for at, task in enumerate(application.tasks if len(application.tasks) <= MOST else ()):
        for gone in dict.fromkeys((*task.inputs, *task.changelogs)):
            for role in ("inputs", "changelogs"):
                left = tuple(partition for partition in getattr(task, role) if partition != gone)
                if left != getattr(task, role):
                    yield from _yield_sound(drop_unread(with_one(application, "tasks", at, **{role: left})))
    for topic in application.topics:
        for one, other in combinations(topic, 2) if topic.partitions <= MOST else ():
            yield drop_unread(
                replace_partitions(application, partial(_replace, other, one), application.topics)
            )


def _replace(old: TopicPartition, new: TopicPartition, partition: TopicPartition) -> TopicPartition:
    return new if partition == old else partition


# Leave out features: of all at once, then of one client, task or topic after the other.


def drop_feature(application: Application) -> Iterator[Application]:
    """Leave out at once: settings, racks, tags, consumers, previous tasks, lags, state."""
    yield replace(application, settings=USUAL)
    unknown = with_each(with_each(application, "topics", racks=None), "clients", rack=None)
    yield with_settings(unknown, rack_aware_assignment_strategy="none")
    yield unknown
    untagged = with_each(application, "clients", tags=())
    yield with_settings(untagged, rack_aware_assignment_tags=())
    yield untagged
    yield with_each(application, "clients", consumers={})
    yield with_each(application, "clients", lambda client: _clear_lags(_stop(client)))
    yield with_each(application, "clients", _stop)
    yield with_each(application, "clients", _clear_lags)
    yield make_stateless(application, {task.id for task in application.tasks})


def drop_state(application: Application) -> Iterator[Application]:
    """Make tasks stateless."""
    stateful = sorted(task.id for task in application.tasks if task.stateful)
    for part in parts(len(stateful)):
        yield make_stateless(application, set(stateful[part]))


def drop_tasks(application: Application) -> Iterator[Application]:
    """Leave out tasks that a client ran before, with what its consumers report about them."""
    for at, client in enumerate(application.clients):
        yield _with_client(application, at, _stop(client))
        yield with_one(application, "clients", at, active=(), standby=())
        for tasks in (client.active, client.standby):
            for part in parts(len(tasks)):
                yield _with_client(application, at, forget_tasks(client, set(tasks[part])))


def drop_tags(application: Application) -> Iterator[Application]:
    """Leave out tags, of all clients and the settings or of one client; or make two values one."""
    asked, names = application.settings.rack_aware_assignment_tags, names_by_kind(application)
    for key in names["k"]:
        clients = [
            replace(client, tags=tuple(tag for tag in client.tags if tag[0] != key))
            for client in application.clients
        ]
        left = tuple(tag for tag in asked if tag != key)
        less = replace(application, clients=tuple(clients))
        yield with_settings(less, rack_aware_assignment_tags=left)
        yield less
        yield with_settings(application, rack_aware_assignment_tags=left)
        for at, client in enumerate(clients):
            yield _with_client(application, at, client)
    for one, other in combinations(names["v"], 2):
        yield rename(application, {"v": {other: one}})


def drop_consumers(application: Application) -> Iterator[Application]:
    """Leave out consumers of a client, or what they report."""
    for at, client in enumerate(application.clients):
        known = client.consumers
        fewer: list[Mapping[str, Mapping[TaskId, int]]] = [{}, {name: {} for name in known}] if known else []
        for name, sums in known.items():
            fewer.append({other: each for other, each in known.items() if other != name})
            fewer += [{**known, name: {t: n for t, n in sums.items() if t != task}} for task in sums]
            fewer += [{**known, name: dict.fromkeys(sums, 0)}] if any(sums.values()) else []
        for consumers in fewer:
            yield with_one(application, "clients", at, consumers=consumers)


def drop_racks(application: Application) -> Iterator[Application]:
    """Leave out racks: all but the first replica's, then single ones; or make two racks one."""
    for at, topic in enumerate(application.topics):
        if topic.racks is not None:
            yield with_one(application, "topics", at, racks=tuple(near[:1] for near in topic.racks))
    racks = rack_names(application.clients, application.topics)
    yield from minimise.drop_racks(application, "clients", racks, rename)


def _with_client(application: Application, at: int, client: Client) -> Application:
    return replace(application, clients=put(application.clients, at, client))


def _stop(client: Client) -> Client:
    """Return the client as if it had run nothing; restored state stays."""
    return forget_tasks(client, {*client.active, *client.standby, *client.lags})


def _clear_lags(client: Client) -> Client:
    return replace(client, lags=dict.fromkeys(client.lags, 0))


# Lower settings, threads and lags.


def lower_settings(application: Application) -> Iterator[Application]:
    """Give a setting its default, or a value nearer to it; lags change with the acceptable one."""
    settings = application.settings
    acceptable = settings.acceptable_recovery_lag
    for usual in dict.fromkeys((USUAL.acceptable_recovery_lag, 0)):
        if usual != acceptable:
            yield with_settings(_fit_lags(application, usual), acceptable_recovery_lag=usual)
            yield with_settings(application, acceptable_recovery_lag=usual)
    for number in list_lower(settings.num_standby_replicas, 0, 1):
        yield with_settings(application, num_standby_replicas=number)
    warmups, usual = settings.max_warmup_replicas, USUAL.max_warmup_replicas
    for number in dict.fromkeys((usual, usual + 1, warmups // 2, warmups - 1)):
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


def _fit_lags(application: Application, usual: int) -> Application:
    """Change lags so that acceptable ones stay acceptable, and others do not, with another acceptable lag."""
    acceptable = application.settings.acceptable_recovery_lag

    def fit(old: int) -> int:
        if old in (RUNNING, UNKNOWN, 0, acceptable):
            return usual if old == acceptable else old
        return min(old, usual) if old <= acceptable else usual + min(old - acceptable, INT64_MAX - usual)

    return _with_lags(application, fit)


def lower_threads(application: Application) -> Iterator[Application]:
    """Give clients fewer threads: one, half of them, one less; all clients or one."""
    clients = application.clients
    for number in filter(None, list_lower(max(client.threads for client in clients), 1)):
        fewer = (replace(client, threads=min(client.threads, number)) for client in clients)
        yield replace(application, clients=tuple(fewer))
    for at, client in enumerate(clients):
        for number in filter(None, list_lower(client.threads, 1)):
            yield with_one(application, "clients", at, threads=number)


def lower_lags(application: Application) -> Iterator[Application]:
    """Give simpler lags: to a client, to a task, by their ranks, one by one."""
    acceptable, clients = application.settings.acceptable_recovery_lag, application.clients
    for at, client in enumerate(clients):
        yield _with_client(application, at, _clear_lags(client))
    for task in sorted({task for client in clients for task in client.lags}):
        caught_up = (
            replace(client, lags={**client.lags, task: 0}) if task in client.lags else client
            for client in clients
        )
        yield replace(application, clients=tuple(caught_up))
    # Each lag becomes, by its rank, the lowest acceptable lag or the lowest that is not acceptable, as it was.
    lags = sorted({lag for client in clients for lag in client.lags.values() if lag > 0})
    near, far = ([lag for lag in lags if (lag <= acceptable) is within] for within in (True, False))
    ranked = {lag: 1 + at for at, lag in enumerate(near)}
    ranked |= {lag: acceptable + 1 + at for at, lag in enumerate(far)}
    yield _with_lags(application, lambda lag: ranked.get(lag, lag))
    simple = [lag for lag in (0, RUNNING, min(1, acceptable), acceptable + 1) if lag <= INT64_MAX]
    for at, client in enumerate(clients):
        for task, lag in client.lags.items():
            for lower in simple:
                if (lag_weight(lower, acceptable), lower) < (lag_weight(lag, acceptable), lag):
                    yield with_one(application, "clients", at, lags={**client.lags, task: lower})


def _with_lags(application: Application, new: Callable[[int], int]) -> Application:
    return with_each(
        application,
        "clients",
        lambda client: replace(client, lags={task: new(lag) for task, lag in client.lags.items()}),
    )


# Make numbers, orders and names plain.


def renumber(application: Application) -> Iterator[Application]:
    """Number subtopologies from 0, and in each of them the tasks; or one task lower."""
    tasks = sorted(task.id for task in application.tasks)
    places: dict[int, list[TaskId]] = {}
    for task in tasks:
        places.setdefault(task.subtopology, []).append(task)
    yield renumber_tasks(
        application,
        {task: TaskId(n, at) for n, own in enumerate(places.values()) for at, task in enumerate(own)},
    )
    for task in tasks:
        for lower in (TaskId(0, 0), TaskId(task.subtopology, max(0, task.partition - 1))):
            if lower < task and lower not in tasks:
                yield renumber_tasks(application, {task: lower})


def canonicalize_order(application: Application) -> Iterator[Application]:
    """Sort clients, tasks, topics and the lists in them: all, each kind alone, then neighbours."""

    def sort_lists(client: Client) -> Client:
        return replace(
            client,
            active=tuple(sorted(client.active)),
            standby=tuple(sorted(client.standby)),
            tags=tuple(sorted(client.tags)),
            lags=dict(sorted(client.lags.items())),
        )

    clients = tuple(sorted(application.clients, key=lambda client: client.order))
    tasks = tuple(sorted(application.tasks, key=lambda task: task.id))
    topics = tuple(sorted(application.topics, key=lambda topic: topic.name))
    tags = tuple(sorted(application.settings.rack_aware_assignment_tags))
    neat = [
        replace(task, inputs=tuple(sorted(task.inputs)), changelogs=tuple(sorted(task.changelogs)))
        for task in application.tasks
    ]
    sorted_lists = replace(
        application, clients=tuple(map(sort_lists, application.clients)), tasks=tuple(neat)
    )
    in_order = replace(
        application,
        clients=tuple(map(sort_lists, clients)),
        tasks=tuple(sorted(neat, key=lambda task: task.id)),
        topics=topics,
    )
    yield with_settings(in_order, rack_aware_assignment_tags=tags)
    yield sorted_lists
    yield replace(application, clients=clients)
    yield replace(application, tasks=tasks)
    yield replace(application, topics=topics)
    yield with_settings(application, rack_aware_assignment_tags=tags)
    for at, client in enumerate(sorted_lists.clients):
        yield _with_client(application, at, client)
    for others in swap_neighbours(application.clients):
        yield replace(application, clients=others)
    for numbered in swap_neighbours(application.tasks):
        yield replace(application, tasks=numbered)


def canonicalize_names(application: Application) -> Iterator[Application]:
    """Give plain names of the same order to clients, topics, racks, tags and consumers: to all, to a kind, to one."""
    named = {kind: sorted(set(names)) for kind, names in names_by_kind(application).items()}
    ordered = [client.id for client in sorted(application.clients, key=lambda client: client.order)]
    plain = {name: str(UUID(int=at + 1)) for at, name in enumerate(ordered)}
    others = list(renamings(named))
    for renaming in (*({"c": plain, **every} for every in others[:1]), {"c": plain}, *others):
        yield rename(application, renaming)
    free = next(
        name for name in map(str, (UUID(int=n) for n in range(1, len(ordered) + 2))) if name not in ordered
    )
    for name in ordered:
        yield rename(application, {"c": {name: free}})


SHRINKER = Shrinker(
    size, disorder,
    (
        remove_clients, remove_tasks, merge_subtopologies, remove_topics, merge_topics, remove_reading, drop_feature,
        lower_settings, drop_state, lower_threads, drop_tasks, lower_lags, drop_tags, drop_consumers, drop_racks, renumber,
        canonicalize_order, canonicalize_names,
    ),
    list_smallest,
)  # fmt: skip
steps = SHRINKER.list_steps
smaller = list_smaller
