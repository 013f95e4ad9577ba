"""Dealing: from copies in groups to copies at members, by equitable colouring.

The copies in a group are dealt round and round its members: actives part by part, then standbys. So each member has as
many of each part's actives, of all actives and of all copies as any other, up to one. Where an item comes to a member
twice, that member and one without the item share their copies anew: copies are paired, those of an item with each other
and those of a part, and the two of a pair go to different members. Two such pairings make rings of even length, so that can
always be done; loads stay as even as they are, and each time fewer items are somewhere twice.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.active_standby.collapsed.program import Columns, Program
from kassay.oracles.assignment.flow.item_classes import ordered, rank_in_run
from kassay.oracles.assignment.problem import Ints


def dealt(program: Program, columns: Columns, number: Ints) -> Ints:
    """Return the owners of each item, for so many items of the class in each column."""
    of = program.of
    width = 1 + int(of.standbys.max(initial=0))
    groups = np.full((len(columns), width), -1)
    for s, each in program.patterns.items():
        which = np.flatnonzero(of.standbys[columns.class_] == s)
        groups[which, 0] = each.active[columns.pattern[which]]
        groups[which, 1 : 1 + s] = each.groups[columns.pattern[which]]
    order = np.argsort(columns.class_, kind="stable")
    placed = np.empty((len(of.class_of), width), np.int64)
    placed[ordered(of.class_of)] = groups[np.repeat(order, number[order])]
    owners = np.full_like(placed, -1)
    member = ordered(of.group_of)
    first = np.cumsum(of.size) - of.size
    item, place = np.nonzero(placed >= 0)
    group = placed[item, place]
    single = of.size[group] == 1
    owners[item[single], place[single]] = member[first[group[single]]]
    for g in np.flatnonzero(of.size > 1).tolist():
        here = np.flatnonzero(group == g)
        active = place[here] == 0
        part = np.where(active, of.part[of.class_of[item[here]]], -1)
        seat = _seats(item[here], active, part, int(of.size[g]))
        owners[item[here], place[here]] = member[first[g] + seat]
    return owners


def even_placement(program: Program) -> tuple[Columns, Ints] | None:
    """Return some placement whose loads are as even as can be, for where there is no time for a better one.

    None is where members differ in slots, or counts, caps or given actives leave no choice.
    """
    of = program.of
    asked = of.active_loads is not None or of.loads is not None or len(of.caps) or (of.given >= 0).any()
    if asked or len(np.unique(of.weight)) != 1 or not len(of.class_of):
        return None
    copies = 1 + of.standbys[of.class_of]
    item = np.repeat(np.arange(len(copies)), copies)
    active = np.arange(len(item)) == (np.cumsum(copies) - copies)[item]
    group = of.group_of[_seats(item, active, np.where(active, 0, -1), len(of.group_of))]
    pattern = np.empty(len(copies), np.int64)
    for s, each in program.patterns.items():
        mine = np.flatnonzero(copies == 1 + s)
        rows = group[np.isin(item, mine)].reshape(-1, 1 + s)
        rows[:, 1:].sort(axis=1)
        base = of.groups ** np.arange(s, -1, -1)
        listed = np.column_stack([each.active, each.groups]) @ base
        order = np.argsort(listed)
        pattern[mine] = order[np.searchsorted(listed[order], rows @ base)]
    keys, number = np.unique(np.column_stack([of.class_of, pattern]), axis=0, return_counts=True)
    return Columns(keys[:, 0], keys[:, 1]), number


def _seats(item: Ints, active: NDArray[np.bool_], part: Ints, members: int) -> Ints:
    """Return the member, of so many, that each copy goes to; `part` is -1 for standbys."""
    order = np.lexsort((item, part, ~active))
    seat = np.empty(len(item), np.int64)
    seat[order] = np.arange(len(item)) % members
    while True:
        twice = _twice(item, seat, members)
        if not len(twice):
            return seat
        _share(item, active, part, seat, _pairs(item, seat, twice, members))


def _twice(item: Ints, seat: Ints, members: int) -> Ints:
    """Return copies at a member that has an earlier one of the same item."""
    key = item * members + seat
    order = np.argsort(key, kind="stable")
    later = order[1:]
    return np.compress(key[later] == key[order[:-1]], later)


def _pairs(item: Ints, seat: Ints, twice: Ints, members: int) -> dict[int, int]:
    """Return different members for some of these copies: one that has it twice, and one without its item."""
    order = np.argsort(item, kind="stable")
    first = np.searchsorted(item[order], item[twice])
    last = np.searchsorted(item[order], item[twice], side="right")
    taken: dict[int, int] = {}
    for copy, begin, end in zip(twice.tolist(), first.tolist(), last.tolist(), strict=True):
        giver = int(seat[copy])
        if giver in taken:
            continue
        full = {*seat[order[begin:end]].tolist()}
        for step in range(1, members):
            taker = (giver + step) % members
            if taker not in full and taker not in taken:
                taken[giver], taken[taker] = taker, giver
                break
    return {a: b for a, b in taken.items() if a < b}


def _share(item: Ints, active: NDArray[np.bool_], part: Ints, seat: Ints, pairs: dict[int, int]) -> None:
    """Deal the copies of each pair of members anew to the two."""
    low, high = np.array(list(pairs)), np.array(list(pairs.values()))
    pair_of = np.full(max(int(seat.max()), int(high.max())) + 1, -1)
    pair_of[low] = pair_of[high] = np.arange(len(low))
    copies = np.flatnonzero(pair_of[seat] >= 0)
    pair = pair_of[seat[copies]]
    odd = np.flatnonzero(
        np.bincount(pair, minlength=len(low)) % 2
    )  # with a copy of nothing to make their number even
    pair = np.concatenate([pair, odd])
    alone = -1 - np.arange(len(odd))
    items = np.concatenate([item[copies], alone])
    actives = np.concatenate([active[copies], np.zeros(len(odd), np.int64)])
    parts = np.concatenate([part[copies], alone - 1])
    one = _paired([np.column_stack([pair, items]), pair[:, None]])
    two = _paired([np.column_stack([pair, actives, parts]), np.column_stack([pair, actives]), pair[:, None]])
    ring, on = np.arange(len(pair)), two[one]
    for _ in range(len(pair).bit_length()):
        ring, on = np.minimum(ring, ring[on]), on[on]
    new = np.where(ring < ring[one], low[pair], high[pair])
    seat[copies] = new[: len(copies)]


def _paired(keys: Sequence[Ints]) -> Ints:
    """Pair numbers whose keys are equal, those left over by the next, coarser keys; return each one's partner."""
    partner = np.full(len(keys[0]), -1)
    for rows in keys:
        left = np.flatnonzero(partner < 0)
        _, key = np.unique(rows[left], axis=0, return_inverse=True)
        order = np.argsort(key.reshape(-1), kind="stable")
        rank = rank_in_run(key.reshape(-1)[order])
        second = np.flatnonzero(rank % 2)
        a, b = left[order[second - 1]], left[order[second]]
        partner[a], partner[b] = b, a
    return partner
