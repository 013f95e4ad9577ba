"""Prices of the rules of KIP-925: the best placement under a rule, compared with the optimum at the same balance."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
from placements import ACTIVES_GIVEN, INPUTS, PLAIN, Placements, least, list_placements, traffic

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.tasks.worst_case import compute_size, find_settled_holders
from kassay.oracles.worst_case import (
    Kind,
    Scored,
    Space,
    enumerate_groups,
    enumerate_problems,
    measure_answers,
)

Pair = tuple[int, int]
"""The value under a rule, and the optimum."""
UNBOUNDED = Fraction(10**9)
"""The ratio to an optimum of 0. No enumerated application reads as much."""


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of a rule: `pair` enumerates it on one application, or returns None if the rule does not apply.

    If names do not matter, the prices of all applications of a problem are `alike`, so one of them is enumerated.
    """

    says: str
    kind: Kind[Application]
    pair: Callable[[Application], Pair | None]
    parts: int = 1
    alike: bool = True


@dataclass(frozen=True, slots=True)
class Tally:
    """The price of all applications of one size: how many were counted out, in how many it does not apply, and how high it is.

    `gaps` counts applications (problems, where these are alike) by what they pay more than the optimum; `furthest` pays most, `steepest`
    is the worst ratio to the optimum. Both are None if nothing is paid.
    """

    clients: int
    tasks: int
    tried: int
    skipped: int
    gaps: Mapping[int, int]
    furthest: Scored[Application] | None
    steepest: Scored[Application] | None


def exhaust_price(price: Price, clients: int, tasks: int, racks: int) -> Iterator[Tally]:
    """Yield the price of each size up to this one, the smallest first, proved by counting out every placement of every application."""
    space = Space(price.kind, clients, tasks, price.parts, racks, claims=price.kind.roles > 0)
    for members, items in space.sizes:
        gaps: Counter[int] = Counter()
        tried, furthest, steepest = 0, (0, Fraction(0)), (Fraction(0), 0)
        cases: list[Scored[Application] | None] = [None, None]
        for application in _list_applications(space, members, items, alike=price.alike):
            tried += 1
            pair = price.pair(application)
            if pair is None:
                continue
            case = Scored(application, compute_size(application), *pair)
            gaps[case.gap] += 1
            if case.gap > 0:
                ratio = Fraction(case.value, case.optimum) if case.optimum else UNBOUNDED
                if (case.gap, ratio) > furthest:
                    furthest, cases[0] = (case.gap, ratio), case
                if (ratio, case.gap) > steepest:
                    steepest, cases[1] = (ratio, case.gap), case
        yield Tally(members, items, tried, tried - gaps.total(), dict(sorted(gaps.items())), *cases)


def _list_applications(
    space: Space[Application], clients: int, tasks: int, *, alike: bool
) -> Iterator[Application]:
    for problem in enumerate_problems(space, clients, tasks):
        yield from [space.kind.group(problem)] if alike else enumerate_groups(space, problem)


def _find_joint(every: Placements, active: Ints, standby: Ints) -> int:
    """Return the joint optimum at the most even loads."""
    return int((active + standby)[_find_balanced(every)].min())


def _find_balanced(every: Placements) -> Ints:
    return least(np.arange(len(every.owners)), *every.squares)


def active_first(application: Application, *, best: bool) -> Pair:
    """Decide active tasks first, with the best or with the worst of all equally good placements, then standbys as well as can be."""
    every = list_placements(application)
    active, standby = traffic(application, every)
    first = least(_find_balanced(every), active)
    lowest: dict[int, int] = {}
    for where, cost in zip(every.actives[first].tolist(), standby[first].tolist(), strict=True):
        lowest[where] = min(cost, lowest.get(where, cost))
    after = (min if best else max)(lowest.values())
    return int(active[first[0]]) + after, _find_joint(every, active, standby)


def pairwise_swaps(application: Application) -> Pair | None:
    """Leave standbys where no exchange between two clients makes them cheaper, for active tasks that are given (KIP-925, 4.C)."""
    every = list_placements(application)
    _, standby = traffic(application, every)
    place = {task: c for c, client in enumerate(application.clients) for task in client.active}
    if len(place) < len(application.tasks) or every.owners.shape[2] < 2:
        return None
    even = _find_balanced(every)
    actives = np.array([place[task.id] for task in application.tasks])
    kept = even[(every.owners[even, :, 0] == actives).all(axis=1)]
    if not len(kept):
        return None
    stuck = kept[_find_stuck(application, every, kept, standby)]
    cheapest: dict[bytes, int] = {}
    for n in kept.tolist():
        counts = every.copies[n].tobytes()
        cheapest[counts] = min(int(standby[n]), cheapest.get(counts, int(standby[n])))
    pairs = [(int(standby[n]), cheapest[every.copies[n].tobytes()]) for n in stuck.tolist()]
    return max(pairs, key=lambda pair: (pair[0] - pair[1], pair))


def _find_stuck(application: Application, every: Placements, kept: Ints, standby: Ints) -> Ints:
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


def fixed_counts(application: Application) -> Pair:
    """Keep how many active tasks each client has when they are dealt out in turn (KIP-925, 4.B.I)."""
    every = list_placements(application)
    active, _ = traffic(application, every)
    tasks, clients = len(application.tasks), len(application.clients)
    dealt = [tasks // clients + (c < tasks % clients) for c in range(clients)]
    fixed = active[(every.active == dealt).all(axis=1)]
    even = least(np.arange(len(active)), every.squares[0])
    return int(fixed.min()), int(active[even].min())


def subtopology_shares(application: Application) -> Pair:
    """Give each client its share of each subtopology, rounded down or up (KIP-925, 4.B.II)."""
    every = list_placements(application)
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
    return int((active + standby)[even].min()), _find_joint(every, active, standby)


def answers(assign: Callable[[Application], TaskAssignment], *, standbys: bool = False) -> Price:
    """Return the price of an assignor's answers: of all that they read across racks, or of `standbys` given the rest.

    Standbys are compared with the cheapest ones with the same active tasks and counts. An answer that is not complete, legal and
    settled has no price.
    """

    def pair(application: Application, given: TaskAssignment) -> Pair | None:
        every, owners = list_placements(application), find_settled_holders(application, given)
        if owners is None:
            return None
        active, standby = traffic(application, every)
        own = int(np.flatnonzero((every.owners == np.array(owners)).all(axis=(1, 2)))[0])
        if not standbys:
            return int((active + standby)[own]), _find_joint(every, active, standby)
        same = (every.actives == every.actives[own]) & (every.copies == every.copies[own]).all(axis=1)
        return int(standby[own]), int(standby[same].min())

    says = "Standbys, against the cheapest with the same active tasks." if standbys else "All of an answer."
    return Price(says, PLAIN, measure_answers(assign, pair), alike=False)


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
