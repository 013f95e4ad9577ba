"""The worst of an assignor, with what Hypothesis hunts down: it generates small groups and is steered towards great scores."""

from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings, target
from hypothesis.strategies import SearchStrategy

from kassay.oracles.answers import Gap, Grown, Worst
from kassay.oracles.worst_case.search import Ground, Hunt, find_worst
from kassay.oracles.worst_case.spaces import Judge

G = TypeVar("G")


def worst_of(
    judge: Judge[G], ground: Ground[G], small: SearchStrategy[G], question: str, seed: int, tries: int
) -> Worst:
    """Search for the worst in a question's last level; `small` are groups to hunt among."""
    found = find_worst(judge, ground, seed=seed, tries=tries, hunt=hunting(small))
    sentences = tuple(found.sentences)
    done, first = found.exhausted.done, found.exhausted.first
    kind = ground.space.kind
    everything = f"every group up to {done} ({found.exhausted.tried:,})" if done else ""
    if found.worst is None:
        return Worst(sentences, everything=everything)
    level = question.rpartition(",")[2]
    smallest = min((case.size for case in (first, found.worst) if case), key=lambda size: sum(size[:2]))
    return Worst(
        sentences,
        found.worst.group,
        Gap(level, found.worst.value, found.worst.optimum),
        everything,
        kind.sized(smallest),
        tuple(
            Grown(growth.way, growth.bounded, tuple((case.value, case.optimum) for case in growth.cases))
            for growth in found.growths
        ),
    )


def hunting(groups: SearchStrategy[G]) -> Hunt[G]:
    """Return what asks for the scores of so many groups; the same groups for the same seed and scores."""

    def hunt(score: Callable[[G], int | None], seed_: int, tries: int) -> None:
        @seed(seed_)
        @settings(
            max_examples=tries, phases=[Phase.generate, Phase.target], database=None, deadline=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(groups)
        def ask(group: G) -> None:
            reached = score(group)
            if reached is not None:
                target(float(reached))

        ask()

    return hunt
