"""A group whose partitions weigh something, with numbers for names: what weighs how much, who may hold it, and what else levels cost there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kassay.model import Group, TopicPartition
from kassay.model.hosts import located
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import ImpossibleError
from kassay.oracles.partitions.levels import LEVELS
from kassay.properties.partitions.owners import owners

HEAVIEST = 2**60
"""All partitions together weigh less than this where they are exchanged and solvers are asked, which count in 64 bits."""
WEIGHTED_BALANCE, CAPACITY = (name for name, level in LEVELS.items() if level.weighs)


@dataclass(frozen=True, slots=True)
class Kind:
    """Partitions that are alike in everything that a question asks: so many, their weight, who may hold them, their topic, and what each level costs at each of these."""

    items: tuple[int, ...]
    weight: int
    readers: tuple[int, ...]
    topic: int
    costs: Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class Instance:
    """Partitions by number with weights and readers; capacities, None where not limited; least and most partitions of each member.

    `readers` and these windows may be narrowed to what the most even loads allow; `counted` says that they are.
    """

    items: tuple[TopicPartition, ...]
    weights: tuple[int, ...]
    readers: tuple[tuple[int, ...], ...]
    topic_of: tuple[int, ...]
    costs: tuple[Mapping[str, Mapping[int, int]], ...]
    """Of each partition, one object for alike ones: for each level that costs something, what it costs at each reader."""
    capacities: tuple[int | None, ...]
    windows: tuple[tuple[int, int], ...]
    counted: bool = False

    @property
    def members(self) -> int:
        """How many members there are."""
        return len(self.capacities)

    def kinds(self, levels: Sequence[str]) -> list[Kind]:
        """Return the partitions, alike ones together, as a question of some levels sees them."""
        by_topic = TOPIC_SPREAD in levels
        found: dict[object, list[int]] = {}
        for item, (weight, readers, costs) in enumerate(
            zip(self.weights, self.readers, self.costs, strict=True)
        ):
            alike = weight, readers, self.topic_of[item] if by_topic else 0, id(costs)
            found.setdefault(alike, []).append(item)
        return [
            Kind(tuple(items), self.weights[n], self.readers[n], self.topic_of[n] if by_topic else 0, self.costs[n])
            for items in found.values()
            for n in items[:1]
        ]  # fmt: skip

    def at_the_most_even(self, prices: Ints, owners: Ints) -> "Instance":
        """Return what the most even loads leave open, by prices that prove them: who may hold what, and how much.

        By complementary slackness every most even assignment has each partition at a cheapest reader, and the load of a member that asks p is
        at most half a partition away from p/2. So members of one price hold the partitions among them, which may leave less room yet.
        """
        price = prices.tolist()
        cheapest = {
            some: tuple(m for m in some if price[m] == least)
            for some in set(self.readers)
            for least in (min(map(price.__getitem__, some)),)
        }
        readers = tuple(map(cheapest.__getitem__, self.readers))
        items = Counter(price[some[0]] for some in readers)
        able = {m for some in cheapest for m in some}
        members = Counter(price[m] for m in able)
        windows = tuple(
            _window(p, items[p], members[p]) if m in able else (0, 0) for m, p in enumerate(price)
        )
        loads = np.bincount(owners.reshape(-1), minlength=self.members).tolist()
        assert all(low <= load <= high for load, (low, high) in zip(loads, windows, strict=True))
        return replace(self, readers=readers, windows=windows, counted=True)


def _window(price: int, items: int, members: int) -> tuple[int, int]:
    """Return the least and the most that a member of a price may hold, where so many members of this price hold so many partitions."""
    low, high = max(price, 0) // 2, (max(price, 0) + 1) // 2
    others = max(members - 1, 0)
    return max(low, items - others * high), min(high, items - others * low)


def costly(levels: Sequence[str]) -> list[str]:
    """Return the levels that are sums of costs."""
    return [level for level in levels if LEVELS[level].owned or LEVELS[level].in_rack]


def instance_of(group: Group, levels: Sequence[str]) -> Instance:
    """Read a group; raises ImpossibleError naming the field where a weight or every capacity that is asked for is missing."""
    group = located(group)
    places = {member.id: n for n, member in enumerate(group.members)}
    standing = {partition: tuple(places[m] for m in by) for partition, by in owners(group).items()}
    racks = list(dict.fromkeys(member.rack for member in group.members if member.rack))
    homes = [racks.index(member.rack) if member.rack else len(racks) for member in group.members]
    capacities = tuple(member.capacity for member in group.members)
    if CAPACITY in levels and not any(limit is not None for limit in capacities):
        raise ImpossibleError(
            f"members: none of them has a capacity, which {CAPACITY} asks for; give one at least"
        )
    items, weights, readers, topic_of, costs = [], [], [], [], []
    known: dict[object, dict[str, dict[int, int]]] = {}  # alike partitions have one object
    for number, topic in enumerate(group.topics):
        reading = tuple(m for m, member in enumerate(group.members) if topic.name in member.topics)
        for partition in topic if reading else ():
            weight = topic.weights[partition.partition] if topic.weights else None
            if weight is None:
                raise ImpossibleError(
                    f"topics[{number}].weights: what {partition} weighs is not known; give a whole number, 0 where it weighs nothing"
                )
            items.append(partition)
            weights.append(weight)
            readers.append(reading)
            topic_of.append(number)
            near = topic.racks[partition.partition] if topic.racks else ()
            alike = standing.get(partition, ()), near, reading
            if alike not in known:
                known[alike] = _costs(*alike, racks, homes, levels)
            costs.append(known[alike])
    most = len(items)
    return Instance(
        tuple(items), tuple(weights), tuple(readers), tuple(topic_of), tuple(costs), capacities, ((0, most),) * len(places)
    )  # fmt: skip


def _costs(
    own: tuple[int, ...], near: tuple[str | None, ...], reading: tuple[int, ...], racks: list[str], homes: list[int], levels: Sequence[str]
) -> dict[str, dict[int, int]]:  # fmt: skip
    """Return what a partition costs at each of its readers, by the levels' own tables."""
    found: dict[str, dict[int, int]] = {}
    for name in costly(levels):
        level = LEVELS[name]
        loss, saved = level.owned([own], False) if level.owned else (0, {})
        far = level.in_rack((near,), racks) if level.in_rack else (0,) * (len(racks) + 1)
        found[name] = {m: loss - saved.get(m, 0) + far[homes[m]] for m in reading}
    return found


def loads_of(instance: Instance, owner: Sequence[int]) -> list[int]:
    """Return the weight that each member holds."""
    load = [0] * instance.members
    for weight, m in zip(instance.weights, owner, strict=True):
        load[m] += weight
    return load


def worth(instance: Instance, level: str, owner: Sequence[int]) -> int:
    """Return what owners are worth in a level that the program knows: squares where they count, costs and weights."""
    load = loads_of(instance, owner)
    if level == WEIGHTED_BALANCE:
        return max(load, default=0)
    if level == CAPACITY:
        return sum(
            max(0, weight - limit)
            for weight, limit in zip(load, instance.capacities, strict=True)
            if limit is not None
        )
    if level == BALANCE:
        return _squares((m,) for m in owner)
    if level == TOPIC_SPREAD:
        return _squares(zip(instance.topic_of, owner, strict=True))
    return sum(costs[level][m] for costs, m in zip(instance.costs, owner, strict=True))


def _squares(places: Iterator[tuple[int, ...]]) -> int:
    counts: dict[tuple[int, ...], int] = {}
    for place in places:
        counts[place] = counts.get(place, 0) + 1
    return sum(count * count for count in counts.values())
