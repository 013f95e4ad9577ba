"""The worst of an assignor: what trying out everything tiny proved, the worst group found, and how it grows."""

from collections.abc import Iterator
from dataclasses import dataclass

from kassay.model import Group
from kassay.oracles.partitions.question import question
from kassay.oracles.partitions.worst_case.enumerate_groups import Space
from kassay.oracles.partitions.worst_case.exhaustion import Exhausted, exhaust_space
from kassay.oracles.partitions.worst_case.local_search import Hunt, Search, local_search
from kassay.oracles.partitions.worst_case.scaling import Growth, scaling
from kassay.oracles.partitions.worst_case.score import Assign, Scored
from kassay.oracles.partitions.worst_case.structured_groups import seeds

SPACES = {
    "balance": Space(members=4, partitions=5, topics=3, mixed=True),
    "moves": Space(members=3, partitions=4, topics=2, mixed=True, claims=True),
    "cross-rack": Space(members=3, partitions=4, topics=2, racks=2, mixed=True),
}
"""Last level of a question -> what is tried out for it completely, as far as the tries last."""
TINY = 80
"""So many more tiny groups are tried out than groups in the other stages, as they take little time."""


@dataclass(frozen=True, slots=True)
class Found:
    """The answer: the trial of everything tiny, the worst case of all stages, and its growth."""

    exhausted: Exhausted
    worst: Scored | None
    growths: tuple[Growth, ...]

    @property
    def sentences(self) -> Iterator[str]:
        """What came out, in words."""
        yield self.exhausted.sentence
        if self.worst is None:
            yield "no group with a gap was found"
            return
        case = self.worst
        yield f"worst found, gap {case.gap}: {case.value} for {case.optimum}, with {case.size_in_words}"
        for growth in self.growths:
            if growth.bounded is None:
                yield f"doubling {growth.way}, sizes that could be judged: {len(growth.cases)}, too few to tell"
            else:
                steps = ", ".join(f"{each.value}:{each.optimum}" for each in growth.cases)
                verdict = "stays bounded" if growth.bounded else "grows without a sign of a bound"
                yield f"doubling {growth.way}, the ratio {verdict}: {steps}"


def find_worst(
    assign: Assign, text: str, *, seed: int = 0, tries: int = 4_000, hunt: Hunt | None = None
) -> Found:
    """Look for the smallest group on which an assignor is furthest from the optimum of a question's last level.

    First everything tiny, up to TINY * `tries` groups; then groups with structure (see :mod:`.structured_groups`), `hunt`, and random
    changes, with up to `tries` groups each, the last beginning with the worst known. Deterministic for a seed if `hunt` is.
    """
    asked = question(text)
    space = SPACES[asked.levels[-1]] if not asked.together else SPACES["cross-rack"]
    exhausted = exhaust_space(assign, text, space, TINY * tries)
    worst = Search(assign, text)
    for case in exhausted.worst.values():
        if case:
            worst.seen(case.group)
    structured = list(seeds(asked.levels[-1]))
    for group in structured[:: 1 + len(structured) // max(1, tries)]:
        worst.seen(group)
    if hunt:

        def score(group: Group) -> int | None:
            case = worst.seen(group)
            return case.gap if case else None

        hunt(score, seed, tries)
    local_search(worst, seed=seed, tries=tries)
    smallest = worst.minimised()
    growths = tuple(scaling(assign, text, smallest.group)) if smallest else ()
    return Found(exhausted, smallest, growths)
