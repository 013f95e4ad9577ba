"""Random applications that are hard on whoever follows Java: a seed gives the same ones everywhere.

Tasks and clients are listed in any order, ids have one hash code, some applications are large, some racks are not known.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from classes.groups import random_applications

from kassay.model.partitions import Topic
from kassay.model.tasks import Application

T = TypeVar("T")
SMALL = {"most_clients": 4, "most_partitions": 3}
LARGE = {"most_clients": 30, "most_partitions": 40}
SHARES = {"none": (0.6, 0.03), "min_traffic": (0.6, 0.005), "balance_subtopology": (0.6, 0.005)}
"""Strategy -> the shares of small and of large applications, for which flows take their time; the others are between."""


def applications(seed: int, strategy: str) -> Iterator[Application]:
    """Yield applications without end."""
    rng = random.Random(f"{seed} {strategy} hostile")
    while True:
        small, large = SHARES[strategy]
        sizes = rng.choices((SMALL, LARGE, {}), (small, large, 1 - small - large))[0]
        made = random_applications.application(rng, strategy, **sizes)
        if rng.random() < 0.5:
            made = _in_any_order(rng, made)
        if rng.random() < 0.3:
            made = _of_one_hash(rng, made)
        if rng.random() < 0.1:
            made = _with_unknown_racks(rng, made)
        yield made


def _in_any_order(rng: random.Random, made: Application) -> Application:
    clients = [
        replace(client, active=_shuffled(rng, client.active), standby=_shuffled(rng, client.standby))
        for client in made.clients
    ]
    return replace(made, tasks=_shuffled(rng, made.tasks), clients=_shuffled(rng, clients))


def _shuffled(rng: random.Random, listed: Sequence[T]) -> tuple[T, ...]:
    return tuple(rng.sample(listed, len(listed)))


def _of_one_hash(rng: random.Random, made: Application) -> Application:
    """Name clients so that the halves of their ids differ by the same bits: then their hash codes are equal."""
    differ, step = rng.choice((0, 0, 1, 2**31)), rng.choice((1, 16, 2**20))
    order = rng.sample(range(len(made.clients)), len(made.clients))
    clients = [
        replace(client, id=f"{n * step:08x}-0000-0000-0000-0000{n * step ^ differ:08x}")
        for n, client in zip(order, made.clients, strict=True)
    ]
    return replace(made, clients=tuple(clients))


def _with_unknown_racks(rng: random.Random, made: Application) -> Application:
    """Forget the rack of a client or of a topic, or of one replica."""
    if rng.random() < 0.4:
        forgetful = rng.randrange(len(made.clients))
        clients = [replace(c, rack=None) if n == forgetful else c for n, c in enumerate(made.clients)]
        return replace(made, clients=tuple(clients))
    unknown = rng.choice(made.topics)
    racks = None if rng.random() < 0.5 else ((None,), *(unknown.racks or ())[1:])
    topics = [Topic(unknown.name, unknown.partitions, racks) if t is unknown else t for t in made.topics]
    return replace(made, topics=tuple(topics))
