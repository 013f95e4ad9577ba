"""What legal, worth and the bound mean, item by item in Python's integers: slow, and all that tests need to believe."""

from scipy.optimize import linprog

from kassay.oracles.assignment.problem import build_costs, find_eligible

INFEASIBLE = 2
"""What linprog says where nothing keeps all its rows."""


def bound_in_words(of, levels, prices):
    """The bound as its definition has it, item by item and load by load, in rows of Python's whole numbers."""
    rows = prices.rows.tolist()
    total = [0] * len(levels)
    readers = find_eligible(of).tolist()
    cost = {level: build_costs(of, level).tolist() for level in levels if level != "balance"}
    for i in range(of.items):
        offers = sorted(
            [(cost[level][i][m] if level in cost else 0) + rows[n][m] for n, level in enumerate(levels)]
            for m in range(of.members)
            if readers[i][m]
        )
        for offer in offers[: of.copies]:
            total = [a + b for a, b in zip(total, offer, strict=True)]
    for m in range(of.members):
        slots = min(
            [(load * load if level == "balance" else 0) - rows[n][m] * load for n, level in enumerate(levels)]
            for load in range(of.items + 1)
        )
        total = [a + b for a, b in zip(total, slots, strict=True)]
    return tuple(
        t - (counted_again(of, level) if level in cost else 0) for t, level in zip(total, levels, strict=True)
    )


def legal_in_words(of, owners):
    """Whether every item is with so many different members that may hold it."""
    readers = find_eligible(of).tolist()
    return all(
        len(set(row)) == of.copies and all(0 <= m < of.members and readers[i][m] for m in row)
        for i, row in enumerate(owners.tolist())
    )


def value_in_words(of, levels, owners):
    """What a legal assignment is worth, level by level."""
    rows, value = owners.tolist(), []
    for level in levels:
        if level == "balance":
            held = [m for row in rows for m in row]
            value.append(sum(held.count(m) ** 2 for m in range(of.members)))
            continue
        cost = build_costs(of, level).tolist()
        total = sum(cost[i][m] for i, row in enumerate(rows) for m in row)
        value.append(total - counted_again(of, level))
    return tuple(value)


def counted_again(of, level):
    """What all copies but one have too much in their costs: each has all that its item may lose in it."""
    return (of.copies - 1) * int(of.losses({level: 1})[of.claim_of].sum())


def dominates(a, b):
    """Return True if a point is nowhere worse than another and better somewhere."""
    return a != b and all(x <= y for x, y in zip(a, b, strict=True))


def undominated(among):
    """Return the values that none of the others dominates, ascending."""
    return sorted(v for v in among if not any(dominates(other, v) for other in among))


def supported(value, others):
    """Whether some positive weights make a value least, by a linear program in floating-point numbers."""
    if not others:
        return True
    rows = [[*(a - b for a, b in zip(value, other, strict=True)), 0] for other in others]
    rows += [[-(i == j) for j in range(len(value))] + [1] for i in range(len(value))]
    found = linprog([0] * len(value) + [-1], rows, [0] * len(rows), [[1] * len(value) + [0]], [1])
    if found.status == INFEASIBLE:
        return False
    assert found.status == 0, found.message
    return found.x[-1] > 1e-9
