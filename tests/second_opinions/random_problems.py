"""Random problems made directly as columns, for benchmarks, sweeps and tests."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np

from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Ints, Level, Problem, list_starts

NAMES = ("moved", "far")
"""The names of the two levels of costs: items that leave their owners, and items far from the rack of their member."""
ORDERS = tuple(order for count in (1, 2, 3) for order in permutations((BALANCE, *NAMES), count))
"""Every question about them."""


def synthetic(
    partitions: int,
    members: int,
    topics: int,
    racks: int = 3,
    replicas: int = 2,
    seed: int = 0,
    names: tuple[str, str] = NAMES,
) -> Problem:
    """Return a running group of members in random racks; with one topic all members read the same.

    With several topics their sizes fall as 1/rank^0.8 and a member reads a Pareto-distributed number of them.
    Nine of ten partitions are claimed by one of their readers, at random; replicas are in different racks.
    """
    r = np.random.default_rng(seed)
    subscription_of, readers = _subscriptions(r, members, topics)
    weight = 1 / np.arange(1, topics + 1) ** 0.8
    audience_of = r.choice(topics, partitions, p=weight / weight.sum())
    near = list(combinations(range(racks), replicas))
    far = np.array([[*(rack not in each for rack in range(racks)), False] for each in near], np.int64)
    owner = np.full(partitions, -1)
    for topic, subscriptions in enumerate(readers):
        able = np.flatnonzero(np.isin(subscription_of, subscriptions))
        own = np.flatnonzero(audience_of == topic)
        owner[own] = r.choice(able, len(own))
    owner[r.random(partitions) < 0.1] = -1
    one = np.ones(members, np.int64)
    return Problem(
        subscription_of, r.integers(0, racks, members),
        list_starts(np.array([len(each) for each in readers])), np.concatenate(readers),
        audience_of, r.integers(0, len(near), partitions), owner + 1,
        np.concatenate([[0], np.arange(members + 1)]), np.arange(members),
        (Level(names[0], gain=one, loss=np.concatenate([[0], one])), Level(names[1], table=far)), topic_of=audience_of,
    )  # fmt: skip


def _subscriptions(r: np.random.Generator, members: int, topics: int) -> tuple[Ints, list[Ints]]:
    """Return each member's subscription, and the subscriptions that read each topic."""
    counts = np.minimum(topics, 1 + (3 * r.pareto(1.5, members)).astype(np.int64))
    numbers: dict[tuple[int, ...], int] = {}
    subscription_of = np.empty(members, np.int64)
    for m, count in enumerate(counts.tolist()):
        read = tuple(sorted(r.permutation(topics)[:count].tolist()))
        subscription_of[m] = numbers.setdefault(read, len(numbers))
    readers: list[list[int]] = [[] for _ in range(topics)]
    for read, number in numbers.items():
        for topic in read:
            readers[topic].append(number)
    return subscription_of, [np.array(each or [0], np.int64) for each in readers]


def tiny(
    r: np.random.Generator, copies: int = 1, items: int = 10, members: int = 6, names: tuple[str, str] = NAMES
) -> Problem:
    """Draw a small problem with claims of several owners, gains and costs above one, and unused audiences."""
    count = int(r.integers(copies, members + 1))
    subscription = np.unique(r.integers(0, count, count), return_inverse=True)[1]
    several = int(subscription.max()) + 1
    audiences = []
    for _ in range(int(r.integers(1, 4))):
        readers = np.flatnonzero(r.random(several) < 0.6)
        enough = np.isin(subscription, readers).sum() >= copies
        audiences.append(readers if enough else np.arange(several))
    racks = int(r.integers(1, 4))
    far = r.integers(0, r.choice([2, 3]), (int(r.integers(1, 4)), racks + 1))
    far[:, -1] = 0
    holders = [r.permutation(count)[: int(r.integers(1, 3))] for _ in range(int(r.integers(0, 6)))]
    gains = [np.ones(len(each), int) if r.random() < 0.5 else r.integers(1, 3, len(each)) for each in holders]
    number = int(r.integers(0, items))
    return Problem(
        subscription, r.integers(0, racks + 1, count),
        list_starts(np.array([len(each) for each in audiences])), np.concatenate(audiences),
        r.integers(0, len(audiences), number), r.integers(0, len(far), number), r.integers(0, len(holders) + 1, number),
        list_starts(np.array([0, *map(len, holders)])), np.concatenate([np.empty(0, int), *holders]),
        (
            Level(
                names[0], gain=np.concatenate([np.empty(0, int), *gains]),
                loss=np.array([0, *(int(each.sum()) for each in gains)]),
            ),
            Level(names[1], table=far),
        ), copies,
    )  # fmt: skip


def mixed(r: np.random.Generator, copies: int = 1, items: int = 5, members: int = 4) -> Problem:
    """Draw a small problem with three levels, each with a table, gains or both, of any sign."""
    problem = tiny(r, copies, items, members)
    profiles, racks = problem.tables
    levels = []
    for name in ("first", "second", "third"):
        table = r.integers(-2, 3, (profiles, racks))
        gain, loss = (
            r.integers(0, 3, len(problem.claim_member)),
            r.integers(-1, 3, len(problem.claim_start) - 1),
        )
        which = r.integers(3)
        levels.append(
            Level(
                name,
                table=table if which != 1 else None,
                gain=gain if which else None,
                loss=loss if which else None,
            )
        )
    return replace(problem, levels=tuple(levels))


def owned_by(problem: Problem, owners: np.ndarray, name: str) -> Problem:
    """Replace the claims: item i is claimed by the members in ``owners[i]``, each worth one in the level named; -1 is no member."""
    rows, of = np.unique(owners.reshape(problem.items, -1), axis=0, return_inverse=True)
    rows = np.vstack([np.full((1, rows.shape[1]), -1), rows])
    sizes = (rows >= 0).sum(axis=1)
    level = replace(problem.level(name), gain=np.ones(int(sizes.sum()), np.int64), loss=sizes)
    return problem.claimed(of.reshape(-1) + 1, list_starts(sizes), rows[rows >= 0].astype(np.int64), level)
