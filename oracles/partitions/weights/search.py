"""Least greatest weights of few partitions, by a search over all assignments.

Solvers count in floating point or leave large weights out. This search counts with Python's integers. The heaviest partitions come first, and
of members that are alike so far only one is tried.
"""

from kassay.oracles.partitions.weights.instance import Instance

STEPS = 20_000
"""The most partial assignments; the checker of certificates accepts as many."""
ITEMS = 40
"""The most partitions."""


def search_least_weight(instance: Instance, below: int) -> list[int] | None:
    """Return owners with the least greatest weight, an empty list if none is below a given weight, None if that takes too many steps."""
    if len(instance.items) > ITEMS:
        return None
    order = sorted(
        range(len(instance.items)), key=lambda item: (-instance.weights[item], instance.readers[item])
    )
    low, high = zip(*instance.windows, strict=True)
    read = [tuple(m in some for some in instance.readers) for m in range(instance.members)]
    load, count = [0] * instance.members, [0] * instance.members
    owner, best = [0] * len(order), list[int]()
    steps = 0

    def place(depth: int) -> bool:
        """Place the partitions from one on, and return False after too many steps."""
        nonlocal below, best, steps
        steps += 1
        if steps > STEPS:
            return False
        if sum(max(0, few - held) for few, held in zip(low, count, strict=True)) > len(order) - depth:
            return True
        if depth == len(order):
            below, best = max(load), owner.copy()
            return True
        item = order[depth]
        tried = set()
        for m in sorted(instance.readers[item], key=lambda m: (load[m], m)):
            alike = load[m], count[m], read[m], instance.windows[m]
            if load[m] + instance.weights[item] >= below or count[m] >= high[m] or alike in tried:
                continue
            tried.add(alike)
            owner[item] = m
            load[m] += instance.weights[item]
            count[m] += 1
            within = place(depth + 1)
            load[m] -= instance.weights[item]
            count[m] -= 1
            if not within:
                return False
        return True

    return best if place(0) else None
