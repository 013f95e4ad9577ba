"""Honest assignors of Connect, and broken ones: Kafka's, with one mistake each."""

from dataclasses import replace
from itertools import count

from kassay.model import AssignorError
from kassay.model.workers import ConnectorTask, Work, WorkAssignment
from kassay.properties.workers.measures import lost, over, waits
from kassay.properties.workers.timelines import present
from kassay.reference.connect import apart
from kassay.reference.connect import eager as kafkas_eager
from kassay.reference.connect import incremental_cooperative as kafkas

_CALLS = count()
COMMON = frozenset(
    {
        "complete", "exclusive", "existing", "every_worker", "revokes_what_runs", "delay_limited", "given_out_after_delay",
        "crash_free", "deterministic", "connector_order_independent", "settles", "all_run_at_rest", "stable", "revoked_once",
    }
)  # fmt: skip


def incremental(cluster):
    """Do as Kafka does by default."""
    return kafkas.assign(cluster)


def eager(cluster):
    """Do as Kafka's eager protocol does: everybody stops everything first."""
    return kafkas_eager.assign(cluster)


def told_to_stop(cluster, answer):
    """Revoke all work that an answer does not leave to workers."""
    now = present(cluster)
    if now is None:
        return answer
    gone = {
        name: Work(
            tuple(one for one in work.connectors if one not in answer.workers[name].connectors),
            tuple(one for one in work.tasks if one not in answer.workers[name].tasks),
        )
        for name, work in now.workers.items()
    }
    return WorkAssignment(answer.workers, gone, answer.delay_ms, answer.memory)


def _without(work, items):
    return Work(
        tuple(one for one in work.connectors if one not in items),
        tuple(one for one in work.tasks if one not in items),
    )


def _without_everywhere(answer, items):
    return answer._replace(workers={name: _without(work, items) for name, work in answer.workers.items()})


def _with(answer, name, work):
    return answer._replace(workers={**answer.workers, name: work})


def loses_the_last_task(cluster):
    answer = incremental(cluster)
    return _without_everywhere(answer, cluster.configured.tasks[-1:])


def runs_connectors_twice(cluster):
    answer = incremental(cluster)
    first, *others = (worker.id for worker in cluster.workers)
    for other in others:
        answer = _with(answer, other, distinct_of(answer.workers[other], answer.workers[first].connectors))
    return answer


def distinct_of(work, connectors):
    return Work(tuple(dict.fromkeys(work.connectors + connectors)), work.tasks)


def counts_tasks_from_one(cluster):
    answer = incremental(cluster)
    return answer._replace(
        workers={
            name: Work(work.connectors, tuple(ConnectorTask(of, task + 1) for of, task in work.tasks))
            for name, work in answer.workers.items()
        }
    )


def omits_the_idle(cluster):
    answer = incremental(cluster)
    return answer._replace(workers={name: work for name, work in answer.workers.items() if work.items})


def moves_at_once(cluster):
    return told_to_stop(cluster, eager(cluster))


def stops_nobody(cluster):
    answer = incremental(cluster)
    return answer._replace(revoked={})


def stops_the_wrong_worker(cluster):
    answer = incremental(cluster)
    names = [worker.id for worker in cluster.workers]
    others = [*names[1:], names[0]]
    revoked = {other: answer.revoked.get(name, Work()) for name, other in zip(names, others, strict=True)}
    return answer._replace(revoked=revoked)


def waits_twice_as_long(cluster):
    answer = incremental(cluster)
    return answer._replace(delay_ms=2 * answer.delay_ms)


def never_waits(cluster):
    forgetting = replace(cluster.memory, scheduled_rebalance_ms=0)
    return incremental(replace(cluster, max_delay_ms=0, memory=forgetting))


def balances_while_it_waits(cluster):
    answer = incremental(cluster)
    if not waits(cluster):
        return answer
    first = cluster.workers[0]
    taken = Work(first.work.connectors[:1], first.work.tasks[:1])
    answer = _with(answer, first.id, _without(answer.workers[first.id], taken.items))
    return answer._replace(revoked={**answer.revoked, first.id: taken})


def forgets_what_it_waited_for(cluster):
    answer = incremental(cluster)
    if not over(cluster):
        return answer
    memory = replace(answer.memory, assignment=_without(answer.memory.assignment, lost(cluster)))
    return _without_everywhere(answer, lost(cluster))._replace(memory=memory)


def fails_without_connectors(cluster):
    if not cluster.connectors or not cluster.configured.tasks:
        raise AssignorError("IndexOutOfBoundsException")
    return incremental(cluster)


def turns_with_each_call(cluster):
    turn = next(_CALLS) % len(cluster.workers)
    names = [worker.id for worker in cluster.workers]
    answer = eager(cluster)
    works = [answer.workers[name] for name in names]
    return answer._replace(workers=dict(zip(names, works[turn:] + works[:turn], strict=True)))


def gives_out_as_listed(cluster):
    names = sorted(worker.id for worker in cluster.workers)
    configured = cluster.configured
    works = {
        name: Work(configured.connectors[at :: len(names)], configured.tasks[at :: len(names)])
        for at, name in enumerate(names)
    }
    return told_to_stop(cluster, eager(cluster)._replace(workers=works))


def revokes_for_ever(cluster):
    answer = incremental(cluster)
    if answer.delay_ms or any(work.items for work in answer.revoked.values()):
        return answer
    taken = next((w for w in cluster.workers if answer.workers[w.id].items and w.work.items), None)
    kept = (
        [] if taken is None else [item for item in taken.work.items if item in answer.workers[taken.id].items]
    )
    if not kept:
        return answer
    one = Work((kept[0],), ()) if isinstance(kept[0], str) else Work((), (kept[0],))
    answer = _with(answer, taken.id, _without(answer.workers[taken.id], one.items))
    memory = replace(answer.memory, assignment=_without(answer.memory.assignment, one.items))
    return answer._replace(revoked={taken.id: one}, memory=memory)


def asks_for_another_round_for_ever(cluster):
    return incremental(cluster)._replace(delay_ms=min(1, cluster.max_delay_ms))


def as_in_3_3(cluster):
    return apart.assign(cluster)


def gives_all_to_one(cluster):
    first, *others = sorted(worker.id for worker in cluster.workers)
    works = {first: cluster.configured, **{name: Work() for name in others}}
    return told_to_stop(cluster, eager(cluster)._replace(workers=works))


def turns_at_rest(cluster):
    """Pass everything on to the next worker whenever nothing has happened."""
    answer = incremental(cluster)
    now = {worker.id: set(worker.work.items) for worker in cluster.workers}
    if any(set(work.items) != now[name] for name, work in answer.workers.items()):
        return answer
    names = [worker.id for worker in cluster.workers]
    works = [answer.workers[name] for name in names]
    return answer._replace(workers=dict(zip(names, works[1:] + works[:1], strict=True)))
