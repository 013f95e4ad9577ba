"""Give the best possible, proved, as a target assignment: the most even loads, the fewest reads across racks and moves, then the best spread of topics.

It shows the potential of ``broker/uniform``. The coordinator decides which members hand partitions over first (KIP-848), so the answer is
the target assignment. It fails if no optimum is proved.

Source: docs/explanation/solver.md; KIP-848.
"""

from kassay.families.optimal.consumer import EXCEPT_IN, ORDER, checked_order
from kassay.families.optimal.consumer import OPTIMAL as AT_ONCE
from kassay.model import Assignment, Assignor, Group
from kassay.reference.promises import EVEN, ORDER_FREE, SOUND, STEADY, VALID

SPREAD = f"{ORDER},topic-spread"
"""The objectives in their order: the topic spread comes last, so that it worsens no other objective."""


def assign(group: Group, order: str = SPREAD) -> Assignment:
    """Give the best possible, proved: the most even loads, the fewest reads across racks, the fewest moves, then the best spread of topics.

    `order` is an order of ``consumer/optimal``. Raises AssignorError if no optimum is proved, InputError for another order.
    """
    # NumPy and the oracles are loaded by the first group, not by a list of the assignors.
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
    "docs/explanation/solver.md",
    EXCEPT_IN,
    costs=8,
    limits=AT_ONCE.limits,
)
