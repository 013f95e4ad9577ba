"""What an assignment is worth level by level, and the prices that members and topics ask.

A member whose square weighs w pays w (2 n + 1) for a copy more than n. These payments grow with n, so the cheapest of all
payments, as many as there are copies, make the least sum of weighed squares.
"""

from dataclasses import dataclass, field

import numpy as np

from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Claims, Ints, Problem, owners_in_turn, readers


def at_price(price: Ints | int, weight: Ints) -> Ints:
    """Return how many copies a member of each weight has that pay no more than a price, one for all or one for each."""
    held: Ints = np.maximum(0, (price + weight) // (2 * weight))
    return held


def even_price(copies: int, weight: Ints, size: Ints) -> int:
    """Return what the dearest of so many copies pays at even loads; there are `size` members of each weight."""
    low, high = 0, 2 * copies * int(weight.max(initial=1))
    while low < high:
        middle = (low + high) // 2
        held = at_price(middle, weight).tolist()
        if sum(n * each for n, each in zip(size.tolist(), held, strict=True)) < copies:
            low = middle + 1
        else:
            high = middle
    return low


def least_squares(copies: int, weight: Ints, size: Ints) -> int:
    """Return the least sum of weighed squares of so many copies; there are `size` members of each weight."""
    price = even_price(copies, weight, size)
    held = at_price(price, weight).tolist()
    over = sum(n * each for n, each in zip(size.tolist(), held, strict=True)) - copies
    squares = zip(size.tolist(), weight.tolist(), held, strict=True)
    return int(sum(n * w * each * each for n, w, each in squares) - over * price)


def loads(problem: Problem, owners: Ints) -> Ints:
    """Return how many items each member holds."""
    held = owners.reshape(-1) if problem.copies_of is None else owners[owners >= 0]
    return np.bincount(held, minlength=problem.members).astype(np.int64)


def imbalance(problem: Problem, owners: Ints) -> int:
    """Return the greatest load less the least, over the members that may hold something."""
    read = np.zeros(problem.subscriptions, np.bool_)
    read[problem.audience_subscription] = True
    load = loads(problem, owners)[read[problem.subscription_of]]
    return int(np.ptp(load)) if len(load) else 0


def values(problem: Problem, levels: tuple[str, ...], owners: Ints) -> tuple[int, ...]:
    """Return the value of each level: the sum of the squared loads for balance, of those of each topic for its spread, of the costs for the others (see :class:`.Level`)."""
    return tuple(_measure(problem, level, owners) for level in levels)


def _measure(problem: Problem, level: str, owners: Ints) -> int:
    if level == BALANCE:
        weights = problem.weights[problem.subscription_of].tolist()
        return sum(w * load * load for w, load in zip(weights, loads(problem, owners).tolist(), strict=True))
    if level == TOPIC_SPREAD:
        places, held = np.unique(problem.topic_numbers * problem.members + owners[:, 0], return_counts=True)
        return int((problem.weights[problem.subscription_of[places % problem.members]] * held * held).sum())
    costs, unit, total = problem.level(level), {level: 1}, 0
    if costs.table is not None:
        far = problem.table(unit)[problem.profile_of[:, None], problem.rack_of[owners]]
        total += int(far.sum(where=owners >= 0))
    if costs.loss is not None:
        total += int(problem.losses(unit)[problem.claim_of].sum())
    return (
        total if costs.gain is None else total - saved(problem, problem.claim_of, problem.gains(unit), owners)
    )


def least_spread(problem: Problem) -> int:
    """Return the value of topic spread if every topic lies as evenly on its readers as whole items allow."""
    count = np.bincount(problem.topic_numbers, minlength=problem.topics).tolist()
    if problem.weight_of is None:
        numbers = readers(problem)[problem.topic_audience].tolist()
        dealt = ((*divmod(n, k), k) for n, k in zip(count, numbers, strict=True))
        return sum(r * (q + 1) ** 2 + (k - r) * q * q for q, r, k in dealt)
    total, size = 0, np.bincount(problem.subscription_of, minlength=problem.subscriptions)
    for copies, audience in zip(count, problem.topic_audience.tolist(), strict=True):
        some = problem.audience_subscription[slice(*problem.audience_start[audience : audience + 2])]
        total += least_squares(copies, problem.weights[some], size[some])
    return total


def saved(claims: Claims, claim_of: Ints, gain: Ints, owners: Ints) -> int:
    """Add up what the claims' owners save that hold a copy of their item; the k-th owner of every claim at once."""
    total = 0
    for items, entry in owners_in_turn(claims, claim_of):
        stays = (owners[items] == claims.claim_member[entry][:, None]).any(axis=1)
        total += int(gain[entry[stays]].sum())
    return total


NONE = np.empty(0, np.int64), np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What each member asks for a slot: one row per level of the question, one column per member.

    If a level is topic spread, `topics` has what a place of each topic costs at members of each rack (levels x topics x racks), and
    `place_rows` what it costs at single members that own some of it, which `places` lists (their topics, their members; levels x places).
    """

    rows: Ints
    topics: Ints | None = None
    places: tuple[Ints, Ints] = NONE
    place_rows: Ints = field(default_factory=lambda: np.empty((0, 0), np.int64))
