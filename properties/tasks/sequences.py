"""Sequences of rebalances that every application goes through: rolling restarts, bounces and scale-outs, and how assignors come through them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from kassay.errors import InputError
from kassay.model.tasks import Application, Client, TaskAssignment
from kassay.properties.runs import until_rest
from kassay.properties.tasks.doubling import at_least
from kassay.properties.tasks.rounds import Assign, after, rejoined
from kassay.properties.tasks.settling import PATIENCE, most_rounds
from kassay.properties.tasks.timelines import Alter, Event, Join, Leave, Timeline, happen


def restart(application: Application, number: int) -> Timeline:
    """Return the rolling restart of the first `number` clients: each leaves, and joins again without any state before the next one leaves.

    Its disk does not outlive it, as in a container without a volume. Raises InputError where there are not so many clients, or
    nobody would be left.
    """
    clients = application.clients
    if len(clients) < 2 or not 1 <= number <= len(clients):
        raise InputError(
            f"restart: {number} of {len(clients)} clients; take an application of 2 or more and restart 1 to all of them"
        )
    events: list[Event] = []
    for client in clients[:number]:
        events += [Leave(client.id), _back(client)]
    return Timeline(application, tuple(events))


def bounce(application: Application, number: int) -> Timeline:
    """Return the timeline in which the first `number` clients leave one after the other, and then join again so, without any state.

    Raises InputError where there are not so many clients, or nobody would be left.
    """
    clients = application.clients
    if not 1 <= number < len(clients):
        raise InputError(
            f"bounce: {number} of {len(clients)} clients; take 1 or more, and fewer than there are"
        )
    gone = clients[:number]
    return Timeline(application, (*(Leave(client.id) for client in gone), *map(_back, gone)))


def _back(client: Client) -> Join:
    return Join(_fresh(client, client.id, list(client.consumers)))


def scale_out(application: Application, number: int) -> Timeline:
    """Return the timeline in which `number` clients join one by one; the n-th has threads, rack and tags of the application's n-th, and so on in turn.

    Raises InputError where the application has no client, or none is to join.
    """
    clients = application.clients
    if not clients or number < 1:
        raise InputError(f"scale-out: {number} join {len(clients)} clients; give 1 or more for each")
    known = {client.id for client in clients}
    names = [name for n in range(number + len(known)) if (name := str(UUID(int=2**124 + n))) not in known]
    events = []
    for n, name in enumerate(names[:number]):
        like = clients[n % len(clients)]
        events.append(Join(_fresh(like, name, [f"{name}-{k}" for k in range(len(like.consumers))])))
    return Timeline(application, tuple(events))


def _fresh(like: Client, name: str, consumers: Sequence[str]) -> Client:
    return replace(like, id=name, active=(), standby=(), lags={}, consumers={each: {} for each in consumers})


def changed(
    application: Application, join: int, leave: Sequence[str], partitions: Mapping[str, int]
) -> Application:
    """Return the application of the next rebalance, before which so many clients join, these leave, and topics get so many partitions.

    Who joins does so as in a scale-out; new partitions bring new tasks, and stateful ones changelogs that somebody has added.
    """
    events: list[Event] = [*(scale_out(application, join).events if join else ()), *map(Leave, leave)]
    topics = [one for one in application.topics if one.name in partitions]
    events += [Alter(at_least(one, partitions[one.name])) for one in topics]
    return stages(Timeline(application, tuple(events)))[-1]


SEQUENCES: Mapping[str, Callable[[Application, int], Timeline]] = {
    "restart": restart,
    "bounce": bounce,
    "scale-out": scale_out,
}
"""What can happen to an application -> the timeline of it for so many clients."""


def stages(timeline: Timeline) -> tuple[Application, ...]:
    """Return who is there at each rebalance of a timeline, whatever they are given."""
    found, stopped = [timeline.start], dict[str, Client]()
    for event in timeline.events:
        found.append(happen(found[-1], event, stopped))
    return tuple(found)


def rounds(assign: Assign, timeline: Timeline) -> Iterator[Sequence[tuple[Application, TaskAssignment]]]:
    """Play a timeline: yield for each rebalance the application and the answer of it and of the probing ones that follow (KIP-441).

    Copies catch up between two rebalances. Raises AssignorError when the assignor fails.
    """
    application, stopped = timeline.start, dict[str, Client]()
    for event in (None, *timeline.events):
        application = application if event is None else happen(application, event, stopped)
        played = until_rest(assign, rejoined, application, 1 + most_rounds(application) + PATIENCE)
        yield played
        application = after(*played[-1])
