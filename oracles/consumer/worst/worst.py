"""The worst of an assignor: what trying out everything tiny proved, the worst groups found, and how they grow."""

from collections.abc import Iterator
from dataclasses import dataclass

from kassay.oracles.consumer.question import question
from kassay.oracles.consumer.worst.exhausting import Exhausted, Space, count, exhaust_space
from kassay.oracles.consumer.worst.growing import Growth, grow
from kassay.oracles.consumer.worst.judging import Assign, Case
from kassay.oracles.consumer.worst.searching import Found, search

SPACES = {
    "balance": Space(members=4, partitions=5, topics=3, mixed=True),
    "moves": Space(members=3, partitions=4, topics=2, mixed=True, claims=True),
    "cross-rack": Space(members=3, partitions=4, topics=2, racks=2),
}
"""Last level of a question -> what is tried out for it completely, as far as the tries last."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The answer: the trial of everything tiny, what the search found, and the growth of its worst group."""

    exhausted: Exhausted
    found: Found
    growths: tuple[Growth, ...]

    @property
    def sentences(self) -> Iterator[str]:
        """What came out, in words."""
        yield f"{self.exhausted.sentence} ({self.exhausted.tried:,} groups tried)"
        largest_and_smallest = dict.fromkeys([*self.found.worst[:1], *self.found.worst[-1:]])
        for case in largest_and_smallest:
            yield f"gap {case.gap}: {case.value} where {case.optimum} is possible, with {_size(case)}"
        for growth in self.growths:
            if growth.bounded is not None:
                steps = ", ".join(f"{case.value}:{case.optimum}" for case in growth.cases)
                verdict = "stays bounded" if growth.bounded else "grows without a sign of a bound"
                yield f"doubling {growth.way}, the ratio {verdict}: {steps}"


def worst(assign: Assign, text: str, *, seed: int = 0, tries: int = 4_000) -> Worst:
    """Look for the smallest groups on which an assignor is furthest from the optimum of a question's last level.

    Spends `tries` judgements each on trying out everything tiny and on the search. Deterministic for a seed.
    """
    asked = question(text)
    space = SPACES[asked.levels[-1]] if not asked.together else SPACES["cross-rack"]
    exhausted = exhaust_space(assign, text, space, tries)
    tiny = tuple(case.group for case in exhausted.worst.values() if case)
    found = search(assign, text, seed=seed, tries=tries, starts=tiny)
    growths = tuple(grow(assign, text, found.worst[0].group)) if found.worst else ()
    return Worst(exhausted, found, growths)


def _size(case: Case) -> str:
    members, partitions, topics = case.size
    return f"{count(members, 'member')}, {count(partitions, 'partition')} and {count(topics, 'topic')}"
