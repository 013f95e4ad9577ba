"""Sums over a sequence of rebalances: no sequence of assignments that are as even as possible has less.

The stages are the group as JSON at each rebalance of a rolling restart, a bounce or a scale-out. A member that leaves comes back with nothing.
Owners count at the first rebalance alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple, TypeAlias
from uuid import UUID

from kassay.oracles.proof import applications, partitions, tasks, workers
from kassay.oracles.proof.over_time.network import (
    PROVED,
    SCALE,
    Network,
    Row,
    Step,
    check_proof,
    is_lexicographic,
)
from kassay.oracles.proof.over_time.of_partitions import MOVES, SPREAD_AT_EACH, Partitions, read_levels
from kassay.oracles.proof.reading import (
    OPEN,
    Json,
    compare,
    compare_rows,
    prove,
    require,
    require_form,
)
from kassay.oracles.proof.roles import Roles
from kassay.oracles.proof.topic_spread import SPREAD

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
        self.levels = read_levels(question, applications.READS)
        self.stages = [applications.read_application(stage, ("balance", *self.levels)) for stage in stages]
        self.stateful = [task.get("stateful", False) for task in stages[0]["tasks"]]
        standbys = stages[0].get("config", {}).get("num.standby.replicas", 0)
        self.places = [
            _list_places([*stage.clients], min(standbys, len(stage.clients) - 1)) for stage in self.stages
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
            moved = _count_moves(ran, kept, place)
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
                arcs[:] = [(tail, rows[_count_moves(ran, kept, new)]) for tail, ran, kept in alike]
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
        shares = [_find_even_loads(active, problem.weights), _find_even_loads(copies, problem.weights)]
        possible = _is_possible(problem, *shares)
        prove(possible, f"rebalance {n + 1}: it is not shown that clients can have even shares")
        low, high = ([each for share in shares for each in share[side]] for side in (0, 1))
        return Step(into, able.__getitem__, uses, low, high)

    def totals(self, given: Sequence[Json]) -> dict[str, int]:
        """Return the sums of all rebalances by level."""
        found = dict.fromkeys(self.levels, 0)
        before: list[Place] = []
        for n, (known, own) in enumerate(zip(self.stages, given, strict=True)):
            path, names = f"assignments[{n}]", [*known.clients]
            held = tasks.read_placement(known, own["assignment"], f"{path}.assignment")
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
                    cost[MOVES] = _count_moves({old.active} & there, {*old.standby} & there, place)
                for level, value in cost.items():
                    found[level] += value
                now.append(place)
            fits = all(
                low <= load <= high for low, load, high in zip(step.low, loads, step.high, strict=True)
            )
            prove(fits, f"{path}: rebalance {n + 1} is less even than can be")
            before = now
        return found


def _list_places(names: Sequence[str], standbys: int) -> list[Place]:
    ways = len(names) * (1 + comb(max(len(names) - 1, 0), max(standbys, 0)))
    require(
        ways <= MOST_PLACES,
        f"over time: {len(names)} clients with {standbys} standbys are {ways} places. Give fewer, for at most {MOST_PLACES}",
    )
    places = []
    for active in names:
        places.append(Place(active, frozenset(), stateful=False))
        rest = combinations([name for name in names if name != active], standbys)
        places += [Place(active, frozenset(others), stateful=True) for others in rest]
    return places


def _count_moves(ran: set[str], kept: set[str], now: Place) -> int:
    """Count the copies of a task that find no state: the active one of a task that ran, and standbys of a task that had some."""
    standby = len(now.standby - ran - kept) if kept else 0
    return int(bool(ran) and now.active not in ran) + standby


def _find_even_loads(copies: int, weights: Sequence[int]) -> tuple[list[int], list[int]]:
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


def _is_possible(
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


Events: TypeAlias = tuple[str, int]
"""The kind of the events, and the number of members."""
KINDS = {
    "restart": "the first N leave and join again, one after the other",
    "bounce": "the first N leave before the first of them is back",
    "scale-out": "N join, one by one",
}
"""Kind of events -> description."""
MOST = 10_000
"""The most members that join."""


class Shape(NamedTuple):
    """The members of a kind of groups."""

    field: str
    held: Sequence[str]
    """The keys that a member loses when it leaves."""
    kept: Sequence[str] | None = None
    """The keys that a new member has in common with the one that it is like; None for all but those that are lost."""
    name: Callable[[int], str] = "joined-{:05}".format
    """The names of new members."""


SHAPES: Mapping[str, Shape] = {
    "partitions": Shape("members", ("owned", "generation"), ("topics", "rack")),
    "tasks": Shape("clients", ("active", "standby"), name=lambda n: str(UUID(int=2**124 + n))),
    "workers": Shape("workers", ("connectors", "tasks")),
}


def build_stages(kind: str, group: Json, events: Events, order: list[str] | None = None) -> list[Json]:
    """Return the group at each rebalance, its members in an order; raises WrongInputError if it is no group or has too few members."""
    field = SHAPES[kind].field
    require_form(group, {field: [{"id": str, OPEN: None}], OPEN: None}, "group")
    (what, number), members = events, {each["id"]: each for each in group[field]}
    ordered = [*members] if order is None else order
    require(len(members) == len(group[field]), f"group.{field}: two have one id. Rename one")
    prove(sorted(ordered) == sorted(members), f"order: is not one of the group's {field}")
    there = [members[name] for name in ordered]
    most = MOST if what == "scale-out" else len(there) - (what == "bounce" or len(there) == 1)
    fine = 1 <= number <= most and (there or kind == "workers")
    require(fine, f"{what}: {number} of {len(there)} {field}. Give as many as there can be")
    found = [there]
    for leaves, who in _list_events(kind, there, events):
        if leaves:
            found.append([each for each in found[-1] if each["id"] != who["id"]])
        else:
            static = who.get("instance_id")
            known = any(
                each["id"] == who["id"] or (static is not None and each.get("instance_id") == static)
                for each in found[-1]
            )
            found.append(found[-1] if known else [*found[-1], who])
    if kind == "workers" and what == "bounce":  # the others wait until all are back: one rebalance
        found = [found[0], found[-1]]
    return [{**group, field: members} for members in found]


def _list_events(kind: str, there: list[Json], events: Events) -> Iterator[tuple[bool, Json]]:
    """Yield for each event True if a member leaves, and the member that leaves or joins."""
    (what, number), shape = events, SHAPES[kind]
    known = {each["id"] for each in there}
    names = [each for n in range(number + len(known)) if (each := shape.name(n)) not in known][:number]
    if what == "scale-out":
        for n, name in enumerate(names):
            like = there[n % len(there)] if there else {}
            kept = [key for key in like if key not in shape.held] if shape.kept is None else shape.kept
            yield False, {key: like.get(key) for key in kept} | {"id": name}
        return
    gone = there[:number]
    # a worker comes back under another name
    back = names if kind == "workers" else [each["id"] for each in gone]
    again = [
        {key: of for key, of in each.items() if key not in shape.held} | {"id": name}
        for each, name in zip(gone, back, strict=True)
    ]
    if what == "restart":
        for leaving, joining in zip(gone, again, strict=True):
            yield True, leaving
            yield False, joining
    else:
        yield from ((True, leaving) for leaving in gone)
        yield from ((False, joining) for joining in again)


TOTAL = {"name": str, "least": int, "value": {None: int}, "proved": bool, OPEN: None}
CERTIFICATE = {"scale": int, "proofs": [PROVED], OPEN: None}
PART = {"question": str, "rebalances": int, "totals": [TOTAL], "certificate": CERTIFICATE, OPEN: None}
Verdict: TypeAlias = tuple[bool | None, str]
Totals: TypeAlias = Mapping[str, int]


def build_form(assignment: object, certificate: object = CERTIFICATE) -> Mapping[str, object]:
    """Return the form of an answer, given the form of its assignments."""
    each = {"assignment": assignment, "delay_ms?": int, OPEN: None}
    return PART | {"assignments": [each], "order?": [str], "certificate": certificate}


ANSWERS = {
    "partitions": build_form(partitions.ASSIGNMENT, CERTIFICATE | {"spread?": [SPREAD_AT_EACH]}),
    "tasks": build_form(tasks.ANSWER["assignment"]),
    "workers": build_form(workers.ANSWER["assignment"], {**dict.fromkeys(workers.KINDS, PART), OPEN: None}),
}
"""Kind of group -> the form of an answer over time."""


def verify(kind: str, group: Json, answer: Json, events: Events) -> Verdict:
    """Return True if all sums are proved to be the least, None if they are bounds, and a sentence.

    Raises NotProvedError if a statement is false, WrongInputError if it is no answer.
    """
    require(kind in ANSWERS, f"record: nothing is proved over time of {kind}. Give groups of another family")
    require_form(answer, ANSWERS[kind], "")
    there = build_stages(kind, group, events, answer.get("order"))
    given = answer["assignments"]
    if kind == "workers":
        return _verify_workers(there, answer, events)
    compare("assignments: their number", len(given), len(there) if given else 0)
    course: Tasks | Partitions
    if kind == "tasks":
        course = Tasks(answer["question"], there)
    else:
        spread = answer["certificate"].get("spread")
        asked = bool(given) and SPREAD in answer["question"].split(",")
        require(
            (spread is not None) is asked,
            f"certificate.spread: has no valid value. Give prices if, and only if, {SPREAD} is asked and there are assignments",
        )
        course = Partitions(answer["question"], there, spread)
    return _check_proofs(course.network, answer, len(there), course.totals(given) if given else None)


def _check_proofs(
    network: Network, stated: Json, rebalances: int, totals: Totals | None, path: str = ""
) -> Verdict:
    """Return what the proofs about a network prove; `totals` are the sums of the assignments, None if there are none."""
    compare(f"{path}rebalances", stated["rebalances"], rebalances)
    require(
        stated["certificate"]["scale"] == SCALE,
        f"{path}certificate.scale: has no valid value. Give prices in {SCALE}ths",
    )
    proofs = stated["certificate"]["proofs"]
    for n, each in enumerate(proofs):
        check_proof(network, each, f"{path}certificate.proofs[{n}]")
    if totals is None:
        bounds, levels = {tuple(each["weights"]): each["bound"] for each in proofs}, network.levels
        least = [max(0, bounds.get(tuple(int(one == other) for one in levels), 0)) for other in levels]
    else:
        whole = next((each for each in proofs if is_lexicographic(network, each["weights"])), None)
        prove(
            whole is not None, f"{path}certificate.proofs: none is by weights with which each level decides"
        )
        assert whole is not None
        # the bound of the weighted sum bounds each level up to the first that it does not prove; 0 bounds those after it
        bound, least, tight = whole["bound"], [], True
        for weight, level in zip(whole["weights"], network.levels, strict=True):
            least.append(max(0, bound // weight) if tight else 0)
            bound -= least[-1] * weight
            tight = tight and least[-1] == totals[level]
    found = []
    for level, floor in zip(network.levels, least, strict=True):
        value = None if totals is None else totals[level]
        found.append({"name": level, "least": floor, "value": value, "proved": value == floor})
    compare_rows(f"{path}totals", stated["totals"], TOTAL, found)
    said = ", ".join(
        f"{each['name']} {each['value']}" if each["proved"] else f"{each['name']} at least {each['least']}"
        for each in found
    )
    if all(each["proved"] for each in found):
        return True, f"proved: no sequence has less in {stated['question']}: {said}"
    return None, f"what it states holds, but it does not prove an optimum: {said}"


def _verify_workers(there: Sequence[Json], answer: Json, events: Events) -> Verdict:
    """Return what is proved of a cluster: of connectors and of tasks, each as a group; their sums add up."""
    asked = workers.read_question(answer["question"], ("balance,moves",))
    split = [workers.build_groups(cluster) for cluster in there]
    given = _without_waiting(there, answer["assignments"], events)
    values: dict[str, Totals] = {}
    said, proved = [], True
    for kind, part in ((kind, answer["certificate"][kind]) for kind in workers.KINDS):
        path = f"certificate.{kind}."
        compare(f"{path}question", part["question"], asked)
        course = Partitions(asked, [groups[kind] for groups in split])
        own = [
            {"assignment": workers.convert_to_partitions(cluster, each, kind)}
            for cluster, each in zip(there, given, strict=bool(given))
        ]
        totals = course.totals(own) if given else None
        values |= {} if totals is None else {kind: totals}
        holds, sentence = _check_proofs(course.network, part, len(there), totals, path)
        proved = proved and bool(holds)
        said.append(f"{kind}: {sentence.removeprefix('proved: ')}")
    summed = []
    for level, (of, kinds) in workers.LEVELS.items():
        parts = [
            each for kind in kinds for each in answer["certificate"][kind]["totals"] if each["name"] == of
        ]
        if len(parts) == len(kinds):
            value = sum(values[kind][of] for kind in kinds) if given else None
            least = sum(each["least"] for each in parts)
            summed.append({"name": level, "least": least, "value": value, "proved": value == least})
    compare("rebalances", answer["rebalances"], len(there))
    compare_rows("totals", answer["totals"], TOTAL, summed)
    return (True if proved else None), ("proved: " if proved else "") + "; ".join(said)


def _without_waiting(there: Sequence[Json], given: Json, events: Events) -> list[Json]:
    """Return the assignments without the one of a bounce while workers are away; the others must keep what they run."""
    answers = [each["assignment"] for each in given]
    if events[0] == "bounce" and given:
        compare("assignments: their number", len(given), 3)
        names = {worker["id"] for worker in there[1]["workers"]}
        stay = {name: work for name, work in workers.sort_items(answers[0]).items() if name in names}
        waits = given[1].get("delay_ms", 0) > 0 and workers.sort_items(answers.pop(1)) == stay
        prove(waits, "assignments[1]: the others do not keep what they run, and wait")
    elif given:
        compare("assignments: their number", len(given), len(there))
    return answers
