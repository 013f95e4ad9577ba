"""Lower bounds by prices of topics and members for the spread of topics, together with all other levels.

A partition at a member pays its cost there and the price s of a place of its topic at that member. A place pays the member's price p for
each slot. For any prices, an assignment costs at least the total of three sums:

- the payments of partitions at their cheapest readers
- the least k^2 - (s - p) k of each place, for the spread
- the least l^2 - p l of each member, for balance

A place has the price of its topic in the member's rack. If the member owned c partitions of the topic, the certificate may name a higher
one. Without it the price is p + 2 c squares, at least the topic's price, and at most that plus the cost of a move. This makes the bound the
greatest if these partitions have one owner each and racks do not count.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kassay.oracles.proof.groups import IN_RACK, Group, Members, minimize_square
from kassay.oracles.proof.reading import Json, prove

SPREAD = "topic-spread"
STATED = {"price": {str: {str: [int]}}, "except": [(str, str, [int])]}
"""The prices of a certificate: of each topic by rack ("" for members in none, or in any other), and at members that owned some of it."""


def list_rows(stated: Json) -> list[list[int]]:
    """Return all rows of the prices of topics."""
    rows = [row for racks in stated["price"].values() for row in racks.values()]
    return rows + [row for _, _, row in stated["except"]]


def sum_even_squares(group: Group) -> int:
    """Return the sum of the squares if every topic is dealt round its readers."""
    total = 0
    for topic in group.topics.values():
        few, over = divmod(len(topic.near), len(topic.readers))
        total += over * (few + 1) ** 2 + (len(topic.readers) - over) * few**2
    return total


@dataclass(frozen=True, slots=True)
class Proof:
    """Prices of members and topics as single numbers."""

    group: Group
    unit: Mapping[str, int]
    """The weight of each level."""
    price: Mapping[int, int]
    """The price of a slot of each reader."""
    topics: Mapping[str, Mapping[str, int]]
    """Each topic's price in each rack."""
    given: Mapping[tuple[str, int], int]
    """The certificate's prices of topics at their owners."""
    path: str

    def least(self, names: Sequence[str]) -> int:
        """Return the lower bound of all assignments of these topics."""
        items = sum(len(self.group.topics[name].near) for name in names)
        square = self.unit.get("balance", 0)
        total = sum(minimize_square(square, slot, 0, items) for slot in self.price.values())
        alike: dict[Members, Counter[tuple[str | None, int]]] = {}
        unused = {*self.given}
        for name in names:
            topic = self.group.topics[name]
            readers = alike.get(topic.readers)
            if readers is None:
                readers = alike[topic.readers] = Counter(
                    (self.group.racks[m], self.price[m]) for m in topic.readers
                )
            stay = self._stay(name, {home: self._place(name, home) for home, _ in readers})
            unused -= {(name, m) for m in stay}
            total += self._compute_topic_bound(name, readers, stay)
        for name, m in sorted(unused):
            prove(
                False,
                f"{self.path}.except: {name[:60]!r} has no partition that {[*self.group.members][m][:60]!r} owned and may keep",
            )
        return total

    def _place(self, name: str, home: str | None) -> int:
        racks = self.topics.get(name, {})
        place = racks.get(home or "", racks.get(""))
        prove(place is not None, f"{self.path}.price: has no price of {name[:60]!r} for rack {home or ''!r}")
        assert place is not None
        return place

    def _stay(self, name: str, places: Mapping[str | None, int]) -> dict[int, int]:
        """Return the price of the place of each reader that owned some of a topic."""
        topic, racks = self.group.topics[name], self.group.racks
        reads, owns = {*topic.readers}, Counter[int]()
        for owners, number in Counter(topic.owners).items():
            owns.update(dict.fromkeys(reads.intersection(owners), number))
        stay = {}
        for m, number in owns.items():
            place = places[racks[m]]
            usual = min(self.price[m] + 2 * number * self.unit[SPREAD], place + self.unit.get("moves", 0))
            stay[m] = max(place, self.given.get((name, m), usual))
        return stay

    def _compute_topic_bound(
        self, name: str, readers: Counter[tuple[str | None, int]], stay: Mapping[int, int]
    ) -> int:
        """Return the least that the partitions of a topic and its places pay."""
        topic, racks = self.group.topics[name], self.group.racks
        square, moved = self.unit[SPREAD], self.unit.get("moves", 0)
        places = {home: self._place(name, home) for home, _ in readers}
        plain, count, total = readers.copy(), len(topic.near), 0
        for m, place in stay.items():
            plain[racks[m], self.price[m]] -= 1
            total += minimize_square(square, place - self.price[m], 0, count)
        for (home, slot), number in plain.items():
            total += number * minimize_square(square, places[home] - slot, 0, count)
        usual: dict[frozenset[str], int] = {}
        for (near, owners), number in Counter(zip(topic.near, topic.owners, strict=True)).items():
            if near not in usual:
                usual[near] = min(place + self._far(near, home) for home, place in places.items())
            own = [stay[m] + self._far(near, racks[m]) - moved for m in owners if m in stay]
            total += number * (min([usual[near], *own]) + moved * bool(owners))
        return total

    def _far(self, near: frozenset[str], home: str | None) -> int:
        return sum(
            self.unit[level] * cost((near,), home) for level, cost in IN_RACK.items() if level in self.unit
        )


def read_proof(
    group: Group, unit: Mapping[str, int], price: Mapping[int, int], stated: Json, packed: Mapping[int, int], path: str
) -> Proof:  # fmt: skip
    """Return the proof of a certificate, whose rows are `packed` into numbers by their ids; raises NotProvedError for an unknown place."""
    given: dict[tuple[str, int], int] = {}
    for name, member, row in stated["except"]:
        m = group.members.get(member)
        fine = m is not None and name in group.topics and (name, m) not in given
        prove(
            fine, f"{path}.except: topic {name[:60]!r} at member {member[:60]!r} is not known, or there twice"
        )
        assert m is not None
        given[name, m] = packed[id(row)]
    topics = {
        name: {home: packed[id(row)] for home, row in racks.items()}
        for name, racks in stated["price"].items()
    }
    return Proof(group, unit, price, topics, given, path)
