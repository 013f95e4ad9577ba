"""What members ask for a slot, and where topics are to be spread, topics for a place."""

from dataclasses import dataclass, field

import numpy as np

from kassay.oracles.assignment.problem import Ints

NONE = np.empty(0, np.int64), np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What each member asks for a slot: one row per level of the question, one column per member.

    Where a level is topic spread, `topics` has what a place of each topic costs at members of each rack (levels x topics x racks), and
    `place_rows` what it costs at single members that own some of it, which `places` lists (their topics, their members; levels x places).
    """

    rows: Ints
    topics: Ints | None = None
    places: tuple[Ints, Ints] = NONE
    place_rows: Ints = field(default_factory=lambda: np.empty((0, 0), np.int64))
