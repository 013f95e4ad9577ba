"""Convergence: the answer on which a group stays once its members hand nothing over any more, and whether that is complete and legal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kassay.family import Family, Rounds
from kassay.properties.runs import until_rest
from kassay.shape import Assign


@dataclass(frozen=True, slots=True)
class Rest:
    """What an assignor comes to rest on: its answer, or that of the last rebalance where it first withholds something.

    `rebalances` counts the answers until then; `at_rest` is false where MOST_REBALANCES of them do not do. `illegal` are the invariants
    of a complete and legal answer that it breaks, or an answer on the way, which may withhold something and nothing else,
    each with the first sentence of how the last of these answers does. `played` are the rebalances, each a group and the answer to it,
    where the answer was provisional (see :func:`converge`).
    """

    answer: Any
    rebalances: int = 1
    at_rest: bool = True
    illegal: Mapping[str, str] = field(default_factory=dict)
    played: Rounds = ()

    @property
    def legal(self) -> bool:
        """Whether the assignor comes to rest on a complete and legal answer, and loses, doubles and misgives nothing on the way."""
        return self.at_rest and not self.illegal


def rest(family: Family, assign: Assign, group: Any, known: Mapping[str, str | None] | None = None) -> Rest:
    """Ask an assignor about a group until its members hand nothing over any more.

    `known` are invariants of its first answer that were checked already, as :func:`illegal` takes them. Raises what the assignor
    fails with. Source: KIP-429, of which each rebalance that moves partitions is followed by another one.
    """
    answer = assign(group)
    broken = illegal(family, group, answer, known)
    if family.rejoined is None or not (broken or family.shape.goes_on):
        return Rest(answer, illegal=broken)  # a complete and legal answer withholds nothing
    played = until_rest(assign, family.rejoined, group)
    last = played[-1]
    at_rest = family.rejoined(*last) is None
    told = [broken, *(illegal(family, *each) for each in played[1:])]
    found = {
        name: sentence
        for number, sentences in enumerate(told, 1)
        for name, sentence in sentences.items()
        if name not in family.withheld or (at_rest and number == len(told))
    }
    ordered = {name: found[name] for name in family.invariants if name in found}
    return Rest(last[1], len(played), at_rest, ordered)


def converge(family: Family, assign: Assign, group: Any) -> Rest:
    """Ask an assignor as :func:`rest` does, and where it answers provisionally, play the rebalances that it asks for until it asks for none.

    Until each of them members restore all that they were given to restore, so a copy that warmed up is caught up then. A group
    that joins a second time shows that the rebalances never end. Raises what the assignor fails with. Source: KIP-441, whose probing rebalances hand tasks over as their warm-ups catch up.
    """
    found = rest(family, assign, group)
    probing = family.probing
    if probing is None or not found.legal or not family.provisional(found.answer):
        return found
    joined: list[Any] = []

    def next_joined(before: Any, answer: Any) -> Any:
        joined.append(before)
        following = probing.joined(before, answer)
        return None if following in joined else following

    played = until_rest(assign, next_joined, group, probing.most(group))
    last = played[-1][1]
    told = (illegal(family, *each) for each in played)
    broken = {name: sentence for sentences in told for name, sentence in sentences.items()}
    return Rest(last, len(played), not family.provisional(last), broken, played)


def illegal(
    family: Family, group: Any, answer: Any, known: Mapping[str, str | None] | None = None
) -> dict[str, str]:
    """Return the invariants of a complete and legal answer that an answer breaks, each with the first sentence of how.

    `known` are invariants of this answer that were checked already: name -> sentence, None if it is kept.
    """
    known = known or {}
    legal = {name: invariant for name, invariant in family.invariants.items() if name in family.legal}
    found = {
        name: known[name] if name in known else next(invariant(group, answer), None)
        for name, invariant in legal.items()
    }
    return {name: str(sentence) for name, sentence in found.items() if sentence is not None}
