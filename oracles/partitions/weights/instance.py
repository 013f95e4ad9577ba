"""Groups with weights, with numbers for names, and the levels of a question as one integer program.

CP-SAT solves it, and HiGHS shows again that nothing is less. A variable is the number of partitions of a kind at one of its readers. The
solvers give no certificate, so an answer says that they agree, and claims no proof.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kassay.model import Group, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.oracles.assignment.flow.min_cost_flow import import_or_tools
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.partitions.levels import LEVELS
from kassay.oracles.solving import Model
from kassay.properties.partitions.owners import owners

HEAVIEST = 2**60
"""The weight of all partitions is less than this if partitions are exchanged and solvers are asked, which count in 64 bits."""
WEIGHTED_BALANCE, CAPACITY = (name for name, level in LEVELS.items() if level.weighs)


@dataclass(frozen=True, slots=True)
class Kind:
    """Partitions that are alike to a question: their weight, readers, topic, and the costs of each level at each reader."""

    items: tuple[int, ...]
    weight: int
    readers: tuple[int, ...]
    topic: int
    costs: Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class Instance:
    """Partitions by number, and the members that may hold them."""

    items: tuple[TopicPartition, ...]
    weights: tuple[int, ...]
    readers: tuple[tuple[int, ...], ...]
    topic_of: tuple[int, ...]
    costs: tuple[Mapping[str, Mapping[int, int]], ...]
    """For each partition and level of costs the cost at each reader; alike partitions have the same object."""
    capacities: tuple[int | None, ...]
    """The capacity of each member, None if it is unlimited."""
    windows: tuple[tuple[int, int], ...]
    """The fewest and the most partitions of each member."""
    counted: bool = False
    """True if `readers` and `windows` are narrowed to the most even loads."""

    @property
    def members(self) -> int:
        """The number of members."""
        return len(self.capacities)

    def list_audiences(self) -> tuple[list[tuple[int, ...]], list[int]]:
        """Return the distinct audiences in the order of the partitions, and the number of each partition's audience.

        Partitions share the objects of their readers, so each object is hashed once and not once for each partition.
        """
        numbers: dict[tuple[int, ...], int] = {}
        seen: dict[int, int] = {}
        for some in self.readers:
            if id(some) not in seen:
                seen[id(some)] = numbers.setdefault(some, len(numbers))
        return list(numbers), [seen[id(some)] for some in self.readers]

    def kinds(self, levels: Sequence[str]) -> list[Kind]:
        """Return the partitions by kinds, for a question of some levels."""
        by_topic = TOPIC_SPREAD in levels
        found: dict[object, list[int]] = {}
        _, audience = self.list_audiences()
        for item, (weight, readers, costs) in enumerate(zip(self.weights, audience, self.costs, strict=True)):
            alike = weight, readers, self.topic_of[item] if by_topic else 0, id(costs)
            found.setdefault(alike, []).append(item)
        return [
            Kind(tuple(items), self.weights[n], self.readers[n], self.topic_of[n] if by_topic else 0, self.costs[n])
            for items in found.values()
            for n in items[:1]
        ]  # fmt: skip

    def keep_optima(self, levels: Sequence[str], rows: Ints, owners: Ints) -> "Instance":
        """Narrow readers and windows to the optima of balance and the levels of costs behind it, by prices that prove one of them.

        By complementary slackness, every optimum has each partition at a cheapest reader. The load of a member with the price p for balance
        is at most half a partition away from p/2. The sign of its next price that is not 0 decides between two loads. Members of one price
        share the partitions that are cheapest there, which may narrow their windows further.
        """
        price: list[tuple[int, ...]] = list(zip(*rows.tolist(), strict=True))
        cheapest: dict[object, tuple[int, ...]] = {}
        readers = []
        audiences, audience = self.list_audiences()
        for number, costs in zip(audience, self.costs, strict=True):
            if (number, id(costs)) not in cheapest:
                some, at = audiences[number], [costs.get(level, {}) for level in levels]
                paid = {m: tuple(p + of.get(m, 0) for p, of in zip(price[m], at, strict=True)) for m in some}
                least = min(paid.values())
                cheapest[number, id(costs)] = tuple(m for m in some if paid[m] == least)
            readers.append(cheapest[number, id(costs)])
        items = Counter(price[some[0]][0] for some in readers)
        ends = {}
        low, high = Counter[int](), Counter[int]()
        for m in {m for some in audiences for m in some}:
            p, *then = price[m]
            few, many = max(p, 0) // 2, (max(p, 0) + 1) // 2
            sign = next(filter(None, then), 0)
            ends[m] = (many if sign > 0 else few), (few if sign < 0 else many)
            low[p] += ends[m][0]
            high[p] += ends[m][1]
        windows = [(0, 0)] * self.members
        for m, (few, many) in ends.items():
            p = price[m][0]
            windows[m] = max(few, items[p] - (high[p] - many)), min(many, items[p] - (low[p] - few))
        loads = np.bincount(owners.reshape(-1), minlength=self.members).tolist()
        assert all(low <= load <= high for load, (low, high) in zip(loads, windows, strict=True))
        return replace(self, readers=tuple(readers), windows=tuple(windows), counted=True)


def list_cost_levels(levels: Sequence[str]) -> list[str]:
    """Return the levels that are sums of costs."""
    return [level for level in levels if LEVELS[level].owned or LEVELS[level].in_rack]


def read_instance(group: Group, levels: Sequence[str]) -> Instance:
    """Read a group; raises ImpossibleError naming the field if a weight, or every capacity that is asked for, is missing."""
    group = locate_racks(group)
    places = {member.id: n for n, member in enumerate(group.members)}
    standing = {partition: tuple(places[m] for m in by) for partition, by in owners(group).items()}
    racks = list(dict.fromkeys(member.rack for member in group.members if member.rack))
    homes = [racks.index(member.rack) if member.rack else len(racks) for member in group.members]
    capacities = tuple(member.capacity for member in group.members)
    if CAPACITY in levels and not any(limit is not None for limit in capacities):
        raise ImpossibleError(
            f"members: none of them has a capacity, which {CAPACITY} asks for. Give one at least"
        )
    items, weights, readers, topic_of, costs = [], [], [], [], []
    known: dict[object, dict[str, dict[int, int]]] = {}  # alike partitions have one object
    read: dict[str, list[int]] = {}
    for m, member in enumerate(group.members):
        for name in dict.fromkeys(member.topics):
            read.setdefault(name, []).append(m)
    audiences: dict[tuple[int, ...], tuple[int, ...]] = {}  # equal readers have one object
    for number, topic in enumerate(group.topics):
        reading = tuple(read.get(topic.name, ()))
        reading = audiences.setdefault(reading, reading)
        for partition in topic if reading else ():
            weight = topic.weights[partition.partition] if topic.weights else None
            if weight is None:
                raise ImpossibleError(
                    f"topics[{number}].weights: the weight of {partition} is not known. Give a whole number, 0 or more"
                )
            items.append(partition)
            weights.append(weight)
            readers.append(reading)
            topic_of.append(number)
            near = topic.racks[partition.partition] if topic.racks else ()
            own = standing.get(partition, ())
            alike = own, near, id(reading)
            if alike not in known:
                known[alike] = _compute_costs(own, near, reading, racks, homes, levels)
            costs.append(known[alike])
    most = len(items)
    return Instance(
        tuple(items), tuple(weights), tuple(readers), tuple(topic_of), tuple(costs), capacities, ((0, most),) * len(places)
    )  # fmt: skip


def _compute_costs(
    own: tuple[int, ...], near: tuple[str | None, ...], reading: tuple[int, ...], racks: list[str], homes: list[int], levels: Sequence[str]
) -> dict[str, dict[int, int]]:  # fmt: skip
    """Return the costs of a partition at each of its readers, by level."""
    found: dict[str, dict[int, int]] = {}
    for name in list_cost_levels(levels):
        level = LEVELS[name]
        loss, saved = level.owned([own], False) if level.owned else (0, {})
        far = level.in_rack((near,), racks) if level.in_rack else (0,) * (len(racks) + 1)
        found[name] = {m: loss - saved.get(m, 0) + far[homes[m]] for m in reading}
    return found


def compute_loads(instance: Instance, owner: Sequence[int]) -> list[int]:
    """Return the weight of each member."""
    load = [0] * instance.members
    for weight, m in zip(instance.weights, owner, strict=True):
        load[m] += weight
    return load


def compute_value(instance: Instance, level: str, owner: Sequence[int]) -> int:
    """Return the value of owners in a level: weights, squares or costs."""
    load = compute_loads(instance, owner)
    if level == WEIGHTED_BALANCE:
        return max(load, default=0)
    if level == CAPACITY:
        pairs = zip(load, instance.capacities, strict=True)
        return sum(max(0, weight - limit) for weight, limit in pairs if limit is not None)
    if level in (BALANCE, TOPIC_SPREAD):
        topics = instance.topic_of if level == TOPIC_SPREAD else [0] * len(owner)
        return sum(count * count for count in Counter(zip(topics, owner, strict=True)).values())
    return sum(costs[level][m] for costs, m in zip(instance.costs, owner, strict=True))


EFFORT = 1.0
"""The effort of CP-SAT in its own deterministic unit, some seconds, so that the answer is the same everywhere."""
NODES = 1_000
"""The most nodes of HiGHS' tree."""
PLACES = 20_000
"""The most places, pairs of kind and reader, of a program."""
EXACT = 10**8
"""The greatest weight of all partitions for HiGHS, which counts in floating point."""

Terms = dict[int, int]


@dataclass(slots=True)
class Program:
    """Whole numbers between 0 and `most`, and rows: sums with a least and a greatest value."""

    most: list[int] = field(default_factory=list)
    rows: list[tuple[Terms, int | None, int | None]] = field(default_factory=list)

    def number(self, most: int) -> int:
        """Add a number and return its place."""
        self.most.append(most)
        return len(self.most) - 1


@dataclass(frozen=True, slots=True)
class QuestionProgram:
    """A program with the place of each kind at each reader, and every level as a sum to minimize."""

    program: Program
    kinds: Sequence[Kind]
    places: Mapping[tuple[int, int], int]
    levels: Mapping[str, Terms]

    def owners(self, values: Sequence[int], items: int) -> list[int]:
        """Return the owners by the program's numbers."""
        owner = [-1] * items
        for k, kind in enumerate(self.kinds):
            left = list(kind.items)
            for m in kind.readers:
                for _ in range(values[self.places[k, m]]):
                    owner[left.pop(0)] = m
        return owner

    def values(self, owner: Sequence[int]) -> dict[int, int]:
        """Return the program's numbers by the owners."""
        held = Counter(self.places[k, owner[i]] for k, kind in enumerate(self.kinds) for i in kind.items)
        return {place: held[place] for place in self.places.values()}


def build_program(instance: Instance, levels: Sequence[str]) -> QuestionProgram | None:
    """Return a question as a program, None if it is too large."""
    kinds = instance.kinds(levels)
    if sum(len(kind.readers) for kind in kinds) > PLACES or sum(instance.weights) >= HEAVIEST:
        return None
    program = Program()
    places = {(k, m): program.number(len(kind.items)) for k, kind in enumerate(kinds) for m in kind.readers}
    for k, kind in enumerate(kinds):
        program.rows.append(({places[k, m]: 1 for m in kind.readers}, len(kind.items), len(kind.items)))
    for m, (low, high) in enumerate(instance.windows):
        held = {place: 1 for (_, who), place in places.items() if who == m}
        if held and (low, high) != (0, len(instance.items)):
            program.rows.append((held, low, high))
    found = {}
    for level in levels:
        if level in (WEIGHTED_BALANCE, CAPACITY):
            found[level] = _build_weights(program, instance, kinds, places, level)
        elif level in (BALANCE, TOPIC_SPREAD):
            found[level] = _build_squares(program, kinds, places, by_topic=level == TOPIC_SPREAD)
        else:
            found[level] = {place: kinds[k].costs[level][m] for (k, m), place in places.items()}
    return QuestionProgram(program, kinds, places, found)


def _build_weights(
    program: Program, instance: Instance, kinds: Sequence[Kind], places: Mapping[tuple[int, int], int], level: str
) -> Terms:  # fmt: skip
    """Return the greatest weight of a member, or the weights beyond capacities, as numbers that rows bound from below."""
    total = sum(instance.weights)
    greatest = program.number(total) if level == WEIGHTED_BALANCE else -1
    terms = {greatest: 1} if level == WEIGHTED_BALANCE else {}
    for m, limit in enumerate(instance.capacities):
        held = {place: kinds[k].weight for (k, who), place in places.items() if who == m}
        if level == WEIGHTED_BALANCE:
            program.rows.append((held | {greatest: -1}, None, 0))
        elif limit is not None:
            beyond = program.number(total)
            terms[beyond] = 1
            program.rows.append((held | {beyond: -1}, None, limit))
    return terms


def _build_squares(
    program: Program, kinds: Sequence[Kind], places: Mapping[tuple[int, int], int], *, by_topic: bool
) -> Terms:  # fmt: skip
    """Return the squares of members' loads, of each topic or in all, as numbers above each line between two successive squares."""
    together: dict[tuple[int, int], Terms] = {}
    for (k, m), place in places.items():
        together.setdefault((kinds[k].topic if by_topic else 0, m), {})[place] = 1
    squares = {}
    for held in together.values():
        most = sum(program.most[place] for place in held)
        square = program.number(most * most)
        squares[square] = 1
        for n in range(most):
            program.rows.append((dict.fromkeys(held, -(2 * n + 1)) | {square: 1}, -n * (n + 1), None))
    return squares


def minimize_level(
    of: QuestionProgram, level: str, start: Sequence[int], seconds: float | None
) -> tuple[list[int], int]:
    """Return owners with the least of a level by CP-SAT, which starts with known ones, and its lower bound.

    Raises UnsolvedError if OR-tools is missing, if it refuses the program, or finds that there is no answer at all.
    """
    cp_model = import_or_tools("sat.python.cp_model")
    model = cp_model.CpModel()
    numbers = [model.new_int_var(0, most, "") for most in of.program.most]
    for terms, low, high in of.program.rows:
        row = sum(number * numbers[place] for place, number in terms.items())
        if low == high:
            model.add(row == low)
            continue
        if low is not None:
            model.add(row >= low)
        if high is not None:
            model.add(row <= high)
    goal = of.levels[level]
    model.minimize(sum(number * numbers[place] for place, number in goal.items()))
    for place, value in of.values(start).items():
        model.add_hint(numbers[place], value)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = solver.parameters.random_seed = 1
    solver.parameters.interleave_search = True
    if seconds is None:
        solver.parameters.max_deterministic_time = EFFORT
    else:
        solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    if status in (cp_model.INFEASIBLE, cp_model.MODEL_INVALID):
        raise UnsolvedError(
            f"{level}: CP-SAT says {solver.status_name(status)} of a program that has an answer"
        )
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return list(start), 0
    values = [int(solver.value(number)) for number in numbers]
    return of.owners(values, len(start)), math.ceil(solver.best_objective_bound - 1e-6)


def is_confirmed(
    of: QuestionProgram, instance: Instance, level: str, value: int, seconds: float | None
) -> bool:
    """Return True if HiGHS, too, finds nothing below a value; False for weights that it does not count exactly."""
    if sum(instance.weights) > EXACT:
        return False
    model = Model()
    for most in of.program.most:
        model.variable(most, whole=True)
    for terms, low, high in (*of.program.rows, (of.levels[level], None, value - 1)):
        row = model.total(terms.items())
        if low is not None:
            model.require(row >= low)
        if high is not None:
            model.require(row <= high)
    return model.impossible(NODES, seconds)
