"""Random applications whose costs of racks come near or beyond what 32 bits can say; a seed gives the same ones everywhere."""

import random
from collections.abc import Iterator
from dataclasses import replace

from classes.groups import random_applications

from kassay.model.tasks import STRATEGIES, Application

MOST = 2**31 - 1
TRAFFIC = (
    MOST,
    MOST - 1,
    2**30,
    2**30 - 1,
    2**30 + 1,
    2**29,
    2**31 // 3,
    2**31 // 3 + 1,
    -MOST - 1,
    -MOST,
    -(2**30),
)
OVERLAP = (None, 0, 1, 10, *TRAFFIC)


def applications(seed: int) -> Iterator[Application]:
    """Yield applications without end."""
    rng = random.Random(f"{seed} costs")
    while True:
        made = random_applications.application(rng, rng.choice(STRATEGIES[1:]))
        costs = [rng.choice(TRAFFIC), rng.choice(OVERLAP)]
        if rng.random() < 0.2:
            costs.reverse()
        traffic, overlap = costs
        yield replace(
            made,
            settings=replace(
                made.settings,
                rack_aware_assignment_traffic_cost=traffic,
                rack_aware_assignment_non_overlap_cost=overlap,
            ),
        )
