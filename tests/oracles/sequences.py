"""Sequences of rebalances counted out from the groups themselves, once by every answer and once by CP-SAT item by item."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from random import Random
from typing import Any

from ortools.sat.python import cp_model
from second_opinions.every_placement import placements

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.model.tasks import Application, Client, Settings, Task, TaskAssignment, TaskId
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.tasks.levels import LEVELS
from kassay.properties.partitions.measures import cross_rack, moves, square_imbalance, topic_excess
from kassay.properties.partitions.rounds import apply_assignment
from kassay.properties.tasks.rounds import apply_answer as rejoining


def legal(group: Group) -> list[Assignment]:
    """Return every complete and legal assignment."""
    read = [
        (p, [m.id for m in group.members if p.topic in m.topics]) for topic in group.topics for p in topic
    ]
    read = [(partition, readers) for partition, readers in read if readers]
    found = []
    for chosen in product(*(readers for _, readers in read)):
        given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
        for (partition, _), member in zip(read, chosen, strict=True):
            given[member].append(partition)
        found.append(given)
    return found


def owned(before: Group, given: Assignment, now: Group) -> Group:
    """Return a stage with what those members own that were there before."""
    claims = {member.id: member for member in apply_assignment(before, given).members}
    return replace(
        now,
        members=tuple(
            replace(m, owned=claims[m.id].owned, generation=claims[m.id].generation) if m.id in claims
            else replace(m, owned=(), generation=None)
            for m in now.members
        ),
    )  # fmt: skip


def run(before: Application, given: TaskAssignment, now: Application) -> Application:
    """Return a stage with what those clients ran that were there before."""
    clients = {client.id: client for client in rejoining(before, given).clients}
    return replace(
        now, clients=tuple(clients.get(c.id, replace(c, active=(), standby=())) for c in now.clients)
    )


def slots(application: Application, answer: TaskAssignment) -> tuple[Any, ...]:
    """Return how uneven loads are by definition, of active tasks and of all copies: first by thread, then by client."""
    sums = []
    for role in (slice(0, 1), slice(0, 2)):
        held = [(sum(map(len, answer.clients[c.id][role])), c.threads) for c in application.clients]
        threads = [n // k + (place < n % k) for n, k in held for place in range(k)]
        sums += [sorted(threads, reverse=True), sum(Fraction(n * n, k) for n, k in held)]
    return tuple(sums)


@dataclass(frozen=True)
class Counting:
    """What there is to try at a stage, how uneven it is, how it is carried over to the next one, and what it costs there."""

    every: Callable[[Any], Iterable[Any]]
    uneven: Callable[[Any, Any], Any]
    carried: Callable[[Any, Any, Any], Any]
    costs: dict[str, Callable[[Any, Any], int]]

    def out(self, stages: Sequence[Any], levels: Sequence[str]) -> tuple[int, ...]:
        """Return the least sums by dynamic programming over all the most even answers of each stage."""

        def worth(stage: Any, given: Any) -> tuple[int, ...]:
            return tuple(self.costs[level](stage, given) for level in levels)

        reach = [(each, worth(stages[0], each)) for each in self.even(stages[0])]
        for before, now in pairwise(stages):
            carried = [(self.carried(before, given, now), cost) for given, cost in reach]
            reach = [
                (
                    each,
                    min(
                        tuple(map(sum, zip(cost, worth(stage, each), strict=True))) for stage, cost in carried
                    ),
                )
                for each in self.even(now)
            ]
        return min(cost for _, cost in reach)

    def even(self, stage: Any) -> list[Any]:
        """Return the most even answers of a stage."""
        every = list(self.every(stage))
        least = min(self.uneven(stage, each) for each in every)
        return [each for each in every if self.uneven(stage, each) == least]


CONSUMERS = Counting(legal, square_imbalance, owned, {"moves": moves, "cross-rack": cross_rack})
BY_TOPIC = replace(
    CONSUMERS, uneven=lambda stage, given: (square_imbalance(stage, given), topic_excess(stage, given))
)
"""The same of loads, and then of topics: balance,topic-spread at each stage."""
TASKS = Counting(placements, slots, run, {"moves": LEVELS["moves"].measure, "joint": LEVELS["joint"].measure})


def by_cp_sat(stages: tuple[Group, ...], levels: tuple[str, ...], even: str = "balance") -> tuple[int, ...]:
    """Return the least sums by an integer program over every partition, member and stage, without any claims at first; each stage is `even`."""
    model = cp_model.CpModel()
    moved, crossed, before = [], [], {}
    for stage in stages:
        here = {}
        for topic in stage.topics:
            for partition in topic:
                readers = [m.id for m in stage.members if partition.topic in m.topics]
                for member in readers:
                    here[partition, member] = model.new_bool_var("")
                    crossed.append(here[partition, member] * cross_rack(stage, {member: [partition]}))
                if readers:
                    model.add_exactly_one(here[partition, member] for member in readers)
        there = {member.id for member in stage.members}

        _stay_even(model, here, compute_optimum(even, stage).assignment, by_topic="topic-spread" in even)
        for (partition, member), x in before.items():
            if member in there:
                leaves = model.new_bool_var("")
                model.add(leaves >= x - here.get((partition, member), 0))
                moved.append(leaves)
        before = here
    found: list[int] = []
    for level in levels:
        total = sum({"moves": moved, "cross-rack": crossed}[level])
        model.minimize(total)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        assert solver.solve(model) == cp_model.OPTIMAL
        found.append(round(solver.objective_value))
        model.add(total <= found[-1])
    return tuple(found)


def _stay_even(model: cp_model.CpModel, here: dict[Any, Any], best: Assignment, *, by_topic: bool) -> None:
    """Demand squared loads, and squares of each topic's partitions at each member, as small as those of the best assignment."""
    for topics in (False, True)[: 1 + by_topic]:
        held: dict[Any, list[Any]] = {}
        for (partition, member), x in here.items():
            held.setdefault((partition.topic * topics, member), []).append(x)
        squares = []
        for some in held.values():
            load, square = model.new_int_var(0, len(some), ""), model.new_int_var(0, len(some) ** 2, "")
            model.add(load == sum(some))
            model.add_multiplication_equality(square, [load, load])
            squares.append(square)
        counts = Counter(
            (partition.topic * topics, member) for member, own in best.items() for partition in own
        )
        model.add(sum(squares) <= sum(count * count for count in counts.values()))


def group(r: Random, members: int, partitions: int, topics: int = 2, racks: int = 2) -> Group:
    """Draw a group whose members read some topics each, in racks or none, without claims."""
    names = [f"t{n}" for n in range(topics)]
    homes = [*(f"r{n}" for n in range(racks)), None]
    counts = [0] * topics
    for _ in range(partitions):
        counts[r.randrange(topics)] += 1
    drawn = tuple(
        Topic(name, count, tuple((r.choice(homes),) for _ in range(count)))
        for name, count in zip(names, counts, strict=True)
    )
    joined = tuple(
        Member(f"m{n}", tuple(sorted(r.sample(names, r.randint(1, topics)))), rack=r.choice(homes))
        for n in range(members)
    )
    return Group(drawn, joined)


def application(r: Random, clients: int, tasks: int, standbys: int) -> Application:
    """Draw an application whose clients have one thread or two, in racks or none, and ran nothing."""
    racks = ["r0", "r1", None]
    every = tuple(
        Task(
            TaskId(0, n),
            keeps := r.random() < 0.7,
            (TopicPartition("in", n),),
            (TopicPartition("log", n),) * keeps,
        )
        for n in range(tasks)
    )
    near = [tuple((r.choice(racks),) for _ in range(tasks)) for _ in range(2)]
    joined = tuple(
        Client(
            f"00000000-0000-0000-0000-{c + 1:012}", r.choice([1, 1, 2]), lags={t.id: 0 for t in every if t.stateful},
            rack=r.choice(racks),
        )
        for c in range(clients)
    )  # fmt: skip
    topics = tuple(Topic(name, tasks, of) for name, of in zip(("in", "log"), near, strict=True))
    return Application(every, joined, Settings(num_standby_replicas=standbys), topics)
