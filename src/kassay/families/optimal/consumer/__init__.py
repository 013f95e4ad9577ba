"""Give the best possible, proved: the most even loads, then the fewest reads across racks, then the fewest moves.

Of several optimal assignments it takes the same one in any order of members, topics, subscriptions and claims. It fails
if no optimum is proved.

Source: docs/explanation/solver.md; the objectives of KIP-54 and KIP-881.
"""

from kassay.errors import InputError
from kassay.model import Assignment, Assignor, Group
from kassay.reference.promises import ORDER_FREE, SOUND, STEADY, VALID

ORDER = "balance,cross-rack,moves"
"""The objectives in their order. The other useful order is ``balance,moves,cross-rack``; the topic spread may follow either."""
ORDERS = (ORDER, "balance,moves,cross-rack", f"{ORDER},topic-spread", "balance,moves,cross-rack,topic-spread")


def checked_order(order: str) -> str:
    """Return an order of objectives unchanged; raises InputError if it is not in ORDERS."""
    if order not in ORDERS:
        raise InputError(f"order: there is no {order!r}. Give {' or '.join(map(repr, ORDERS))}")
    return order


def assign(group: Group, order: str = ORDER, *, cooperative: bool = False) -> Assignment:
    """Give the best possible, proved: the most even loads, then the fewest reads across racks, then the fewest moves.

    `order` may put moves before reads across racks, and the most even spread of each topic after both. If `cooperative`, a partition
    stays without an owner in this round while its previous owner still holds it (KIP-429).
    Raises AssignorError if no optimum is proved, InputError for another order.
    """
    # NumPy and the oracles are loaded by the first group, not by a list of the assignors.
    from kassay.families.optimal.consumer.best_owners import assign as optimum

    return optimum(group, checked_order(order), cooperative=cooperative)


ALWAYS = (
    (VALID - {"complete"})
    | ORDER_FREE
    | SOUND
    | STEADY
    | {
        "instance_isolated",
        "two_rounds",
        "newest_generation_wins",
        "static_identity",
        "leaver_minimal",
        "joined_evenly",
        "moves_optimal",
    }
)
"""The promises of both the eager and the cooperative version."""
EXCEPT_IN = {"moves_optimal": frozenset({"racks_decide", "distant_member"})}

OPTIMAL = Assignor(
    "consumer/optimal",
    assign,
    ALWAYS | {"complete", "balanced", "locally_balanced"},
    "docs/explanation/solver.md",
    EXCEPT_IN,
    costs=8,
    limits=frozenset({"moves_optimal"}),  # Cross-rack reads come before moves.
)
