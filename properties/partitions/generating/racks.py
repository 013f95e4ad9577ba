"""Racks of generated groups: where replicas and members are."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from kassay.properties.choices import Choices
from kassay.properties.settings import Settings

Names: TypeAlias = Sequence[str]
Homes: TypeAlias = list[str | None]
Racks: TypeAlias = tuple[tuple[str | None, ...], ...]

ELSEWHERE = "elsewhere"
"""A rack that has no replica."""


def replica_racks(
    choices: Choices, settings: Settings, racks: Names, partitions: int, replicas: int
) -> Racks | None:
    """Choose the racks of a topic's replicas; None where they are unknown."""
    if not racks:
        return None
    return REPLICAS[settings.kind(choices, "replicas")](choices, racks, partitions, replicas)


def homes(choices: Choices, settings: Settings, racks: Names, members: int) -> Homes:
    """Choose the members' racks."""
    if not racks:
        return [None] * members
    return HOMES[settings.kind(choices, "homes")](choices, racks, members)


def _in_turn(choices: Choices, racks: Names, partitions: int, replicas: int) -> Racks:
    first, number = choices.below(len(racks)), len(racks)
    near = [tuple(racks[(first + at + n) % number] for n in range(replicas)) for at in range(number)]
    return tuple(near[at % number] for at in range(partitions))


def _anywhere(choices: Choices, racks: Sequence[str | None], partitions: int, replicas: int) -> Racks:
    return tuple(tuple(choices.pick(racks) for _ in range(replicas)) for _ in range(partitions))


REPLICAS: Mapping[str, Callable[[Choices, Names, int, int], Racks | None]] = {
    "in turn": _in_turn,
    "anywhere": _anywhere,
    "some unknown": lambda choices, racks, *counts: _anywhere(choices, (*racks, None), *counts),
    "unknown": lambda *_: None,
}
"""Where a topic's replicas are -> their racks."""

HOMES: Mapping[str, Callable[[Choices, Names, int], Homes]] = {
    "in turn": lambda _, racks, members: [racks[at % len(racks)] for at in range(members)],
    "anywhere": lambda choices, racks, members: [choices.pick(racks) for _ in range(members)],
    "some unknown": lambda choices, racks, members: [choices.pick((*racks, None)) for _ in range(members)],
    "some elsewhere": lambda choices, racks, members: [
        choices.pick((*racks, ELSEWHERE)) for _ in range(members)
    ],
    "unknown": lambda _, _racks, members: [None] * members,
}
"""Where members are -> their racks."""
