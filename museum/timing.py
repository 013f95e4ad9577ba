"""The growth of an answer's time as a group doubles: two releases in turn, on the growing groups of their family.

Only ratios are kept, because seconds depend on the machine.
"""

from dataclasses import dataclass

from kassay.engine.plan import measure_seconds
from kassay.errors import SkippedError
from kassay.families import family
from kassay.model import AssignorError
from kassay.targets import Target

DOUBLINGS = 6
LIMIT_S = 3.0
"""No further doubling after an answer that took longer."""
SLOWER = 4.0
"""A release has a bug if it takes more than four times as long as the other one on the largest group."""


@dataclass(frozen=True)
class Growth:
    """The times of two releases on one kind of growing groups."""

    shape: str
    slower: float
    """The ratio of the first to the second time on the largest group."""
    first: float
    """The ratio of the first release's last two times."""
    second: float


def measure_growth(shape: str, first: Target, second: Target) -> Growth | None:
    """Measure two releases in turn on growing groups; None if a release fails on one of the two smallest groups.

    A failure on a larger group, or a slow answer, ends the growth.
    """
    make = family(second.family).growing[shape]
    times: list[tuple[float, float]] = []
    for doubling in range(1, DOUBLINGS):
        try:
            group = make(second.assign, 1 << doubling)
            times.append((measure_seconds(first.assign, group), measure_seconds(second.assign, group)))
        except (AssignorError, SkippedError):
            break
        if max(times[-1]) > LIMIT_S:
            break
    if len(times) < 2:
        return None
    (first_before, second_before), (first_last, second_last) = times[-2:]
    return Growth(shape, first_last / second_last, first_last / first_before, second_last / second_before)
