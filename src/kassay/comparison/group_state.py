"""Groups in which nothing can be compared, such as during a rebalance; and the two readings of listings without subscriptions.

Members may subscribe to all topics, or only to those that they own.
"""

from dataclasses import dataclass, replace
from typing import Any

from kassay.comparison.headline import describe_loads
from kassay.comparison.knowing import best_of
from kassay.comparison.measured import held, standing
from kassay.family import Family
from kassay.files.reading import Read
from kassay.listings.listing_facts import ListingFacts
from kassay.sentences import counted, counted_of

REBALANCING = {"PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling", "NotReady"}
"""States in which members may soon own something else."""
EMPTY, DEAD = "Empty", "Dead"


@dataclass(frozen=True, slots=True)
class GroupState:
    """The state of a group in which nothing is compared."""

    name: str
    state: str
    facts: ListingFacts
    owners: str
    """The word for the members: members, clients or workers."""
    idle: int = 0
    """The number of members that own nothing yet."""
    target: str = ""
    """A sentence on the coordinator's target assignment (KIP-848), "" if it is not printed."""

    @property
    def says(self) -> str:
        """The result: the state, then members, partitions and lag."""
        known = self.facts
        state = _STATE.get(self.state, "the group is rebalancing")
        said = f"{self.name}: {state}{f' ({self.state})' if self.state in REBALANCING else ''}."
        parts = [counted(known.partitions, "partition")] if known.partitions else []
        if self.state not in {EMPTY, DEAD}:
            members = counted_of(known.members, self.owners)
            if self.idle == known.members and self.idle:
                members += (
                    f", {'which owns nothing yet' if self.idle == 1 else 'none of which owns anything yet'}"
                )
            elif self.idle:
                members += f", {self.idle:,} of which {'owns' if self.idle == 1 else 'own'} nothing yet"
            parts.insert(0, members)
        if known.lag_printed and known.partitions:
            unknown = f" (unknown for {counted(known.lag_unknown, 'partition')})" if known.lag_unknown else ""
            parts.append(f"lag {known.lag:,}{unknown}")
        text = ", ".join(parts)
        return f"{said} {text[:1].upper()}{text[1:]}." if parts else said

    @property
    def caveat(self) -> str:
        """The explanation of the state."""
        if self.state == EMPTY:
            return "Programs that assign partitions themselves, such as Flink and Spark, only commit offsets here and are never members."
        if self.state == DEAD:
            return "The group does not exist: its name may be wrong, or its offsets have expired."
        return "Members own different partitions before and after the rebalance, so nothing is compared and nothing is recommended."

    def record(self, where: str) -> dict[str, Any]:
        """Build the JSON of the state."""
        known = self.facts
        return {
            "record": "state", "where": where, "says": self.says, "state": self.state, "members": known.members,
            "partitions": known.partitions, "lag": known.lag if known.lag_printed else None, "lag_unknown": known.lag_unknown,
            "idle": self.idle, "target": self.target or None,
        }  # fmt: skip


_STATE = {EMPTY: "the group has no active members", DEAD: "the group does not exist"}


def find_state(
    name: str, family: Family, group: Any, wanted: Any, facts: ListingFacts | None
) -> GroupState | None:
    """Return the state of a group if nothing can be compared in it, else None.

    `wanted` is the coordinator's target assignment, or None. While members have not reached it the group is reconciling (KIP-848).
    """
    owners, count = next(iter(family.shape.sizes.items()))
    members = count(group)
    known = facts if facts is not None else ListingFacts(members=members)
    state = known.state
    if state in {"", "Stable"} and known.target_reached is False:
        state = "Reconciling"
    if state in {EMPTY, DEAD} or not (members or known.members):
        return GroupState(name, state or EMPTY, known, owners)
    if state not in REBALANCING:
        return None
    has = held(family.shape, family.shape.present(group))
    idle = members - sum(1 for of in has.values() if any(of.values()))
    best = best_of(family, group) if wanted is not None else None
    target = ""
    if best is not None:
        loads = describe_loads(family, standing(family, group, wanted), best)
        target = f"The coordinator's target assignment counts: {loads}"
    return GroupState(name, state, known, owners, idle, target)


def describe_unlisted(name: str, facts: ListingFacts) -> str:
    """Return what is known of a group of which the listing does not print who owns which partitions."""
    said = [facts.state] if facts.state else []
    said += [counted(facts.members, "member")] if facts.members else []
    if facts.loads:
        least, most = min(facts.loads), max(facts.loads)
        said.append(
            f"{least:,} to {most:,} partitions each" if least < most else f"{counted(most, 'partition')} each"
        )
    said += [f"strategy {facts.strategy}"] if facts.strategy else []
    said += [f"lag {facts.lag:,}"] if facts.lag_printed else []
    return f"{name}: {', '.join(said)}. The listing does not print who owns which partition, so nothing is compared."


FAMILIES = {"consumer", "broker", "share"}


def has_other_reading(read: Read) -> bool:
    """Return True if subscriptions were assumed and members own partitions of different topics.

    A member that owns nothing tells nothing: idle members next to one that owns everything are no sign of other subscriptions.
    """
    if read.facts is None or not read.facts.subscriptions_assumed or read.family not in FAMILIES:
        return False
    owned = {frozenset(one.topic for one in member.owned) for member in read.value.members if member.owned}
    return len(owned) > 1


def read_only_owned(group: Any) -> Any:
    """Return the group in which each member subscribes only to the topics that it owns."""
    members = tuple(
        replace(
            member,
            topics=tuple(name for name in member.topics if name in {one.topic for one in member.owned}),
        )
        for member in group.members
    )
    return replace(group, members=members)
