"""An integer program as data, for two solvers to read."""

from dataclasses import dataclass, field
from typing import TypeAlias

from kassay.oracles.solving import Objective

Terms: TypeAlias = list[tuple[int, int]]
"""Variables by number, each times a whole number."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Whole variables between 0 and `most`; rows (terms, low, high) that are equal or at most `high`; objectives in order.

    Low and high of a row are equal, or low is below all that its terms can be.
    """

    most: list[int] = field(default_factory=list)
    rows: list[tuple[Terms, int, int]] = field(default_factory=list)
    objectives: list[Objective] = field(default_factory=list)

    def variable(self, most: int) -> int:
        """Add a variable and return its number."""
        self.most.append(most)
        return len(self.most) - 1

    def equal(self, terms: Terms, number: int) -> None:
        """Add the row that the terms are this number."""
        if terms or number:
            self.rows.append((terms, number, number))

    def at_most(self, terms: Terms, number: int) -> None:
        """Add the row that the terms are this number or less, where they could be more or none could be less."""
        least = sum(min(0, factor * self.most[variable]) for variable, factor in terms)
        if sum(max(0, factor * self.most[variable]) for variable, factor in terms) > number:
            self.rows.append((terms, min(least, number) - 1, number))
