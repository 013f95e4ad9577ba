"""Convergence: the answer on which a group stays once no member hands anything over, and the invariants that it breaks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kassay.families.family import Family, Rounds
from kassay.families.shape import Assign
from kassay.properties.runs import run_until_converged


@dataclass(frozen=True, slots=True)
class Rest:
    """The converged answer of an assignor: its answer, or the answer of the last rebalance if it first withholds something."""

    answer: Any
    rebalances: int = 1
    """The number of answers until it converges."""
    at_rest: bool = True
    """False if it does not converge within MOST_REBALANCES."""
    illegal: Mapping[str, str] = field(default_factory=dict)
    """Broken invariant of a complete and legal answer -> the first sentence on how the last such answer breaks it.

    Earlier answers count too, but they may withhold something.
    """
    played: Rounds = ()
    """The rebalances of a provisional answer, each a group and its answer (see :func:`converge`)."""

    @property
    def legal(self) -> bool:
        """True if the assignor converges to a complete and legal answer, and breaks no such invariant in earlier answers."""
        return self.at_rest and not self.illegal


def rest(family: Family, assign: Assign, group: Any, known: Mapping[str, str | None] | None = None) -> Rest:
    """Return the answer of an assignor when no member hands anything over any more.

    `known` are the invariants of its first answer that were already checked, as in :func:`illegal`. Raises the error of the
    assignor. Source: KIP-429: after each rebalance that moves partitions there is another one.
    """
    answer = assign(group)
    broken = illegal(family, group, answer, known)
    if family.rejoined is None or not (broken or family.shape.goes_on):
        return Rest(answer, illegal=broken)  # A complete and legal answer withholds nothing.
    played = run_until_converged(assign, family.rejoined, group)
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
    """Return the converged answer as :func:`rest` does; after a provisional answer, play the rebalances that it asks for.

    Before each of them, members restore everything that they were given, so that warm-ups are caught up. If a group joins a second
    time, the rebalances never end. Raises the error of the assignor. Source: KIP-441: probing rebalances hand tasks over
    when their warm-ups have caught up.
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

    played = run_until_converged(assign, next_joined, group, probing.most(group))
    last = played[-1][1]
    told = (illegal(family, *each) for each in played)
    broken = {name: sentence for sentences in told for name, sentence in sentences.items()}
    return Rest(last, len(played), not family.provisional(last), broken, played)


def illegal(
    family: Family, group: Any, answer: Any, known: Mapping[str, str | None] | None = None
) -> dict[str, str]:
    """Return the broken invariants of a complete and legal answer, each with the first sentence on how.

    `known` are the invariants of this answer that were already checked: name -> sentence, None if it is kept.
    """
    known = known or {}
    legal = {name: invariant for name, invariant in family.invariants.items() if name in family.legal}
    found = {
        name: known[name] if name in known else next(invariant(group, answer), None)
        for name, invariant in legal.items()
    }
    return {name: str(sentence) for name, sentence in found.items() if sentence is not None}
