"""Give the best possible, proved: the most even loads, then the fewest reads across racks, then the fewest moves.

Of several best assignments it takes the same one however members, topics, subscriptions and claims are listed. What is
not proved to be optimal is not given: it fails instead.

Source: docs/optimal.md; the levels are those of KIP-54 and KIP-881.
"""

from kassay.errors import InputError
from kassay.model import Assignment, Assignor, Group
from kassay.reference.promises import ORDER_FREE, SOUND, STEADY, VALID

ORDER = "balance,cross-rack,moves"
"""What counts, first things first; ``balance,moves,cross-rack`` is the other order that makes sense, and the spread of topics may come behind either."""
ORDERS = (ORDER, "balance,moves,cross-rack", f"{ORDER},topic-spread", "balance,moves,cross-rack,topic-spread")


def checked_order(order: str) -> str:
    """Return an order of levels as it is; raises InputError where it is none of ORDERS."""
    if order not in ORDERS:
        raise InputError(f"order: there is no {order!r}; give {' or '.join(map(repr, ORDERS))}")
    return order


def assign(group: Group, order: str = ORDER, *, cooperative: bool = False) -> Assignment:
    """Give the best possible, proved: the most even loads, then the fewest reads across racks, then the fewest moves.

    `order` may put moves before reads across racks, and the most even spread of each topic behind both. Where `cooperative`, a partition whose owner has yet to give it up is
    given to nobody in this round (KIP-429). Raises AssignorError where no optimum is proved, InputError for another order.
    """
    # numpy and the oracles are loaded by the first group, not by whoever lists assignors
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
"""What it promises at once and cooperatively."""
EXCEPT_IN = {"moves_optimal": frozenset({"racks_decide", "distant_member"})}

OPTIMAL = Assignor(
    "consumer/optimal",
    assign,
    ALWAYS | {"complete", "balanced", "locally_balanced"},
    "docs/optimal.md",
    EXCEPT_IN,
    costs=8,
    limits=frozenset({"moves_optimal"}),  # racks go before moves
)
