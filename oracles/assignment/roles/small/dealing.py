"""From groups back to members: copies are dealt round and round, and those of one item that meet are exchanged with others."""

import numpy as np

from kassay.oracles.assignment.level import Ints
from kassay.oracles.assignment.roles.small.exchange import State
from kassay.oracles.compiled import compiled


@compiled
def dealt(standbys: Ints, state: State, group_of: Ints, owners: Ints) -> bool:
    """Fill in the member of each copy, evenly by actives and by all copies; return whether no item is anywhere twice."""
    for g in range(len(state.active)):
        members = np.flatnonzero(group_of == g)
        turn = 0
        for role in range(2):
            for i in range(len(standbys)):
                for copy in range(role, 1 + role * standbys[i] if state.copies[i, g] else 0):
                    if state.place[i, copy] == g:
                        owners[i, copy] = members[turn % len(members)]
                        turn += 1
    for i in range(len(standbys)):
        for copy in range(1, 1 + standbys[i]):
            if not _alone(standbys, group_of, owners, i, copy):
                return False
    return True


@compiled
def _alone(standbys: Ints, group_of: Ints, owners: Ints, item: int, copy: int) -> bool:
    """Exchange a copy, or an earlier one of its item that it meets; return whether it meets none any more."""
    for other in range(copy):
        if owners[item, other] == owners[item, copy] and not (
            _exchanged(standbys, group_of, owners, item, copy)
            or _exchanged(standbys, group_of, owners, item, other)
        ):
            return False
    return True


@compiled
def _exchanged(standbys: Ints, group_of: Ints, owners: Ints, item: int, copy: int) -> bool:
    """Exchange a copy with one of the same role at another member of the group, so that no item of the two is there already."""
    here = owners[item, copy]
    role = min(copy, 1)
    for i in range(len(standbys)):
        if i == item or _has(standbys, owners, i, here):
            continue
        for other in range(role, 1 + role * standbys[i]):
            there = owners[i, other]
            if group_of[there] == group_of[here] and not _has(standbys, owners, item, there):
                owners[item, copy], owners[i, other] = there, here
                return True
    return False


@compiled
def _has(standbys: Ints, owners: Ints, item: int, member: int) -> bool:
    held = False
    for copy in range(1 + standbys[item]):
        held = held or owners[item, copy] == member
    return held
