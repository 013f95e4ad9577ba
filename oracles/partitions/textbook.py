"""The best possible assignment of a consumer group by the textbook, in plain Python: an introduction to all other oracles.

Loads are to be even first (least sum of squares), then few partitions are to move, then few to be read from another rack; one step of a
level weighs more than all steps of those after it. Partitions are given one by one. A new one goes where it costs least, and may
push others along: p to a, which hands q to b, which hands r to c. The cheapest such chain of hand-overs is a shortest path, and where every
chain was the cheapest, what is given so far is the best there is. Source: successive shortest paths; Ahuja, Magnanti, Orlin, Network
Flows, 9.7. Nothing is shared with the other oracles but the group itself, so that an error of theirs or of this one shows.

>>> from kassay.model import Group, Member, Topic
>>> t = Topic("t", 3)
>>> best = textbook(Group((t,), (Member("a", ("t",), tuple(t)), Member("b", ("t",)))))
>>> best.values, len(best.assignment["b"])
({'balance': 1, 'moves': 1, 'cross-rack': 0}, 1)
>>> print(*best.reasons, sep="; ")
3 partitions for 2 members are 1 or 2 each; a owns 3 and can keep 2 where loads are most even, so 1 must move
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from kassay.model import Assignment, Group, TopicPartition
from kassay.model.hosts import located
from kassay.properties.partitions.owners import owners

ORDER = ("moves", "cross-rack")
NO_CHAIN = "no chain of hand-overs does with fewer and worsens nothing that comes first"
Cost = Callable[[TopicPartition, str], int]
Readers = Mapping[TopicPartition, Sequence[str]]
Held = Mapping[str, set[TopicPartition]]


@dataclass(frozen=True, slots=True)
class Best:
    """A best assignment, its value by level (balance: the greatest load less the least), and in sentences why nothing is better."""

    assignment: Assignment
    values: Mapping[str, int]
    reasons: tuple[str, ...]


class Chains:
    """Partitions given one at a time, each along the cheapest chain of members; `even` is the price of a step of the sum of squares."""

    def __init__(self, readers: Readers, cost: Cost, even: int) -> None:
        self.readers, self.cost, self.even = readers, cost, even
        members = dict.fromkeys(m for able in readers.values() for m in able)
        self.held: dict[str, set[TopicPartition]] = {m: set() for m in members}
        self.hands: dict[str, dict[str, tuple[int, TopicPartition]]] = {m: {} for m in members}
        for partition in readers:
            self._give(partition)

    def _give(self, partition: TopicPartition) -> None:
        distance = {m: self.cost(partition, m) for m in self.readers[partition]}
        came: dict[str, str | None] = dict.fromkeys(distance)
        queue = list(distance)
        for m in queue:  # Bellman and Ford: a member whose distance fell is looked at again
            for other, (price, _) in self.hands[m].items():
                if other not in distance or distance[m] + price < distance[other]:
                    distance[other], came[other] = distance[m] + price, m
                    queue.append(other)
        end: str | None = min(distance, key=lambda m: distance[m] + self.even * (2 * len(self.held[m]) + 1))
        changed = []
        while end is not None:  # back along the chain: who hands which partition on
            before = came[end]
            passed = partition if before is None else self.hands[before][end][1]
            if before is not None:
                self.held[before].remove(passed)
            self.held[end].add(passed)
            changed.append(end)
            end = before
        for m in changed:
            self.hands[m] = self._offers(m)

    def _offers(self, m: str) -> dict[str, tuple[int, TopicPartition]]:
        """Return what a member would hand to each other one, and how much dearer that is there."""
        offers: dict[str, tuple[int, TopicPartition]] = {}
        for partition in sorted(self.held[m]):
            here = self.cost(partition, m)
            for other in self.readers[partition]:
                price = self.cost(partition, other) - here
                if other != m and (other not in offers or price < offers[other][0]):
                    offers[other] = price, partition
        return offers

    def is_best(self) -> bool:
        """Check the proof anew: no chain of hand-overs of any length pays, neither from one member to another nor in a circle."""
        edges = [(m, other, price) for m in self.held for other, (price, _) in self._offers(m).items()]
        for m, held in self.held.items():
            edges.append((m, "", self.even * (2 * len(held) + 1)))  # one more at m
            if held:
                edges.append(("", m, self.even * (1 - 2 * len(held))))  # one fewer at m
        distance = dict.fromkeys([*self.held, ""], 0)
        for _ in distance:
            fell = False
            for one, other, price in edges:
                if distance[one] + price < distance[other]:
                    distance[other], fell = distance[one] + price, True
            if not fell:
                return True
        return False


def textbook(group: Group, order: Sequence[str] = ORDER) -> Best:
    """Return a best assignment of a group: loads as even as can be, then the levels of `order`, of which each may be left out."""
    group = located(group)
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
    base = len(readers) + 1  # all partitions together cost less than one step of the level before
    weights = {level: base**n for n, level in enumerate(reversed(order))}
    price = {
        p: {m: sum(weight * costs[level](p, m) for level, weight in weights.items()) for m in able}
        for p, able in readers.items()
    }
    chains = Chains(readers, lambda p, m: price[p][m], base ** len(order))
    if not chains.is_best():
        raise AssertionError("a chain of hand-overs is still cheaper: this is no optimum")
    held, loads = chains.held, [len(of) for of in chains.held.values()] or [0]
    lost = sum(p not in readers for p in owned)
    values = {"balance": max(loads) - min(loads)} | {
        level: sum(costs[level](p, m) for m, of in held.items() for p in of) + lost * (level == "moves")
        for level in order
    }
    reasons = _why_no_more_even(readers, held)
    if values.get("moves"):
        reasons.append(_why_no_fewer(readers, held, owned, values["moves"]))
    if values.get("cross-rack"):
        reasons.append(f"{_count(values['cross-rack'])} read from another rack: {NO_CHAIN}")
    return Best({m.id: sorted(held.get(m.id, ())) for m in group.members}, values, tuple(reasons))


def _why_no_more_even(readers: Readers, held: Held) -> list[str]:
    if not held:
        return ["nobody reads anything"]
    loads = {m: len(of) for m, of in held.items()}
    most, least = max(loads.values()), min(loads.values())
    if most - least <= 1:
        each = f"{most}" if most == least else f"{least} or {most}"
        return [f"{_count(len(readers))} for {len(held)} member{'s' * (len(held) > 1)} are {each} each"]
    full = {m for m in held if loads[m] == most}
    while more := {able for m in full for p in held[m] for able in readers[p]} - full:
        full |= more  # whoever could take something from the fullest, at once or along a chain
    poor = {m for m in held if loads[m] == least}
    while more := {m for m in held if any(not poor.isdisjoint(readers[p]) for p in held[m])} - poor:
        poor |= more
    only = sum(loads[m] for m in full)
    can = sum(not poor.isdisjoint(able) for able in readers.values())
    return [
        f"{_count(only)} can be read by {_names(full)} alone, so one of them holds {most} or more",
        f"{_names(poor)} can read only {can} in all, so one of them holds {least} or fewer",
    ]


def _why_no_fewer(readers: Readers, held: Held, owned: Mapping[TopicPartition, set[str]], moves: int) -> str:
    """Name members that own more than they can keep; how much they can is asked of the same chains, which prefer them among the most even loads."""
    keepers = {p: {m for m in by if m in readers.get(p, ())} for p, by in owned.items()}
    homeless = sum(not able for able in keepers.values())
    told = [f"{_count(homeless)} that no owner reads any more must move"] * bool(homeless)
    if moves == homeless:
        return told[0]
    losing = {m for p, able in keepers.items() for m in able if not any(p in held[k] for k in able)}
    behind = set(losing)
    new = {m: [p for p in of if m not in keepers.get(p, ())] for m, of in held.items()}
    while more := {k for m in behind for p in new[m] for k in readers[p]} - behind:
        behind |= more  # whoever could give them room
    for who in (losing, behind):
        have = sum(bool(able) and able <= who for able in keepers.values())
        filled = Chains(readers, lambda _, m, who=who: m not in who, len(readers) + 1).held  # type: ignore[misc]
        room = sum(len(filled[m]) for m in who)
        if have - room == moves - homeless:
            owns, can = ("owns", "can") if len(who) == 1 else ("own", "can together")
            even = f"{can} keep {room} where loads are most even"
            return "; ".join([*told, f"{_names(who)} {owns} {have} and {even}, so {have - room} must move"])
    return f"{_count(moves)} move: {NO_CHAIN}"


def _names(who: Collection[str]) -> str:
    names = sorted(who)
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _count(number: int) -> str:
    return f"{number:,} partition{'s' * (number != 1)}"
