"""The exact optimum of a sequence of rebalances of an application: as even as possible at each, and the least sums."""

import math
from collections.abc import Iterator
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kassay.model.tasks import Application, Given, Task, TaskAssignment, TaskId
from kassay.oracles.answers import OverTime
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.sequence import Sequence, Step
from kassay.oracles.assignment.values import compute_even_price, count_at_price
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.over_time import build_answer, compute_deadline
from kassay.oracles.tasks.encoding import READS, encode_application
from kassay.oracles.tasks.levels import OVER_TIME
from kassay.oracles.tasks.optimum import compute_optimum
from kassay.oracles.tasks.question import parse_question
from kassay.properties.tasks.measures import changelogs, inputs, partitions_across

NODES = 400
"""The most places of a task's copies on the clients of a stage."""


@dataclass(frozen=True, slots=True)
class Place:
    """The clients of a task's active copy and of its standbys."""

    active: str
    standby: frozenset[str]
    stateful: bool


def compute_over_time(text: str, stages: Listed[Application], time_limit_s: float | None = None) -> OverTime:
    """Return the least sums over all stages of placements that are as even as possible at each.

    A stage is the application at a rebalance; previous tasks of clients count in the first alone. Moves count as in the
    measures, for clients that are still there. Raises ImpossibleError if the question cannot be asked, TooLargeError
    if there are too many places, and what :func:`kassay.oracles.assignment.sequence_optimum.solve` raises.
    """
    deadline = compute_deadline(time_limit_s)
    if text not in OVER_TIME:
        raise ImpossibleError(f"question: {text!r} is not asked over time. Ask {', or '.join(OVER_TIME)}")
    encoded = encode(stages, tuple(text.split(",")[1:]))
    return build_answer(text, encoded.sequence, encoded.answers, len(stages), deadline)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sequence, with the stages, the tasks of each kind, and the places of each stage."""

    stages: tuple[Application, ...]
    kinds: tuple[tuple[TaskId, ...], ...]
    places: tuple[tuple[Place, ...], ...]
    sequence: Sequence

    def answers(self, ways: Listed[Ints]) -> tuple[TaskAssignment, ...]:
        """Return the answer of each stage, given the node of each item in each layer."""
        found = []
        for n, stage in enumerate(self.stages):
            at = {
                task: self.places[n][node]
                for tasks, way in zip(self.kinds, ways, strict=True)
                for task, node in zip(tasks, way[:, n].tolist(), strict=True)
            }
            given = {
                client.id: Given(
                    tuple(sorted(task for task, place in at.items() if place.active == client.id)),
                    tuple(sorted(task for task, place in at.items() if client.id in place.standby)),
                )
                for client in stage.clients
            }
            found.append(TaskAssignment(given, probing=False))
        return tuple(found)


def encode(stages: Listed[Application], levels: tuple[str, ...]) -> Encoded:
    """Return a sequence: each node of a stage is a place.

    Raises ImpossibleError if there is no stage, if tasks or topics change between two, or if clients cannot have their even shares.
    """
    if not stages:
        raise ImpossibleError("stages: is empty. Give the application at one rebalance at least")
    first = stages[0]
    for n, stage in enumerate(stages):
        if (stage.tasks, stage.topics, stage.settings) != (first.tasks, first.topics, first.settings):
            raise ImpossibleError(
                f"stages: tasks, topics or settings differ at rebalance {n + 1}. Give events that leave them alone"
            )
    places = [tuple(_list_places(stage)) for stage in stages]
    costs = [
        _compute_costs(stage, of, levels, claimed=not n)
        for n, (stage, of) in enumerate(zip(stages, places, strict=True))
    ]
    kinds: dict[object, list[int]] = {}
    for item, task in enumerate(first.tasks):
        kinds.setdefault((task.stateful, *(cost[:, item].tobytes() for cost in costs)), []).append(item)
    some = [alike[0] for alike in kinds.values()]
    stateful = np.array([first.tasks[item].stateful for item in some], np.bool_)
    steps = []
    for n, (stage, of) in enumerate(zip(stages, places, strict=True)):
        none = np.zeros(len(of), np.int64)
        tail, head, moved = none, np.arange(len(of)), none
        if n:
            tail, head, moved = _list_arcs(places[n - 1], of, {client.id for client in stage.clients})
        # a place counts in a row of its active client, then in one of each client with a copy
        number = {client.id: c for c, client in enumerate(stage.clients)}
        uses = []
        for node, place in enumerate(of):
            uses.append((node, number[place.active]))
            uses += [(node, len(number) + number[name]) for name in sorted({place.active, *place.standby})]
        user, used = np.array(uses, np.int64).reshape(-1, 2).T
        low, high = _find_share_bounds(stage, n)
        steps.append(Step(
            tail, head, np.array([np.zeros_like(moved) if level in READS else moved for level in levels]),
            stateful[:, None] == np.array([place.stateful for place in of], np.bool_),
            costs[n][:, some], user, used, low, high,
        ))  # fmt: skip
    counts = np.array([len(alike) for alike in kinds.values()], np.int64)
    named = tuple(tuple(first.tasks[i].id for i in alike) for alike in kinds.values())
    return Encoded(tuple(stages), named, tuple(places), Sequence(levels, counts, tuple(steps)))


def _list_places(stage: Application) -> Iterator[Place]:
    names = [client.id for client in stage.clients]
    standbys = min(stage.settings.num_standby_replicas, len(names) - 1)
    if (ways := len(names) * (1 + math.comb(max(len(names) - 1, 0), max(standbys, 0)))) > NODES:
        raise TooLargeError(
            f"over time: {len(names)} clients with {standbys} standbys are {ways} places. Give fewer, for at most {NODES}"
        )
    for active in names:
        yield Place(active, frozenset(), stateful=False)
        for others in combinations([name for name in names if name != active], standbys):
            yield Place(active, frozenset(others), stateful=True)


def _find_share_bounds(stage: Application, n: int) -> tuple[Ints, Ints]:
    """Return the bounds of rows: the even loads of clients, of active tasks and of all copies.

    If a placement keeps them, exactly the most even placements do.
    """
    answer = compute_optimum(BALANCE, stage, None).assignment
    weight = encode_application(stage, parse_question(BALANCE)).problem.weights
    low, high = [], []
    for role in ("active", "all"):
        held = [
            len(given.active) + (len(given.standby) if role == "all" else 0)
            for given in (answer.clients[client.id] for client in stage.clients)
        ]
        price = compute_even_price(sum(held), weight, np.ones_like(weight))
        least, most = count_at_price(price - 1, weight).tolist(), count_at_price(price, weight).tolist()
        for client, load, *bounds in zip(stage.clients, held, least, most, strict=True):
            low.append(bounds[0])
            high.append(bounds[1])
            if not low[-1] <= load <= high[-1]:
                raise ImpossibleError(
                    f"clients: at rebalance {n + 1} {client.id} cannot have its even share of {role} copies, {low[-1]} to {high[-1]}. "
                    "Give it fewer threads"
                )
    return np.array(low, np.int64), np.array(high, np.int64)


def _compute_costs(
    stage: Application, places: Listed[Place], levels: tuple[str, ...], *, claimed: bool
) -> Ints:
    """Return the costs of each task at each place by level; moves count only if tasks are `claimed`."""
    far = [partitions_across(stage, read) for read in (inputs, changelogs)]
    ran = {task: {c.id for c in stage.clients if task in c.active} for task in (t.id for t in stage.tasks)}
    kept = {task: {c.id for c in stage.clients if task in c.standby} for task in ran}

    def cost(level: str, task: Task, place: Place) -> int:
        if task.stateful != place.stateful:
            return 0
        if level in READS:
            active, standby = READS[level]
            across = far[0](place.active, task.id) if active else 0
            return across + sum(far[1](name, task.id) for name in place.standby if standby)
        return _count_moves(ran[task.id], kept[task.id], place) if claimed else 0

    costs = [[[cost(level, task, place) for place in places] for task in stage.tasks] for level in levels]
    return np.array(costs, np.int64).reshape(len(levels), len(stage.tasks), len(places))


def _count_moves(ran: set[str], kept: set[str], now: Place) -> int:
    """Count the moves of a task's copies; see :mod:`kassay.properties.tasks.measures`."""
    standby = len(now.standby - ran - kept) if kept else 0
    return int(bool(ran) and now.active not in ran) + standby


def _list_arcs(before: Listed[Place], now: Listed[Place], there: set[str]) -> tuple[Ints, Ints, Ints]:
    """Return the arcs between two stages' places, ascending by head, with the moves of each."""
    arcs = [
        (tail, head, _count_moves({old.active} & there, set(old.standby & there), new))
        for head, new in enumerate(now)
        for tail, old in enumerate(before)
        if old.stateful == new.stateful
    ]
    tail, head, moved = np.array(arcs, np.int64).reshape(-1, 3).T
    return tail, head, moved
