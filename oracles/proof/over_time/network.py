"""Lower bounds by prices for a sequence of rebalances: a network in layers, which every item crosses from the first to the last.

A node is a place of an item at one rebalance, or gathers arcs between two rebalances. Items of one kind have the same costs everywhere.
For any prices, a sequence costs at least the total of two sums. One is the shortest paths of all items, which pay the prices of their
nodes. The other is the least that the rows pay back. If prices alone do not reach the optimum, there are two cases: at most k items of a
kind come to a node, or more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kassay.oracles.proof.reading import LARGEST, OPEN, Json, prove, require, require_form

SCALE = 720_720
"""Prices are fractions of this denominator."""
DEEPEST = 300
"""The deepest nesting of cases."""
Row: TypeAlias = tuple[int, ...]
"""A cost, one number for each level."""
Place: TypeAlias = tuple[int, int, int]
"""A step, a kind, and a node."""
Bounds: TypeAlias = Mapping[Place, tuple[int, int]]
"""The fewest and the most items of the kind that come to the node in a case."""
Arcs: TypeAlias = Sequence[Sequence[Sequence[tuple[int, int]]]]
"""The arcs into each node of each step, at weighed costs."""
PROVED = {"weights": [int], "bound": int, "proof": dict, OPEN: None}
PRICES = {"rows": [[int]], "places": [(int, int, int, int)], OPEN: None}
CASES = {"place": (int, int, int), "most": int, "fewer": dict, "more": dict, OPEN: None}


@dataclass(frozen=True, slots=True)
class Step:
    """The arcs from one layer to the next, and the nodes of the next."""

    into: Sequence[Sequence[tuple[int, Row]]]
    """The arcs to each node: the node before, and the cost."""
    places: Callable[[int], Sequence[tuple[int, Row]]]
    """The nodes that are open to items of a kind, with their costs."""
    uses: Sequence[tuple[int, int]] = ()
    """Nodes, and the rows that their items count in."""
    low: Sequence[int] = ()
    """The fewest items of each row."""
    high: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Network:
    """Kinds of items with their numbers, and the steps that they cross from node 0 of a layer of one node."""

    levels: tuple[str, ...]
    counts: Sequence[int]
    steps: Sequence[Step]


def is_lexicographic(network: Network, weights: Sequence[int]) -> bool:
    """Return True if a unit of each level weighs more than the greatest sum of all levels after it."""
    most = []
    for level in range(len(network.levels)):
        dearest = 0
        for step in network.steps:
            dearest += max((cost[level] for arcs in step.into for _, cost in arcs), default=0)
            kinds = range(len(network.counts))
            dearest += max((cost[level] for kind in kinds for _, cost in step.places(kind)), default=0)
        most.append(sum(network.counts) * dearest)
    return all(
        weight > sum(map(int.__mul__, weights[n + 1 :], most[n + 1 :])) for n, weight in enumerate(weights)
    )


def check_proof(network: Network, stated: Json, path: str) -> None:
    """Raise NotProvedError unless a proof shows that no weighted sum is below its bound, WrongInputError if it has another form."""
    fine = len(stated["weights"]) == len(network.levels)
    require(fine, f"{path}.weights: has no valid value. Give one for each of {', '.join(network.levels)}")
    require(
        abs(stated["bound"]) < LARGEST, f"{path}.bound: has no valid value. Give a number of up to 300 digits"
    )
    fine = all(abs(each) < LARGEST for each in stated["weights"])
    require(fine, f"{path}.weights: has no valid value. Give numbers of up to 300 digits")
    prove(min(stated["weights"]) >= 0, f"{path}.weights: one is below 0")
    costs = [
        [[(tail, weigh(cost, stated["weights"])) for tail, cost in arcs] for arcs in step.into]
        for step in network.steps
    ]
    _check_cases(network, costs, stated, stated["proof"], {}, f"{path}.proof", 0)


def weigh(cost: Row, weights: Sequence[int]) -> int:
    """Return the weighted sum of a cost, in fractions of SCALE."""
    return SCALE * sum(map(int.__mul__, cost, weights))


def _check_cases(
    network: Network, costs: Arcs, stated: Json, proof: Json, bounds: Bounds, path: str, depth: int
) -> None:
    require(depth <= DEEPEST, f"{path}: has too many cases within each other. Give at most {DEEPEST}")
    if "fewer" not in proof:
        found = compute_bound(network, costs, stated["weights"], proof, bounds, path)
        fine = found >= stated["bound"]
        prove(fine, f"{path}: does not prove that no sequence has less than {stated['bound']}")
        return
    require_form(proof, CASES, path)
    require(
        abs(proof["most"]) < LARGEST, f"{path}.most: has no valid value. Give a number of up to 300 digits"
    )
    place, most = _place(network, proof["place"], f"{path}.place"), proof["most"]
    low, high = bounds.get(place, (0, network.counts[place[1]]))
    for side, of in (("fewer", (low, min(high, most))), ("more", (max(low, most + 1), high))):
        _check_cases(network, costs, stated, proof[side], {**bounds, place: of}, f"{path}.{side}", depth + 1)


def _place(network: Network, stated: Json, path: str) -> Place:
    step, kind, node = stated
    there = 0 <= step < len(network.steps) and 0 <= kind < len(network.counts)
    require(
        there and 0 <= node < len(network.steps[step].into),
        f"{path}: there is no such step, kind and node. Leave the price out",
    )
    return step, kind, node


def compute_bound(
    network: Network, costs: Arcs, weights: Sequence[int], proof: Json, bounds: Bounds, path: str
) -> int:
    """Return the lower bound of these prices for the sequences of a case."""
    require_form(proof, PRICES, path)
    sizes = [len(step.low) for step in network.steps]
    require(
        [len(row) for row in proof["rows"]] == sizes,
        f"{path}.rows: has no valid value. Give a price for each row of each step",
    )
    places = {_place(network, each[:3], f"{path}.places"): each[3] for each in proof["places"]}
    prove(len(places) == len(proof["places"]), f"{path}.places: prices one place twice")
    large = [*(price for row in proof["rows"] for price in row), *places.values()]
    require(
        all(abs(price) < LARGEST for price in large),
        f"{path}: has no valid value. Give prices of up to 300 digits",
    )
    prove(places.keys() <= bounds.keys(), f"{path}.places: prices one that no case is about")
    paid, rebates = 0, []
    for step, row in zip(network.steps, proof["rows"], strict=True):
        rebate = [0] * len(step.into)
        for user, used in step.uses:
            rebate[user] += row[used]
        rebates.append(rebate)
        paid += sum(
            price * (low if price > 0 else high)
            for price, low, high in zip(row, step.low, step.high, strict=True)
        )
    for place, price in places.items():
        paid += price * bounds[place][price <= 0]
    for kind, count in enumerate(network.counts):
        reach: dict[int, int] = {0: 0}
        for n, (step, arcs, rebate) in enumerate(zip(network.steps, costs, rebates, strict=True)):
            found = {}
            for node, cost in step.places(kind):
                ways = [reach[tail] + along for tail, along in arcs[node] if tail in reach]
                if ways:
                    found[node] = min(ways) + weigh(cost, weights) - rebate[node]
            for (of, priced, node), price in places.items():
                if (of, priced) == (n, kind) and node in found:
                    found[node] -= price
            reach = found
        prove(reach, f"{path}: some item has no way through")
        paid += count * min(reach.values())
    return -(-paid // SCALE)
