"""Honest assignors of Connect: what Kafka does, and what it could do; the mutants are these, broken in one way."""

from kassay.model.workers import Work, WorkAssignment
from kassay.properties.workers.rounds import present
from kassay.reference.connect import eager as kafkas_eager
from kassay.reference.connect import incremental_cooperative as kafkas

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
    """Tell workers to stop all that an answer does not leave them."""
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
