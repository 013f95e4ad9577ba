"""Delays: how long what is lost waits for its worker, and that it is given out then (KIP-415)."""

from collections.abc import Iterator

from kassay.model.workers import Cluster, WorkAssignment
from kassay.properties.runs import Violation
from kassay.properties.workers.losses import lost, over, running, waits


def delay_limited(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """The delay is from 0 to scheduled.rebalance.max.delay.ms."""
    if not 0 <= answer.delay_ms <= cluster.max_delay_ms:
        yield f"the delay is {answer.delay_ms} ms; at most {cluster.max_delay_ms} are configured"


def delay_honoured(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """What is lost is given to nobody before its time, which is the longest delay after it was lost.

    So a worker that comes back gets its own. Source: KIP-415.
    """
    if not waits(cluster):
        return
    before = running(cluster)
    missing = set(lost(cluster))
    for name, work in answer.workers.items():
        for item in work.items:
            if item in missing and item not in before:
                yield f"{name} is given {item}, which waits for a worker that is gone"
    scheduled = cluster.memory.scheduled_rebalance_ms
    wait = min(scheduled - cluster.time_ms, cluster.max_delay_ms) if scheduled else cluster.max_delay_ms
    if answer.delay_ms != wait:
        yield f"the delay is {answer.delay_ms} ms, though what is lost waits {wait} ms more"


def nothing_revoked_while_waiting(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """While what is lost waits, no worker loses what is configured and runs only there. Source: KIP-415."""
    if not waits(cluster):
        return
    before, configured = running(cluster), set(cluster.configured.items)
    for name, work in answer.revoked.items():
        for item in work.items:
            if item in configured and len(before.get(item, ())) == 1:
                yield f"{name} is told to stop {item}, while lost work waits"


def given_out_after_delay(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """When its time is over, what is lost is given out in that round. Source: KIP-415."""
    if not over(cluster):
        return
    given = {item for work in answer.workers.values() for item in work.items}
    for item in lost(cluster):
        if item not in given:
            yield Violation(
                f"{item} was waited for until {cluster.memory.scheduled_rebalance_ms} and is given to nobody at {cluster.time_ms}",
                item,
            )
