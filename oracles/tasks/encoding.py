"""Applications as problems of the core: copies in roles with their costs; and owners of copies as assignments.

Costs are columns: reads across racks by profile and rack, moves and restoring by previous holders.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from kassay.model.tasks import Application, Given, Racks, Task, TaskAssignment, TaskId
from kassay.oracles.assignment.active_standby.problem import RoleLevel, RoleProblem
from kassay.oracles.assignment.own_levels import SPREAD, SUBTOPOLOGY_SPREAD
from kassay.oracles.assignment.problem import Ints, list_starts
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.tasks.levels import HELD, LEVELS, NO_CLIENT, Holders, has_standby_costs
from kassay.oracles.tasks.question import ACTIVES, COUNTS, SUBTOPOLOGIES, Question
from kassay.properties.tasks.measures import Read, changelogs, configured_tags, inputs
from kassay.properties.tasks.rounds import NOTHING, is_caught_up

READS = {name: level.reads for name, level in LEVELS.items() if any(level.reads)}
"""Level -> whether it counts the reads across racks of active tasks, and of standbys."""


def _build_reads(
    application: Application, racks: Sequence[str], asked: Sequence[str]
) -> tuple[Ints, list[RoleLevel]]:
    """Return each task's profile, and the levels of reads across racks; the last column is for no rack."""
    reads = {level: READS[level] for level in asked if level in READS}
    none = (0,) * (len(racks) + 1)
    far = [
        _build_read_counter(application, read, racks)
        if any(of[role] for of in reads.values())
        else lambda _: none
        for role, read in enumerate((inputs, changelogs))
    ]
    rows: dict[tuple[tuple[int, ...], ...], int] = {}
    profile_of = [
        rows.setdefault((far[0](task), far[1](task) if task.stateful else none), len(rows))
        for task in application.tasks
    ]
    table = np.array([*rows], np.int64).reshape(len(rows), 2, len(none))
    tables = [np.ascontiguousarray(table[:, role]) for role in (0, 1)]
    found = [
        RoleLevel(level, *(of if counts else None for of, counts in zip(tables, counted, strict=True)))
        for level, counted in reads.items()
    ]
    return np.array(profile_of, np.int64), found


def _build_read_counter(
    application: Application, read: Read, racks: Sequence[str]
) -> Callable[[Task], tuple[int, ...]]:
    """Return a function that counts, for each rack and for no rack, the partitions of a task without a replica there."""
    known = application.racks(read)

    @cache
    def row(partitions: Racks) -> tuple[int, ...]:
        near = [some for each in partitions if (some := {rack for rack in each if rack is not None})]
        return (*(sum(rack not in each for each in near) for rack in racks), 0)

    return lambda task: row(known[task.id])


def _find_holders(
    application: Application, asked: Sequence[str], given: TaskAssignment | None
) -> list[Holders]:
    """Return the holders of each task, as far as an asked level looks at them."""
    nothing: dict[TaskId, frozenset[int]] = {}
    ran = kept = active = standby = nothing
    looks = {HELD[level].looks for level in asked if level in HELD}
    if "had" in looks:
        ran = _collect_clients(client.active for client in application.clients)
        kept = _collect_clients(client.standby for client in application.clients)
    if "given" in looks and given is not None:
        active, standby = (
            _collect_clients(given.clients.get(client.id, NOTHING)[role] for client in application.clients)
            for role in (0, 1)
        )
    found = []
    for task in application.tasks:
        ready = None
        if task.stateful and "ready" in looks:
            lags = enumerate(client.lags[task.id] for client in application.clients)
            ready = frozenset(c for c, lag in lags if is_caught_up(application.settings, lag))
        standbys = kept.get(task.id, NO_CLIENT) if task.stateful else NO_CLIENT
        now = (held.get(task.id, NO_CLIENT) for held in (active, standby))
        found.append(Holders(ran.get(task.id, NO_CLIENT), standbys, ready, *now))
    return found


def _collect_clients(held: Iterable[Sequence[TaskId]]) -> dict[TaskId, frozenset[int]]:
    """Return the clients of each task, given the tasks of each client."""
    found: dict[TaskId, set[int]] = {}
    for c, tasks in enumerate(held):
        for task in tasks:
            found.setdefault(task, set()).add(c)
    return {task: frozenset(some) for task, some in found.items()}


MANY = 10**6
"""The most pairs of a subtopology and a client with their own prices."""
UNKNOWN, NOBODY = -1, -1
"""An unknown zone, and the owner of a missing standby."""


@dataclass(frozen=True, slots=True)
class Case:
    """A problem with the names of its items (tasks), members (clients) and classes (subtopologies)."""

    problem: RoleProblem
    tasks: tuple[TaskId, ...]
    clients: tuple[str, ...]
    subtopologies: tuple[int, ...]


def encode_application(
    application: Application, asked: Question, given: TaskAssignment | None = None
) -> Case:
    """Return an application as a problem; `given` is the answer that contracts refer to, complete and legal.

    Raises ImpossibleError if there are tasks but no clients, or if levels cannot be asked together.
    """
    tasks, clients = application.tasks, application.clients
    if tasks and not clients:
        raise ImpossibleError(
            f"clients: is empty, but there are {len(tasks)} tasks. List one client at least"
        )
    racks = dict.fromkeys(client.rack for client in clients if client.rack)
    place = {rack: n for n, rack in enumerate(racks)}
    profile_of, levels = _build_reads(application, list(racks), asked.levels)
    claims = {Holders(): 0}
    claim_of = [claims.setdefault(of, len(claims)) for of in _find_holders(application, asked.levels, given)]
    standbys = min(application.settings.num_standby_replicas, len(clients) - 1)
    _refuse_with_spread(asked, any(task.stateful for task in tasks) and standbys > 0)
    for level in asked.levels:
        if level in HELD:
            loss = np.array([HELD[level].loss(each, standbys) for each in claims], np.int64)
            active, standby = (
                None
                if there is None
                else np.array([there(each, c) for each in claims for c in each.every], np.int64)
                for there in (HELD[level].active, HELD[level].standby)
            )
            levels.append(RoleLevel(level, None, None, loss, active, standby))
    names = {name: n for n, name in enumerate(sorted({task.id.subtopology for task in tasks}))}
    problem = RoleProblem(
        np.array([place.get(client.rack or "", len(racks)) for client in clients], np.int64),
        np.array([client.threads for client in clients], np.int64),
        _find_zones(application) if SPREAD in asked.levels else np.empty((0, len(clients)), np.int64),
        profile_of,
        np.array([standbys * task.stateful for task in tasks], np.int64),
        tuple(levels),
        np.array(claim_of, np.int64),
        list_starts(np.array([len(of.every) for of in claims])),
        np.array([c for of in claims for c in of.every], np.int64),
        np.array([names[task.id.subtopology] for task in tasks], np.int64),
    )
    case = Case(problem, tuple(t.id for t in tasks), tuple(c.id for c in clients), tuple(names))
    return replace(case, problem=_apply_contracts(case, asked, given))


def _refuse_with_spread(asked: Question, standbys: bool) -> None:
    """Refuse contracts with the spread of subtopologies and, if there are standbys, levels that look at them."""
    if SUBTOPOLOGY_SPREAD not in asked.levels:
        return
    if asked.contracts:
        raise ImpossibleError(
            f"question: {SUBTOPOLOGY_SPREAD!r} is asked without a contract. Leave {min(asked.contracts)!r} out"
        )
    look = [level for level in asked.levels if level == SPREAD or (standbys and has_standby_costs(level))]
    if look:
        raise ImpossibleError(
            f"question: {SUBTOPOLOGY_SPREAD!r} is asked of active tasks alone, but {look[0]!r} looks at standbys. Leave one of the two out"
        )


def _apply_contracts(case: Case, asked: Question, given: TaskAssignment | None) -> RoleProblem:
    problem = case.problem
    if given is not None:
        owners = encode_owners(case, given)
        assert owners is not None, "contracts refer to complete and legal answers"
        if COUNTS in asked.contracts:
            active, copies = (
                np.bincount(held[held != NOBODY], minlength=problem.members)
                for held in (owners[:, 0], owners)
            )
            problem = replace(problem, active_loads=active, loads=copies)
        if ACTIVES in asked.contracts:
            problem = replace(problem, active_at=owners[:, 0].copy())
    if SUBTOPOLOGY_SPREAD in asked.levels:
        return replace(problem, caps=build_place_caps(problem))
    return replace(problem, caps=build_share_caps(problem)) if SUBTOPOLOGIES in asked.contracts else problem


def build_place_caps(problem: RoleProblem) -> Ints:
    """Return caps that forbid nothing: all tasks of each subtopology on each client. The squares of places have prices, as caps have."""
    sizes = np.bincount(problem.classes)
    if len(sizes) * problem.members > MANY:
        raise TooLargeError(
            f"{SUBTOPOLOGY_SPREAD}: {len(sizes) * problem.members:,} pairs of a subtopology and a client are too many. At most {MANY:,} are looked at"
        )
    part, member = np.divmod(np.arange(len(sizes) * problem.members), problem.members)
    return np.column_stack([part, member, np.zeros_like(part), sizes[part]])


def build_share_caps(problem: RoleProblem) -> Ints:
    """Return the caps that give each client its share of each subtopology, rounded down and up (KIP-925, 4.B.II).

    The share is in proportion to its active tasks if these are fixed, else to its threads. Whole numbers are used, as Kafka's
    floating-point numbers sometimes round a share up too far.
    """
    share = problem.slots if problem.active_loads is None else problem.active_loads
    whole = max(1, int(share.sum()))
    rows = [
        (j, c, size * own // whole, -(-size * own // whole))
        for j, size in enumerate(np.bincount(problem.classes).tolist())
        for c, own in enumerate(share.tolist())
    ]
    return np.array(rows, np.int64).reshape(-1, 4)


def _find_zones(application: Application) -> Ints:
    """Return the zone of each client by each tag in rack.aware.assignment.tags, or by racks if no tags are configured."""
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


def encode_owners(case: Case, given: TaskAssignment) -> Ints | None:
    """Return the owners in an answer; None if it does not give each task to one client, with all its standbys on others.

    An answer that a probing rebalance follows is provisional, and has no owners.
    """
    standbys = case.problem.standbys.tolist()
    held = find_holders(case.tasks, case.clients, standbys, given)
    if held is None:
        return None
    width = 1 + max(standbys, default=0)
    return np.array([each + [NOBODY] * (width - len(each)) for each in held], np.int64).reshape(-1, width)


def find_holders(
    tasks: Sequence[TaskId], clients: Sequence[str], standbys: Sequence[int], given: TaskAssignment
) -> list[list[int]] | None:
    """Return the places of each task's clients, the active one first, given the standbys of each task; None as :func:`encode_owners`."""
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


def decode_answer(case: Case, owners: Ints) -> TaskAssignment:
    """Return the owners as an assignment: every client with its active tasks and its standbys, in ascending order."""
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
