"""The most even loads that subscriptions allow, at any size: optimal semi-matchings by repeated cuts.

Works on audiences and subscriptions, not on items and members: a flow says how many items of an audience go
to the members of a subscription, who share them evenly. Start with any flow. In a block of subscriptions with
a mean load between c and c + 1, push as much as possible from those above c + 1 to those below (a maximum
flow). If some stay above, then whatever they can still reach is at c + 1 or more, and the rest, at c + 1 or
less, can take nothing from it: two blocks that never need to exchange anything again. Else do the same at c.
A block that does not fall apart holds loads c and c + 1 alone, which no chain of moves makes more even.
Source: the criterion is that of Harvey, Ladner, Lovasz, Tamir (2006), the decomposition that of Fujishige
(1980).
"""

import math
import time
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.compiled import compiled
from kassay.oracles.consumer.flow.pushing import push
from kassay.oracles.consumer.flow.readership import Readership
from kassay.oracles.consumer.problem import Ints

Bools: TypeAlias = NDArray[np.bool_]
STEP = 1_000
"""About so many subscriptions are looked at between two looks at the clock, or once all of a larger block."""


def spread(readership: Readership, flow: Ints, deadline: float = math.inf) -> None:
    """Fill in the most even flow, one number per pair of the readership.

    Where `deadline` (of time.monotonic) passes, what is filled in is a flow as well, but perhaps not the most
    even one; so whoever gives a deadline has to prove it, as by the bound of its slot prices.
    """
    load = _deal(readership, flow)
    blocks = _Blocks(np.full(len(load), -1), np.arange(len(load)), np.zeros((len(load) + 1, 2), np.int64))
    blocks.todo[0] = 0, len(load)
    left, number = 1, 0
    while left and time.monotonic() < deadline:
        left, number = _divide(readership, flow, load, blocks, left, number)


class _Blocks(NamedTuple):
    """The block of each subscription, the subscriptions in the blocks' order, and where the blocks to do begin and end."""

    of: Ints
    order: Ints
    todo: Ints


@compiled
def _divide(
    readership: Readership, flow: Ints, load: Ints, blocks: _Blocks, left: int, number: int
) -> tuple[int, int]:
    """Even out the last of the blocks to do, so many subscriptions of them; return how many are left, and a new number."""
    done = 0
    while left > 0 and done < STEP:
        left -= 1
        low, high = blocks.todo[left]
        if high - low == 1:
            continue
        done += high - low
        inside = blocks.order[low:high].copy()
        items, members = 0, 0
        for s in inside:
            blocks.of[s] = number
            items += load[s]
            members += readership.size[s]
        mean = items // max(1, members)
        for target in (mean + 1, mean):
            if not push(readership, flow, load, blocks.of, inside, target, 3 + STEP // len(inside)):
                left += 1  # not done: begin it again with what has been pushed so far
                return left, number + 1
            if target > mean:
                upper = _reached_from_above(readership, flow, load, blocks.of, inside, target)
            else:
                upper = _not_leading_below(readership, flow, load, blocks.of, inside, target)
            middle = low + _divided(inside, upper, blocks.order[low:high])
            if low < middle < high:
                blocks.todo[left] = low, middle
                blocks.todo[left + 1] = middle, high
                left += 2
                break
        number += 1
    return left, number


@compiled
def _divided(inside: Ints, upper: Bools, order: Ints) -> int:
    """Fill in first those that are upper, then the others; return how many are."""
    count = 0
    for wanted in (True, False):
        for s in inside:
            if upper[s] == wanted:
                order[count] = s
                count += 1
        if wanted:
            first = count
    return first


@compiled
def _deal(readership: Readership, flow: Ints) -> Ints:
    """Deal each audience's items to its least loaded readers, those with the fewest readers first; return the loads."""
    start, reader, size = readership.start, readership.reader, readership.size
    flow[:] = 0
    load = np.zeros(len(size), np.int64)
    crowd = np.zeros(len(readership.items), np.int64)
    for pair in range(len(reader)):
        crowd[readership.audience[pair]] += size[reader[pair]]
    for a in np.argsort(crowd, kind="mergesort"):
        low, high = 0, load.sum() + readership.items[a] + 1
        while high - low > 1:
            level = (low + high) // 2
            room = 0
            for pair in range(start[a], start[a + 1]):
                room += max(0, level * size[reader[pair]] - load[reader[pair]])
            if room <= readership.items[a]:
                low = level
            else:
                high = level
        left = readership.items[a]
        for level in (low, low + 1):
            for pair in range(start[a], start[a + 1]):
                given = min(left, max(0, level * size[reader[pair]] - load[reader[pair]]))
                flow[pair] += given
                load[reader[pair]] += given
                left -= given
    return load


@compiled
def _reached_from_above(
    readership: Readership, flow: Ints, load: Ints, block: Ints, inside: Ints, target: int
) -> Bools:
    """Return which subscriptions of a block those above the target can hand on to, themselves included."""
    start, reader = readership.start, readership.reader
    reached = np.zeros(len(load), np.bool_)
    for s in inside:
        reached[s] = load[s] > target * readership.size[s]
    seen = np.zeros(len(start) - 1, np.bool_)
    queue = [s for s in inside if reached[s]]
    while len(queue) > 0:
        s = queue.pop()
        for pair in readership.pairs[readership.first[s] : readership.first[s + 1]]:
            a = readership.audience[pair]
            if flow[pair] > 0 and not seen[a]:
                seen[a] = True
                for taker in reader[start[a] : start[a + 1]]:
                    if block[taker] == block[s] and not reached[taker]:
                        reached[taker] = True
                        queue.append(taker)
    return reached


@compiled
def _not_leading_below(
    readership: Readership, flow: Ints, load: Ints, block: Ints, inside: Ints, target: int
) -> Bools:
    """Return which subscriptions of a block can hand on to none that is below the target."""
    start, reader = readership.start, readership.reader
    stays = np.zeros(len(load), np.bool_)
    for s in inside:
        stays[s] = load[s] >= target * readership.size[s]
    seen = np.zeros(len(start) - 1, np.bool_)
    queue = [s for s in inside if not stays[s]]
    while len(queue) > 0:
        s = queue.pop()
        for a in readership.audience[readership.pairs[readership.first[s] : readership.first[s + 1]]]:
            if not seen[a]:
                seen[a] = True
                for pair in range(start[a], start[a + 1]):
                    if flow[pair] > 0 and block[reader[pair]] == block[s] and stays[reader[pair]]:
                        stays[reader[pair]] = False
                        queue.append(reader[pair])
    return stays
