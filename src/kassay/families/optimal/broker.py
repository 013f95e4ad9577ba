"""Give the best possible, proved, as a target assignment: the most even loads, the fewest reads across racks and moves, then the best spread of topics.

A study of what ``broker/uniform`` leaves out: a coordinator that could place an assignor of ours would answer this. Who has to hand over first is the
coordinator's affair (KIP-848), so the answer is the target at once. What is not proved to be optimal is not given: it fails instead.

Source: docs/optimal.md; KIP-848.
"""

from kassay.families.optimal.consumer import EXCEPT_IN, ORDER, checked_order
from kassay.families.optimal.consumer import OPTIMAL as AT_ONCE
from kassay.model import Assignment, Assignor, Group
from kassay.reference.promises import EVEN, ORDER_FREE, SOUND, STEADY, VALID

SPREAD = f"{ORDER},topic-spread"
"""What counts, first things first: the spread is asked where it costs nothing of the others."""


def assign(group: Group, order: str = SPREAD) -> Assignment:
    """Give the best possible, proved: the most even loads, the fewest reads across racks, the fewest moves, then the best spread of topics.

    `order` is one of those of ``consumer/optimal``. Raises AssignorError where no optimum is proved, InputError for another order.
    """
    # numpy and the oracles are loaded by the first group, not by whoever lists assignors
    from kassay.families.optimal.consumer.best_owners import assign as optimum

    return optimum(group, checked_order(order), cooperative=False)


OPTIMAL = Assignor(
    "broker/optimal",
    assign,
    VALID
    | EVEN
    | ORDER_FREE
    | SOUND
    | STEADY
    | {
        "static_identity",
        "instance_isolated",
        "replaced_minimal",
        "leaver_minimal",
        "reconciles",
        "moves_optimal",
    },
    "docs/optimal.md",
    EXCEPT_IN,
    costs=8,
    limits=AT_ONCE.limits,
)
