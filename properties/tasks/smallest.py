"""The order of applications of Kafka Streams for shrinking, and the smallest applications.

The order is size, then the distance from plain names and low numbers and from their order. The smallest applications have up
to three clients and four tasks. The less common a feature is, the fewer of them have it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import chain, product

from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import RUNNING, STRATEGIES, UNKNOWN, Application, Client, Settings, Task, TaskId
from kassay.properties.minimise import distance, inversions, list_subsets, rack_names

USUAL = Settings()
PLAIN_IDS = 10**6
"""UUIDs of lower numbers are plain: 00000000-0000-0000-0000-000000000001, ..."""


def size(application: Application) -> tuple[int, ...]:
    """Return the size of an application: the most important number first, features before their numbers."""
    clients, tasks, topics, settings = (
        application.clients, application.tasks, application.topics, application.settings,
    )  # fmt: skip
    costs = settings.rack_aware_assignment_traffic_cost, settings.rack_aware_assignment_non_overlap_cost
    replicas = [near for topic in topics for near in topic.racks or ()]
    tags = [tag for client in clients for tag in client.tags]
    sums = [sums for client in clients for sums in client.consumers.values()]
    acceptable = settings.acceptable_recovery_lag
    lags = [lag_weight(lag, acceptable) for client in clients for lag in client.lags.values()]
    return (
        len(clients),
        len(tasks),
        len({task.id.subtopology for task in tasks}),
        len(topics),
        sum(getattr(settings, field.name) != getattr(USUAL, field.name) for field in fields(settings)),
        bool(replicas) or any(client.rack is not None for client in clients),
        bool(tags),
        any(client.consumers for client in clients),
        sum(task.stateful for task in tasks),
        sum(client.threads for client in clients),
        sum(len(client.active) for client in clients),
        sum(len(client.standby) for client in clients),
        sum(map(bool, lags)),
        sum(lags),
        # The distance of the settings from the usual ones.
        settings.num_standby_replicas,
        STRATEGIES.index(settings.rack_aware_assignment_strategy),
        abs(settings.max_warmup_replicas - USUAL.max_warmup_replicas),
        len(settings.rack_aware_assignment_tags),
        0 if acceptable == USUAL.acceptable_recovery_lag else 1 + acceptable,
        sum(0 if cost is None else 1 + 2 * abs(cost) + (cost < 0) for cost in costs),
        sum(topic.partitions for topic in topics),
        sum(len(task.inputs) + len(task.changelogs) for task in tasks),
        sum(len(client.lags) for client in clients),
        len(tags),
        len(set(tags)),
        len(sums) + sum(map(len, sums)),
        sum(offsets != 0 for each in sums for offsets in each.values()),
        sum(client.rack is not None for client in clients),
        sum(topic.racks is not None for topic in topics),
        sum(map(len, replicas)),
        sum(rack is None for near in replicas for rack in near),
        len(rack_names(clients, topics)),
    )


def lag_weight(lag: int, acceptable: int) -> int:
    """Return 0 for no lag, 1 for a running task, 2 for an acceptable lag, 3 for a greater one, 4 for an unknown one."""
    if lag in (RUNNING, UNKNOWN):
        return 1 if lag == RUNNING else 4
    return 0 if lag == 0 else 2 if lag <= acceptable else 3


def disorder(application: Application) -> tuple[int, ...]:
    """Return the distance from plain names and low numbers, and from their order."""
    clients, tasks = application.clients, application.tasks
    ids = [int(client.id.replace("-", ""), 16) for client in clients]
    read = [partition.partition for task in tasks for partition in (*task.inputs, *task.changelogs)]
    return (
        sum(number >= PLAIN_IDS for number in ids),
        sum(number for number in ids if number < PLAIN_IDS),
        *distance(names_by_kind(application)),
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


def names_by_kind(application: Application) -> dict[str, Sequence[str]]:
    """Return the names of topics, racks, tags, tags' values and consumers, by the letter of plain ones."""
    clients = application.clients
    asked = application.settings.rack_aware_assignment_tags
    return {
        "t": [topic.name for topic in application.topics],
        "r": rack_names(clients, application.topics),
        "k": list(dict.fromkeys((*asked, *(key for client in clients for key, _ in client.tags)))),
        "v": list(dict.fromkeys(value for client in clients for _, value in client.tags)),
        "m": list(dict.fromkeys(name for client in clients for name in client.consumers)),
    }


IDS = tuple(f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2, 3))
FAR = USUAL.acceptable_recovery_lag + 1
_STANDBYS = (Settings(num_standby_replicas=1), Settings(num_standby_replicas=2))
Places = Sequence[Collection[int]]
"""The places of the clients that have a task, for each task."""


@cache
def list_smallest() -> tuple[tuple[tuple[int, ...], Application], ...]:
    """Return the smallest applications with their sizes, in ascending order."""
    found = chain(_list_new(), _list_running(), _list_lagging(), _list_tagged(), _list_racked())
    return tuple(sorted(((size(each), each) for each in found), key=lambda pair: pair[0]))


def _list_new() -> Iterator[Application]:
    """Yield new applications without lags, with one or two threads per client."""
    for clients, most in ((1, 2), (2, 4), (3, 3)):
        for stateful in chain.from_iterable(product((False, True), repeat=n) for n in range(most + 1)):
            for threads in product((1, 2), repeat=clients):
                for standbys in range(2 if any(stateful) and clients > 1 else 1):
                    yield _build_application(stateful, threads, Settings(num_standby_replicas=standbys))


def _list_running() -> Iterator[Application]:
    """Yield applications whose clients have run tasks; also one task on two clients."""
    for clients, tasks, most in ((1, 1, 1), (1, 2, 1), (2, 1, 2), (2, 2, 2), (2, 3, 1), (3, 1, 3), (3, 2, 1)):
        for active in product(list_subsets(range(clients), most), repeat=tasks):
            for stateful in product((False, True), repeat=tasks):
                for threads in product((1, 2), repeat=clients) if clients < 3 else ((1, 1, 1),):
                    for standbys in range(2 if any(stateful) and clients > 1 and tasks < 3 else 1):
                        yield _build_application(
                            stateful, threads, Settings(num_standby_replicas=standbys), active
                        )
    for owners in product(list_subsets(range(2), 1), repeat=4):
        yield _build_application((False,) * 4, (1, 1), USUAL, owners)


def _list_lagging() -> Iterator[Application]:
    """Yield applications whose clients have standbys or lags."""
    for lags in product((0, RUNNING, 1, FAR, UNKNOWN), repeat=2):
        for standby, standbys in product(list_subsets(range(2), 2), (0, 1)):
            settings = Settings(num_standby_replicas=standbys)
            yield _build_application((True,), (1, 1), settings, standby=(standby,), lags=lags)
    for tasks, clients, values in (
        (1, 3, (0, RUNNING, 1, FAR, UNKNOWN)), (2, 2, (0, RUNNING, FAR)), (2, 3, (0, FAR)), (3, 2, (0, FAR)),
    ):  # fmt: skip
        for lags in product(values, repeat=tasks * clients):
            for settings in (USUAL, *_STANDBYS[: 4 - tasks], Settings(max_warmup_replicas=1)):
                yield _build_application((True,) * tasks, (1,) * clients, settings, lags=lags)
    for stateful in product((False, True), repeat=3):
        for lags in product((0, FAR), repeat=2 * sum(stateful)) if 0 < sum(stateful) < 3 else ():
            yield _build_application(stateful, (1, 1), USUAL, lags=lags)
    for stateful, threads in product(product((False, True), repeat=2), product((1, 2), repeat=2)):
        for held in product(*(list_subsets(range(2), 1) if keeps else [()] for keeps in stateful)):
            yield _build_application(stateful, threads, USUAL, standby=held)


def _list_tagged() -> Iterator[Application]:
    """Yield applications with up to two values of one tag."""
    for clients, tasks, standbys in product((1, 2, 3), (1, 2), (0, 1, 2)):
        for asked in ((), ("k0",)):
            settings = Settings(num_standby_replicas=standbys, rack_aware_assignment_tags=asked)
            for values in product((None, "v0", "v1"), repeat=clients):
                yield _build_application((True,) * tasks, (1,) * clients, settings, tags=values)
    asking = Settings(rack_aware_assignment_tags=("k0",))
    for values, lags in product(product((None, "v0"), repeat=3), product((0, FAR), repeat=3)):
        yield _build_application((True,), (1, 1, 1), asking, tags=values, lags=lags)


def _list_racked() -> Iterator[Application]:
    """Yield applications whose tasks read a partition each in one rack of two; the first client is in the first rack."""
    for clients in (1, 2, 3):
        for homes in product(("r0", "r1", None), repeat=clients):
            for rack in ("r0", "r1"):
                yield _build_application((False,), (1,) * clients, USUAL, homes=homes, near=(rack,))
    for strategy, clients in product(STRATEGIES[1:], (1, 2, 3)):
        settings = Settings(rack_aware_assignment_strategy=strategy)
        for rest in product(("r0", "r1"), repeat=clients - 1):
            for near in chain.from_iterable(
                product(("r0", "r1"), repeat=n) for n in range(1, (3, 5, 4)[clients - 1])
            ):
                yield from _list_reading(settings, ("r0", *rest), near)


def _list_reading(settings: Settings, homes: Sequence[str], near: Sequence[str]) -> Iterator[Application]:
    for costs in ((0, None), (None, 0)) if len(homes) == 2 else ():
        costly = replace(
            settings,
            rack_aware_assignment_traffic_cost=costs[0],
            rack_aware_assignment_non_overlap_cost=costs[1],
        )
        yield _build_application((True,) * len(near), (1, 1), costly, homes=homes, near=near)
    few = len(homes) == 2 and len(near) < 3
    for stateful, standbys in (
        ((False, 0), (True, 0), (True, 1)) if len(homes) < 3 else ((False, 0), (True, 1))
    ):
        for owners in product(list_subsets(range(2), 1), repeat=len(near)) if few and not standbys else ((),):
            yield _build_application(
                (stateful,) * len(near), (1,) * len(homes), replace(settings, num_standby_replicas=standbys),
                owners, homes=homes, near=near,
            )  # fmt: skip


def _build_application(
    stateful: Sequence[bool],
    threads: Sequence[int],
    settings: Settings,
    active: Places = (),
    standby: Places = (),
    lags: Sequence[int] = (),
    tags: Sequence[str | None] = (None,) * 3,
    homes: Sequence[str | None] = (None,) * 3,
    near: Sequence[str] = (),
) -> Application:
    ids = [TaskId(0, n) for n in range(len(stateful))]
    kept = [task for task, keeps in zip(ids, stateful, strict=True) if keeps]
    reads = [(TopicPartition("t0", n),) if near else () for n in range(len(stateful))]
    tasks = [
        Task(task, keeps, read, read if keeps else ())
        for task, keeps, read in zip(ids, stateful, reads, strict=True)
    ]
    clients = []
    for at, number in enumerate(threads):
        active_here, standby_here = (
            tuple(t for t, where in zip(ids, role, strict=False) if at in where) for role in (active, standby)
        )
        own = lags[at * len(kept) : (at + 1) * len(kept)] or (0,) * len(kept)
        tagged = (("k0", value),) if (value := tags[at]) else ()
        clients.append(
            Client(
                IDS[at],
                number,
                active_here,
                standby_here,
                dict(zip(kept, own, strict=True)),
                tagged,
                homes[at],
            )
        )
    topics = (Topic("t0", len(near), tuple((rack,) for rack in near)),) if near else ()
    return Application(tuple(tasks), tuple(clients), settings, topics)
