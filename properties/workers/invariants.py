"""Invariants of one answer of an assignor of Connect: the contract, and the delay of lost work (KIP-415).

Invariants take a cluster and an answer, and yield one sentence per violation.
"""

from collections.abc import Iterator

from kassay.model.workers import NOTHING, Cluster, Item, WorkAssignment
from kassay.properties.runs import Violation, format_items
from kassay.properties.workers.measures import lost, over, running, waits


def complete(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """Every connector and every task runs, except revoked ones, and ones that ran nowhere during a delay.

    Source: KIP-415; revoked work is assigned in the next round, lost work after the delay.
    """
    given = {item for work in answer.workers.values() for item in work.items}
    revoked = {item for work in answer.revoked.values() for item in work.items}
    before = running(cluster)
    for item in cluster.configured.items:
        if item in given or item in revoked or (answer.delay_ms > 0 and item not in before):
            continue
        why = "though it ran" if item in before else "though nothing is revoked or waited for"
        yield f"{item} runs nowhere, {why}"


def exclusive(_: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """No connector and no task runs on two workers after the round, or twice on one."""
    seen: dict[Item, str] = {}
    for name, work in answer.workers.items():
        for item in work.items:
            if item in seen:
                yield (
                    f"{item} runs on {seen[item]} and on {name}"
                    if seen[item] != name
                    else f"{name} has {item} twice"
                )
            seen[item] = name


def existing(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """After the round workers have only configured connectors and tasks."""
    configured = set(cluster.configured.items)
    for name, work in answer.workers.items():
        for item in work.items:
            if item not in configured:
                yield Violation(f"{name} has {item}, which is not configured", item)


def every_worker(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """The answer names every worker, and no other worker."""
    known = {worker.id for worker in cluster.workers}
    for worker in cluster.workers:
        if worker.id not in answer.workers:
            yield f"{worker.id} is given no answer"
    for name in (*answer.workers, *answer.revoked):
        if name not in known:
            yield f"{name} is answered, but is no worker"


def revoked_first(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """Running work is assigned to another worker only in a later round, after the first one has stopped it.

    Source: KIP-415; a connector or task on two workers at once may write everything twice.
    """
    before = running(cluster)
    for name, work in answer.workers.items():
        for item in work.items:
            others = [worker for worker in before.get(item, ()) if worker != name]
            if others and name not in before[item]:
                yield f"{name} is given {item}, which {format_items(others)} still runs"


def kept_or_revoked(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """Each worker keeps its running work or must stop it: one of both.

    Source: KIP-415; workers stop only revoked work.
    """
    for worker in cluster.workers:
        kept = set(answer.workers.get(worker.id, NOTHING).items)
        revoked = set(answer.revoked.get(worker.id, NOTHING).items)
        for item in worker.work.items:
            if item in kept and item in revoked:
                yield f"{worker.id} is to keep {item} and to stop it"
            elif item not in kept and item not in revoked:
                yield f"{worker.id} runs {item} and is told neither to keep nor to stop it"


def revokes_what_runs(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """Only running work is revoked."""
    runs = {worker.id: set(worker.work.items) for worker in cluster.workers}
    for name, work in answer.revoked.items():
        for item in work.items:
            if item not in runs.get(name, ()):
                yield Violation(f"{name} is told to stop {item}, which it does not run", item)


def delay_limited(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """The delay is from 0 to scheduled.rebalance.max.delay.ms."""
    if not 0 <= answer.delay_ms <= cluster.max_delay_ms:
        yield f"the delay is {answer.delay_ms} ms; at most {cluster.max_delay_ms} are configured"


def delay_honoured(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """Lost work is not assigned before the maximum delay after its loss.

    So a worker that comes back gets its work. Source: KIP-415.
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
    """While lost work waits, no worker loses configured work that runs only there. Source: KIP-415."""
    if not waits(cluster):
        return
    before, configured = running(cluster), set(cluster.configured.items)
    for name, work in answer.revoked.items():
        for item in work.items:
            if item in configured and len(before.get(item, ())) == 1:
                yield f"{name} is told to stop {item}, while lost work waits"


def given_out_after_delay(cluster: Cluster, answer: WorkAssignment) -> Iterator[str]:
    """After the delay, lost work is assigned in that round. Source: KIP-415."""
    if not over(cluster):
        return
    given = {item for work in answer.workers.values() for item in work.items}
    for item in lost(cluster):
        if item not in given:
            yield Violation(
                f"{item} was waited for until {cluster.memory.scheduled_rebalance_ms} and is not assigned at {cluster.time_ms}",
                item,
            )
