"""The way to a target: tasks stay on clients that are caught up, and warm up where they are to be (KIP-441).

A copy of the target is cold where its client is not caught up. Another client that is caught up stands in for it, if there is
one, until then. Cold copies for which nobody stands in are given at once, the others as warm-ups, as many as there may be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kassay.model.tasks import Application, Given, TaskAssignment, TaskId
from kassay.optimal.streams.target import Target
from kassay.oracles.tasks.encoding import NOBODY
from kassay.properties.tasks.lags import caught_up


@dataclass(frozen=True, slots=True)
class Interim:
    """Where the copies of a task are for the time being, and where they are to warm up; clients by number.

    `target` is where it is to be active, `settled` whether all of its copies are where they are to be.
    """

    task: TaskId
    target: int
    active: int
    standbys: tuple[int, ...]
    warming: tuple[int, ...]
    settled: bool


def warming(found: Target) -> TaskAssignment:
    """Return the target, or where tasks would have to restore first what leads there, and a probing rebalance."""
    application = found.application
    owners = [] if found.judged is None else found.judged.owners.tolist()
    stateful = {task.id for task in application.tasks if task.stateful}
    copies = [
        _interim(application, task, [c for c in row if c != NOBODY], stateful=task in stateful)
        for task, row in zip(found.case.tasks, owners, strict=True)
    ]
    return TaskAssignment(
        _given(application, copies, _warm_ups(application, copies)),
        probing=not all(each.settled for each in copies),
    )


def _interim(application: Application, task: TaskId, target: Sequence[int], *, stateful: bool) -> Interim:
    """Return a task's copies; `target` has the client of its active copy first."""
    active, *standbys = target
    clients, settings = application.clients, application.settings
    if not stateful or all(caught_up(settings, clients[c].lags[task]) for c in target):
        return Interim(task, active, active, tuple(standbys), (), settled=True)
    ready = [c for c, client in enumerate(clients) if caught_up(settings, client.lags[task])]

    def rank(c: int) -> tuple[bool, ...]:
        client = clients[c]
        return c != active, task not in client.active, c not in target, task not in client.standby

    runs = min(ready or _nearest(application, task), key=rank)
    cold = [c for c in target if c not in ready and c != runs]
    others = sorted(set(ready).difference(target, [runs]), key=rank)
    stand_ins = [*([] if runs in target else [runs]), *others][: len(cold)]
    at_once = len(cold) - len(stand_ins)
    held = [c for c in target if c in ready] + stand_ins + cold[:at_once]
    return Interim(
        task, active, runs, tuple(c for c in held if c != runs), tuple(cold[at_once:]),
        settled=runs == active and not stand_ins,
    )  # fmt: skip


def _nearest(application: Application, task: TaskId) -> list[int]:
    """Return the clients that have the least to restore, as far as lags are known; all where none is."""
    lags = [client.lags[task] for client in application.clients]
    least = min((lag for lag in lags if lag >= 0), default=None)
    return [c for c, lag in enumerate(lags) if lag == least or least is None]


def _warm_ups(application: Application, copies: Sequence[Interim]) -> set[tuple[TaskId, int]]:
    """Return the warm-ups that there may be: first those of tasks that are to be active there."""
    waiting = sorted((c != each.target, each.task, c) for each in copies for c in each.warming)
    return {(task, c) for _, task, c in waiting[: application.settings.max_warmup_replicas]}


def _given(
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
