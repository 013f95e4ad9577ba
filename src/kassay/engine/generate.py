"""Draw groups and timelines from a family's Hypothesis strategies, in batches, the same for the same seed."""

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from kassay.families.family import Family
from kassay.properties.choices import from_seed

BATCH = 200
LARGE = 400
"""The number of examples to which one large group of each kind is added."""
DIRECTED = 20
"""The number of directed groups that are added to each full batch, if the shape has some."""


def draw_examples(strategy: SearchStrategy[Any], number: int, seed_: int) -> list[Any]:
    """Draw a number of examples, or fewer if the strategy has no more."""
    examples: list[Any] = []

    @seed(seed_)
    @settings(
        max_examples=number, phases=[Phase.generate], database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def collect(example: Any) -> None:
        examples.append(example)

    collect()
    return examples


def draw_batches(family: Family, number: int, seed: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield batches of (groups, timelines): three groups to one timeline, `number` of both in total. A full batch has DIRECTED groups more."""
    seeds = Random(seed)
    while number > 0:
        size = min(BATCH, number)
        number -= size
        groups = draw_examples(family.shape.groups(), size - size // 4, seeds.getrandbits(64))
        timelines = (
            draw_examples(family.shape.timelines(), size // 4, seeds.getrandbits(64)) if size >= 4 else []
        )
        if family.shape.directed is not None and size == BATCH:
            groups += draw_examples(family.shape.directed(), DIRECTED, seed + number)
        yield groups, timelines


def draw_large_groups(family: Family, examples: int, seed: int) -> Iterator[Any]:
    """Yield groups of each kind of large ones of the shape, one of each kind for LARGE examples, at least one if there is a full batch."""
    rounds = -(-examples // LARGE) if examples >= BATCH else 0
    seeds = Random(f"large {seed}")
    for _ in range(rounds):
        for choose in family.shape.large.values():
            yield choose(from_seed(seeds.getrandbits(64)))


def draw_groups(family: Family, number: int, seed: int) -> Iterator[Any]:
    """Yield a number of groups, without timelines."""
    seeds = Random(seed)
    while number > 0:
        batch = draw_examples(family.shape.groups(), min(BATCH, number), seeds.getrandbits(64))
        number -= BATCH
        yield from batch
