"""Rest: the rebalances that answers ask for, one after the other, until an answer asks for no other one; the one loop of all shapes."""

from collections.abc import Callable
from typing import TypeVar

G = TypeVar("G")
A = TypeVar("A")

MOST_REBALANCES = 10
"""How many rebalances an assignor has to come to rest in; most need one or two, and who needs more than five hardly ever comes to rest."""


def until_rest(
    assign: Callable[[G], A],
    rejoined: Callable[[G, A], G | None],
    group: G,
    most: int = MOST_REBALANCES,
) -> list[tuple[G, A]]:
    """Return the rebalances, each with the group that joins and the answer, until an answer asks for no other one, or the first `most`.

    `rejoined` makes the group that joins again for what an answer asks for, None where it asks for nothing. What the assignor
    fails with passes through.
    """
    played: list[tuple[G, A]] = []
    joining: G | None = group
    while joining is not None and len(played) < most:
        answer = assign(joining)
        played.append((joining, answer))
        joining = rejoined(joining, answer)
    return played
