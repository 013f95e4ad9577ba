"""Play a sequence of rebalances with targets and add up what each comes to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kassay.engine.settle import illegal
from kassay.errors import SkippedError
from kassay.family import Family, Sequences
from kassay.model import AssignorError
from kassay.shape import Assign
from kassay.targets.target import Target


@dataclass(frozen=True, slots=True)
class Played:
    """What a target comes to in a sequence: the sum of each level, how many rounds it takes, and how many rebalances it leaves uneven.

    `trouble` says why there are no sums; "" where there are.
    """

    target: str
    totals: Mapping[str, int]
    rounds: int = 0
    uneven: int = 0
    trouble: str = ""


def played(target: Target, family: Family, sequences: Sequences, timeline: Any) -> Played:
    """Play a timeline with a target; a rebalance that it does not answer completely and legally ends it."""
    return _played(target.name, target.assign, family, sequences, timeline)


def replayed(answers: Iterable[Any], family: Family, sequences: Sequences, timeline: Any) -> Played:
    """Play a timeline with one answer for each rebalance; too few or too many are trouble too."""
    left = iter(answers)

    def assign(_: Any) -> Any:
        for answer in left:
            return answer
        raise AssignorError("there is no assignment for it")

    found = _played("assignments", assign, family, sequences, timeline)
    more = sum(1 for _ in left)
    return (
        replace(found, trouble=f"there are {more} assignments too many")
        if more and not found.trouble
        else found
    )


def _played(name: str, assign: Assign, family: Family, sequences: Sequences, timeline: Any) -> Played:
    done = []
    try:
        for rounds in sequences.rounds(assign, timeline):
            done.append(rounds)
            if broken := illegal(family, *rounds[-1]):
                says = f"rebalance {len(done)} gets a wrong answer, which breaks {', '.join(broken)}"
                return Played(name, {}, trouble=says)
            if family.provisional(rounds[-1][1]):
                says = f"rebalance {len(done)} asks for another one, after {len(rounds)} answers still"
                return Played(name, {}, trouble=says)
    except (AssignorError, SkippedError) as failure:
        return Played(name, {}, trouble=f"rebalance {len(done) + 1} gets no answer: {failure}")
    uneven = sum(sequences.uneven(*rounds[-1]) for rounds in done)
    return Played(name, sequences.totals(done), sum(map(len, done)), uneven)
