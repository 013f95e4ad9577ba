"""The parts of the sticky assignors of older releases; sticky.NEWEST has those of 3.7.1 and later."""

from collections.abc import Callable

from kassay.reference.consumer.sticky import by_partition as sticky_by_partition
from kassay.reference.consumer.sticky import constrained_assign as sticky_constrained
from kassay.reference.consumer.sticky import constrained_assign_2_5 as sticky_swapping
from kassay.reference.consumer.sticky import general_assign as sticky_general
from kassay.reference.consumer.sticky.assignor import Parts
from kassay.reference.consumer.sticky.numbered_group import Given, StickyGroup
from kassay.reference.consumer.sticky.owned_partitions import (
    Claims,
    believe_all,
    believe_newest,
    settle,
    settle_by_last,
    settle_newest,
)
from kassay.reference.consumer.sticky.user_data import (
    Heard,
    all_with_generations,
    all_without_generations,
    generations_of_rest,
    rest_with_generations,
)


def _from_3_0(settle_: Callable[[StickyGroup], Claims], *, gap: int = 1, racks_count: bool = False) -> Parts:
    return Parts(
        lambda group: sticky_constrained.assign(group, settle_(group), mended=False),
        lambda group, _: sticky_general.assign(group, settle_(group), gap=gap),
        racks_count,
    )


def _from_2_5_1(settle_: Callable[[StickyGroup], Claims], hear: Callable[[StickyGroup, int], Heard]) -> Parts:
    return Parts(
        lambda group: sticky_swapping.assign(group, settle_(group)),
        lambda group, alike: sticky_by_partition.assign(group, hear(group, alike)),
        racks_count=False,
    )


def _from_2_3(hear: Callable[[StickyGroup, int], Heard], *, loose_first: bool = True) -> Parts:
    def general(group: StickyGroup, _: int) -> Given:
        return sticky_by_partition.assign(
            group, hear(group, 0), identical_by_claims=True, loose_first=loose_first
        )

    return Parts(None, general, racks_count=False)


FROM_3_5_2 = _from_3_0(settle, gap=2, racks_count=True)
FROM_3_5_0 = _from_3_0(settle_by_last, racks_count=True)
FROM_3_4_1 = _from_3_0(settle_by_last)
FROM_3_0_0 = _from_3_0(settle_newest)
FROM_2_8_1 = _from_2_5_1(settle_newest, rest_with_generations)
FROM_2_5_1 = _from_2_5_1(believe_newest, rest_with_generations)
FROM_2_4_0 = _from_2_3(all_with_generations)
FROM_2_3_0 = _from_2_3(all_with_generations, loose_first=False)
FROM_2_2_0 = Parts(None, sticky_by_partition.assign_believing, racks_count=False)

COOPERATIVE_FROM_2_8_1 = _from_2_5_1(settle_newest, generations_of_rest)
COOPERATIVE_FROM_2_5_1 = _from_2_5_1(believe_all, all_without_generations)
COOPERATIVE_FROM_2_4_0 = _from_2_3(all_without_generations)
