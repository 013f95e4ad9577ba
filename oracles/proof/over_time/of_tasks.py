"""A sequence of rebalances of an application as a network of places of a task's copies, and the sums of its placements."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from kassay.oracles.proof import applications, tasks
from kassay.oracles.proof.over_time.network import Network, Row, Step
from kassay.oracles.proof.over_time.of_partitions import MOVES, levels_of
from kassay.oracles.proof.reading import Json, claim, need
from kassay.oracles.proof.roles import Roles

MOST_PLACES = 400
"""The most places of a task's copies on the clients of a rebalance."""


@dataclass(frozen=True, slots=True)
class Place:
    """The clients of a task's active copy and of its standbys."""

    active: str
    standby: frozenset[str]
    stateful: bool


class Tasks:
    """A sequence of rebalances of an application: each node of a stage is a place of a task's copies."""

    def __init__(self, question: str, stages: Sequence[Json]) -> None:
        """Read the application at each rebalance; raises WrongInputError naming the field."""
        self.levels = levels_of(question, applications.READS)
        self.stages = [applications.known_of(stage, ("balance", *self.levels)) for stage in stages]
        self.stateful = [task.get("stateful", False) for task in stages[0]["tasks"]]
        standbys = stages[0].get("config", {}).get("num.standby.replicas", 0)
        self.places = [
            _places([*stage.clients], min(standbys, len(stage.clients) - 1)) for stage in self.stages
        ]
        first = stages[0]["clients"]
        self.had = [
            [
                {client["id"] for client in first if task["id"] in client.get(role, ())}
                for role in ("active", "standby")
            ]
            for task in stages[0]["tasks"]
        ]
        costs: list[list[list[Row]]] = []
        kinds: dict[object, list[int]] = {}
        for item, stateful in enumerate(self.stateful):
            costs.append([])
            for n, places in enumerate(self.places):
                fits = [place.stateful == stateful for place in places]
                rows = [
                    self._cost(n, item, p) if fit else self._row(0)
                    for p, fit in zip(places, fits, strict=True)
                ]
                costs[item].append(rows)
            kinds.setdefault((stateful, *map(tuple, costs[item])), []).append(item)
        self.first = [items[0] for items in kinds.values()]  # one task of each kind
        steps = [self._step(n, [costs[item][n] for item in self.first]) for n in range(len(stages))]
        self.network = Network(self.levels, [len(items) for items in kinds.values()], steps)

    def _row(self, moved: int, far: Callable[[str], int] = lambda _: 0) -> Row:
        return tuple(moved if level == MOVES else far(level) for level in self.levels)

    def _cost(self, n: int, item: int, place: Place) -> Row:
        """Return the cost of a task at a place of a stage; moves count here in the first stage alone, against the given owners."""
        known, moved = self.stages[n], 0
        profile = known.problem.items[item].profile
        active, *standby = (
            known.problem.kinds[known.clients[name]] for name in (place.active, *place.standby)
        )

        def far(level: str) -> int:
            of = known.problem.levels[level]
            across = 0 if of.active is None else of.active[profile][active]
            return across + (0 if of.standby is None else sum(of.standby[profile][kind] for kind in standby))

        if not n:
            ran, kept = self.had[item]
            moved = _moved(ran, kept, place)
        return self._row(moved, far)

    def _step(self, n: int, costs: Sequence[Sequence[Row]]) -> Step:
        known, places = self.stages[n], self.places[n]
        number = known.clients
        into: list[list[tuple[int, Row]]] = [[(0, self._row(0))] for _ in places]
        if n:
            there, rows = known.clients.keys(), [self._row(moved) for moved in range(2 + len(number))]
            before = [
                (tail, {old.active} & there, {*old.standby} & there, old.stateful)
                for tail, old in enumerate(self.places[n - 1])
            ]
            for arcs, new in zip(into, places, strict=True):
                alike = [
                    (tail, ran, kept) for tail, ran, kept, stateful in before if stateful == new.stateful
                ]
                arcs[:] = [(tail, rows[_moved(ran, kept, new)]) for tail, ran, kept in alike]
        uses: list[tuple[int, int]] = []
        for node, place in enumerate(places):
            uses.append((node, number[place.active]))
            uses += [(node, len(number) + number[name]) for name in sorted({place.active, *place.standby})]
        able = [
            [(node, own[node]) for node, place in enumerate(places) if place.stateful == self.stateful[item]]
            for item, own in zip(self.first, costs, strict=True)
        ]
        # the even loads of clients, of active tasks and then of all copies: a placement is most even if it keeps them, and one exists
        problem = known.problem
        active, copies = len(problem.items), len(problem.items) + sum(item.standbys for item in problem.items)
        shares = [_even(active, problem.weights), _even(copies, problem.weights)]
        possible = _possible(problem, *shares)
        claim(possible, f"rebalance {n + 1}: nobody is shown to be able to have even shares")
        low, high = ([each for share in shares for each in share[side]] for side in (0, 1))
        return Step(into, able.__getitem__, uses, low, high)

    def totals(self, given: Sequence[Json]) -> dict[str, int]:
        """Return the sums of all rebalances by level."""
        found = dict.fromkeys(self.levels, 0)
        before: list[Place] = []
        for n, (known, own) in enumerate(zip(self.stages, given, strict=True)):
            path, names = f"assignments[{n}]", [*known.clients]
            held = tasks.placed(known, own["assignment"], f"{path}.assignment")
            step = self.network.steps[n]
            loads = [0] * len(step.low)
            now = []
            for item, (active, *standby) in enumerate(held):
                for row in (active, *(len(names) + c for c in (active, *standby))):
                    loads[row] += 1
                place = Place(names[active], frozenset(names[c] for c in standby), self.stateful[item])
                cost = dict(zip(self.levels, self._cost(n, item, place), strict=True))
                if n and MOVES in cost:
                    there, old = known.clients.keys(), before[item]
                    cost[MOVES] = _moved({old.active} & there, {*old.standby} & there, place)
                for level, value in cost.items():
                    found[level] += value
                now.append(place)
            fits = all(
                low <= load <= high for low, load, high in zip(step.low, loads, step.high, strict=True)
            )
            claim(fits, f"{path}: rebalance {n + 1} is less even than can be")
            before = now
        return found


def _places(names: Sequence[str], standbys: int) -> list[Place]:
    ways = len(names) * (1 + comb(max(len(names) - 1, 0), max(standbys, 0)))
    need(
        ways <= MOST_PLACES,
        f"over time: {len(names)} clients with {standbys} standbys are {ways} places; at most {MOST_PLACES} are taken",
    )
    places = []
    for active in names:
        places.append(Place(active, frozenset(), stateful=False))
        rest = combinations([name for name in names if name != active], standbys)
        places += [Place(active, frozenset(others), stateful=True) for others in rest]
    return places


def _moved(ran: set[str], kept: set[str], now: Place) -> int:
    """Count the copies of a task that find no state: the active one of a task that ran, and standbys of a task that had some."""
    standby = len(now.standby - ran - kept) if kept else 0
    return int(bool(ran) and now.active not in ran) + standby


def _even(copies: int, weights: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the least and the greatest even load of each client if any client may have any copy.

    A client whose square weighs w pays w (2 n + 1) for one copy more than n. The cheapest of all payments make the least sum of squares.
    """
    low, high = 0, 2 * copies * max(weights, default=1)
    while low < high:
        middle = (low + high) // 2
        if sum((middle + w) // (2 * w) for w in weights) < copies:
            low = middle + 1
        else:
            high = middle
    return [max(0, (low - 1 + w) // (2 * w)) for w in weights], [(low + w) // (2 * w) for w in weights]


def _possible(
    problem: Roles, active: tuple[list[int], list[int]], every: tuple[list[int], list[int]]
) -> bool:
    """Return True if some placement keeps the shares of active tasks and of all copies.

    A client with v active tasks with state and b standbys needs v + b <= n, where n tasks have state. This suffices for all clients together:
    some clients lack room for their standbys only if they take more than all tasks have (Hall, 1935). So a client with `run` active tasks
    takes up to min(run, n - b) tasks with state, and all clients together must take n. A table of the numbers of active tasks and copies that
    the clients so far may have, with the most tasks with state that they take, decides this exactly.
    """
    copies = len(problem.items) + sum(item.standbys for item in problem.items)
    stateful = sum(item.standbys > 0 for item in problem.items)
    reached = {(0, 0): 0}
    for few, many, least, most in zip(*active, *every, strict=True):
        found: dict[tuple[int, int], int] = {}
        for (ran, held), taken in reached.items():
            for run in range(few, many + 1):
                for load in range(max(least, run), min(most, run + stateful) + 1):
                    after, room = (ran + run, held + load), min(run, stateful - (load - run))
                    if after[0] <= len(problem.items) and after[1] <= copies:
                        found[after] = max(found.get(after, 0), taken + room)
        reached = found
    return reached.get((len(problem.items), copies), -1) >= stateful
