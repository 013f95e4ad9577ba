"""Every placement of a few tasks on a few clients of one thread, as arrays, so that all are compared at once; and the applications to place."""

from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import numpy as np

from kassay.model.tasks import Application
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.tasks.worst_case import KIND, build_application
from kassay.oracles.worst_case import Shape
from kassay.properties.tasks.measures import changelogs, inputs, partitions_across


def build_inputs(shape: Shape) -> Application:
    """Return an application without standbys; changelogs are where the inputs are."""
    parts = tuple(tuple(((near, near), owners) for (near,), owners in contents) for contents in shape.parts)
    return build_application(Shape(shape.members, parts), standbys=0)


def _build_actives(shape: Shape) -> Application:
    """Return an application whose inputs are in the racks of the clients that run the tasks, so that these are best off there."""
    parts = tuple(
        tuple((((shape.members[owner][1],) if owner >= 0 else near, near), (owner,)) for (near,), (owner,) in contents)
        for contents in shape.parts
    )  # fmt: skip
    return build_application(Shape(shape.members, parts))


PLAIN = replace(KIND, roles=0)
INPUTS = replace(PLAIN, read=1, group=build_inputs)
ACTIVES_GIVEN = replace(INPUTS, roles=1, group=_build_actives)
"""New applications; those where only inputs vary; those where changelogs vary, and who runs what."""
MOST = 500_000
"""How many placements are counted out at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """All placements: the clients of each task's copies, the active one first, and what follows from that alone.

    `active` and `copies` count what each client has; `actives` numbers where the active tasks are.
    """

    owners: Ints
    active: Ints
    copies: Ints
    actives: Ints

    @property
    def squares(self) -> tuple[Ints, Ints]:
        """How uneven the loads are: the sums of their squares, of active tasks and of all copies."""
        return (self.active**2).sum(axis=1), (self.copies**2).sum(axis=1)


@cache
def placements(tasks: int, clients: int, standbys: int) -> Placements:
    """Return every placement of tasks with a number of standbys each; raises TooLargeError if there are more than MOST."""
    ways = [
        (active, *others)
        for active in range(clients)
        for others in combinations([c for c in range(clients) if c != active], standbys)
    ]
    if len(ways) ** tasks > MOST:
        raise TooLargeError(f"there are {len(ways) ** tasks} placements; {MOST} are counted out at most")
    chosen = np.indices((len(ways),) * tasks).reshape(tasks, -1).T
    owners = np.array(ways, np.int64)[chosen]
    active, copies = (
        np.stack([(held == c).reshape(len(held), -1).sum(axis=1) for c in range(clients)], axis=1)
        for held in (owners[:, :, 0], owners)
    )
    return Placements(owners, active, copies, owners[:, :, 0] @ clients ** np.arange(tasks))


def list_placements(application: Application) -> Placements:
    """Return the placements of an application; raises ImpossibleError where tasks or clients differ in state or threads."""
    if not all(task.stateful for task in application.tasks) or any(
        c.threads != 1 for c in application.clients
    ):
        raise ImpossibleError("placements: all tasks must be stateful, and all clients have one thread")
    clients = len(application.clients)
    return placements(
        len(application.tasks), clients, min(application.settings.num_standby_replicas, clients - 1)
    )


def traffic(application: Application, every: Placements) -> tuple[Ints, Ints]:
    """Return what active tasks, and what standbys, read across racks in each placement."""
    names = [client.id for client in application.clients]
    found = []
    for read, held in ((inputs, every.owners[:, :, :1]), (changelogs, every.owners[:, :, 1:])):
        across = partitions_across(application, read)
        cost = np.array([[across(name, task.id) for name in names] for task in application.tasks], np.int64)
        place = np.arange(len(application.tasks))[:, None]
        found.append(cost[place, held].sum(axis=(1, 2)))
    return found[0], found[1]


def least(kept: Ints, *levels: Ints) -> Ints:
    """Return which of the placements kept, as numbers, are least in the levels, one after the other."""
    for level in levels:
        own = level[kept]
        kept = kept[own == own.min(initial=own[0])] if len(kept) else kept
    return kept
