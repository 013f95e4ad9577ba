"""The least cross-rack reading of an evenly balanced group whose members all read the same, in closed form.

Let every member hold q partitions, and r of them one more. A partition can be near a member without a rack,
or one in a rack of its replicas. Let S be a set of racks, and m(S) the
number of members in S or without a rack. Partitions with all their replicas in S are near only these members,
who hold at most q m(S) + min(r, m(S)). So at least

    inside(S) - q m(S) - min(r, m(S))

partitions are read across racks. The maximum of these numbers over all S, or 0, is the optimum.
It is the minimum cut in the flow of near partitions, as the racks of a cut fix its cheapest side.
It is also easy to check: these racks hold more than their members can take.
"""

import numpy as np

from kassay.oracles.assignment.problem import Ints


def rack_cuts(members: Ints, roaming: Ints, inside: Ints) -> tuple[Ints, Ints]:
    """Return the optimum of each of many groups and the set of racks that proves it, as a mask.

    For group g and R racks, ``members[g, rack]`` is the number of members in a rack, and ``roaming[g]`` of members without one.
    ``inside[g, mask]`` is the number of partitions with replicas in exactly the racks of the mask. Partitions of unknown racks count only
    for the total of g, in ``inside[g, 2**R]``.
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
