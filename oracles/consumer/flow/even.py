"""The most even loads that subscriptions allow, at any size: optimal semi-matchings as cheapest flows.

Works on audiences and subscriptions, not on items and members: a flow says how many items of an audience go
to the members of a subscription, who share them evenly, at the cost of their squared loads (see :mod:`.marks`).
"""

import math
import time

import numpy as np

from kassay.oracles.consumer.flow.marks import Marks, closer_marks, first_marks, slopes
from kassay.oracles.consumer.flow.or_tools import solved
from kassay.oracles.consumer.flow.readership import Readership, loads_of
from kassay.oracles.consumer.problem import Ints


def spread(readership: Readership, flow: Ints, deadline: float = math.inf) -> None:
    """Fill in the most even flow, one number per pair of the readership.

    Where `deadline` (of time.monotonic) passes, what is filled in is a flow as well, but perhaps not the most
    even one; so whoever gives a deadline has to prove it, as by the bound of its slot prices.
    """
    flow[:] = _dealt(readership)
    if len(readership.reader) == len(readership.items):
        return  # nothing to choose
    most = int((loads_of(readership, flow) // readership.size).max()) + 1  # evener flows have no greater load
    top = np.zeros_like(readership.size)
    np.add.at(top, readership.reader, readership.items[readership.audience])
    marks: Marks | None = first_marks(np.minimum(top, most))
    while marks is not None and time.monotonic() < deadline:
        flow[:] = _cheapest(readership, marks)
        load = loads_of(readership, flow)
        marks = closer_marks(marks, load // readership.size, -(-load // readership.size))


def _dealt(readership: Readership) -> Ints:
    """Deal each audience's items to its readers, as many to each member."""
    size = readership.size[readership.reader]
    until = np.cumsum(size)
    before = np.repeat((until - size)[readership.start[:-1]], np.diff(readership.start))
    whole = np.repeat(until[readership.start[1:] - 1], np.diff(readership.start)) - before
    items = readership.items[readership.audience]
    return np.asarray(items * (until - before) // whole - items * (until - size - before) // whole, np.int64)


def _cheapest(readership: Readership, marks: Marks) -> Ints:
    """Return a cheapest flow where squares are straight between each subscription's marks."""
    audiences, pairs = len(readership.items), len(readership.reader)
    of, width, slope = slopes(marks)
    sink = audiences + len(readership.size)
    return solved(
        np.concatenate([readership.audience, audiences + of]),
        np.concatenate([audiences + readership.reader, np.full(len(of), sink)]),
        np.concatenate([readership.items[readership.audience], width * readership.size[of]]),
        np.concatenate([np.zeros(pairs, np.int64), slope]),
        np.concatenate([readership.items, np.zeros(sink - audiences, np.int64), [-readership.items.sum()]]),
    )[:pairs]
