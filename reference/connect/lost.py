"""What becomes of connectors and tasks whose worker is gone: they wait for it, for a while (KIP-415).

Source: handleLostAssignments of IncrementalCooperativeAssignor, Kafka 3.3 to 4.3.
"""

from collections.abc import Sequence
from itertools import cycle

from kassay.model.workers import NOTHING, Cluster, Work
from kassay.reference.connect.leader import Leader
from kassay.reference.connect.loads import Load, worker_order


def settle_lost(
    leader: Leader, cluster: Cluster, lost: Work, loads: Sequence[Load], *, at_once: bool
) -> Work:
    """Say what of the lost is to be given out like what is new, and give candidates theirs; sets the leader's delay.

    `at_once` says whether this release waits for nobody where the longest delay is 0 (3.5.2, 3.6.1 and newer).
    """
    if lost == NOTHING and not leader.revoked:
        leader.reset_delay()
        return NOTHING
    present = {load.id for load in loads}
    if leader.scheduled_ms <= 0 and present.issuperset(leader.members):
        return lost  # nobody is missing: workers did not get what they were given
    if at_once and cluster.max_delay_ms == 0:
        return lost
    if 0 < leader.scheduled_ms <= cluster.time_ms:
        candidates = [load for name in leader.candidates for load in loads if load.id == name]
        if candidates:
            for connector, load in zip(lost.connectors, cycle(candidates), strict=False):
                load.connectors[connector] = None
            for task, load in zip(lost.tasks, cycle(candidates), strict=False):
                load.tasks[task] = None
        leader.reset_delay()
        leader.revoked = False
        return NOTHING if candidates else lost
    empty = worker_order(load.id for load in loads if load.is_empty)
    leader.candidates = list(dict.fromkeys([*leader.candidates, *empty]))
    waits = min(leader.scheduled_ms - cluster.time_ms, cluster.max_delay_ms)
    leader.delay_ms = waits if cluster.time_ms < leader.scheduled_ms else cluster.max_delay_ms
    leader.scheduled_ms = cluster.time_ms + leader.delay_ms
    return NOTHING
