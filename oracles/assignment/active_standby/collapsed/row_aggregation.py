"""Bundles: where there are many classes, prices are looked for with a row for each bundle of classes instead of each class.

A bundle's column says in which pattern each of its classes lies. Its convex combinations are the same as those of its
classes' columns, so the least value and the prices are the same; there are a hundredth of the rows.
"""

import numpy as np

from kassay.oracles.assignment.active_standby.collapsed.master import Floats, Master
from kassay.oracles.assignment.active_standby.collapsed.program import Columns, Program
from kassay.oracles.assignment.problem import Ints

MANY = 200
"""More classes than these are bundled."""
BUNDLES = 50
"""So many bundles are made of them (measured: 20 to 100 take the same time, 400 take longer)."""


class Bundles:
    """Classes in runs of equal length; a column's row is that of a bundle, and its share in the bundle is 0 to 1."""

    def __init__(self, program: Program) -> None:
        of, number = program.of, min(BUNDLES, program.of.classes)
        self.count = of.count
        self.first = np.flatnonzero(np.diff(np.arange(of.classes) * number // of.classes, prepend=-1))
        self.size: Ints = np.add.reduceat(of.count, self.first)

    def sums(self, each: Floats) -> Floats:
        """Return the sum over each bundle's items of what an item of each class pays."""
        total: Floats = np.add.reduceat(each * self.count, self.first)
        return total

    def put(self, master: Master, columns: Columns, number: Ints, which: Ints) -> None:
        """Add a column for each bundle of `which`, so many of its items lying in these columns of classes."""
        bundle = np.searchsorted(self.first, columns.class_, side="right") - 1
        entries = master.program.entries(columns, master.before, master.way) * number[:, None]
        cost = master.program.costs(master.level, columns) * number
        all_entries, all_cost = (
            np.zeros((len(self.first), entries.shape[1]), np.int64),
            np.zeros(len(self.first), np.int64),
        )
        np.add.at(all_entries, bundle, entries)
        np.add.at(all_cost, bundle, cost)
        master.put(which, all_entries[which], all_cost[which])
