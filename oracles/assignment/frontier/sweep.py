"""All points of a frontier, supported or not: each the least of an objective while caps on the others get tighter.

With two objectives: the least of the first, then of the second; the next point is the same with the second at least one
less, and so on down to its least value. A third is capped from outside, ever tighter, below the most that it was in the
round before. What the prices of supported points prove already is not asked of a solver again.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kassay.oracles.assignment.frontier.point import Caps, Proof, floor_of
from kassay.oracles.assignment.frontier.weights import Row
from kassay.oracles.assignment.level import Ints
from kassay.oracles.failures import OracleError

Least: TypeAlias = Callable[[Caps, Sequence[int]], tuple[Row, Ints]]
Again: TypeAlias = Callable[[Caps, Sequence[int]], Row]
"""What :meth:`.program.Program.least` is, and `least_again`, without deadlines."""


class DisagreementError(OracleError):
    """Two solvers prove different things."""


@dataclass(frozen=True, slots=True, eq=False)
class Swept:
    """A point of the frontier in all objectives asked, owners that have it where it was not known, and whether prices prove it."""

    value: Row
    owners: Ints | None
    by_prices: bool


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is known before: the supported points' values, the proofs (with as many weights), and how solvers are asked."""

    known: Sequence[Row]
    proofs: Sequence[Proof]
    least: Least
    again: Again

    def two(self, caps: Caps, first: int, second: int) -> Iterator[Swept]:
        """Yield the points with the least of one objective for each value of another, the others as small as they can be then."""
        rest = [n for n in range(len(caps)) if n not in (first, second)]
        end = self._asked(caps, [second, first, *rest]).value[second]
        while True:
            found = self._asked(caps, [first, second, *rest])
            yield found
            if found.value[second] <= end:
                return
            caps = (*caps[:second], found.value[second] - 1, *caps[second + 1 :])

    def three(self, outer: int, first: int, second: int) -> Iterator[Swept]:
        """Yield the points of three objectives, the outer one capped ever tighter; each point once."""
        caps: Caps = (None, None, None)
        least = self._asked(caps, [outer, first, second]).value[outer]
        seen: set[Row] = set()
        while True:
            most = least
            for found in self.two(caps, first, second):
                most = max(most, found.value[outer])
                if found.value not in seen:
                    seen.add(found.value)
                    yield found
            if most <= least:
                return
            caps = (*caps[:outer], most - 1, *caps[outer + 1 :])

    def _asked(self, caps: Caps, order: Sequence[int]) -> Swept:
        """Return the least objectives in this order; raises DisagreementError where neither prices nor a second solver confirm them."""
        for value in self.known:
            if all(
                cap is None or own <= cap for own, cap in zip(value, caps, strict=True)
            ) and self._is_least(value, caps, order):
                return Swept(value, None, True)
        value, owners = self.least(caps, order)
        by_prices = self._is_least(value, caps, order)
        if not by_prices and (other := self.again(caps, order)) != value:
            raise DisagreementError(f"HiGHS proves {value} and CP-SAT {other} for one program")
        return Swept(value, owners, by_prices)

    def _is_least(self, value: Row, caps: Caps, order: Sequence[int]) -> bool:
        known = list(caps)
        for objective in order:
            if floor_of(objective, known, self.proofs) < value[objective]:
                return False
            known[objective] = value[objective]
        return True
