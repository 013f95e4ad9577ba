"""Why nothing is better, as JSON that others can check: prices, and what assignment and prices are worth."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from kassay.model import Assignment
from kassay.oracles.answers import Level
from kassay.oracles.assignment.certificates.duals import Judged
from kassay.oracles.partitions.encoding import Case


def part(case: Case, best: Judged) -> dict[str, Any]:
    """Return the proof of one case of a group, as JSON: of topics that no other topics depend on.

    `price` and `except` are what each member that reads any of them asks for a slot, one number per level of the
    question, the price that most of them ask but once; `value` is what the assignment costs and `least` what the
    prices prove that none can go below, level by level and to be compared like words in a dictionary. Balance counts
    the squared loads. See :mod:`kassay.oracles.assignment.certificates.duals`.
    """
    some = np.flatnonzero(np.isin(case.problem.subscription_of, case.problem.audience_subscription))
    asked = map(tuple, best.prices.rows[:, some].T.tolist())
    prices = dict(zip(map(case.members.__getitem__, some.tolist()), asked, strict=True))
    ((usual, _),) = Counter(prices.values()).most_common(1)
    return {
        "topics": case.names,
        "value": best.value,
        "least": best.least,
        "price": usual,
        "except": {member: price for member, price in prices.items() if price != usual},
    }


def certificate(
    levels: Sequence[Level], assignment: Assignment, parts: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return the proof of an answer as JSON, without the assignment itself and the levels."""
    return {
        "proved": all(level.proved for level in levels) and all(p["value"] == p["least"] for p in parts),
        "loads": {member: len(partitions) for member, partitions in assignment.items()},
        "parts": list(parts),
    }
