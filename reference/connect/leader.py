"""The leader's view of a round: what it remembers, and what it finds out from that and from what workers report."""

from collections.abc import Mapping, Sequence
from itertools import filterfalse

from kassay.model.workers import NOTHING, Cluster, Memory, Work, WorkAssignment
from kassay.reference.connect.items import NO_ITEMS, Items, Load, configured, in_order, twice, works


class Leader:
    """What the leader remembers, while it works out a round.

    `previous` is what it gave out, `configured` what there is, `active` what somebody runs. Of these follow `deleted`, `lost` (given
    out, but run by nobody), `created`, and what is `doubled`: run by several workers.
    """

    def __init__(self, cluster: Cluster) -> None:
        memory = cluster.memory
        known = memory.generation == cluster.last_completed_generation
        self.members = memory.members
        self.candidates = list(memory.candidates)
        self.scheduled_ms = memory.scheduled_rebalance_ms
        self.delay_ms = memory.delay_ms
        self.revoked = memory.revoked
        self.revoking_rounds = memory.revoking_rounds
        self.may_revoke = memory.may_revoke
        self.known = configured(cluster)
        self.configured = Items.of(self.known)
        running = [worker.work for worker in cluster.workers]
        self.active = Items.of(*running)
        self.revocation_failed = Items.of(memory.revocation).meets(self.active)
        self.previous = Items.of(memory.assignment) if known else NO_ITEMS
        if self.revocation_failed:
            self.previous = self.active
        self.deleted = self.previous.minus(self.configured)
        self.lost = self.previous.minus(self.active, self.deleted)
        self.created = self.configured.minus(self.previous, self.active)
        self.doubled = twice(running, self.active)

    def reset_delay(self) -> None:
        """Wait for nobody any more."""
        self.candidates = []
        self.scheduled_ms = self.delay_ms = 0

    def in_order(self, items: Items) -> Work:
        """Return items in the order of Java's TreeSets."""
        return in_order(items, self.known)

    def answer(
        self, cluster: Cluster, loads: Sequence[Load], revoked: Mapping[str, Items], dropped: Items = NO_ITEMS
    ) -> WorkAssignment:
        """Make the answer of what workers are to have and what is revoked from them; `dropped` is remembered as revoked, too."""
        given = works(loads)
        taken = dropped.plus(*revoked.values())
        remembered = Items.of(*given.values()).minus(taken).plus(self.lost)
        listed = [worker.id for worker in cluster.workers]
        return WorkAssignment(
            {one.id: _after(one.work, given[one.id], revoked.get(one.id, NO_ITEMS)) for one in cluster.workers},
            {name: in_order(revoked.get(name, NO_ITEMS)) for name in listed},
            self.delay_ms,
            Memory(
                cluster.generation, tuple(listed), self.in_order(remembered), self.in_order(taken), tuple(self.candidates),
                self.scheduled_ms, self.delay_ms, self.revoked, self.revoking_rounds, self.may_revoke,
            ),
        )  # fmt: skip


def held_of(cluster: Cluster, items: Items) -> dict[str, Items]:
    """Return what of some items each worker runs, for those that run any."""
    if items == NO_ITEMS:
        return {}
    held = {
        worker.id: Items(
            items.connectors.intersection(worker.work.connectors), items.tasks.intersection(worker.work.tasks)
        )
        for worker in cluster.workers
    }
    return {name: some for name, some in held.items() if some != NO_ITEMS}


def _after(held: Work, given: Work, revoked: Items) -> Work:
    """Return what a worker has after a round: first what is new, then what it keeps (WorkerCoordinator.onJoinComplete)."""
    if held == NOTHING:
        return given
    had = Items.of(held)
    return Work(
        (
            *filterfalse(had.connectors.__contains__, given.connectors),
            *filterfalse(revoked.connectors.__contains__, held.connectors),
        ),
        (
            *filterfalse(had.tasks.__contains__, given.tasks),
            *filterfalse(revoked.tasks.__contains__, held.tasks),
        ),
    )
