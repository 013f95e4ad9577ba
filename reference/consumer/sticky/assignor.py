"""Let members keep what they have as far as loads stay even, and spread the rest evenly (KIP-54).

First the claims of the latest generation win. If all members subscribe to the same topics, loads differ by at most
one, and members keep as much as that allows. Otherwise partitions move one by one to subscribers with a smaller load.
If racks matter, members first keep and get partitions in their racks (KIP-881). A
partition goes to its new owner at once, because members of an eager assignor have revoked everything before.

Known defects, reproduced:
- Members that come first and list no topics do not make subscriptions different, and are given partitions;
  nor does a topic that the first member lists twice. If another one does, subscriptions count as different.
- If subscriptions are equal, two claims of one generation also take a partition from the owner of a later generation
  that comes after them.
- A kept claim of a partition that does not exist counts as load (its topic was created again with fewer partitions).
  The partitions of all topics after it are then assigned a second time; or the assignor fails.
- If subscriptions differ, a partition may go to a previous owner that no longer subscribes to its topic.
  The assignor may also fail because that member can get nothing else.
- If subscriptions differ, movements may undo each other endlessly, even if all claims are valid: Kafka
  never returns, and this assignor raises AssignorError.
- Differences between loads are added in 32 bits: with tens of thousands of members, all movements may be
  undone.

Source: org.apache.kafka.clients.consumer.StickyAssignor and internals.AbstractStickyAssignor, Kafka 3.7.1 to
4.4.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from kassay.errors import SkippedError
from kassay.model import Assignment, Assignor, Group, Member
from kassay.reference.consumer.metadata import MemberData, read_sticky_data
from kassay.reference.consumer.sticky.constrained_assign import constrained_assign, general_assign
from kassay.reference.consumer.sticky.numbered_group import Given, NumberedGroup, number_group
from kassay.reference.consumer.sticky.owned_partitions import keep_newest_claims
from kassay.reference.java.strings import string_order
from kassay.reference.promises import EVEN, SOUND, STEADY, VALID


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that differ between releases."""

    constrained: Callable[[NumberedGroup], tuple[Given, dict[int, int]]] | None
    """Assigns if subscriptions are equal; also returns the new owners of partitions that others must revoke first.

    Without it, `general` assigns.
    """
    general: Callable[[NumberedGroup, int], Given]
    """Takes the number of members, from the first, with equal subscriptions."""
    racks_count: bool = True
    """Racks count from 3.5 on."""
    user_data_known: bool = True
    """From 3.4.1 on it is known how given user data are read."""


NEWEST = Parts(
    lambda group: constrained_assign(group, keep_newest_claims(group)),
    lambda group, _: general_assign(group, keep_newest_claims(group)),
)


def assign(group: Group, parts: Parts = NEWEST) -> Assignment:
    """Let members keep what they have as far as loads stay even, and spread the rest evenly.

    Raises AssignorError if Kafka fails or hangs.
    """
    numbered, given, _ = assign_partitions(group, parts, read_sticky_data)
    return numbered.build_assignment(given)


def assign_partitions(
    group: Group, parts: Parts, told: Callable[[Member], MemberData]
) -> tuple[NumberedGroup, Given, dict[int, int] | None]:
    """Return the numbered group, the partitions of each member, and the new owners of partitions that others must revoke first.

    `told` reads the claims of a member. The new owners are None if subscriptions differ: then the caller finds them. Raises
    SkippedError if members have user data and it is unknown how the release reads them.
    """
    if not parts.user_data_known and any(member.user_data is not None for member in group.members):
        raise SkippedError("how user data are read is known of Kafka 3.4.1 and later")
    subscribers: Counter[str] = Counter()
    for subscription, members in Counter(member.topics for member in group.members).items():
        for topic in subscription:
            subscribers[topic] += members
    topics = [topic for topic in group.topics if topic.partitions and subscribers[topic.name]]
    topics.sort(key=lambda topic: string_order(topic.name))
    alike = count_equal_subscriptions(group)
    if alike == len(group.members) and parts.constrained is not None:
        numbered = number_group(group, topics, told, racks_count=parts.racks_count)
        return numbered, *parts.constrained(numbered)
    topics.sort(key=lambda topic: subscribers[topic.name])
    numbered = number_group(group, topics, told, racks_count=parts.racks_count)
    return numbered, parts.general(numbered, alike), None


def count_equal_subscriptions(group: Group) -> int:
    """Return the number of members before the first one whose subscription differs, in Kafka's view, from the first that has topics."""
    topics: set[str] = set()
    seen = None
    for place, member in enumerate(group.members):
        if not topics:
            topics.update(member.topics)
        elif member.topics != seen:
            if len(member.topics) != len(topics) or not topics.issuperset(member.topics):
                return place
            seen = member.topics
    return len(group.members)


STICKY = Assignor(
    "consumer/sticky",
    assign,
    VALID
    | EVEN
    | SOUND
    | STEADY
    | {
        "topic_order_independent",
        "claim_order_independent",
        "two_rounds",
        "newest_generation_wins",
        "static_identity",
        "leaver_minimal",
        "joined_evenly",
        "moves_bounded",
        "near_before_far",
        "rack_aware_no_more_reads",
    },
    "StickyAssignor of Kafka 4.4",
    {
        "exclusive": frozenset({"user_data", "vanished_partition"}),
        "subscribed": frozenset(
            {
                "user_data",
                "no_subscription_first",
                "mixed_subscriptions+repeated_topic",
                "mixed_subscriptions+stale_unsubscribed_owner",
            }
        ),
        "existing": frozenset({"user_data", "vanished_partition"}),
        "balanced": frozenset({"user_data", "mixed_subscriptions", "vanished_partition"}),
        "locally_balanced": frozenset(
            {
                "user_data",
                "mixed_subscriptions+repeated_topic",
                "mixed_subscriptions+stale_unsubscribed_owner",
                "vanished_partition",
            }
        ),
        "newest_generation_wins": frozenset(
            {
                "user_data",
                "double_claim+overruled_claim",
                "mixed_subscriptions+overruled_claim",
                "overruled_claim+racks_decide",
                "overruled_claim+repeated_topic",
                "overruled_claim+vanished_partition",
            }
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
                "racks_decide",
                "mixed_subscriptions+stale_unsubscribed_owner",
                "vanished_partition",
            }
        ),
        "settling": frozenset(
            {"user_data", "mixed_subscriptions+racks_decide", "double_claim+vanished_partition"}
        ),
        "leaver_minimal": frozenset(
            {"user_data", "mixed_subscriptions", "racks_decide", "double_claim+vanished_partition"}
        ),
        "joined_evenly": frozenset({"user_data", "racks_decide", "repeated_topic"}),
        "moves_bounded": frozenset(
            {
                "user_data",
                "racks_decide",
                "double_claim+overruled_claim",
                "mixed_subscriptions+unsubscribed_owner",
            }
        ),
        "near_before_far": frozenset({"mixed_subscriptions+racks_decide"}),
        "rack_aware_no_more_reads": frozenset({"racks_decide"}),
        "static_identity": frozenset(
            {
                "user_data",
                "racks_decide",
                "no_subscription_first",
                "mixed_subscriptions+repeated_topic",
                "vanished_partition",
            }
        ),
    },
    fails=frozenset(
        {
            "IllegalStateException at constrained_assign.py in _deal",
            "NullPointerException at balance.py in _meet",
            "no answer at balance.py in perform",
        }
    ),
    slow=frozenset({"few unlike", "few unlike, one of them new"}),  # quadratic in partitions, 4.4.0 too
)
