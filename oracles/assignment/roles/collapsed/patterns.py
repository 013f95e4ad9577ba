"""Patterns: how one item's copies can lie in groups, and which is cheapest at prices."""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.collapsed.collapse import Collapsed
from kassay.oracles.failures import TooLargeError

MANY = 300_000
"""Up to this many patterns are listed."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """All patterns of items with so many standbys.

    The active's group, the standbys' groups (a column for each), how many standbys there are in each group (a column for
    each), and the collisions in zones.
    """

    active: Ints
    groups: Ints
    standby: Ints
    collisions: Ints


def patterns(of: Collapsed, standbys: int) -> Patterns:
    """List the patterns of items with so many standbys; raises TooLargeError where there are more than MANY."""
    groups, seats = of.groups, np.minimum(of.size, 1 + standbys)
    number = groups
    for k in range(standbys):
        number = number * (groups + k) // (k + 1)
    if number > MANY:
        raise TooLargeError(
            f"{groups} groups of members and {standbys} standbys make about {number} patterns; at most {MANY} are listed"
        )
    chosen = list(combinations_with_replacement(range(groups), standbys))
    rows = np.array(chosen, np.int64).reshape(len(chosen), standbys)
    every = np.zeros((len(rows), groups), np.int64)
    for column in rows.T:
        np.add.at(every, (np.arange(len(rows)), column), 1)
    active = np.repeat(np.arange(groups), len(every))
    standby = np.tile(every, (groups, 1))
    total = standby.copy()
    total[np.arange(len(active)), active] += 1
    fits = (total <= seats).all(axis=1)
    active, standby, total = active[fits], standby[fits], total[fits]
    where = np.tile(rows, (groups, 1))[fits]
    collisions = np.zeros(len(active), np.int64)
    for zone in of.zones:
        known = np.unique(zone[zone >= 0])
        there = total @ (zone[:, None] == known).astype(np.int64)
        collisions += np.maximum(there - 1, 0).sum(axis=1)
    return Patterns(active, where, standby, collisions)
