"""The ratio of the maximum load to the mean load, which tells how much a balanced assignment is worth."""

from dataclasses import dataclass
from fractions import Fraction

from kassay.comparison.holdings import held, loads, roles
from kassay.comparison.measured import Measured
from kassay.oracles.answers import Answer
from kassay.shape import Shape

SMALL = Fraction(5, 4)
"""Below this ratio an imbalance is called small: the busiest member has less than a quarter more than the mean."""


@dataclass(frozen=True, slots=True)
class LoadRatio:
    """The loads of one role in the current assignment: maximum, sum and number of owners; prints as ``18 / 15 = 1.2``."""

    most: int
    total: int
    owners: int
    idle: int
    balanced: bool
    """True if an optimal assignment has no smaller difference between the loads."""

    @property
    def value(self) -> Fraction:
        """The exact ratio."""
        return Fraction(self.most * self.owners, self.total)

    @property
    def is_small(self) -> bool:
        """True if the loads are not balanced, but the ratio is below 1.25 and every member has something."""
        return not self.balanced and not self.idle and self.value < SMALL

    def __str__(self) -> str:
        """Write the division: ``max load / mean load = 18 / 15 = 1.2``."""
        mean = Fraction(self.total, self.owners)
        return f"max load / mean load = {self.most:,} / {_format_decimal(mean, 1)} = {_format_decimal(self.value, 2)}"


def find_load_ratio(shape: Shape, now: Measured, best: Answer) -> LoadRatio | None:
    """Return the ratio of the role that is furthest from balanced; None if nothing is owned."""
    has, then = held(shape, now.assignment), held(shape, best.assignment)
    owners = list(dict.fromkeys([*then, *has]))
    found = []
    for role in roles(has, then):
        numbers, possible = loads(has, owners, role), loads(then, owners, role)
        if any(numbers):
            worse = (max(numbers) - min(numbers)) - (max(possible) - min(possible))
            found.append(
                (worse, LoadRatio(max(numbers), sum(numbers), len(owners), numbers.count(0), worse <= 0))
            )
    return max(found, key=lambda each: each[0])[1] if found else None


def _format_decimal(number: Fraction, places: int) -> str:
    """Write a number with at most this number of decimal places, without zeros at the end."""
    text = f"{float(number):,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
