"""Causes: what tells the breaches of one property apart, and which of them are worth a finding."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.engine.judge import Breach

MOST_CAUSES = 3
"""How many findings a property has at most, of different causes, the most frequent ones."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What tells breaches of one property apart: the kind of failure, and the excepted situations that were met."""

    property: str
    failure: str
    met: frozenset[str]


@dataclass
class Seen:
    """The breaches of one cause: how many, and the one with the smallest group, by the length of its JSON.

    `given` is the name of the first group that was given, if one of them was.
    """

    group: Any
    breach: Breach
    size: int
    given: str
    count: int = 0


def frequent(causes: Sequence[Cause], count: Callable[[Cause], int]) -> Iterator[Cause]:
    """Yield the causes of one property's breaches that are worth a finding, the most frequent first.

    These are up to MOST_CAUSES of broken promises, then of known defects. A known defect is left out where the same failure breaks the promise, or is seen in fewer of its situations.
    """
    for known in (False, True):
        telling = [
            cause
            for cause in causes
            if bool(cause.met) is known
            and not any(other.failure == cause.failure and other.met < cause.met for other in causes)
        ]
        yield from sorted(telling, key=count, reverse=True)[:MOST_CAUSES]
