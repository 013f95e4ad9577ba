"""The most even loads of a rebalance: whether an assignment has them, and what all those that have them have in common.

An assignment is most even where no path of hand-overs leads from a member to one that holds two less at least. All that are most even then
come from it by hand-overs in cycles, or from a member to one that holds one less; so a strongly connected part of the graph of
these tells where a partition may be, and how many a member may have. See docs/oracles/balance.md.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Readers: TypeAlias = tuple[int, ...]
"""The members that read some topics: partitions of one class."""
Loads: TypeAlias = Mapping[Readers, Mapping[int, int]]
"""How many partitions of each class each member holds."""
Node: TypeAlias = tuple[str, object]


@dataclass(frozen=True, slots=True)
class Face:
    """All most even assignments: the members that partitions of a class may be with, and how many each member may have."""

    able: Mapping[Readers, frozenset[int]]
    low: Sequence[int]
    high: Sequence[int]


def loads_of(held: Loads, members: int) -> list[int]:
    """Return how many partitions each member holds."""
    loads = [0] * members
    for of in held.values():
        for m, count in of.items():
            loads[m] += count
    return loads


def uneven_path(held: Loads, loads: Sequence[int]) -> list[tuple[int, Readers, int]]:
    """Return hand-overs (giver, class, taker) from a member to one that holds two less at least; none where loads are the most even."""
    holds: dict[int, list[Readers]] = {}
    for readers, of in held.items():
        for m, count in of.items():
            if count:
                holds.setdefault(m, []).append(readers)
    for most in sorted({*loads}, reverse=True):
        reached: dict[int, tuple[int, Readers, int] | None] = {
            m: None for m, load in enumerate(loads) if load >= most
        }
        queue, seen = list(reached), set[Readers]()
        for giver in queue:
            for readers in holds.get(giver, ()):
                for taker in () if readers in seen else readers:
                    if taker not in reached:
                        reached[taker] = (giver, readers, taker)
                        queue.append(taker)
                    if loads[taker] <= most - 2:
                        return _back(reached, taker)
                seen.add(readers)
    return []


def _back(
    reached: Mapping[int, tuple[int, Readers, int] | None], taker: int
) -> list[tuple[int, Readers, int]]:
    path = []
    while (step := reached[taker]) is not None:
        path.append(step)
        taker = step[0]
    return path


def evened(classes: Mapping[Readers, int], members: int) -> Loads:
    """Return most even loads of so many partitions of each class."""
    held: dict[Readers, Counter[int]] = {}
    loads = [0] * members
    for readers, count in classes.items():
        share, rest = divmod(count, len(readers))
        own = held[readers] = Counter(dict.fromkeys(readers, share))
        own.update(sorted(readers, key=loads.__getitem__)[:rest])
        for m in readers:
            loads[m] += own[m]
    while path := uneven_path(held, loads):
        for giver, readers, taker in path:
            held[readers][giver] -= 1
            held[readers][taker] += 1
        loads = loads_of(held, members)
    return held


def face(held: Loads, members: int) -> Face:
    """Return what all most even assignments have in common, by one of them."""
    loads = loads_of(held, members)
    arcs: dict[Node, list[Node]] = {("member", m): [("load", load)] for m, load in enumerate(loads)}
    for m, load in enumerate(loads):
        arcs.setdefault(("load", load), [])
        arcs.setdefault(("load", load - 1), []).append(("member", m))
    for readers, of in held.items():
        arcs["class", readers] = [("member", m) for m in readers]
        for m, count in of.items():
            if count:
                arcs["member", m].append(("class", readers))
    part = _parts(arcs)
    able = {
        readers: frozenset(m for m in readers if of.get(m, 0) or part["member", m] == part["class", readers])
        for readers, of in held.items()
    }
    low = [load - (part["member", m] == part["load", load - 1]) for m, load in enumerate(loads)]
    high = [load + (part["member", m] == part["load", load]) for m, load in enumerate(loads)]
    return Face(able, low, high)


def _parts(arcs: Mapping[Node, Sequence[Node]]) -> dict[Node, int]:
    """Number the strongly connected parts of a graph (Kosaraju, 1978)."""
    order: list[Node] = []
    seen: set[Node] = set()
    for root in arcs:
        stack = [] if root in seen else [(root, iter(arcs[root]))]
        seen.add(root)
        while stack:
            node, left = stack[-1]
            after = next((each for each in left if each not in seen), None)
            if after is None:
                order.append(stack.pop()[0])
            else:
                seen.add(after)
                stack.append((after, iter(arcs[after])))
    back: dict[Node, list[Node]] = {node: [] for node in arcs}
    for node, heads in arcs.items():
        for head in heads:
            back[head].append(node)
    part: dict[Node, int] = {}
    for n, root in enumerate(reversed(order)):
        queue = [] if root in part else [root]
        for node in queue:
            if node not in part:
                part[node] = n
                queue.extend(each for each in back[node] if each not in part)
    return part
