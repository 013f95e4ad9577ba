"""A sequence of rebalances of a group as a network, and the sums of its assignments.

An assignment is most even if no path of hand-overs leads from a member to one that holds at least two less. All other most even assignments
come from it by hand-overs in cycles, or from a member to one that holds one less. So the strongly connected parts of the graph of
these hand-overs give the possible members of a partition, and the possible loads of a member. See docs/explanation/solver.md.

If the spread of topics is asked after balance, the answer states prices: of a member's slot, and of a topic's place. For any prices, each load
and each place has a least. If an assignment has all of these, it is best, and all best assignments have them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kassay.oracles.proof import groups, partitions, topic_spread
from kassay.oracles.proof.groups import IN_RACK, Group, Near
from kassay.oracles.proof.over_time.network import Network, Row, Step
from kassay.oracles.proof.reading import LARGEST, Json, prove, require

Readers: TypeAlias = tuple[int, ...]
"""The readers of some topics, whose partitions are one class."""
Loads: TypeAlias = Mapping[Readers, Mapping[int, int]]
"""The number of partitions of each class at each member."""
Node: TypeAlias = tuple[str, object]
Place: TypeAlias = tuple[str | None, str]
"""A topic at a member; None for all topics, if their spread is not asked."""


@dataclass(frozen=True, slots=True)
class Face:
    """All most even assignments."""

    able: Mapping[Readers, frozenset[int]]
    """The possible members of each class."""
    low: Sequence[int]
    """The least load of each member."""
    high: Sequence[int]
    places: Mapping[tuple[str, int], tuple[int, int]] | None = None
    """If the spread of topics is asked: the fewest and most partitions of each topic at each of its readers."""


def compute_loads(held: Loads, members: int) -> list[int]:
    """Return the load of each member."""
    loads = [0] * members
    for of in held.values():
        for m, count in of.items():
            loads[m] += count
    return loads


def find_uneven_path(held: Loads, loads: Sequence[int]) -> list[tuple[int, Readers, int]]:
    """Return hand-overs (giver, class, taker) from a member to one that holds at least two less; none if loads are the most even."""
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
                        return _trace_path(reached, taker)
                seen.add(readers)
    return []


def _trace_path(
    reached: Mapping[int, tuple[int, Readers, int] | None], taker: int
) -> list[tuple[int, Readers, int]]:
    path = []
    while (step := reached[taker]) is not None:
        path.append(step)
        taker = step[0]
    return path


def balance_loads(classes: Mapping[Readers, int], members: int) -> Loads:
    """Return most even loads, given the number of partitions of each class."""
    held: dict[Readers, Counter[int]] = {}
    loads = [0] * members
    for readers, count in classes.items():
        share, rest = divmod(count, len(readers))
        own = held[readers] = Counter(dict.fromkeys(readers, share))
        own.update(sorted(readers, key=loads.__getitem__)[:rest])
        for m in readers:
            loads[m] += own[m]
    while path := find_uneven_path(held, loads):
        for giver, readers, taker in path:
            held[readers][giver] -= 1
            held[readers][taker] += 1
        loads = compute_loads(held, members)
    return held


def find_face(held: Loads, members: int) -> Face:
    """Return the features of all most even assignments, given one of them."""
    loads = compute_loads(held, members)
    arcs: dict[Node, list[Node]] = {("member", m): [("load", load)] for m, load in enumerate(loads)}
    for m, load in enumerate(loads):
        arcs.setdefault(("load", load), [])
        arcs.setdefault(("load", load - 1), []).append(("member", m))
    for readers, of in held.items():
        arcs["class", readers] = [("member", m) for m in readers]
        for m, count in of.items():
            if count:
                arcs["member", m].append(("class", readers))
    part = _find_components(arcs)
    able = {
        readers: frozenset(m for m in readers if of.get(m, 0) or part["member", m] == part["class", readers])
        for readers, of in held.items()
    }
    low = [load - (part["member", m] == part["load", load - 1]) for m, load in enumerate(loads)]
    high = [load + (part["member", m] == part["load", load]) for m, load in enumerate(loads)]
    return Face(able, low, high)


def _find_components(arcs: Mapping[Node, Sequence[Node]]) -> dict[Node, int]:
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


SPREAD_AT_EACH = {"members": {str: (int, int)}, "topics": {str: (int, int)}}
"""The prices of a rebalance if topics are spread: of a member's slot and of a topic's place, in balance and in spread."""


def find_spread_face(stage: Group, stated: Json, path: str) -> Face:
    """Return the best loads and places at the prices of members and topics; an assignment need not exist."""
    topics = {name: topic for name, topic in stage.topics.items() if topic.near}
    rows = [*stated["members"].values(), *stated["topics"].values()]
    asked = [abs(price) for row in rows for price in row]
    require(
        all(each < LARGEST for each in asked), f"{path}: has no valid value. Give prices of up to 300 digits"
    )
    named = stated["members"].keys() == stage.members.keys() and stated["topics"].keys() == topics.keys()
    prove(named, f"{path}: does not price each member, and each topic that is read")
    # a unit of balance weighs more than all squares of topics, and than any price of theirs
    items = sum(len(topic.near) for topic in topics.values())
    unit = items * items + 2 * max(asked, default=0) + 2
    slot = [first * unit + then for first, then in (stated["members"][name] for name in stage.members)]
    loads = [_find_least_range(unit, price) for price in slot]
    places: dict[tuple[str, int], tuple[int, int]] = {}
    for name, topic in topics.items():
        first, then = stated["topics"][name]
        places |= {(name, m): _find_least_range(1, first * unit + then - slot[m]) for m in topic.readers}
    return Face({}, [low for low, _ in loads], [high for _, high in loads], places)


def has_least(face: Face, held: partitions.Held, loads: Sequence[int]) -> bool:
    """Return True if an assignment has the least loads and places at the prices of a rebalance, or if there are no prices."""
    have = Counter((topic, m) for topic, column in held.items() for (m,) in column)
    return face.places is None or (
        all(low <= load <= high for low, load, high in zip(face.low, loads, face.high, strict=True))
        and all(low <= have[place] <= high for place, (low, high) in face.places.items())
    )


def _find_least_range(square: int, price: int) -> tuple[int, int]:
    """Return the least and the greatest n >= 0 with the least square * n^2 - price * n."""
    return max(0, -((square - price) // (2 * square))), max(0, (price + square) // (2 * square))


MOVES = "moves"


def read_levels(question: str, others: Iterable[str], even: str = "balance") -> tuple[str, ...]:
    """Read a question about a sequence: after the `even` levels moves, one of the others, or both in either order."""
    others = tuple(others)
    both = (pair for other in others for pair in ((MOVES, other), (other, MOVES)))
    known = [",".join((even, *asked)) for asked in (*both, (MOVES,), *((other,) for other in others))]
    require(
        question in known, f"question: {question[:60]!r} is not asked over time. Ask {', or '.join(known)}"
    )
    return tuple(question.removeprefix(even).split(",")[1:])


class Partitions:
    """A sequence of rebalances of a group: the nodes of a stage are members or, if topics are spread, topics at readers.

    One more node has the partitions that no member reads. `spread` are the prices of each stage that bound the spread of topics. They prove
    it if an assignment has the least loads and places. So topics are left out without assignments; a bound remains a bound.
    """

    def __init__(self, question: str, stages: Sequence[Json], spread: Sequence[Json] | None = None) -> None:
        """Read the group at each rebalance; raises WrongInputError naming the field."""
        by_topic = question.startswith(f"balance,{topic_spread.SPREAD},")
        even = f"balance,{topic_spread.SPREAD}" if by_topic else "balance"
        self.levels = read_levels(question, IN_RACK, even)
        asked = groups.read_question(",".join(("balance", MOVES, *IN_RACK)))
        self.stages = [groups.read_group(stage, asked) for stage in stages]
        self.items = [(topic["name"], n) for topic in stages[0]["topics"] for n in range(topic["partitions"])]
        owners = groups.find_owners(stages[0])
        self.claims = [owners[topic][n] for topic, n in self.items]
        require(
            spread is None or len(spread) == len(stages),
            "certificate.spread: has no valid value. Give prices for each rebalance",
        )
        racks = [[*dict.fromkeys(stage.racks)] for stage in self.stages]

        def describe(n: int, topic: str, number: int) -> object:
            """Return the readers of a partition at a rebalance, and its costs in each rack."""
            of = self.stages[n].topics.get(topic)
            if of is None:
                return None
            near = (of.near[number],)
            return of.readers, tuple(cost(near, rack) for cost in IN_RACK.values() for rack in racks[n])

        kinds: dict[object, list[int]] = {}
        for item, (topic, number) in enumerate(self.items):
            own = None if spread is None else topic
            at_each = (describe(n, topic, number) for n in range(len(stages)))
            kinds.setdefault((own, self.claims[item], *at_each), []).append(item)
        self.kinds = [items[0] for items in kinds.values()]  # one item of each kind
        self.faces: list[Face] = []
        self.nodes: list[Sequence[Place]] = []
        steps: list[Step] = []
        for n, stage in enumerate(self.stages):
            if spread is None:
                classes: Counter[Readers] = Counter()
                for topic in stage.topics.values():
                    classes[topic.readers] += len(topic.near)
                self.faces.append(find_face(balance_loads(classes, len(stage.members)), len(stage.members)))
                self.nodes.append([(None, name) for name in stage.members])
            else:
                self.faces.append(find_spread_face(stage, spread[n], f"certificate.spread[{n}]"))
                names = [*stage.members]
                self.nodes.append(
                    [(name, names[m]) for name, of in stage.topics.items() if of.near for m in of.readers]
                )
            steps += [self._build_transition(n), self._build_stage(n)] if n else [self._build_stage(0)]
        self.network = Network(self.levels, [len(items) for items in kinds.values()], steps)

    def _row(self, moved: int, at: tuple[Near, str | None] | None = None) -> Row:
        """Return the cost of a partition in each level `at` the racks of its replicas and of the member; None: without a member."""
        return tuple(
            moved if level == MOVES else 0 if at is None else IN_RACK[level](*at) for level in self.levels
        )

    def _stay(self, n: int) -> list[Place]:
        there = {*self.nodes[n]}
        return [place for place in self.nodes[n - 1] if place in there]

    def _build_transition(self, n: int) -> Step:
        """Return the step in which partitions stay in their places, or gather in a last node, which is a move if the member stays."""
        before, stay = {place: node for node, place in enumerate(self.nodes[n - 1])}, self._stay(n)
        free, moved = self._row(0), self._row(1)
        hub = [
            (node, moved if name in self.stages[n].members else free) for (_, name), node in before.items()
        ]
        into = [*([(before[place], free)] for place in stay), [*hub, (len(before), free)]]

        def places(kind: int) -> list[tuple[int, Row]]:
            topic, _ = self.items[self.kinds[kind]]
            own = [node for node, (of, _) in enumerate(stay) if of in (None, topic)]
            return [(node, free) for node in [*own, len(stay)]]

        return Step(into, places)

    def _build_stage(self, n: int) -> Step:
        stage, face, nodes = self.stages[n], self.faces[n], self.nodes[n]
        free, here = self._row(0), {place: node for node, place in enumerate(nodes)}
        into: list[list[tuple[int, Row]]] = [
            [(0 if not n else len(self._stay(n)), free)] for _ in range(len(nodes) + 1)
        ]
        for node, place in enumerate(self._stay(n) if n else ()):
            into[here[place]].insert(0, (node, free))
        names = [*stage.members]

        def places(kind: int) -> list[tuple[int, Row]]:
            topic, number = self.items[self.kinds[kind]]
            claims = self.claims[self.kinds[kind]] if not n else ()
            if topic not in stage.topics:
                return [(len(nodes), self._row(bool(claims)))]
            of = stage.topics[topic]
            near = (of.near[number],)
            if face.places is None:
                able = [(m, here[None, names[m]]) for m in sorted(face.able[of.readers])]
            else:
                able = [(m, here[topic, names[m]]) for m in of.readers if face.places[topic, m][1]]
            return [
                (node, self._row(bool(claims) and m not in claims, (near, stage.racks[m])))
                for m, node in able
            ]

        uses = [(node, stage.members[name]) for node, (_, name) in enumerate(nodes)]
        if face.places is None:
            return Step(into, places, uses, face.low, face.high)
        uses += [(node, len(names) + node) for node in range(len(nodes))]
        low, high = ([each[end] for each in face.places.values()] for end in (0, 1))
        return Step(into, places, uses, [*face.low, *low], [*face.high, *high])

    def totals(self, given: Sequence[Json]) -> dict[str, int]:
        """Return the sums of all rebalances by level."""
        found = dict.fromkeys(self.levels, 0)
        before: dict[tuple[str, int], str] = {}
        claimed = [*self.stages[0].members]
        owned = {
            item: {claimed[m] for m in claims} for item, claims in zip(self.items, self.claims, strict=True)
        }
        for n, (stage, own) in enumerate(zip(self.stages, given, strict=True)):
            path, names = f"assignments[{n}]", [*stage.members]
            held = partitions.read_holders(stage, own["assignment"], f"{path}.assignment")
            loads: dict[Readers, Counter[int]] = {}
            now: dict[tuple[str, int], str] = {}
            for topic, column in held.items():
                of = stage.topics[topic]
                loads.setdefault(of.readers, Counter()).update(holders[0] for holders in column)
                now |= {(topic, number): names[m] for number, (m,) in enumerate(column)}
            uneven = find_uneven_path(loads, compute_loads(loads, len(names)))
            prove(not uneven, f"{path}: rebalance {n + 1} is less even than can be")
            prove(
                has_least(self.faces[n], held, compute_loads(loads, len(names))),
                f"{path}: the prices of rebalance {n + 1} do not prove that its topics are spread as evenly as can be",
            )
            worth = partitions.compute_values(stage, [(topic,) for topic in stage.topics], held, path)
            was = owned if not n else {item: {name} for item, name in before.items() if name in stage.members}
            moved = sum(bool(some) and not {now.get(item)} & some for item, some in was.items())
            for level in self.levels:
                found[level] += moved if level == MOVES else worth[level]
            before = now
        return found
