"""The best possible assignment of a consumer group by the textbook, in plain Python: an introduction to all other oracles.

Balanced loads come first (least sum of squares). After them come, in any order, few moves, few reads across racks, and an even spread of
each topic over its readers. One step of a level weighs more than all steps of the levels after it.

Partitions are assigned one by one. A new partition goes where it costs least, and may push others along: p to a, which hands q to b, which
hands r to c. The cheapest such chain of hand-overs is a shortest path. If every chain was the cheapest, the assignment so far is optimal.
Source: successive shortest paths; Ahuja, Magnanti, Orlin, Network Flows, 9.7. The code shares only the group with the other oracles, so
that an error of either shows.

>>> from kassay.model import Group, Member, Topic
>>> t = Topic("t", 3)
>>> best = solve_by_textbook(Group((t,), (Member("a", ("t",), tuple(t)), Member("b", ("t",)))))
>>> best.values, len(best.assignment["b"])
({'balance': 1, 'moves': 1, 'cross-rack': 0}, 1)
>>> print(*best.reasons, sep="; ")
3 partitions for 2 members are 1 or 2 each; a owns 3 and can keep 2 where loads are most even, so 1 must move

Why an assignment of a consumer group cannot be better, by counting: sentences that a reader can check without a solver.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.properties.partitions.owners import owners
from kassay.sentences import format_count, join_names

Readers = Mapping[TopicPartition, Sequence[str]]
Held = Mapping[str, set[TopicPartition]]
NO_CHAIN = "no chain of hand-overs does with fewer and worsens nothing that comes first"


def explain_balance(readers: Readers, held: Held) -> list[str]:
    """Count the partitions for all members; if loads differ by more, for the fullest members alone and for the emptiest."""
    if not held:
        return ["no member reads a partition"]
    loads = {m: len(of) for m, of in held.items()}
    most, least = max(loads.values()), min(loads.values())
    if most - least <= 1:
        each = f"{most}" if most == least else f"{least} or {most}"
        return [
            f"{format_count(len(readers), 'partition')} for {len(held)} member{'s' * (len(held) > 1)} are {each} each"
        ]
    full = {m for m in held if loads[m] == most}
    while more := {able for m in full for p in held[m] for able in readers[p]} - full:
        full |= more  # the members that could take a partition from the fullest, at once or along a chain
    poor = {m for m in held if loads[m] == least}
    while more := {m for m in held if any(not poor.isdisjoint(readers[p]) for p in held[m])} - poor:
        poor |= more
    only = sum(loads[m] for m in full)
    can = sum(not poor.isdisjoint(able) for able in readers.values())
    return [
        f"{format_count(only, 'partition')} can be read by {_join_names(full)} alone, so one of them holds {most} or more",
        f"{_join_names(poor)} can read only {can} in all, so one of them holds {least} or fewer",
    ]


def explain_moves(
    readers: Readers,
    held: Held,
    owned: Mapping[TopicPartition, set[str]],
    moves: int,
    most_held: Callable[[Collection[str]], int],
) -> str:
    """Name members that own more than they can keep; `most_held` returns the greatest sum of members' most even loads."""
    keepers = {p: {m for m in by if m in readers.get(p, ())} for p, by in owned.items()}
    homeless = sum(not able for able in keepers.values())
    told = [f"{format_count(homeless, 'partition')} that no owner reads any more must move"] * bool(homeless)
    if moves == homeless:
        return told[0]
    losing = {m for p, able in keepers.items() for m in able if not any(p in held[k] for k in able)}
    behind = set(losing)
    new = {m: [p for p in of if m not in keepers.get(p, ())] for m, of in held.items()}
    while more := {k for m in behind for p in new[m] for k in readers[p]} - behind:
        behind |= more  # the members that could give them room
    for who in (losing, behind):
        have = sum(bool(able) and able <= who for able in keepers.values())
        room = most_held(who)
        if have - room == moves - homeless:
            owns, can = ("owns", "can") if len(who) == 1 else ("own", "can together")
            even = f"{can} keep {room} where loads are most even"
            return "; ".join(
                [*told, f"{_join_names(who)} {owns} {have} and {even}, so {have - room} must move"]
            )
    return f"{format_count(moves, 'partition')} move: {NO_CHAIN}"


def _join_names(who: Collection[str]) -> str:
    names = sorted(who)
    return join_names(names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"])


ORDER = ("moves", "cross-rack")
Pair = tuple[str, str]
Node = Pair | str
SPREAD = "topic-spread"
Cost = Callable[[TopicPartition, str], int]


@dataclass(frozen=True, slots=True)
class Best:
    """A best assignment, its value by level (balance: the greatest load less the least), and in sentences why nothing is better."""

    assignment: Assignment
    values: Mapping[str, int]
    reasons: tuple[str, ...]


class Chains:
    """Partitions given one at a time, each along the cheapest chain; `even` and `spread` are prices of a step of the sum of squares: of loads, and by topic.

    A chain goes through pairs of topic and member, and through members, who take one topic for another; unspread, all partitions count as of one topic.
    """

    def __init__(self, readers: Readers, cost: Cost, even: int, spread: int = 0) -> None:
        self.readers, self.cost, self.even, self.spread = readers, cost, even, spread
        pairs = dict.fromkeys((p.topic if spread else "", m) for p, able in readers.items() for m in able)
        self.held: dict[Pair, set[TopicPartition]] = {pair: set() for pair in pairs}
        self.hands: dict[Pair, dict[str, tuple[int, TopicPartition]]] = {pair: {} for pair in pairs}
        self.topics: dict[str, list[Pair]] = {m: [pair for pair in pairs if pair[1] == m] for _, m in pairs}
        self.loads = dict.fromkeys(self.topics, 0)
        nodes: list[Node] = [*pairs, *self.topics]
        self.edges = {node: self._edges(node) for node in nodes}
        for partition in readers:
            self._give(partition)

    def _find_cheapest(self, partition: TopicPartition) -> tuple[str, dict[Node, Node | None]]:
        """Return the end of the cheapest chain, and the node before each node."""
        topic = partition.topic if self.spread else ""
        distance: dict[Node, int] = {(topic, m): self.cost(partition, m) for m in self.readers[partition]}
        came: dict[Node, Node | None] = dict.fromkeys(distance)
        waiting, queued = deque(distance), set(distance)
        while waiting:  # Bellman and Ford: a node whose distance fell is looked at again
            node = waiting.popleft()
            queued.remove(node)
            for other, price in self.edges[node]:
                if other not in distance or distance[node] + price < distance[other]:
                    distance[other], came[other] = distance[node] + price, node
                    if other not in queued:
                        waiting.append(other)
                        queued.add(other)
        ends = (node for node in distance if isinstance(node, str))
        return min(ends, key=lambda m: distance[m] + self.even * (2 * self.loads[m] + 1)), came

    def _give(self, partition: TopicPartition) -> None:
        end, came = self._find_cheapest(partition)
        self.loads[end] += 1
        at: Node | None = end
        changed: list[Pair] = []
        while at is not None:  # back along the chain: who hands which partition on
            before = came[at]
            if not isinstance(at, str):
                changed.append(at)
                if before is None or not isinstance(
                    before, str
                ):  # else it hands one on, and gets none for it
                    passed = partition if before is None else self.hands[before][at[1]][1]
                    self.held[at].add(passed)
                    if before is not None:
                        self.held[before].remove(passed)
            at = before
        self.hands |= {pair: self._offers(pair) for pair in changed}
        nodes: list[Node] = [*changed, *(m for _, m in changed)]
        self.edges |= {node: self._edges(node) for node in nodes}

    def _edges(self, node: Node) -> list[tuple[Node, int]]:
        if isinstance(node, str):  # a member gives up one of a topic
            every = [(pair, len(self.held[pair])) for pair in self.topics[node]]
            return [(pair, self.spread * (1 - 2 * has)) for pair, has in every if has]
        takes = node[1], self.spread * (2 * len(self.held[node]) + 1)
        return [takes, *(((node[0], other), price) for other, (price, _) in self.hands[node].items())]

    def _offers(self, pair: Pair) -> dict[str, tuple[int, TopicPartition]]:
        """Return which partition a member would hand to each other one, and how much dearer that is there."""
        offers: dict[str, tuple[int, TopicPartition]] = {}
        for partition in sorted(self.held[pair]):
            here = self.cost(partition, pair[1])
            for other in self.readers[partition]:
                price = self.cost(partition, other) - here
                if other != pair[1] and (other not in offers or price < offers[other][0]):
                    offers[other] = price, partition
        return offers

    def collect_by_member(self) -> dict[str, set[TopicPartition]]:
        """Return what each member holds."""
        return {m: set().union(*(self.held[pair] for pair in pairs)) for m, pairs in self.topics.items()}

    def is_best(self) -> bool:
        """Check the proof anew: no chain of hand-overs of any length pays, neither from one member to another nor in a circle."""
        self.hands = {pair: self._offers(pair) for pair in self.held}
        nodes: list[Node] = [*self.held, *self.topics]
        edges: list[tuple[Node, Node, int]] = [(node, *edge) for node in nodes for edge in self._edges(node)]
        for m, of in self.collect_by_member().items():
            edges.append((m, "", self.even * (2 * len(of) + 1)))  # one more at m
            edges += [("", m, self.even * (1 - 2 * len(of)))] * bool(of)  # one fewer at m
        distance: dict[Node, int] = dict.fromkeys([*nodes, ""], 0)
        for _ in distance:
            fell = False
            for one, other, price in edges:
                if distance[one] + price < distance[other]:
                    distance[other], fell = distance[one] + price, True
            if not fell:
                return True
        return False


def solve_by_textbook(group: Group, order: Sequence[str] = ORDER) -> Best:
    """Return an optimal assignment of a group: balanced loads, then the levels of `order`, which need not name all."""
    group = locate_racks(group)
    existing = {p for topic in group.topics for p in topic}
    owned = {p: set(by) for p, by in owners(group).items() if p in existing}
    rack = {member.id: member.rack for member in group.members if member.rack}
    near = {
        p: set(racks) - {None}
        for topic in group.topics
        for p, racks in zip(topic, topic.racks or (), strict=topic.racks is not None)
    }
    reading = {t.name: [m.id for m in group.members if t.name in m.topics] for t in group.topics}
    readers = {p: reading[p.topic] for topic in group.topics if reading[topic.name] for p in topic}
    costs: dict[str, Cost] = {
        "moves": lambda p, m: p in owned and m not in owned[p],
        "cross-rack": lambda p, m: bool(near.get(p)) and m in rack and rack[m] not in near[p],
    }
    base = len(readers) ** 2 + 1  # all partitions together cost less than one step of the level before
    weights = {level: base**n for n, level in enumerate(reversed(order))}
    spread = weights.pop(SPREAD, 0)
    price = {
        p: {m: sum(weight * costs[level](p, m) for level, weight in weights.items()) for m in able}
        for p, able in readers.items()
    }
    chains = Chains(readers, lambda p, m: price[p][m], base ** len(order), spread)
    if not chains.is_best():
        raise AssertionError("a chain of hand-overs is still cheaper: this is no optimum")
    held = chains.collect_by_member()
    loads = [len(of) for of in held.values()] or [0]
    values = {"balance": max(loads) - min(loads)} | {
        level: _compute_excess(reading, held, group) if level == SPREAD
        else sum(costs[level](p, m) for m, of in held.items() for p in of) + sum(p not in readers for p in owned) * (level == "moves")
        for level in order
    }  # fmt: skip

    def most_held(who: Collection[str]) -> int:
        """Return how many partitions members can have together where loads are most even: chains that go to them first say it."""
        filled = Chains(readers, lambda _, m: m not in who, len(readers) + 1).loads
        return sum(filled[m] for m in who)

    reasons = explain_balance(readers, held)
    if values.get("moves"):
        reasons.append(explain_moves(readers, held, owned, values["moves"], most_held))
    if values.get("cross-rack"):
        reasons.append(
            f"{format_count(values['cross-rack'], 'partition')} read from another rack: {NO_CHAIN}"
        )
    if values.get(SPREAD):
        reasons.append(f"topics lie on their readers with a spread excess of {values[SPREAD]:,}: {NO_CHAIN}")
    return Best({m.id: sorted(held.get(m.id, ())) for m in group.members}, values, tuple(reasons))


def _compute_excess(reading: Mapping[str, Sequence[str]], held: Held, group: Group) -> int:
    """Return half of the excess of squares: of each topic's partitions at its readers, over partitions dealt in turn."""
    has = Counter((p.topic, m) for m, of in held.items() for p in of)
    dealt = Counter(
        (t.name, n % len(reading[t.name]))
        for t in group.topics
        if reading[t.name]
        for n in range(t.partitions)
    )
    return (sum(n * n for n in has.values()) - sum(n * n for n in dealt.values())) // 2
