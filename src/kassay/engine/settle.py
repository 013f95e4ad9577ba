"""What an assignor settles on, and whether an answer is complete and legal: the one place for both."""

from collections.abc import Mapping
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


def illegal(
    family: Family, group: Any, answer: Any, judged: Mapping[str, object] | None = None
) -> tuple[str, ...]:
    """Return the invariants of a complete and legal answer that an answer breaks.

    `judged` are invariants of this answer that were judged already: name -> breach, None where it is kept.
    """
    known = judged or {}
    return tuple(
        name
        for name, invariant in family.invariants.items()
        if name in family.legal
        and (known[name] if name in known else next(invariant(group, answer), None)) is not None
    )
