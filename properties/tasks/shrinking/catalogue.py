"""The smallest applications of all, in ascending order: where a minimum is among them, every start ends there.

Up to three clients and four tasks. The less common a feature, the fewer the applications that have it.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import chain, combinations, product

from kassay.model.partitions import Topic, TopicPartition
from kassay.model.tasks import RUNNING, STRATEGIES, UNKNOWN, Application, Client, Settings, Task, TaskId
from kassay.properties.tasks.shrinking.order import USUAL, order_key

IDS = tuple(f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2, 3))
FAR = USUAL.acceptable_recovery_lag + 1
Wheres = Sequence[Collection[int]]
"""Of each task the places of the clients that have it."""


@cache
def catalogue() -> tuple[tuple[tuple[int, ...], Application], ...]:
    """Return the smallest applications with their weights, in ascending order."""
    found = chain(_new(), _running(), _lagging(), _tagged(), _racked())
    keyed = {repr(application): (order_key(application), application) for application in found}
    return tuple(sorted(keyed.values(), key=lambda pair: pair[0]))


def _new() -> Iterator[Application]:
    """Yield applications that have run nothing, caught up everywhere, with one or two threads to a client."""
    for clients, tasks in product((1, 2, 3), (0, 1, 2, 3, 4)):
        for stateful in product((False, True), repeat=tasks):
            for threads in product((1, 2), repeat=clients):
                for standbys in range(2 if any(stateful) and clients > 1 else 1):
                    yield _application(stateful, threads, Settings(num_standby_replicas=standbys))


def _running() -> Iterator[Application]:
    """Yield applications of which clients have run tasks; also one task on two clients."""
    for clients, tasks, most in ((1, 1, 1), (1, 2, 1), (2, 1, 2), (2, 2, 2), (2, 3, 1), (3, 1, 3), (3, 2, 1)):
        for active in product(_up_to(most, range(clients)), repeat=tasks):
            for stateful in product((False, True), repeat=tasks):
                for threads in product((1, 2), repeat=clients) if clients < 3 else ((1, 1, 1),):
                    for standbys in range(2 if any(stateful) and clients > 1 and tasks < 3 else 1):
                        yield _application(stateful, threads, Settings(num_standby_replicas=standbys), active)
    for owners in product(_up_to(1, range(2)), repeat=4):
        yield _application((False,) * 4, (1, 1), USUAL, owners)


def _lagging() -> Iterator[Application]:
    """Yield applications of which clients hold standbys, or lag."""
    for tasks, values, most in ((1, (0, RUNNING, 1, FAR, UNKNOWN), 2), (2, (0, RUNNING, FAR), 0)):
        for lags in product(product(values, repeat=tasks), repeat=2):
            for standby in product(_up_to(most, range(2)), repeat=tasks):
                for standbys in (0, 1):
                    settings = Settings(num_standby_replicas=standbys)
                    yield _application((True,) * tasks, (1, 1), settings, standby=standby, lags=lags)
    for tasks, values in ((1, (0, RUNNING, 1, FAR, UNKNOWN)), (2, (0, FAR))):
        for lags in product(product(values, repeat=tasks), repeat=3):
            for standbys in range(3):
                settings = Settings(num_standby_replicas=standbys)
                yield _application((True,) * tasks, (1, 1, 1), settings, lags=lags)
    for stateful, standby in product(
        product((False, True), repeat=2), product(_up_to(1, range(2)), repeat=2)
    ):
        held = [where if keeps else () for where, keeps in zip(standby, stateful, strict=True)]
        for threads in product((1, 2), repeat=2):
            yield _application(stateful, threads, USUAL, standby=held)


def _tagged() -> Iterator[Application]:
    """Yield applications with up to two values of one tag."""
    for clients, tasks, standbys in product((1, 2, 3), (1, 2), (0, 1, 2)):
        for asked in ((), ("k0",)):
            settings = Settings(num_standby_replicas=standbys, rack_aware_assignment_tags=asked)
            for values in product((None, "v0", "v1"), repeat=clients):
                tags = [(("k0", value),) if value else () for value in values]
                yield _application((True,) * tasks, (1,) * clients, settings, tags=tags)


def _racked() -> Iterator[Application]:
    """Yield applications with a strategy for racks, whose tasks read a partition each, in one rack of two."""
    for strategy, clients in product(STRATEGIES, (1, 2, 3)):
        for homes in product(("r0", "r1", None) if strategy == "none" else ("r0", "r1"), repeat=clients):
            for near in chain.from_iterable(
                product(("r0", "r1"), repeat=n) for n in range(1, 5 - clients // 3)
            ):
                for stateful, standbys in ((False, 0), (True, 0), (True, 1)):
                    owned = product(_up_to(1, range(clients)), repeat=len(near))
                    for owners in owned if clients == 2 and len(near) < 3 and not standbys else ((),):
                        settings = Settings(
                            num_standby_replicas=standbys, rack_aware_assignment_strategy=strategy
                        )
                        yield _application(
                            (stateful,) * len(near), (1,) * clients, settings, owners, homes=homes, near=near
                        )  # fmt: skip


def _application(
    stateful: Sequence[bool],
    threads: Sequence[int],
    settings: Settings,
    active: Wheres = (),
    standby: Wheres = (),
    lags: Sequence[Sequence[int]] = (),
    tags: Sequence[tuple[tuple[str, str], ...]] = ((),) * 3,
    homes: Sequence[str | None] = (None,) * 3,
    near: Sequence[str] = (),
) -> Application:
    ids = [TaskId(0, n) for n in range(len(stateful))]
    reads = [(TopicPartition("t0", n),) if near else () for n in range(len(stateful))]
    kept = [n for n, keeps in enumerate(stateful) if keeps]
    return Application(
        tuple(
            Task(task, keeps, read, read if keeps else ())
            for task, keeps, read in zip(ids, stateful, reads, strict=True)
        ),
        tuple(
            Client(
                IDS[at], number, _held(ids, active, at), _held(ids, standby, at),
                {ids[n]: lags[at][n] if lags else 0 for n in kept}, tags[at], homes[at],
            )
            for at, number in enumerate(threads)
        ),
        settings,
        (Topic("t0", len(near), tuple((rack,) for rack in near)),) if near else (),
    )  # fmt: skip


def _held(ids: Sequence[TaskId], wheres: Wheres, at: int) -> tuple[TaskId, ...]:
    return tuple(task for task, where in zip(ids, wheres, strict=False) if at in where)


def _up_to(most: int, items: range) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(items, number) for number in range(most + 1)))
