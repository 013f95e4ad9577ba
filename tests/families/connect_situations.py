"""For each situation of the connect family clusters that are in it, and a plain one that is in few."""

from dataclasses import replace

from kassay.model.workers import FORGOTTEN, Cluster, Connector, ConnectorTask, Memory, Work, Worker

C0, C1 = ConnectorTask("c0", 0), ConnectorTask("c1", 0)
BOTH = Work(("c0", "c1"), (C0, C1))
REMEMBERED = Memory(0, ("w0", "w1"), BOTH)
PLAIN = Cluster(
    (Connector("c0", 1), Connector("c1", 1)),
    (Worker("w0", Work(("c0",), (C0,))), Worker("w1", Work(("c1",), (C1,)))),
    memory=REMEMBERED,
)
OF_PLAIN = {"several_connectors"}
FIRST, SECOND = PLAIN.workers
LEFT = replace(PLAIN, workers=(FIRST,))
EMPTY = Worker("w2")


def having(**changes):
    return replace(PLAIN, **changes)


def remembering(**changes):
    return replace(REMEMBERED, **changes)


EXAMPLES = {
    "single_worker": [LEFT],
    "more_workers_than_tasks": [having(workers=(*PLAIN.workers, EMPTY))],
    "several_connectors": [PLAIN],
    "uneven_connectors": [having(connectors=(Connector("c0", 1), Connector("c1", 2)))],
    "no_tasks": [having(connectors=(Connector("c0"), Connector("c1", 1)))],
    "nothing_configured": [having(connectors=())],
    "no_delay": [having(max_delay_ms=0)],
    "hash_order_differs": [
        having(workers=(Worker("a"), Worker("Q"))),
        having(workers=(SECOND, Worker("AaAa"), Worker("w0"))),
    ],
    "new_cluster": [Cluster((), (Worker("w0"),))],
    "newcomer": [having(workers=(*PLAIN.workers, EMPTY))],
    "departed": [LEFT],
    "lost_work": [LEFT, having(workers=(FIRST, Worker("w1")))],
    "waiting": [LEFT, replace(LEFT, time_ms=5, memory=remembering(scheduled_rebalance_ms=6))],
    "delay_over": [replace(LEFT, time_ms=6, memory=remembering(scheduled_rebalance_ms=6))],
    "candidates_present": [having(memory=remembering(candidates=("w1",)))],
    "crowded_candidates": [
        replace(
            LEFT,
            workers=(FIRST, EMPTY),
            time_ms=6,
            memory=remembering(
                scheduled_rebalance_ms=6, candidates=("w2",), assignment=Work(("c0", "c1", "c2"), (C0, C1))
            ),
            connectors=(*PLAIN.connectors, Connector("c2")),
        )
    ],
    "uneven_running": [having(workers=(Worker("w0", BOTH), Worker("w1")))],
    "created": [having(connectors=(*PLAIN.connectors, Connector("c2")))],
    "deleted": [
        having(connectors=(Connector("c0", 1),)),
        having(connectors=(Connector("c0", 1), Connector("c1"))),
    ],
    "forgotten_deletion": [having(connectors=(Connector("c0", 1),), memory=FORGOTTEN)],
    "contested": [having(workers=(FIRST, Worker("w1", BOTH)))],
    "new_leader": [having(memory=FORGOTTEN)],
    "revoked_before": [having(memory=remembering(revocation=Work(("c0",))))],
    "revocation_failed": [having(memory=remembering(revocation=Work(("c0",))))],
    "missed_round": [having(last_completed_generation=1, generation=2)],
}
