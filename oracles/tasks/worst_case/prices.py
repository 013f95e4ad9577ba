"""Prices of deciding as KIP-925 does, whoever decides: the best that a rule allows against the best there is at the same balance."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations

import numpy as np

from kassay.model.tasks import Application
from kassay.oracles.assignment.level import Ints
from kassay.oracles.tasks.worst_case.placements import Placements, least, of, traffic
from kassay.oracles.tasks.worst_case.spaces import ACTIVES_GIVEN, INPUTS, PLAIN, size
from kassay.oracles.worst_case.exhaustion import Exhausted, Rank, exhaust_space, gap
from kassay.oracles.worst_case.judge import Judge
from kassay.oracles.worst_case.spaces import Kind, Space

Pair = tuple[int, int]
"""What a rule leads to, and the optimum."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a rule costs: `pair` counts it out on one application, None where the rule does not apply; ranked where several are.

    Where names do not matter, the prices of all applications of a problem are `alike`.
    """

    says: str
    kind: Kind[Application]
    pair: Callable[[Application, Rank], Pair | None]
    parts: int = 1
    alike: bool = True


def exhaust_price(
    price: Price, members: int, items: int, racks: int, rank: Rank = gap
) -> Exhausted[Application]:
    """Find the worst price of each size, proved by counting out every placement of every application."""
    known = lru_cache(maxsize=2)(partial(_known, price, rank))
    judge: Judge[Application] = Judge(
        lambda application: None if (pair := known(application)) is None else pair[0],
        lambda application: _second(known(application)),
        size,
    )
    space = Space(price.kind, members, items, price.parts, racks, claims=price.kind.roles > 0)
    return exhaust_space(judge, space, 10**9, rank=rank, alike=price.alike)


def _known(price: Price, rank: Rank, application: Application) -> Pair | None:
    return price.pair(application, rank)


def _second(pair: Pair | None) -> int:
    assert pair is not None, "an optimum is asked for where there is a value"
    return pair[1]


def _joint(every: Placements, active: Ints, standby: Ints) -> int:
    """Return the joint optimum at the most even loads."""
    return int((active + standby)[_even(every)].min())


def _even(every: Placements) -> Ints:
    return least(np.arange(len(every.owners)), *every.squares)


def active_first(application: Application, _rank: Rank, *, best: bool) -> Pair:
    """Decide active tasks first, with the best or with the worst of all equally good placements, then standbys as well as can be."""
    every = of(application)
    active, standby = traffic(application, every)
    first = least(_even(every), active)
    lowest: dict[int, int] = {}
    for where, cost in zip(every.actives[first].tolist(), standby[first].tolist(), strict=True):
        lowest[where] = min(cost, lowest.get(where, cost))
    after = (min if best else max)(lowest.values())
    return int(active[first[0]]) + after, _joint(every, active, standby)


def pairwise_swaps(application: Application, rank: Rank) -> Pair | None:
    """Leave standbys where no exchange between two clients makes them cheaper, for active tasks that are given (KIP-925, 4.C)."""
    every = of(application)
    _, standby = traffic(application, every)
    place = {task: c for c, client in enumerate(application.clients) for task in client.active}
    if len(place) < len(application.tasks) or every.owners.shape[2] < 2:
        return None
    even = _even(every)
    actives = np.array([place[task.id] for task in application.tasks])
    kept = even[(every.owners[even, :, 0] == actives).all(axis=1)]
    if not len(kept):
        return None
    stuck = kept[_stuck(application, every, kept, standby)]
    cheapest: dict[bytes, int] = {}
    for n in kept.tolist():
        counts = every.copies[n].tobytes()
        cheapest[counts] = min(int(standby[n]), cheapest.get(counts, int(standby[n])))
    pairs = [(int(standby[n]), cheapest[every.copies[n].tobytes()]) for n in stuck.tolist()]
    return max(pairs, key=lambda pair: rank(*pair))


def _stuck(application: Application, every: Placements, kept: Ints, standby: Ints) -> Ints:
    """Return of each placement whether no exchange of two standbys between two clients is allowed and costs less."""
    number = {every.owners[n].tobytes(): standby[n] for n in kept.tolist()}
    found = np.ones(len(kept), bool)
    for place, n in enumerate(kept.tolist()):
        for t, u in combinations(range(len(application.tasks)), 2):
            other = every.owners[n].copy()
            other[[t, u], 1] = other[[u, t], 1]
            if number.get(other.tobytes(), standby[n]) < standby[n]:
                found[place] = False
                break
    return found


def fixed_counts(application: Application, _rank: Rank) -> Pair:
    """Keep how many active tasks each client has when they are dealt out in turn (KIP-925, 4.B.I)."""
    every = of(application)
    active, _ = traffic(application, every)
    tasks, clients = len(application.tasks), len(application.clients)
    dealt = [tasks // clients + (c < tasks % clients) for c in range(clients)]
    fixed = active[(every.active == dealt).all(axis=1)]
    even = least(np.arange(len(active)), every.squares[0])
    return int(fixed.min()), int(active[even].min())


def subtopology_shares(application: Application, _rank: Rank) -> Pair:
    """Give each client its share of each subtopology, rounded down or up (KIP-925, 4.B.II)."""
    every = of(application)
    active, standby = traffic(application, every)
    clients = len(application.clients)
    kept = np.ones(len(active), bool)
    names = np.array([task.id.subtopology for task in application.tasks])
    for subtopology, number in Counter(names.tolist()).items():
        own = every.owners[:, names == subtopology, 0]
        for c in range(clients):
            count = (own == c).sum(axis=1)
            kept &= (number // clients <= count) & (count <= -(-number // clients))
    even = least(np.flatnonzero(kept), *every.squares)
    return int((active + standby)[even].min()), _joint(every, active, standby)


PRICES: Mapping[str, Price] = {
    "active first, best tie": Price(
        "Active tasks first, the best of equally good placements; then standbys.",
        PLAIN,
        partial(active_first, best=True),
    ),
    "active first, worst tie": Price(
        "Active tasks first, the worst of equally good placements; then standbys.",
        PLAIN,
        partial(active_first, best=False),
    ),
    "pairwise swaps": Price(
        "Standbys that no exchange between two clients makes cheaper, against the cheapest at the same counts, active tasks given.",
        ACTIVES_GIVEN,
        pairwise_swaps,
    ),
    "fixed counts": Price(
        "Active tasks at the counts of dealing in turn, against any most even counts.",
        INPUTS,
        fixed_counts,
        alike=False,
    ),
    "subtopology bound": Price(
        "Each client its share of each subtopology, against no such bound.",
        PLAIN,
        subtopology_shares,
        parts=2,
    ),
}
"""Name -> price."""
