"""The answer to a question over time, for all shapes: the minimal sums, the assignments that have them, and the proof."""

import math
import time
from collections.abc import Callable
from collections.abc import Sequence as Listed
from typing import Any

from kassay.oracles.answers import OverTime, Total
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.sequence import Sequence, list_paths
from kassay.oracles.assignment.sequence_optimum import solve, write_certificate


def compute_deadline(time_limit_s: float | None) -> float:
    """Return the deadline, of time.monotonic; infinite if there is no limit."""
    return math.inf if time_limit_s is None else time.monotonic() + time_limit_s


def build_answer(
    question: str,
    sequence: Sequence,
    assignments: Callable[[Listed[Ints]], tuple[Any, ...]],
    rebalances: int,
    deadline: float,
    *,
    whole: bool = True,
) -> OverTime:
    """Return the answer for a sequence; `assignments` makes one for each rebalance of the node of each item in each layer.

    Without `whole` only bounds are computed. Raises what :func:`kassay.oracles.assignment.sequence_optimum.solve` raises.
    """
    best = solve(sequence, deadline, whole=whole)
    found = () if best.flow is None else assignments(list_paths(sequence, best.flow))
    totals = tuple(
        Total(level, least, None if best.values is None else best.values[n])
        for n, (level, least) in enumerate(zip(sequence.levels, best.least, strict=True))
    )
    return OverTime(question, rebalances, totals, found, write_certificate(best))
