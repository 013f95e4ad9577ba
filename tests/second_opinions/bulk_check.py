"""Small random problems made, solved and checked in machine code, a hundred thousand at a time."""

import numpy as np
from second_opinions.cost_matrix import BARRED
from second_opinions.small_duals import least, worth
from second_opinions.successive_shortest_paths import (
    distances,
    join_members,
    join_slack,
    successive_shortest_paths,
)

from kassay.oracles.assignment.problem import Ints
from kassay.oracles.compiled import compile_function

MEMBERS, ITEMS, COPIES = 12, 60, 3


@compile_function
def bulk_check(first: int, count: int) -> Ints:
    """Return the problems numbered `first` on whose optimum is illegal or not proved by its prices.

    An optimum must be legal, its value the bound of its prices, and no cycle of moves may improve it.
    """
    wrong = []
    for number in range(first, first + count):
        cost, square, copies = drawn(number)
        items, members = cost.shape
        owners = np.empty((items, copies), np.int64)
        prices = np.empty(members, np.int64)
        successive_shortest_paths(cost, square, copies, owners, prices)
        if not (
            legal(cost, owners)
            and worth(cost, square, owners) == least(cost, square, copies, prices)
            and improvable_by_nothing(cost, square, owners)
        ):
            wrong.append(number)
    return np.array(wrong, dtype=np.int64)


@compile_function
def drawn(number: int) -> tuple[Ints, int, int]:
    """Return problem `number`: costs, the weight of a squared load, and the copies.

    One to 12 members read one to 4 topics of up to 60 partitions in all. Owners and racks cost moves and
    crossings, in either order before or after balance, or with balance left out.
    """
    np.random.seed(number % 2**32)
    members = np.random.randint(1, MEMBERS + 1)
    items = np.random.randint(0, ITEMS + 1)
    copies = min(members, 1 if np.random.random() < 0.7 else np.random.randint(1, COPIES + 1))
    racks = np.random.randint(1, 5)
    topics = np.random.randint(1, 5)
    density = np.random.random()
    reads = np.random.random((topics, members)) < density
    for topic in range(topics):
        while reads[topic].sum() < copies:
            reads[topic, np.random.randint(members)] = True
    home = np.random.randint(0, racks + 1, members)
    base = 2 * (items * copies + members + 2) + 1
    squares = 2 * (items * copies + 1) ** 2 + 1
    order = np.random.randint(0, 5)
    move, far, square = (
        (base, 1, base * base) if order == 0
        else (1, base, base * base) if order == 1
        else (squares * base, 1, base) if order == 2
        else (1, squares * base, base) if order == 3
        else (base, 1, 0)
    )  # fmt: skip
    cost = np.full((items, members), BARRED)
    for i in range(items):
        topic = np.random.randint(topics)
        near = np.random.random(racks + 1) < 0.5
        owner = np.random.randint(-1, members)
        other = np.random.randint(members) if np.random.random() < 0.1 else owner
        for m in range(members):
            if reads[topic, m]:
                cost[i, m] = move * (owner >= 0 and m != owner and m != other) + far * (
                    home[m] > 0 and not near[home[m]]
                )
    return cost, square, copies


@compile_function
def legal(cost: Ints, owners: Ints) -> bool:
    """Return True if every item has different owners, and each of them may hold it."""
    items, copies = owners.shape
    for i in range(items):
        for k in range(copies):
            if cost[i, owners[i, k]] >= BARRED:
                return False
            for other in range(k):
                if owners[i, other] == owners[i, k]:
                    return False
    return True


@compile_function
def improvable_by_nothing(cost: Ints, square: int, owners: Ints) -> bool:
    """Return True if an assignment is optimal: no cycle among the members has negative length."""
    members = cost.shape[1]
    load = np.zeros(members, np.int64)
    for i in range(len(owners)):
        for m in owners[i]:
            load[m] += 1
    arc = np.full((members + 1, members + 1), BARRED)
    join_members(cost, owners, arc)
    join_slack(load, square, arc)
    return distances(arc, np.empty(members + 1, np.int64))
