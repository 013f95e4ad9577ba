"""What an assignor settles on where it first withholds what members have yet to give up."""

from typing import Any

from kassay.family import Family
from kassay.shape import Assign


def settled(family: Family, assign: Assign, group: Any, answer: Any) -> Any:
    """Return an answer, or the next one where this only withholds what members have yet to give up.

    Raises what the assignor fails with when it is asked again. Source: KIP-429, of which each rebalance that moves
    partitions has a second round.
    """
    again = family.rejoined(group, answer)
    return answer if again is None else assign(again)
