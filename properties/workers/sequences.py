"""Sequences of rebalances that every cluster goes through: rolling restarts, bounces and scale-outs, and how assignors come through them."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from kassay.errors import InputError
from kassay.model.workers import Cluster, WorkAssignment
from kassay.properties.workers.rounds import Assign, after, until_rest
from kassay.properties.workers.timelines import Bounce, Event, Join, Leave, Timeline, all_happen, happen


def restart(cluster: Cluster, number: int) -> Timeline:
    """Return the slow rolling restart of the first `number` workers: each leaves, and a new one joins after the delay, before the next one leaves.

    Raises InputError where there are not so many workers, or nobody would be left.
    """
    if len(cluster.workers) < 2 or not 1 <= number <= len(cluster.workers):
        raise InputError(
            f"restart: {number} of {len(cluster.workers)} workers; take a cluster of 2 or more and restart 1 to all of them"
        )
    events: list[Event] = []
    for worker, name in zip(cluster.workers, _free(cluster, number), strict=False):
        events += [Leave(worker.id), Join(name)]
    return Timeline(cluster, tuple(events))


def bounce(cluster: Cluster, number: int) -> Timeline:
    """Return the timeline in which the first `number` workers go away together and are back before the delay is over.

    Raises InputError where there are not so many workers, or nobody would be left.
    """
    if not 1 <= number < len(cluster.workers):
        raise InputError(
            f"bounce: {number} of {len(cluster.workers)} workers; take 1 or more, and fewer than there are"
        )
    gone = tuple(worker.id for worker in cluster.workers[:number])
    return Timeline(cluster, (Bounce(gone, tuple(_free(cluster, number))),))


def scale_out(cluster: Cluster, number: int) -> Timeline:
    """Return the timeline in which `number` workers join one by one; raises InputError where none is to join."""
    if number < 1:
        raise InputError(f"scale-out: {number} workers join; give 1 or more")
    return Timeline(cluster, tuple(map(Join, _free(cluster, number))))


def changed(cluster: Cluster, join: int, leave: Sequence[str], partitions: Mapping[str, int]) -> Cluster:
    """Return the cluster of the next rebalance, before which so many workers join and these leave; raises InputError where partitions are to grow."""
    if partitions:
        raise InputError(
            f"{next(iter(partitions))}: workers of Connect run connectors and tasks, which have no partitions"
        )
    return all_happen(cluster, [*map(Join, _free(cluster, join)), *map(Leave, leave)])


def _free(cluster: Cluster, number: int) -> list[str]:
    known = {worker.id for worker in cluster.workers}
    return [name for n in range(number + len(known)) if (name := f"joined-{n:05}") not in known][:number]


SEQUENCES: Mapping[str, Callable[[Cluster, int], Timeline]] = {
    "restart": restart,
    "bounce": bounce,
    "scale-out": scale_out,
}
"""What can happen to a cluster -> the timeline of it for so many workers."""


def stages(timeline: Timeline) -> tuple[Cluster, ...]:
    """Return who is there at each rebalance of a timeline, whatever they are given."""
    found = [timeline.start]
    for event in timeline.events:
        found.append(happen(found[-1], event))
    return tuple(found)


def rounds(assign: Assign, timeline: Timeline) -> Iterator[Sequence[tuple[Cluster, WorkAssignment]]]:
    """Play a timeline: yield for each rebalance the rounds until nothing is revoked or waited for. Raises AssignorError when the assignor fails."""
    cluster = timeline.start
    for event in (None, *timeline.events):
        away: list[tuple[Cluster, WorkAssignment]] = []
        if isinstance(event, Bounce):
            fewer = all_happen(cluster, event.leaving)
            away = [(fewer, assign(fewer))]
            cluster = all_happen(after(*away[0], wait_ms=1), event.joining)
        elif event is not None:
            cluster = happen(cluster, event)
        played = away + until_rest(assign, cluster)
        yield played
        cluster = after(*played[-1], wait_ms=1)
