"""How the time of an answer grows as a group doubles: two releases by turns, on the growing groups of their family.

Only ratios are kept, for seconds are the machine's.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kassay.engine.plan import measure_seconds
from kassay.errors import SkippedError
from kassay.families import family
from kassay.model import AssignorError
from kassay.targets import Target

DOUBLINGS = 6
LIMIT_S = 3.0
"""No further doubling after an answer that took so long."""
SLOWER = 4.0
"""A release that takes so many times as long as the other one on the largest group is at fault."""


@dataclass(frozen=True)
class Growth:
    """Two releases' times: how many times as long the first took at last, and by how much each one's grew in the last doubling."""

    shape: str
    slower: float
    first: float
    second: float


def growths(first: Target, second: Target) -> Iterator[Growth]:
    """Measure two releases side by side on each shape; a release that fails on a group ends its shape."""
    for shape, make in family(second.family).growing.items():
        times: list[tuple[float, float]] = []
        for doubling in range(1, DOUBLINGS):
            try:
                group = make(second.assign, 1 << doubling)
                times.append((measure_seconds(first.assign, group), measure_seconds(second.assign, group)))
            except (AssignorError, SkippedError):
                break
            if max(times[-1]) > LIMIT_S:
                break
        if len(times) > 1:
            (before, beside), (now, then) = times[-2:]
            yield Growth(shape, now / then, now / before, then / beside)
