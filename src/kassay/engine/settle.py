"""What an assignor comes to rest on, and whether that is complete and legal: the one place for both."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kassay.family import Family
from kassay.properties.rest import until_rest
from kassay.shape import Assign


@dataclass(frozen=True, slots=True)
class Rest:
    """What an assignor comes to rest on: its answer, or that of the last rebalance where it first withholds something.

    `rebalances` counts the answers until then; `at_rest` is false where MOST_REBALANCES of them do not do. `illegal` are the invariants
    of a complete and legal answer that it breaks, or an answer on the way, which may withhold something and nothing else.
    """

    answer: Any
    rebalances: int = 1
    at_rest: bool = True
    illegal: tuple[str, ...] = ()

    @property
    def legal(self) -> bool:
        """Whether the assignor comes to rest on a complete and legal answer, and loses, doubles and misgives nothing on the way."""
        return self.at_rest and not self.illegal


def rest(family: Family, assign: Assign, group: Any, judged: Mapping[str, object] | None = None) -> Rest:
    """Ask an assignor about a group until its members hand nothing over any more.

    `judged` are invariants of its first answer that were judged already, as :func:`illegal` takes them. Raises what the assignor
    fails with. Source: KIP-429, of which each rebalance that moves partitions is followed by another one.
    """
    answer = assign(group)
    broken = illegal(family, group, answer, judged)
    if family.rejoined is None or not (broken or family.shape.goes_on):
        return Rest(answer, illegal=broken)  # a complete and legal answer withholds nothing
    played = until_rest(assign, family.rejoined, group)
    last = played[-1]
    at_rest = family.rejoined(*last) is None
    told = [broken, *(illegal(family, *each) for each in played[1:])]
    found = {
        name: None
        for number, names in enumerate(told, 1)
        for name in names
        if name not in family.withheld or (at_rest and number == len(told))
    }
    return Rest(last[1], len(played), at_rest, tuple(name for name in family.invariants if name in found))


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
