"""Give the best possible, proved, in two rebalances, the first without what others have not handed over yet (KIP-429).

Source: docs/explanation/solver.md; CooperativeStickyAssignor, which also lets a member have what it claims though a later generation overrules it.
"""

from kassay.families.optimal import consumer
from kassay.model import Assignment, Assignor, Group


def assign(group: Group) -> Assignment:
    """Give the best possible, proved, in two rebalances, the first without what others have not handed over yet.

    Raises AssignorError if no optimum is proved.
    """
    return consumer.assign(group, cooperative=True)


OPTIMAL_COOPERATIVE = Assignor(
    "consumer/optimal-cooperative",
    assign,
    consumer.ALWAYS | {"cooperative"},
    "docs/explanation/solver.md",
    consumer.EXCEPT_IN,
    costs=8,
    limits=frozenset({"moves_optimal"}),  # Cross-rack reads come before moves.
)
