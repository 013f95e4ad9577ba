"""Assign as sticky does, but hold back what another member has not handed over yet (KIP-429).

A moving partition first has no owner: its previous owner sees that, revokes it and rejoins,
and the next rebalance gives it to the new owner.

Known defects, reproduced: the defects of consumer/sticky. Also, if subscriptions differ, a member with a claim of an
older generation can get the partition while its owner still holds it.

Source: org.apache.kafka.clients.consumer.CooperativeStickyAssignor of Kafka 3.7.1 to 4.4.
"""

from collections.abc import Sequence

from kassay.model import Assignment, Assignor, Group
from kassay.reference.consumer.metadata import read_cooperative_data
from kassay.reference.consumer.sticky.assignor import NEWEST, STICKY, Parts, assign_partitions
from kassay.reference.consumer.sticky.numbered_group import NumberedGroup
from kassay.reference.promises import SOUND, STEADY, VALID


def assign(group: Group, parts: Parts = NEWEST) -> Assignment:
    """Assign as sticky does, but hold back what another member has not handed over yet.

    Raises AssignorError where Kafka fails or hangs.
    """
    numbered, given, moving = assign_partitions(group, parts, read_cooperative_data)
    if moving is None:
        moving = _find_moving(numbered, given)
    for partition, member in moving.items():
        given[member].remove(partition)
    return numbered.build_assignment(given)


def _find_moving(group: NumberedGroup, given: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the new owners of partitions that some member claims and is not given."""
    claimed = [set(partitions) for partitions in group.claimed]
    lost = {p for claims, own in zip(claimed, given, strict=True) for p in claims.difference(own)}
    return {p: m for m, own in enumerate(given) for p in own if p in lost and p not in claimed[m]}


COOPERATIVE_STICKY = Assignor(
    "consumer/cooperative-sticky",
    assign,
    (VALID - {"complete"})
    | SOUND
    | STEADY
    | {
        "cooperative",
        "topic_order_independent",
        "claim_order_independent",
        "two_rounds",
        "newest_generation_wins",
        "static_identity",
        "leaver_minimal",
        "joined_evenly",
        "near_before_far",
        "rack_aware_no_more_reads",
    },
    "CooperativeStickyAssignor of Kafka 4.4",
    {
        "exclusive": frozenset({"vanished_partition"}),
        "subscribed": frozenset(
            {
                "user_data",
                "no_subscription_first",
                "mixed_subscriptions+repeated_topic",
                "mixed_subscriptions+stale_unsubscribed_owner",
            }
        ),
        "existing": frozenset({"vanished_partition"}),
        "cooperative": frozenset(
            {
                "user_data",
                "mixed_subscriptions+overruled_claim",
                "overruled_claim+repeated_topic",
                "vanished_partition",
            }
        ),
        "newest_generation_wins": frozenset(
            {"user_data", "mixed_subscriptions+overruled_claim", "overruled_claim+repeated_topic"}
        ),
        "crash_free": frozenset(
            {
                "user_data",
                "mixed_subscriptions+uneven_claims",
                "mixed_subscriptions+stale_unsubscribed_owner",
                "vanished_partition",
            }
        ),
        "stable": frozenset(
            {
                "user_data",
                "mixed_subscriptions+orphaned_partition",
                "racks_decide",
                "mixed_subscriptions+stale_unsubscribed_owner",
                "vanished_partition",
            }
        ),
        "settling": frozenset({"mixed_subscriptions+racks_decide", "double_claim+vanished_partition"}),
        "two_rounds": frozenset({"mixed_subscriptions", "racks_decide", "double_claim+vanished_partition"}),
        "leaver_minimal": frozenset(
            {"mixed_subscriptions", "racks_decide", "double_claim+vanished_partition"}
        ),
        "joined_evenly": frozenset({"racks_decide", "repeated_topic"}),
        "near_before_far": frozenset({"mixed_subscriptions+racks_decide"}),
        "rack_aware_no_more_reads": frozenset({"racks_decide"}),
        "static_identity": frozenset(
            {
                "racks_decide",
                "no_subscription_first",
                "mixed_subscriptions+repeated_topic",
                "vanished_partition",
            }
        ),
    },
    fails=STICKY.fails,
    slow=STICKY.slow,
)
