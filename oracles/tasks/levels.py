"""What copies cost, as columns: partitions read across racks by profile and rack, moves and restoring by who had what."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from kassay.model.tasks import Application, Racks, Task, TaskAssignment, TaskId
from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.problem import RoleLevel
from kassay.oracles.tasks.question import COLD, NEAREST
from kassay.properties.tasks.lags import caught_up
from kassay.properties.tasks.racks import Read, changelogs, inputs
from kassay.properties.tasks.rounds import NOTHING

READ: Mapping[str, tuple[bool, bool]] = {
    "active": (True, False),
    "standby": (False, True),
    "joint": (True, True),
}
"""Level -> whether it counts what active tasks, and what standbys, read across racks (KIP-925)."""
NOBODY: frozenset[int] = frozenset()


class Holders(NamedTuple):
    """The clients that ran a task, that had a standby of it, and that are caught up on it; `ready` is None where no state is kept.

    `active` and `standby` are those that have it in an answer that is given.
    """

    ran: frozenset[int] = NOBODY
    kept: frozenset[int] = NOBODY
    ready: frozenset[int] | None = None
    active: frozenset[int] = NOBODY
    standby: frozenset[int] = NOBODY

    @property
    def every(self) -> tuple[int, ...]:
        """All of them, in ascending order."""
        return tuple(sorted(self.ran | self.kept | (self.ready or NOBODY) | self.active | self.standby))


def traffic(
    application: Application, racks: Sequence[str], asked: Sequence[str]
) -> tuple[Ints, list[RoleLevel]]:
    """Return each task's profile, and the asked levels of what is read across racks; the last column is for no rack."""
    levels = [level for level in asked if level in READ]
    none = (0,) * (len(racks) + 1)
    far = [
        _far(application, read, racks) if any(READ[level][role] for level in levels) else lambda _: none
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
        RoleLevel(level, *(of if counts else None for of, counts in zip(tables, READ[level], strict=True)))
        for level in levels
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
    if "moves" in asked:
        ran = _on(client.active for client in application.clients)
        kept = _on(client.standby for client in application.clients)
    if NEAREST in asked and given is not None:
        active, standby = (
            _on(given.clients.get(client.id, NOTHING)[role] for client in application.clients)
            for role in (0, 1)
        )
    found = []
    for task in application.tasks:
        ready = None
        if task.stateful and ("restore" in asked or COLD in asked):
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


def moves(claims: Sequence[Holders], standbys: int) -> RoleLevel:
    """Return the copies that were not before: an active task that was active, but not here; a standby that finds nothing.

    Standbys of a task that had none are no moves. Source: :mod:`kassay.properties.tasks.measures`.
    """
    active = [c in of.ran for of in claims for c in of.every]
    standby = [bool(of.kept) and c in of.ran | of.kept for of in claims for c in of.every]
    loss = [bool(of.ran) + standbys * bool(of.kept) for of in claims]
    return RoleLevel("moves", None, None, *(np.array(column, np.int64) for column in (loss, active, standby)))


def restore(claims: Sequence[Holders], _standbys: int) -> RoleLevel:
    """Return the tasks with state that are active where they are not caught up."""
    ready = [of.ready is not None and c in of.ready for of in claims for c in of.every]
    loss = [of.ready is not None for of in claims]
    return RoleLevel("restore", None, None, np.array(loss, np.int64), np.array(ready, np.int64))


def cold(claims: Sequence[Holders], standbys: int) -> RoleLevel:
    """Return the copies of tasks with state, active or standby, where they are not caught up."""
    ready = np.array([of.ready is not None and c in of.ready for of in claims for c in of.every], np.int64)
    loss = [(1 + standbys) * (of.ready is not None) for of in claims]
    return RoleLevel(COLD, None, None, np.array(loss, np.int64), ready, ready)


def nearest(claims: Sequence[Holders], _standbys: int) -> RoleLevel:
    """Return the copies that are not where a given answer has them in their role."""
    active = [c in of.active for of in claims for c in of.every]
    standby = [c in of.standby for of in claims for c in of.every]
    loss = [len(of.active) + len(of.standby) for of in claims]
    return RoleLevel(NEAREST, None, None, *(np.array(column, np.int64) for column in (loss, active, standby)))


HELD: Mapping[str, Callable[[Sequence[Holders], int], RoleLevel]] = {
    "moves": moves,
    "restore": restore,
    COLD: cold,
    NEAREST: nearest,
}
"""Level -> what makes it of who had what, and of how many standbys there are."""
