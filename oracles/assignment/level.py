"""A level of a question as data: what items cost at members, in columns."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.failures import ImpossibleError

Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A sum of costs over all copies of all items, to be made least or most.

    A copy of an item of profile p costs ``table[p, rack]`` at a member in that rack. An item of claim c costs
    ``loss[c]`` once, and entry i of the claim's owners makes the sum better by ``gain[i]``, 0 or more, where that
    owner holds a copy. A column that is None costs nothing. Where the direction is "most", oracles and certificates
    make the negated sum least: the values they give of it are negated. Raises ImpossibleError where a gain is below 0.
    """

    name: str
    table: Ints | None = None
    gain: Ints | None = None
    loss: Ints | None = None
    direction: Literal["least", "most"] = "least"

    greatest: int = field(init=False)
    """The most that one copy of an item can cost or save; found once, as it is asked often."""

    def __post_init__(self) -> None:
        if self.gain is not None and int(self.gain.min(initial=0)) < 0:
            raise ImpossibleError(f"level: {self.name!r} has a gain below 0; give costs in its table instead")
        table, gain, loss = (_greatest(column) for column in (self.table, self.gain, self.loss))
        object.__setattr__(self, "greatest", max(1, table + max(gain, loss)))

    @property
    def sign(self) -> int:
        """What table and losses are multiplied by, so that less is better."""
        return 1 if self.direction == "least" else -1


def _greatest(column: Ints | None) -> int:
    return 0 if column is None else max(int(column.max(initial=0)), -int(column.min(initial=0)))
