"""Subscriptions of generated groups."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from kassay.properties.choices import Choices
from kassay.properties.settings import Settings

Names: TypeAlias = tuple[str, ...]


def subscriptions(choices: Choices, settings: Settings, names: list[str], members: int) -> list[Names]:
    """Choose what each member subscribes to; rarely a topic that does not exist, or one twice."""
    known = (*names, "unknown") if settings.odd(choices, "unknown topic") else tuple(names)
    kind = settings.kind(choices, "subscriptions")
    chosen: list[Names] = SUBSCRIPTIONS[kind](choices, known, members) if known else [()] * members
    if settings.odd(choices, "permuted subscriptions"):
        chosen = [tuple(choices.shuffled(topics)) for topics in chosen]
    if settings.odd(choices, "repeated topic"):
        at = choices.below(members)
        chosen[at] += chosen[at][:1]
    return chosen


def _all(_: Choices, names: Names, members: int) -> list[Names]:
    """Everybody subscribes to all topics."""
    return [names] * members


def _same(choices: Choices, names: Names, members: int) -> list[Names]:
    """Everybody subscribes to the same topics."""
    return [_some(choices, names)] * members


def _own(choices: Choices, names: Names, members: int) -> list[Names]:
    """Everybody subscribes to some topics."""
    return [_some(choices, names) for _ in range(members)]


def _any(choices: Choices, names: Names, members: int) -> list[Names]:
    """Everybody subscribes to some topics, or to nothing."""
    return [choices.some(names) for _ in range(members)]


def _one(choices: Choices, names: Names, members: int) -> list[Names]:
    """Everybody subscribes to one topic."""
    return [(choices.pick(names),) for _ in range(members)]


def _pair(_: Choices, names: Names, members: int) -> list[Names]:
    """Everybody subscribes to two neighbouring topics."""
    pairs = [tuple(dict.fromkeys((name, names[(at + 1) % len(names)]))) for at, name in enumerate(names)]
    return [pairs[at % len(names)] for at in range(members)]


def _odd(choices: Choices, names: Names, members: int) -> list[Names]:
    """Everybody but one subscribes to all topics."""
    chosen = [names] * members
    chosen[choices.below(members)] = _some(choices, names)
    return chosen


SUBSCRIPTIONS: Mapping[str, Callable[[Choices, Names, int], list[Names]]] = {
    "all": _all,
    "same": _same,
    "some": _own,
    "any": _any,
    "one": _one,
    "pair": _pair,
    "odd": _odd,
}
"""Kind of subscriptions -> how they are chosen, of at least one topic."""


def _some(choices: Choices, names: Names) -> Names:
    return choices.some(names) or (choices.pick(names),)
