"""Lower bounds by counting for unequal partitions, of which some members may hold only some.

Let U be some members, and I(U) the partitions all of whose readers are in U. The members of U hold all of I(U), so one of them holds a share
of it (hall). Of the k |U| + 1 heaviest of I(U) one of them holds k + 1 (pigeon), and also the lightest that it may hold, up to the fewest
that it must. For capacities: the weight of I(U) beyond all capacities of U, or the weight of those k + 1 beyond the greatest of these.

If balance is the first level, prices that prove it narrow the bounds. Partitions are at their cheapest readers, and the load l of a member
with the price p has the least l^2 - p l. So the members of one price share the partitions that are cheapest there.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from kassay.oracles.proof.groups import IN_RACK, WEIGHTS, Group, Members, format_number
from kassay.oracles.proof.reading import Json, compare, prove, require
from kassay.oracles.proof.topic_spread import SPREAD

BALANCE, CAPACITY = WEIGHTS
STATED = {"level": str, "value": int, "least": int, "kind": str, "count": int, "members": [str]}
"""The certificate of a level: value, bound, and the count's kind, k and members U."""

SEARCHED, STATES = 40, 20_000
"""The most partitions, and partial assignments, of a search over all assignments."""


@dataclass(slots=True)
class Unequal:
    """The partitions that are read, with their weights."""

    group: Group
    stated: Mapping[str, Json]
    weights: list[int]
    readers: list[Members]
    owners: list[tuple[Members, Members]]
    """The owners of a partition, and the readers of its topic."""
    loads: list[int]
    """The weight that each member holds."""
    bear: list[int | None]
    """The capacity of each member."""
    windows: Mapping[int, tuple[int, int]]
    """The fewest and the most partitions that each member must hold."""
    limits: list[int | None]
    """The greatest weight of each member in all answers that are as good in the levels so far."""

    def level(self, level: str) -> tuple[int, int]:
        """Return the value of the assignment in a level, and the lower bound by the certificate's count."""
        stated, path = self.stated[level], f"certificate.weights.{level}"
        beyond = [
            load - limit for load, limit in zip(self.loads, self.bear, strict=True) if limit is not None
        ]
        value = max(self.loads, default=0) if level == BALANCE else sum(max(0, each) for each in beyond)
        compare(f"{path}.value", stated["value"], value)
        floor = self._least(level, stated, path)
        compare(f"{path}.least", stated["least"], floor)
        if level == BALANCE or value == 0:
            most = self.bear if level == CAPACITY else [value] * len(self.loads)
            pairs = zip(self.limits, most, strict=True)
            self.limits = [min((each for each in pair if each is not None), default=None) for pair in pairs]
        return value, floor

    def _least(self, level: str, stated: Json, path: str) -> int:
        names, k, kind = stated["members"], stated["count"], stated["kind"]
        known = self.group.members
        fine = set(names) <= known.keys() and len({*names}) == len(names)
        prove(fine, f"{path}.members: not all are members, each once")
        some = {known[name] for name in names}
        # partitions share the objects of their readers: each object is compared once
        audiences = {id(readers): readers for readers in self.readers}
        within = {each: some.issuperset(readers) for each, readers in audiences.items()}
        both = list(zip(self.weights, map(id, self.readers), strict=True))
        inside = sorted((weight for weight, each in both if within[each]), reverse=True)
        bear = [limit for m in some if (limit := self.bear[m]) is not None]
        prove(level == BALANCE or len(bear) == len(some), f"{path}.members: one of them has no capacity")
        kinds = ("hall", "pigeon", "search") if level == BALANCE else ("hall", "pigeon")
        prove(kind in kinds, f"{path}.kind: is {kind[:60]!r}. Give {' or '.join(kinds)}")
        if kind == "search":
            prove(self._is_least(stated["least"], path), f"{path}.least: an assignment has less")
            return int(stated["least"])
        if not some or not inside:
            return 0
        if kind == "hall":
            proved = -(-sum(inside) // len(some)) if level == BALANCE else sum(inside) - sum(bear)
        else:
            last = k * len(some) + 1
            fine = k >= 0 and last <= len(inside)
            prove(fine, f"{path}.count: is {format_number(k)}, and there are {len(inside)} partitions")
            proved = sum(inside[last - k - 1 : last])
            if level == BALANCE:
                others = max(0, min(self.windows.get(m, (0, 0))[0] for m in some) - k - 1)
                apart = {each: some.isdisjoint(readers) for each, readers in audiences.items()}
                proved += sum(sorted(weight for weight, each in both if not apart[each])[:others])
            else:
                proved -= max(bear)
        grain = (math.gcd(*self.weights) or 1) if level == BALANCE else 1
        return max(0, -(-proved // grain) * grain)

    def _is_least(self, value: int, path: str) -> bool:
        """Return True if every assignment gives a member this weight or more.

        Partitions are added one by one, the heaviest first. A state has the load and the number of partitions of each member.
        Members with the same readable partitions and the same window are interchangeable, so their entries are sorted.
        """
        order = sorted(zip(self.weights, self.readers, strict=True), key=lambda each: (-each[0], each[1]))
        prove(len(order) <= SEARCHED, f"{path}.kind: a search is for at most {SEARCHED} partitions")
        every = sorted({m for _, some in order for m in some})
        windows = [self.windows.get(m, (0, len(order))) for m in every]
        sort = [
            (tuple(m in some for _, some in order), window) for m, window in zip(every, windows, strict=True)
        ]
        alike = [[n for n, other in enumerate(sort) if other == own] for own in dict.fromkeys(sort)]
        states, seen = {((0, 0),) * len(every)}, 1
        for left, (weight, some) in zip(range(len(order) - 1, -1, -1), order, strict=True):
            then = set()
            for state in states:
                for n, (load, count) in enumerate(state):
                    if every[n] not in some or load + weight >= value or count >= windows[n][1]:
                        continue
                    new = [*state[:n], (load + weight, count + 1), *state[n + 1 :]]
                    if sum(max(0, low - new[k][1]) for k, (low, _) in enumerate(windows)) > left:
                        continue
                    for places in alike:
                        for k, each in zip(places, sorted(new[k] for k in places), strict=True):
                            new[k] = each
                    then.add(tuple(new))
            states, seen = then, seen + len(then)
            prove(seen <= STATES, f"{path}.kind: a search has at most {STATES} states")
        return not states

    def shed(self) -> int:
        """Count the partitions that must leave their only owner: it does not read them, or they exceed its limit, the heaviest first."""
        kept: dict[int, list[int]] = {}
        leave = 0
        for weight, (own, readers) in zip(self.weights, self.owners, strict=True):
            if len(own) == 1 and own[0] in readers:
                kept.setdefault(own[0], []).append(weight)
            leave += len(own) == 1 and own[0] not in readers
        for m, weights in kept.items():
            limit = self.limits[m]
            leave += sum(total > limit for total in accumulate(sorted(weights))) if limit is not None else 0
        return leave


def read_unequal(
    data: Json, group: Group, levels: Sequence[str], held: Mapping[str, Sequence[Members]], certificate: Json
) -> Unequal:  # fmt: skip
    """Read the weights of partitions and a certificate's counts; raises WrongInputError if a weight or capacity is missing.

    Prices that prove balance as the first level narrow down the possible holders.
    """
    known = {topic["name"]: topic.get("weights") for topic in data["topics"]}
    loads = [0] * len(group.members)
    weights: list[int] = []
    readers: list[Members] = []
    owners: list[tuple[Members, Members]] = []
    for name, topic in group.topics.items():
        some = known[name]
        fine = some is not None and None not in some
        require(fine, f"group: topic {name}: weights: has no valid value. Give one for each partition")
        for weight, (holder,) in zip(some, held[name], strict=True):
            loads[holder] += weight
        weights += some
        readers += [topic.readers] * len(some)
        owners += [(own, topic.readers) for own in topic.owners]
    bear = [member.get("capacity") for member in data["members"]]
    fine = CAPACITY not in levels or bear.count(None) < len(bear)
    require(fine, "group.members: none of them has a capacity. Give one at least")
    listed = certificate.get("weights", [])
    compare(
        "certificate.weights.level",
        sorted(each["level"] for each in listed),
        sorted(each for each in levels if each in (BALANCE, CAPACITY)),
    )
    stated = {each["level"]: each for each in listed}
    windows: dict[int, tuple[int, int]] = {}
    # the first levels fix counts by their prices: balance and the costs behind it, or balance alone if topics are spread
    first = next(n for n, level in enumerate(levels) if level in WEIGHTS)
    first = 0 if levels[0] != "balance" else 1 if SPREAD in levels else first
    parts = certificate["parts"]
    if first and all(part["value"][:first] == part["least"][:first] for part in parts):
        for part in parts:
            read = {m for some in {id(some): some for some in readers}.values() for m in some}
            price = {m: tuple(part["price"][:first]) for m in read}
            price |= {group.members[name]: tuple(row[:first]) for name, row in part["except"].items()}
            readers = _find_cheapest(group, levels[:first], price)
            windows = _count_windows(price, [price[some[0]][0] for some in readers])
    return Unequal(group, stated, weights, readers, owners, loads, bear, windows, [None] * len(loads))


def _find_cheapest(group: Group, levels: Sequence[str], price: Mapping[int, Sequence[int]]) -> list[Members]:
    """Return the cheapest readers of each partition, by costs and prices together, level by level."""
    found: list[Members] = []
    for topic in group.topics.values():
        known: dict[object, Members] = {}  # alike partitions of a topic have one object
        for near, own in zip(topic.near, topic.owners, strict=True):
            if (near, own) in known:
                found.append(known[near, own])
                continue
            paid = {}
            for m in topic.readers:
                costs = {"moves": int(bool(own) and m not in own)}
                costs |= {level: of((near,), group.racks[m]) for level, of in IN_RACK.items()}
                paid[m] = [p + costs.get(level, 0) for p, level in zip(price[m], levels, strict=True)]
            least = min(paid.values())
            known[near, own] = tuple(m for m in topic.readers if paid[m] == least)
            found.append(known[near, own])
    return found


def _count_windows(price: Mapping[int, Sequence[int]], cheapest: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return the fewest and the most partitions that each member holds.

    A member that asks p holds p/2, rounded by the sign of its next price. Members of one price hold all partitions that are cheapest there.
    """
    items, least, most, ends = Counter(cheapest), Counter[int](), Counter[int](), {}
    for m, (p, *then) in price.items():
        # a price above all slots equals a price for all of them: no member holds more partitions than there are
        low, high = (min(half // 2, len(cheapest)) for half in (max(p, 0), max(p, 0) + 1))
        sign = next(filter(None, then), 0)
        ends[m] = (high if sign > 0 else low), (low if sign < 0 else high)
        least[p] += ends[m][0]
        most[p] += ends[m][1]
    windows = {}
    for m, (low, high) in ends.items():
        p = price[m][0]
        windows[m] = max(low, items[p] - (most[p] - high)), min(high, items[p] - (least[p] - low))
    return windows
