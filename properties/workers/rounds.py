"""Rounds: what a cluster looks like when an answer has taken effect, and what becomes of it round by round."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from kassay.model.partitions import INT32_MAX, INT64_MAX
from kassay.model.workers import NOTHING, Cluster, ConnectorTask, Work, WorkAssignment
from kassay.properties import runs
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order

ROUNDS = 40
"""How many rounds are played at most, of any cluster."""

Assign = Callable[[Cluster], WorkAssignment]
LAST_MS = INT64_MAX - INT32_MAX


def after(
    cluster: Cluster, answer: WorkAssignment, *, wait_ms: int = 0, missed: Collection[str] = ()
) -> Cluster:
    """Return the cluster as it joins the next round, so many milliseconds later.

    Every worker runs what it was given, and reports it in the order in which it is written; those that missed the answer run what they
    ran. What was given wrongly, to strangers or twice, is lost.
    """
    workers = tuple(
        worker
        if worker.id in missed
        else replace(worker, work=reported(answer.workers.get(worker.id, NOTHING)))
        for worker in cluster.workers
    )
    return replace(
        cluster,
        workers=workers,
        time_ms=min(cluster.time_ms + max(0, wait_ms), LAST_MS),
        generation=min(cluster.generation + 1, INT32_MAX),
        last_completed_generation=cluster.generation,
        memory=answer.memory,
    )


def reported(work: Work) -> Work:
    """Return work in the order in which the protocol has it: connectors as a HashSet has them, tasks by connector.

    Source: ConnectProtocol.Assignment.asMap of Kafka 3.3 to 4.3.
    """
    connectors = hash_order(work.connectors, string_hash, order_of=string_order)
    by_connector: dict[str, dict[ConnectorTask, None]] = {name: {} for name in connectors}
    for task in work.tasks:
        if 0 <= task.task <= INT32_MAX:
            by_connector.setdefault(task.connector, {})[task] = None
    return Work(tuple(connectors), tuple(task for tasks in by_connector.values() for task in tasks))


def asks_again(answer: WorkAssignment) -> bool:
    """Return True if an answer asks for another round: it revokes something, or waits. Source: KIP-415."""
    return answer.delay_ms > 0 or _revokes(answer)


def _revokes(answer: WorkAssignment) -> bool:
    return any(work.items for work in answer.revoked.values())


def rejoined(cluster: Cluster, answer: WorkAssignment) -> Cluster | None:
    """Return the cluster as it joins the round that an answer asks for: at once for what is revoked, else when the delay is over.

    None if it asks for none. Source: KIP-415.
    """
    if not asks_again(answer):
        return None
    return after(cluster, answer, wait_ms=0 if _revokes(answer) else answer.delay_ms)


def until_rest(assign: Assign, cluster: Cluster) -> list[tuple[Cluster, WorkAssignment]]:
    """Return the rounds until an answer asks for no other one, or the first ROUNDS of them. Raises AssignorError when the assignor fails."""
    return runs.until_rest(assign, rejoined, cluster, ROUNDS)


def comes_to_rest(rounds: list[tuple[Cluster, WorkAssignment]]) -> bool:
    """Return True if the last of some rounds asks for no other one."""
    return rejoined(*rounds[-1]) is None


def present(cluster: Cluster) -> WorkAssignment | None:
    """Return what the workers run now, as they report it; None if no worker runs anything."""
    works = {worker.id: worker.work for worker in cluster.workers}
    return WorkAssignment(works, {}) if any(work.items for work in works.values()) else None


def same(one: WorkAssignment, other: WorkAssignment) -> bool:
    """Return True if two answers give and revoke the same, in any order, and ask for the same delay."""
    return one == other or (
        one.delay_ms == other.delay_ms
        and _sets(one.workers.items()) == _sets(other.workers.items())
        and _sets(one.revoked.items()) == _sets(other.revoked.items())
    )


def _sets(works: Iterable[tuple[str, Work]]) -> dict[str, list[list[str]]]:
    return {
        name: [sorted(work.connectors), sorted(map(str, work.tasks))] for name, work in works if work.items
    }
