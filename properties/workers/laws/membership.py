"""Workers that leave, come back and join a cluster at rest: what that does to the others (KIP-415).

Laws take an assign function and a cluster, and yield one sentence per violation; AssignorError passes through. Where the assignor does
not come to rest at first, there is nothing to see.
"""

from collections.abc import Iterator
from dataclasses import replace

from kassay.model.workers import Cluster, Work, WorkAssignment
from kassay.properties.runs import MOVES, Run, TwoRuns
from kassay.properties.words import counted, listed
from kassay.properties.workers.rounds import Assign, after, comes_to_rest, until_rest
from kassay.properties.workers.timelines import Join, Leave, happen


def returning_gets_back(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """A worker that comes back before the delay is over, under a new id, runs what it ran when that is over.

    Where other workers have nothing either, it cannot be told from these. Source: KIP-415, whose first aim it is.
    """
    rest = _at_rest(assign, cluster)
    if rest is None or len(rest.workers) < 2 or not rest.max_delay_ms:
        return
    gone, others = rest.workers[-1], rest.workers[:-1]
    if not gone.work.items or not all(worker.work.items for worker in others):
        return
    name = _new_id(rest)
    left = happen(rest, Leave(gone.id))
    answer = assign(left)
    back = happen(after(left, answer, wait_ms=answer.delay_ms // 2), Join(name))
    rounds = until_rest(assign, back)
    given = rounds[-1][1].workers.get(name, Work())
    missing = [item for item in gone.work.items if item not in given.items]
    if missing:
        yield TwoRuns(
            f"{gone.id} comes back as {name} and is not given {listed(missing)}, which it ran",
            Run("it leaves", left, answer), Run("at rest", *rounds[-1]), MOVES, len(missing),
        )  # fmt: skip


def leaver_minimal(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When a worker leaves for ever, all others keep what they run. Source: KIP-415."""
    rest = _at_rest(assign, cluster)
    if rest is None or len(rest.workers) < 2:
        return
    left = happen(rest, Leave(rest.workers[-1].id))
    rounds = until_rest(assign, left)
    answer = rounds[-1][1].workers
    losses = [
        (worker.id, taken)
        for worker in left.workers
        if (taken := [item for item in worker.work.items if item not in answer.get(worker.id, Work()).items])
    ]
    for name, taken in losses[:1]:
        yield TwoRuns(
            f"{rest.workers[-1].id} leaves, and {name} loses {listed(taken)}",
            Run("it leaves", *rounds[0]), Run("at rest", *rounds[-1]), MOVES, sum(len(each) for _, each in losses),
        )  # fmt: skip


def joiner_minimal(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """When a worker joins, only that one is given anything, and no more than its share of connectors and of tasks. Source: KIP-415."""
    rest = _at_rest(assign, cluster)
    if rest is None:
        return
    name = _new_id(rest)
    rounds = until_rest(assign, happen(rest, Join(name)))
    if not comes_to_rest(rounds):
        return
    answer = rounds[-1][1]
    runs = Run("it joins", *rounds[0]), Run("at rest", *rounds[-1])
    for worker in rest.workers:
        given = answer.workers.get(worker.id, Work()).items
        if gained := [item for item in given if item not in worker.work.items]:
            yield TwoRuns(f"{name} joins, and {worker.id} is given {listed(gained)}", *runs)
            return
    mine, configured = answer.workers.get(name, Work()), rest.configured
    for kind, has, of in (
        ("connector", len(mine.connectors), len(configured.connectors)),
        ("task", len(mine.tasks), len(configured.tasks)),
    ):
        if has > (most := -(-of // (len(rest.workers) + 1))):
            yield TwoRuns(f"{name} joins and is given {counted(has, kind)}; its share is {most}", *runs)
            return


def connector_order_independent(assign: Assign, cluster: Cluster) -> Iterator[str]:
    """The order in which connectors are listed does not matter."""
    if len(cluster.connectors) < 2:
        return
    turned = replace(cluster, connectors=cluster.connectors[::-1])
    first, second = assign(cluster), assign(turned)
    if first != second:
        yield TwoRuns(
            f"{_differing(first, second)} is given something else when connectors are listed the other way round",
            Run("as listed", cluster, first), Run("the other way round", turned, second),
        )  # fmt: skip


def _differing(one: WorkAssignment, other: WorkAssignment) -> str:
    return next((name for name in one.workers if one.workers[name] != other.workers.get(name)), "nobody")


def _at_rest(assign: Assign, cluster: Cluster) -> Cluster | None:
    """Return the cluster at rest, with a round's time gone by; None where it does not get there."""
    rounds = until_rest(assign, cluster)
    return after(*rounds[-1], wait_ms=1) if comes_to_rest(rounds) else None


def _new_id(cluster: Cluster) -> str:
    known = {worker.id for worker in cluster.workers}
    return next(name for n in range(len(known) + 1) if (name := f"n{n}") not in known)
