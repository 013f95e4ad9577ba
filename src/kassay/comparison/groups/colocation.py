"""Co-location of topics: partitions with equal numbers of several topics on one member, as range gives them.

An application that joins two topics record by record relies on it. Other strategies do not keep it.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from kassay.comparison.holdings import by_role
from kassay.comparison.measured import Measured
from kassay.family import Family
from kassay.sentences import listed

SHOWN = 3
"""A sentence names at most this many topics."""


def describe_colocation(family: Family, now: Measured | None, answer: Measured, label: str) -> str:
    """Return a warning if topics are co-located now and would not be with an answer, else ""."""
    if now is None or now.failure is not None or family.shape.items != "partitions":
        return ""
    found = find_colocated(family.shape.write_assignment(now.assignment))
    kept = find_colocated(family.shape.write_assignment(answer.settled))
    lost = [topics for topics in found if not any(topics <= each for each in kept)]
    if not lost:
        return ""
    names = sorted(lost[0])
    shown = [f"{name}-N" for name in names[:SHOWN]] + [f"{len(names) - SHOWN} more topics"] * (
        len(names) > SHOWN
    )
    others = f" The same holds for {len(lost) - 1} more sets of topics." if len(lost) > 1 else ""
    return (
        f"The current assignment keeps {listed(shown)} on one member, as range does. {label} does not keep them together.{others} "
        "If your application joins these topics, keep range."
    )


def find_colocated(assignment: Mapping[str, Any]) -> list[frozenset[str]]:
    """Return the largest sets of topics whose equal partition numbers are all on one member, in a stable order.

    Only topics with the same numbers of partitions, on two members or more, are told apart from chance.
    """
    owners: dict[str, dict[int, str]] = defaultdict(dict)
    for owner, given in assignment.items():
        for _, items in by_role(given):
            for topic, number in items:
                owners[topic][number] = owner
    alike: dict[frozenset[tuple[int, str]], set[str]] = defaultdict(set)
    for topic, of in owners.items():
        if len({*of.values()}) > 1:
            alike[frozenset(of.items())].add(topic)
    return sorted((frozenset(topics) for topics in alike.values() if len(topics) > 1), key=sorted)
