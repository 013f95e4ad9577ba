"""The target of an application: its certified optimum, the same one in any order of its lists, and the way to it.

Of several optimal placements, the order of clients and tasks decides: clients by Java's order of their ids, tasks by
subtopology and partition. If every subtopology is to be shared, loads come first, then the shares of them (KIP-925, 4.B.II).

On the way to a target, tasks stay on clients that are caught up, and warm up on their new clients (KIP-441).
A copy of the target is cold if its client is not caught up. Until then another client that is caught up replaces it, if there is
one. Cold copies without such a replacement are assigned at once, the others as warm-ups, up to max.warmup.replicas.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heapify, heapreplace

import numpy as np

from kassay.model import AssignorError
from kassay.model.tasks import Application, Client, Given, TaskAssignment, TaskId
from kassay.oracles.assignment.active_standby.problem import RoleProblem
from kassay.oracles.assignment.own_levels import BALANCE, SPREAD, TOTAL_BALANCE
from kassay.oracles.errors import OracleError
from kassay.oracles.tasks.encoding import NOBODY, Case, build_share_caps, encode_application
from kassay.oracles.tasks.levels import COLD, JOINT, MOVES
from kassay.oracles.tasks.optima import is_large
from kassay.oracles.tasks.optimum import Judged, find_best
from kassay.oracles.tasks.question import Question
from kassay.properties.tasks.rounds import is_caught_up

HISTORY = (COLD, MOVES.name)
"""The objectives that depend on previous tasks; large applications with standbys are placed without them."""


@dataclass(frozen=True, slots=True)
class Target:
    """An application in its canonical order, its problem, and the placement that its certificate proves optimal.

    `judged` is None if there are no tasks.
    """

    application: Application
    asked: Question
    case: Case
    judged: Judged | None


def find_target(application: Application, time_limit_s: float | None = None) -> Target:
    """Return the proved optimal placement.

    Raises AssignorError if no placement is proved optimal, within `time_limit_s` seconds if that is not None.
    """
    deadline = math.inf if time_limit_s is None else time.monotonic() + time_limit_s
    listed = normalize(application)
    try:
        asked, case = _encode(listed)
        judged = find_best(case, asked, deadline) if case.tasks else None
    except OracleError as failure:
        raise AssignorError(f"no optimum is proved: {failure}") from failure
    if judged is not None and not judged.proved:
        raise AssignorError(
            f"no optimum is proved: the certificate proves {judged.least}, found is {judged.worth}"
        )
    return Target(listed, asked, case, judged)


def normalize(application: Application) -> Application:
    """Return an application without everything that must not matter.

    That is the order of its lists, a common factor of all thread counts, and racks if no strategy is set.
    """
    common = math.gcd(*(client.threads for client in application.clients))
    racks = application.settings.rack_aware_assignment_strategy != "none"

    def alone(client: Client) -> Client:
        return replace(client, threads=client.threads // common, rack=client.rack if racks else None)

    return replace(
        application,
        tasks=tuple(sorted(application.tasks, key=lambda task: task.id)),
        clients=tuple(map(alone, sorted(application.clients, key=lambda client: client.order))),
    )


def choose_objectives(application: Application) -> Question:
    """Return the objectives in their order; docs/explanation/tasks.md explains it."""
    settings = application.settings
    standbys = settings.num_standby_replicas > 0 and any(task.stateful for task in application.tasks)
    tags, racks = settings.rack_aware_assignment_tags, settings.rack_aware_assignment_strategy != "none"
    wanted = (
        (BALANCE, True),
        (SPREAD, standbys and bool(tags)),
        (TOTAL_BALANCE, True),
        (JOINT.name, racks),
        (SPREAD, standbys and racks and not tags),
    )
    return Question((*(level for level, here in wanted if here), *HISTORY))


def _encode(application: Application) -> tuple[Question, Case]:
    asked = choose_objectives(application)
    case = encode_application(application, asked)
    if is_large(case):
        asked = Question(tuple(level for level in asked.levels if level not in HISTORY))
        case = encode_application(application, asked)
    if application.settings.rack_aware_assignment_strategy == "balance_subtopology":
        case = replace(case, problem=fix_counts(case.problem))
    return asked, case


def fix_counts(problem: RoleProblem) -> RoleProblem:
    """Return the problem with a fixed count of active tasks for each client, and its share of each subtopology."""
    counts = np.array(compute_even_counts(problem.items, problem.slots.tolist()), np.int64)
    problem = replace(problem, active_loads=counts)
    return replace(problem, caps=build_share_caps(problem))


def compute_even_counts(items: int, slots: Sequence[int]) -> list[int]:
    """Return the counts that minimise the sum of squared counts divided by slots; of equal members the first get more.

    These loads are also the most even ones per slot: the next item of a member costs less while its slots hold fewer items.
    """
    counts = [0] * len(slots)
    next_ = [(Fraction(1, k), m) for m, k in enumerate(slots)]
    heapify(next_)
    for _ in range(items if counts else 0):
        _, m = next_[0]
        counts[m] += 1
        heapreplace(next_, (Fraction(2 * counts[m] + 1, slots[m]), m))
    return counts


@dataclass(frozen=True, slots=True)
class Interim:
    """The interim clients of the copies of a task, and the clients on which they warm up. Clients are numbers."""

    task: TaskId
    target: int
    """The client on which it will be active."""
    active: int
    standbys: tuple[int, ...]
    warming: tuple[int, ...]
    settled: bool
    """True if all copies are on their final clients."""


def assign_interim(found: Target) -> TaskAssignment:
    """Return the target; if tasks have to restore state first, an interim assignment that asks for a probing rebalance."""
    application = found.application
    owners = [] if found.judged is None else found.judged.owners.tolist()
    stateful = {task.id for task in application.tasks if task.stateful}
    copies = [
        _place_interim(application, task, [c for c in row if c != NOBODY], stateful=task in stateful)
        for task, row in zip(found.case.tasks, owners, strict=True)
    ]
    # Warm-ups of active copies come first; max.warmup.replicas limits their number.
    waiting = sorted((c != each.target, each.task, c) for each in copies for c in each.warming)
    warm_ups = {(task, c) for _, task, c in waiting[: application.settings.max_warmup_replicas]}
    return TaskAssignment(
        _list_tasks(application, copies, warm_ups), probing=not all(each.settled for each in copies)
    )


def _place_interim(
    application: Application, task: TaskId, target: Sequence[int], *, stateful: bool
) -> Interim:
    """Return the copies of a task; the first client of `target` has the active copy."""
    active, *standbys = target
    clients, settings = application.clients, application.settings
    if not stateful or all(is_caught_up(settings, clients[c].lags[task]) for c in target):
        return Interim(task, active, active, tuple(standbys), (), settled=True)
    ready = [c for c, client in enumerate(clients) if is_caught_up(settings, client.lags[task])]

    def rank(c: int) -> tuple[bool, ...]:
        client = clients[c]
        return c != active, task not in client.active, c not in target, task not in client.standby

    # If no client is caught up, take the clients with the smallest known lag, or all if no lag is known.
    lags = [client.lags[task] for client in clients]
    least = min((lag for lag in lags if lag >= 0), default=None)
    nearest = ready or [c for c, lag in enumerate(lags) if lag == least or least is None]
    runs = min(nearest, key=rank)
    cold = [c for c in target if c not in ready and c != runs]
    others = sorted(set(ready).difference(target, [runs]), key=rank)
    stand_ins = [*([] if runs in target else [runs]), *others][: len(cold)]
    at_once = len(cold) - len(stand_ins)
    held = [c for c in target if c in ready] + stand_ins + cold[:at_once]
    return Interim(
        task, active, runs, tuple(c for c in held if c != runs), tuple(cold[at_once:]),
        settled=runs == active and not stand_ins,
    )  # fmt: skip


def _list_tasks(
    application: Application, copies: Sequence[Interim], warm_ups: set[tuple[TaskId, int]]
) -> dict[str, Given]:
    active: list[list[TaskId]] = [[] for _ in application.clients]
    standby: list[list[TaskId]] = [[] for _ in application.clients]
    for each in copies:
        active[each.active].append(each.task)
        for c in each.standbys:
            standby[c].append(each.task)
    for task, c in warm_ups:
        standby[c].append(task)
    return {
        client.id: Given(tuple(sorted(runs)), tuple(sorted(keeps)))
        for client, runs, keeps in zip(application.clients, active, standby, strict=True)
    }
