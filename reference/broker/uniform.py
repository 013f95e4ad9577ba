"""Give all members equal numbers of partitions, each keeping what it owns as far as that allows.

Where all subscribe to the same topics, loads differ by one at most. Where they do not, members keep everything, free partitions go to
the least loaded readers, and topic by topic partitions move from the most to the least loaded ones. Racks are not read.

Known defects, reproduced: what a member must give up is dealt out to the members below their quota one after the other, so that one
may get only partitions of one topic. Where subscriptions differ, topics are balanced one at a time, in 16 sweeps at most, so that
loads may stay less even than they can be. A partition that two own stays with both.

Source: org.apache.kafka.coordinator.group.assignor.UniformAssignor of Kafka 4.0.1 to 4.4 (KIP-848, KAFKA-17710, KAFKA-18688).
"""

from functools import partial

from kassay.model import Assignment, Assignor, Group
from kassay.reference.broker.general import GeneralBuilder
from kassay.reference.broker.group_spec import group_spec
from kassay.reference.broker.heterogeneous import HeterogeneousBuilder
from kassay.reference.broker.homogeneous import HomogeneousBuilder, OptimizedBuilder
from kassay.reference.broker.rack_info import RackInfo
from kassay.reference.promises import EVEN, SOUND, STEADY, VALID


def assign(group: Group, *, extras_stay: bool = True, by_level: bool = True) -> Assignment:
    """Give all members equal numbers of partitions, each keeping what it owns as far as that allows."""
    spec = group_spec(group)
    if not spec.members:
        return {}
    if spec.alike:
        return HomogeneousBuilder(spec, extras_stay=extras_stay).build()
    return HeterogeneousBuilder(spec).build() if by_level else GeneralBuilder(spec).build()


def assign_3_7(group: Group) -> Assignment:
    """Do that by racks where these differ, which 3.8 gave up again."""
    spec = group_spec(group)
    if not spec.members:
        return {}
    if spec.alike:
        return OptimizedBuilder(spec).build()
    return GeneralBuilder(spec, RackInfo).build()


assign_4_0_0 = partial(assign, extras_stay=False)
assign_3_8 = partial(assign, extras_stay=False, by_level=False)

_CLAIMED_TWICE = frozenset({"double_claim", "overruled_claim"})
_MIXED = frozenset({"mixed_subscriptions"})
UNIFORM = Assignor(
    "broker/uniform",
    assign,
    VALID
    | EVEN
    | SOUND
    | STEADY
    | {
        "static_identity",
        "instance_isolated",
        "stable_in_any_order",
        "replaced_minimal",
        "leaver_minimal",
        "joiner_minimal",
        "reconciles",
        "moves_bounded",
        "rack_aware_no_more_reads",
    },
    "UniformAssignor of kafka-group-coordinator 4.4; KIP-848",
    {
        "exclusive": _CLAIMED_TWICE,
        "every_member": frozenset({"no_subscription"}),
        "balanced": _MIXED,
        "locally_balanced": _CLAIMED_TWICE,
        "crash_free": _CLAIMED_TWICE | {"unknown_topic", "vanished_partition"},
        "stable": frozenset({"double_claim"}),
        "settling": frozenset({"double_claim"}),
        "stable_in_any_order": frozenset({"double_claim"}),
        "static_identity": frozenset({"double_claim"}),
        "replaced_minimal": _MIXED,
        "leaver_minimal": _MIXED,
        "joiner_minimal": _MIXED,
        "reconciles": _CLAIMED_TWICE,
    },
    fails=frozenset(
        {
            "ArrayIndexOutOfBoundsException at heterogeneous.py in _keep",
            "PartitionAssignorException at group_spec.py in unknown",
            "PartitionAssignorException at homogeneous.py in _assign",
        }
    ),
)
