"""Why nothing is better, as JSON that others can check: prices, and what assignment and prices are worth."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from kassay.model import Assignment
from kassay.oracles.answers import Level
from kassay.oracles.assignment.certificates import Judged
from kassay.oracles.assignment.prices import Prices
from kassay.oracles.partitions.encoding import Case


def part(case: Case, best: Judged) -> dict[str, Any]:
    """Return the proof of one case of a group, as JSON: of topics that no other topics depend on.

    `price` and `except` are what each member that reads any of them asks for a slot, one number per level of the
    question, the price that most of them ask but once; `value` is what the assignment costs and `least` what the
    prices prove that none can go below, level by level and to be compared like words in a dictionary. Balance counts
    the squared loads. Where the spread of topics is asked, `spread` has the prices of topics. See :mod:`kassay.oracles.assignment.certificates`.
    """
    some = np.flatnonzero(np.isin(case.problem.subscription_of, case.problem.audience_subscription))
    asked = map(tuple, best.prices.rows[:, some].T.tolist())
    prices = dict(zip(map(case.members.__getitem__, some.tolist()), asked, strict=True))
    ((usual, _),) = Counter(prices.values()).most_common(1)
    topics = {} if best.prices.topics is None else {"spread": of_topics(case, best.prices)}
    return topics | {
        "topics": case.names,
        "value": best.value,
        "least": best.least,
        "price": usual,
        "except": {member: price for member, price in prices.items() if price != usual},
    }


def of_topics(case: Case, prices: Prices) -> dict[str, Any]:
    """Return what a place of each topic costs at members of each rack, and what else it costs at single members that owned some of it."""
    problem = case.problem
    assert prices.topics is not None
    alone = prices.topics.shape[2] == 1
    racks = [""] if alone else [*case.racks, ""]
    read = [
        {0} if alone else {*problem.rack_of[np.isin(problem.subscription_of, reads)].tolist()}
        for reads in np.split(problem.audience_subscription, problem.audience_start[1:-1])
    ]
    rows = prices.topics.tolist()
    return {
        "price": {
            names[0]: {racks[r]: tuple(row[t][r] for row in rows) for r in sorted(read[audience])}
            for t, (names, audience) in enumerate(
                zip(case.topics, problem.topic_audience.tolist(), strict=True)
            )
        },
        "except": [
            (case.topics[topic][0], case.members[member], tuple(row))
            for topic, member, row in zip(
                *(each.tolist() for each in prices.places), prices.place_rows.T.tolist(), strict=True
            )
        ],
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
