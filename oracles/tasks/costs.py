"""What copies cost, as columns: partitions read across racks by profile and rack, moves and restoring by who had what."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np

from kassay.model.tasks import Application, Racks, Task, TaskAssignment, TaskId
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.problem import RoleLevel
from kassay.oracles.tasks.levels import HELD, LEVELS
from kassay.oracles.tasks.levels.level import NOBODY, Holders
from kassay.properties.tasks.lags import caught_up
from kassay.properties.tasks.racks import Read, changelogs, inputs
from kassay.properties.tasks.rounds import NOTHING

READS = {name: level.reads for name, level in LEVELS.items() if any(level.reads)}
"""Level -> whether it counts what active tasks, and what standbys, read across racks."""


def traffic(
    application: Application, racks: Sequence[str], asked: Sequence[str]
) -> tuple[Ints, list[RoleLevel]]:
    """Return each task's profile, and the asked levels of what is read across racks; the last column is for no rack."""
    reads = {level: READS[level] for level in asked if level in READS}
    none = (0,) * (len(racks) + 1)
    far = [
        _far(application, read, racks) if any(of[role] for of in reads.values()) else lambda _: none
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


def _far(application: Application, read: Read, racks: Sequence[str]) -> Callable[[Task], tuple[int, ...]]:
    """Return what counts, for each rack and for no rack, the partitions of a task that have no replica there."""
    known = application.racks(read)

    @cache
    def row(partitions: Racks) -> tuple[int, ...]:
        near = [some for each in partitions if (some := {rack for rack in each if rack is not None})]
        return (*(sum(rack not in each for each in near) for rack in racks), 0)

    return lambda task: row(known[task.id])


def holders(application: Application, asked: Sequence[str], given: TaskAssignment | None) -> list[Holders]:
    """Return who had what of each task, as far as an asked level looks at it."""
    nothing: dict[TaskId, frozenset[int]] = {}
    ran = kept = active = standby = nothing
    looks = {HELD[level].looks for level in asked if level in HELD}
    if "had" in looks:
        ran = _on(client.active for client in application.clients)
        kept = _on(client.standby for client in application.clients)
    if "given" in looks and given is not None:
        active, standby = (
            _on(given.clients.get(client.id, NOTHING)[role] for client in application.clients)
            for role in (0, 1)
        )
    found = []
    for task in application.tasks:
        ready = None
        if task.stateful and "ready" in looks:
            lags = enumerate(client.lags[task.id] for client in application.clients)
            ready = frozenset(c for c, lag in lags if caught_up(application.settings, lag))
        standbys = kept.get(task.id, NOBODY) if task.stateful else NOBODY
        now = (held.get(task.id, NOBODY) for held in (active, standby))
        found.append(Holders(ran.get(task.id, NOBODY), standbys, ready, *now))
    return found


def _on(held: Iterable[Sequence[TaskId]]) -> dict[TaskId, frozenset[int]]:
    found: dict[TaskId, set[int]] = {}
    for c, tasks in enumerate(held):
        for task in tasks:
            found.setdefault(task, set()).add(c)
    return {task: frozenset(some) for task, some in found.items()}


def held(level: str, claims: Sequence[Holders], standbys: int) -> RoleLevel:
    """Return what a level costs by who had what of each task, given how many standbys there are."""
    of = HELD[level]
    loss = np.array([of.loss(each, standbys) for each in claims], np.int64)
    active, standby = (
        None if there is None else np.array([there(each, c) for each in claims for c in each.every], np.int64)
        for there in (of.active, of.standby)
    )
    return RoleLevel(level, None, None, loss, active, standby)
