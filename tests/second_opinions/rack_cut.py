"""The least cross-rack reading of an evenly balanced group whose members all read the same, in closed form.

Let every member hold q partitions, and r of them one more. A partition can be near a member without a rack,
or one in a rack of its replicas. For any set S of racks, partitions with all their replicas in S are near
only the members in S and those without a rack, who are m(S) and hold at most q m(S) + min(r, m(S)). So at
least

    inside(S) - q m(S) - min(r, m(S))

partitions are read across racks. The greatest of these numbers over all S, or 0, is the optimum, for it is
the cut in the flow of near partitions: max flow = min cut, a cut's cheapest side being fixed by its racks. It
is also a sentence that everybody can check: these racks hold more than their members can take.
"""

import numpy as np

from kassay.oracles.assignment.problem import Ints


def rack_cuts(members: Ints, roaming: Ints, inside: Ints) -> tuple[Ints, Ints]:
    """Return the optimum of each of many groups and the set of racks that proves it, as a mask.

    For group g and R racks, ``members[g, rack]`` are in a rack, ``roaming[g]`` in none, and ``inside[g,
    mask]`` partitions have their replicas in exactly the racks of the mask; partitions of unknown racks count
    for g's total only, in ``inside[g, 2**R]``.
    """
    groups, racks = members.shape
    total = inside.sum(axis=1)
    within = inside[:, :-1].copy()
    holders = np.repeat(roaming[:, None], 2**racks, axis=1)
    for rack in range(racks):
        has = np.arange(2**racks) >> rack & 1 == 1
        within[:, has] += within[:, ~has]
        holders[:, has] += members[:, [rack]]
    share, over = np.divmod(total, holders[:, -1])
    beyond = within - share[:, None] * holders - np.minimum(over[:, None], holders)
    cut = beyond.argmax(axis=1)
    return np.maximum(beyond[np.arange(groups), cut], 0), cut
