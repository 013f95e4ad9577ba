"""The value of an assignment in each level, and the prices of members and topics.

A member of weight w with n copies pays w (2 n + 1) for the next copy. These payments grow with n. So the cheapest of
all payments, one for each copy, sum up to the least weighted sum of squares.
"""

from dataclasses import dataclass, field

import numpy as np

from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Problem, count_readers, iterate_owners


def count_at_price(price: Ints | int, weight: Ints) -> Ints:
    """Return how many copies each member has if it pays at most this price (one for all, or one for each) for a copy."""
    held: Ints = np.maximum(0, (price + weight) // (2 * weight))
    return held


def compute_even_price(copies: int, weight: Ints, size: Ints) -> int:
    """Return the price of the dearest copy if this number of copies is balanced; there are `size` members of each weight."""
    low, high = 0, 2 * copies * int(weight.max(initial=1))
    while low < high:
        middle = (low + high) // 2
        held = count_at_price(middle, weight).tolist()
        if sum(n * each for n, each in zip(size.tolist(), held, strict=True)) < copies:
            low = middle + 1
        else:
            high = middle
    return low


def compute_least_squares(copies: int, weight: Ints, size: Ints) -> int:
    """Return the least weighted sum of squares of this number of copies; there are `size` members of each weight."""
    price = compute_even_price(copies, weight, size)
    held = count_at_price(price, weight).tolist()
    over = sum(n * each for n, each in zip(size.tolist(), held, strict=True)) - copies
    squares = zip(size.tolist(), weight.tolist(), held, strict=True)
    return int(sum(n * w * each * each for n, w, each in squares) - over * price)


def count_loads(problem: Problem, owners: Ints) -> Ints:
    """Return the number of items of each member."""
    held = owners.reshape(-1) if problem.copies_of is None else owners[owners >= 0]
    return np.bincount(held, minlength=problem.members).astype(np.int64)


def compute_imbalance(problem: Problem, owners: Ints) -> int:
    """Return the greatest load minus the least, over the members that may hold something."""
    read = np.zeros(problem.subscriptions, np.bool_)
    read[problem.audience_subscription] = True
    load = count_loads(problem, owners)[read[problem.subscription_of]]
    return int(np.ptp(load)) if len(load) else 0


def compute_values(problem: Problem, levels: tuple[str, ...], owners: Ints) -> tuple[int, ...]:
    """Return the value of each level: the sum of the costs (see :class:`.Level`), or for balance and topic spread of the squares."""
    found = []
    weights = problem.weights[problem.subscription_of]
    for level in levels:
        if level == BALANCE:
            held = zip(weights.tolist(), count_loads(problem, owners).tolist(), strict=True)
            found.append(sum(weight * load * load for weight, load in held))
            continue
        if level == TOPIC_SPREAD:
            places, number = np.unique(
                problem.topic_numbers * problem.members + owners[:, 0], return_counts=True
            )
            found.append(int((weights[places % problem.members] * number * number).sum()))
            continue
        costs, unit, total = problem.level(level), {level: 1}, 0
        if costs.table is not None:
            far = problem.table(unit)[problem.profile_of[:, None], problem.rack_of[owners]]
            total += int(far.sum(where=owners >= 0))
        if costs.loss is not None:
            total += int(problem.losses(unit)[problem.claim_of].sum())
        if costs.gain is not None:
            gain = problem.gains(unit)
            total -= sum_savings(problem.claim_start, problem.claim_member, problem.claim_of, gain, owners)
        found.append(total)
    return tuple(found)


def compute_least_spread(problem: Problem) -> int:
    """Return the value of topic spread if every topic is balanced over its readers as far as whole items allow."""
    count = np.bincount(problem.topic_numbers, minlength=problem.topics).tolist()
    if problem.weight_of is None:
        numbers = count_readers(problem)[problem.topic_audience].tolist()
        dealt = ((*divmod(n, k), k) for n, k in zip(count, numbers, strict=True))
        return sum(r * (q + 1) ** 2 + (k - r) * q * q for q, r, k in dealt)
    total, size = 0, np.bincount(problem.subscription_of, minlength=problem.subscriptions)
    for copies, audience in zip(count, problem.topic_audience.tolist(), strict=True):
        some = problem.audience_subscription[slice(*problem.audience_start[audience : audience + 2])]
        total += compute_least_squares(copies, problem.weights[some], size[some])
    return total


def sum_savings(claim_start: Ints, claim_member: Ints, claim_of: Ints, gain: Ints, owners: Ints) -> int:
    """Return the total gain of the owners that hold a copy of their item; the k-th owners of all claims are added at once."""
    total = 0
    for items, entry in iterate_owners(claim_start, claim_of):
        stays = (owners[items] == claim_member[entry][:, None]).any(axis=1)
        total += int(gain[entry[stays]].sum())
    return total


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """The price of each member for a slot: one row per level of the question, one column per member.

    If topic spread is a level, `topics` has the price of a place of each topic at members of each rack (levels x
    topics x racks). `places` lists single members that own some of a topic (their topics, their members), and
    `place_rows` the prices of their places (levels x places).
    """

    rows: Ints
    topics: Ints | None = None
    places: tuple[Ints, Ints] = (np.empty(0, np.int64), np.empty(0, np.int64))
    place_rows: Ints = field(default_factory=lambda: np.empty((0, 0), np.int64))
