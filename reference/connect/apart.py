"""Move as little as possible, in several rebalances; revoke only while some worker has nothing, and never in two rebalances in a row.

Known defects, reproduced: a worker with little work never gets the surplus of others. Work that runs on several workers is revoked
from all of them, but then deleted work of such a worker is not revoked. New work is assigned
as if nothing was revoked.

Source: IncrementalCooperativeAssignor of Kafka 3.3 (KIP-415).
"""

from collections.abc import Mapping, Sequence
from itertools import islice

from kassay.model.workers import Cluster, Work, WorkAssignment
from kassay.reference.connect.incremental_cooperative import settle_lost
from kassay.reference.connect.items import NO_ITEMS, Items, Leader, Load, build_loads, find_held, give_out


def assign(cluster: Cluster) -> WorkAssignment:
    """Move as little as possible, in several rebalances; revoke only while some worker has nothing, and never in two rebalances in a row."""
    leader = Leader(cluster)
    leader.may_revoke = leader.may_revoke or leader.revocation_failed
    deleted = _with_last_owners(leader.deleted, build_loads(cluster, NO_ITEMS))
    revoked = {**deleted, **find_held(cluster, leader.doubled)}
    dropped = leader.deleted.minus(*deleted.values())
    current, loads = build_loads(cluster, leader.deleted), build_loads(cluster, leader.deleted)
    leader.revoked, told = False, leader.revoked  # this release does not know that
    again = settle_lost(leader, cluster, leader.in_order(leader.lost), loads, at_once=False)
    leader.revoked = told
    if leader.may_revoke and not leader.delay_ms:
        surplus = _surplus(cluster, current)
        for name, items in surplus.items():
            revoked[name] = revoked.get(name, NO_ITEMS).plus(items)
        leader.may_revoke = not surplus
    else:
        leader.may_revoke = not leader.delay_ms
    created = leader.in_order(leader.created)
    give_out(loads, Work(created.connectors + again.connectors, created.tasks + again.tasks))
    return leader.answer(cluster, loads, revoked, dropped)


def _with_last_owners(items: Items, loads: Sequence[Load]) -> Mapping[str, Items]:
    """Return what of some items each worker runs; of several that run one, the last."""
    connectors = {name: load.id for load in loads for name in load.connectors if name in items.connectors}
    tasks = {task: load.id for load in loads for task in load.tasks if task in items.tasks}
    return {
        owner: Items(
            frozenset(name for name, of in connectors.items() if of == owner),
            frozenset(task for task, of in tasks.items() if of == owner),
        )
        for owner in {**dict.fromkeys(connectors.values()), **dict.fromkeys(tasks.values())}
    }


def _surplus(cluster: Cluster, loads: Sequence[Load]) -> Mapping[str, Items]:
    """Return worker -> its work above the average of running work, rounded up; empty if all workers or no worker has work.

    Work that runs on several workers counts for each of them.
    """
    if len({load.is_empty for load in loads}) < 2:
        return {}
    run = [worker.work for worker in cluster.workers]
    most_connectors = -(-sum(len(work.connectors) for work in run) // len(run))
    most_tasks = -(-sum(len(work.tasks) for work in run) // len(run))
    surplus = {
        load.id: Items(
            frozenset(islice(load.connectors, max(0, len(load.connectors) - most_connectors))),
            frozenset(islice(load.tasks, max(0, len(load.tasks) - most_tasks))),
        )
        for load in loads
    }
    return {name: items for name, items in surplus.items() if items != NO_ITEMS}
