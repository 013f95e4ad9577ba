"""Move as little as possible: what is lost waits for its worker, what is too much is revoked before it is given again.

A round that finds work without a worker waits up to scheduled.rebalance.max.delay.ms for that to come back; then workers that had
nothing get it, or all do in turn. When nothing waits, workers with more connectors or tasks than their share lose the first of them;
the next round gives these to the workers with the fewest. Two revoking rounds in a row are apart by a growing delay.

Known defects, reproduced: work that is deleted while a new leader takes over runs on until the next round. Candidates get all lost
work, and have to stop everything above their share in the same round. So no worker runs it until the next round.

Source: IncrementalCooperativeAssignor of Kafka 3.5.2 and of 3.6.1 to 4.3 (KIP-415, KAFKA-12495); its handleLostAssignments of
Kafka 3.3 to 4.3.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice

from kassay.model import Assignor
from kassay.model.workers import NOTHING, Cluster, Work, WorkAssignment
from kassay.reference.connect.items import (
    NO_ITEMS,
    Items,
    Leader,
    Load,
    T,
    build_loads,
    find_held,
    give_out,
    worker_order,
)


def settle_lost(
    leader: Leader, cluster: Cluster, lost: Work, loads: Sequence[Load], *, at_once: bool
) -> Work:
    """Return the lost work to assign like new work; gives candidates their part and sets the leader's delay.

    `at_once` is True for releases that do not wait if the longest delay is 0 (3.5.2, 3.6.1 and newer).
    """
    if lost == NOTHING and not leader.revoked:
        leader.reset_delay()
        return NOTHING
    present = {load.id for load in loads}
    if leader.scheduled_ms <= 0 and present.issuperset(leader.members):
        return lost  # No worker is missing: workers did not receive their assignments.
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


FIRST_BACKOFF_MS, BACKOFF_FACTOR = 1, 40


def assign(cluster: Cluster) -> WorkAssignment:
    """Move as little as possible, in several rebalances, and wait for workers that are lost."""
    return _assign(cluster, at_once=True)


def assign_with_wait(cluster: Cluster) -> WorkAssignment:
    """Move as little as possible, in several rebalances; where the longest delay is 0, what is lost still waits for the next rebalance.

    Source: IncrementalCooperativeAssignor of Kafka 3.4, 3.5.0, 3.5.1 and 3.6.0.
    """
    return _assign(cluster, at_once=False)


def _assign(cluster: Cluster, *, at_once: bool) -> WorkAssignment:
    leader = Leader(cluster)
    taken = leader.deleted.plus(leader.doubled)
    revoked = find_held(cluster, taken)
    loads = build_loads(cluster, taken)
    again = settle_lost(leader, cluster, leader.in_order(leader.lost), loads, at_once=at_once)
    for name, items in _revoke_surplus(leader, cluster, loads).items():
        revoked[name] = revoked.get(name, NO_ITEMS).plus(items)
        next(load for load in loads if load.id == name).remove(items)
    created = leader.in_order(leader.created)
    give_out(loads, Work(created.connectors + again.connectors, created.tasks + again.tasks))
    return leader.answer(cluster, loads, revoked)


def _revoke_surplus(leader: Leader, cluster: Cluster, loads: Sequence[Load]) -> Mapping[str, Items]:
    """Return what is revoked from workers with more than their share; where the round before did so too, set a delay instead."""
    if leader.delay_ms:
        leader.revoked = False
        return {}
    surplus = _surplus(leader.configured, loads)
    if not surplus:
        if leader.revoked:
            leader.revoked, leader.revoking_rounds = False, 0
        return {}
    if not leader.revoked:
        leader.revoked = True
        return surplus
    leader.revoking_rounds += 1
    leader.delay_ms = _backoff_ms(leader.revoking_rounds, cluster.max_delay_ms)
    if not leader.delay_ms:
        return surplus
    leader.scheduled_ms = cluster.time_ms + leader.delay_ms
    return {}


def _backoff_ms(rounds: int, most_ms: int) -> int:
    """Return 40 to the power of a number of rounds, at most `most_ms`, in floating point as Kafka's ExponentialBackoff."""
    if most_ms <= FIRST_BACKOFF_MS:
        return most_ms
    power = min(float(rounds), math.log(most_ms / FIRST_BACKOFF_MS) / math.log(BACKOFF_FACTOR))
    return min(int(FIRST_BACKOFF_MS * math.pow(BACKOFF_FACTOR, power)), most_ms)


def _surplus(configured: Items, loads: Sequence[Load]) -> Mapping[str, Items]:
    """Return what workers have above their share, connectors and tasks each by themselves."""
    if configured == NO_ITEMS or all(load.is_empty for load in loads):
        return {}
    connectors = _above_share(len(configured.connectors), loads, lambda load: load.connectors)
    tasks = _above_share(len(configured.tasks), loads, lambda load: load.tasks)
    return {
        name: Items(frozenset(connectors.get(name, ())), frozenset(tasks.get(name, ())))
        for name in {**connectors, **tasks}
    }


def _above_share(
    total: int, loads: Sequence[Load], had: Callable[[Load], Mapping[T, None]]
) -> Mapping[str, Sequence[T]]:
    """Return the first items of each worker that has too many, until it has its share.

    The first `extra` workers with more than the smallest share may keep one more.
    """
    share, extra = divmod(total, len(loads))
    sizes = [len(had(load)) for load in loads]
    if sizes.count(share) + sizes.count(share + 1) == len(loads) and sizes.count(share + 1) == extra:
        return {}
    surplus = {}
    for load, size in zip(loads, sizes, strict=True):
        if size <= share:
            continue
        most = share
        if extra:
            extra -= 1
            most += 1
        if size > most:
            surplus[load.id] = list(islice(had(load), size - most))
    return surplus


INCREMENTAL_COOPERATIVE = Assignor(
    name="connect/incremental-cooperative",
    assign=assign,
    promises=frozenset(
        {
            "complete",
            "exclusive",
            "existing",
            "every_worker",
            "revoked_first",
            "kept_or_revoked",
            "revokes_what_runs",
            "delay_limited",
            "delay_honoured",
            "nothing_revoked_while_waiting",
            "given_out_after_delay",
            "crash_free",
            "deterministic",
            "connector_order_independent",
            "settles",
            "all_run_at_rest",
            "even_at_rest",
            "stable",
            "revoked_once",
            "returning_gets_back",
            "leaver_minimal",
            "joiner_minimal",
        }
    ),
    source="IncrementalCooperativeAssignor, Kafka 3.6.1 to 4.3 (KIP-415)",
    except_in={
        **dict.fromkeys(
            ("existing", "all_run_at_rest", "stable", "leaver_minimal", "returning_gets_back"),
            frozenset({"forgotten_deletion"}),
        ),
        "revokes_what_runs": frozenset({"crowded_candidates"}),
        "given_out_after_delay": frozenset({"crowded_candidates"}),
    },
)
