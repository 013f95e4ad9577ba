"""Connect (copycat): workers of a cluster share out connectors and their tasks.

Each worker reads the connectors from a log and says how far it has come. The leader assigns by what it knows itself; where another worker knows more,
all get nothing but the error, and join again when they have caught up. This is the eager protocol, "default"; the incremental one (KIP-415) needs its own
assignor, which is stateful.

Source: use case 2 of the client-side assignment proposal; EagerAssignor and WorkerCoordinator of connect-runtime 4.4.
"""

from itertools import cycle
from typing import Any, NamedTuple

from msgspec import Struct

from kassay.reference.group.member.state import Choosing, States, Use
from kassay.reference.group.messages import Protocol
from kassay.reference.java.strings import string_order

CONNECTOR = -1
"""The number that stands for the connector itself."""


class Task(NamedTuple):
    """One task of a connector, by number, or the connector itself."""

    connector: str
    number: int


class Connectors(Struct, frozen=True, cache_hash=True):
    """The configuration that a worker has read, up to an offset of its log: connectors, and the number of their tasks."""

    offset: int
    tasks: tuple[tuple[str, int], ...]


class Worker(Struct, frozen=True, cache_hash=True):
    """The metadata of a worker: its URL, and how far it has read."""

    url: str
    offset: int


class Given(Struct, frozen=True, cache_hash=True):
    """The state of a worker: its tasks, and the configuration by which they were assigned."""

    leader: str
    leader_url: str
    offset: int
    tasks: tuple[Task, ...]
    mismatch: bool = False
    """True if the leader had read less of the configuration than another worker (CONFIG_MISMATCH)."""


def _assign(choosing: Choosing) -> States:
    connectors = choosing.cluster
    members: Any = choosing.members
    workers = {member.member_id: member.metadata for member in members}
    url = workers[choosing.leader].url
    newest = max(worker.offset for worker in workers.values())
    if connectors.offset < newest:
        nothing = Given(choosing.leader, url, newest, (), mismatch=True)
        return tuple((name, nothing) for name in workers)
    given: dict[str, list[Task]] = {name: [] for name in sorted(workers, key=string_order)}
    turns = cycle(given.values())
    # All connectors by name, and then all tasks by connector and number.
    known = sorted(connectors.tasks, key=lambda each: string_order(each[0]))
    for name, _ in known:
        next(turns).append(Task(name, CONNECTOR))
    for name, tasks in known:
        for number in range(tasks):
            next(turns).append(Task(name, number))
    return tuple(
        (name, Given(choosing.leader, url, connectors.offset, tuple(tasks))) for name, tasks in given.items()
    )


CONNECT = Use(
    protocol_type="connect",
    protocols=lambda asking: (Protocol("default", Worker(str(asking.subscription), asking.cluster.offset)),),
    assign=_assign,
    items=lambda state: () if state is None else state.tasks,
    joined_as=lambda subscription, cluster: (subscription, cluster.offset),
)
"""The use for workers of Connect: a subscription is the worker's URL, the cluster a :class:`Connectors`."""
