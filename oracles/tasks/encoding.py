"""From an application to copies in roles, and from owners back to an assignment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kassay.model.tasks import Application, Given, TaskAssignment, TaskId
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.own_levels import SPREAD
from kassay.oracles.assignment.problem import starts
from kassay.oracles.assignment.roles.problem import RoleProblem
from kassay.oracles.failures import ImpossibleError
from kassay.oracles.tasks.costs import held as cost_of_holders
from kassay.oracles.tasks.costs import holders, traffic
from kassay.oracles.tasks.levels import HELD
from kassay.oracles.tasks.levels.level import Holders
from kassay.oracles.tasks.question import ACTIVES, COUNTS, SUBTOPOLOGIES, Question
from kassay.properties.tasks.invariants.loads import configured_tags

UNKNOWN, NOBODY = -1, -1
"""A zone that is not known, and what stands in the owners for a standby that a task has not."""


@dataclass(frozen=True, slots=True)
class Case:
    """A problem and what its numbers stand for: items are tasks, members clients, classes subtopologies."""

    problem: RoleProblem
    tasks: tuple[TaskId, ...]
    clients: tuple[str, ...]
    subtopologies: tuple[int, ...]


def encoded(application: Application, asked: Question, given: TaskAssignment | None = None) -> Case:
    """Return an application as a problem; `given` is the answer that contracts refer to, complete and legal.

    Raises ImpossibleError where there are tasks but no clients.
    """
    tasks, clients = application.tasks, application.clients
    if tasks and not clients:
        raise ImpossibleError(f"clients: there are none for {len(tasks)} tasks; list one at least")
    racks = dict.fromkeys(client.rack for client in clients if client.rack)
    place = {rack: n for n, rack in enumerate(racks)}
    profile_of, levels = traffic(application, list(racks), asked.levels)
    claims = {Holders(): 0}
    claim_of = [claims.setdefault(of, len(claims)) for of in holders(application, asked.levels, given)]
    standbys = min(application.settings.num_standby_replicas, len(clients) - 1)
    levels += [cost_of_holders(level, list(claims), standbys) for level in asked.levels if level in HELD]
    names = {name: n for n, name in enumerate(sorted({task.id.subtopology for task in tasks}))}
    problem = RoleProblem(
        np.array([place.get(client.rack or "", len(racks)) for client in clients], np.int64),
        np.array([client.threads for client in clients], np.int64),
        _zones(application) if SPREAD in asked.levels else np.empty((0, len(clients)), np.int64),
        profile_of,
        np.array([standbys * task.stateful for task in tasks], np.int64),
        tuple(levels),
        np.array(claim_of, np.int64),
        starts(np.array([len(of.every) for of in claims])),
        np.array([c for of in claims for c in of.every], np.int64),
        np.array([names[task.id.subtopology] for task in tasks], np.int64),
    )
    case = Case(problem, tuple(t.id for t in tasks), tuple(c.id for c in clients), tuple(names))
    return replace(case, problem=_contracted(case, asked, given))


def _contracted(case: Case, asked: Question, given: TaskAssignment | None) -> RoleProblem:
    problem = case.problem
    if given is not None:
        owners = owners_of(case, given)
        assert owners is not None, "contracts refer to complete and legal answers"
        if COUNTS in asked.contracts:
            active, copies = (
                np.bincount(held[held != NOBODY], minlength=problem.members)
                for held in (owners[:, 0], owners)
            )
            problem = replace(problem, active_loads=active, loads=copies)
        if ACTIVES in asked.contracts:
            problem = replace(problem, active_at=owners[:, 0].copy())
    return replace(problem, caps=shares(problem)) if SUBTOPOLOGIES in asked.contracts else problem


def shares(problem: RoleProblem) -> Ints:
    """Return the caps that give each client its share of each subtopology, rounded down and up (KIP-925, 4.B.II).

    The share is that of its active tasks where these are fixed, else that of its threads; reckoned in whole numbers.
    In floating-point numbers, as Kafka does, a share is rounded up too far now and then.
    """
    share = problem.slots if problem.active_loads is None else problem.active_loads
    whole = max(1, int(share.sum()))
    rows = [
        (j, c, size * own // whole, -(-size * own // whole))
        for j, size in enumerate(np.bincount(problem.classes).tolist())
        for c, own in enumerate(share.tolist())
    ]
    return np.array(rows, np.int64).reshape(-1, 4)


def _zones(application: Application) -> Ints:
    """Return the zone of each client by each tag in rack.aware.assignment.tags, by racks where no tags are configured."""
    tags, clients = application.settings.rack_aware_assignment_tags, application.clients
    values = configured_tags(application)
    columns = [[values[client.id].get(tag) for client in clients] for tag in tags]
    columns = columns or [[client.rack or None for client in clients]]
    rows = []
    for column in columns:
        places = {
            value: n for n, value in enumerate(dict.fromkeys(each for each in column if each is not None))
        }
        rows.append([UNKNOWN if value is None else places[value] for value in column])
    return np.array(rows, np.int64).reshape(len(columns), len(clients))


def owners_of(case: Case, given: TaskAssignment) -> Ints | None:
    """Return the owners in an answer; None where it does not give each task to one client, with all its standbys on others.

    An answer that a probing rebalance follows is provisional, and has none.
    """
    standbys = case.problem.standbys.tolist()
    held = holders_of(case.tasks, case.clients, standbys, given)
    if held is None:
        return None
    width = 1 + max(standbys, default=0)
    return np.array([each + [NOBODY] * (width - len(each)) for each in held], np.int64).reshape(-1, width)


def holders_of(
    tasks: Sequence[TaskId], clients: Sequence[str], standbys: Sequence[int], given: TaskAssignment
) -> list[list[int]] | None:
    """Return the places of each task's clients, the active one first, where there are so many standbys; None as :func:`owners_of`."""
    if given.probing or not given.clients.keys() <= set(clients):
        return None
    place = {task: n for n, task in enumerate(tasks)}
    held: list[list[int]] = [[] for _ in tasks]
    for role in (0, 1):
        for c, name in enumerate(clients):
            for task in given.clients.get(name, ((), ()))[role]:
                if task not in place or c in held[place[task]]:
                    return None
                held[place[task]].append(c)
        if any(len(each) != 1 + role * n for each, n in zip(held, standbys, strict=True)):
            return None
    return held


def answer_of(case: Case, owners: Ints) -> TaskAssignment:
    """Return what the owners make: every client with its active tasks and its standbys, in ascending order."""
    given: tuple[list[list[TaskId]], ...] = [[] for _ in case.clients], [[] for _ in case.clients]
    for task, row in sorted(zip(case.tasks, owners.tolist(), strict=True)):
        for n, c in enumerate(row):
            if c != NOBODY:
                given[n > 0][c].append(task)
    return TaskAssignment(
        {
            name: Given(tuple(active), tuple(standby))
            for name, active, standby in zip(case.clients, *given, strict=True)
        },
        probing=False,
    )
