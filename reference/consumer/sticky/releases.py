"""The parts of the sticky assignors of older releases; assignor.NEWEST has those of 3.7.1 and later."""

from collections.abc import Callable

from kassay.reference.consumer.sticky.assignor import Parts
from kassay.reference.consumer.sticky.by_partition import assign_2_2, assign_by_partition
from kassay.reference.consumer.sticky.constrained_assign import constrained_assign, constrained_assign_2_5
from kassay.reference.consumer.sticky.general_assign import general_assign
from kassay.reference.consumer.sticky.numbered_group import Given, NumberedGroup
from kassay.reference.consumer.sticky.owned_partitions import (
    OwnedPartitions,
    UserData,
    all_with_generations,
    all_without_generations,
    claimed_by_all,
    claimed_in_newest,
    generations_of_rest,
    owned_by_last,
    owned_by_newest,
    owned_in_newest,
    rest_with_generations,
)


def _from_3_0(
    owned: Callable[[NumberedGroup], OwnedPartitions],
    *,
    gap: int = 1,
    racks_count: bool = False,
    user_data_known: bool = True,
) -> Parts:
    return Parts(
        lambda group: constrained_assign(group, owned(group), mended=False),
        lambda group, _: general_assign(group, owned(group), gap=gap),
        racks_count,
        user_data_known,
    )


def _from_2_5_1(
    owned: Callable[[NumberedGroup], OwnedPartitions], user_data: Callable[[NumberedGroup, int], UserData]
) -> Parts:
    return Parts(
        lambda group: constrained_assign_2_5(group, owned(group)),
        lambda group, alike: assign_by_partition(group, user_data(group, alike)),
        racks_count=False,
        user_data_known=False,
    )


def _from_2_3(user_data: Callable[[NumberedGroup, int], UserData], *, loose_first: bool = True) -> Parts:
    def general(group: NumberedGroup, _: int) -> Given:
        return assign_by_partition(
            group, user_data(group, 0), identical_by_claims=True, loose_first=loose_first
        )

    return Parts(None, general, racks_count=False, user_data_known=False)


FROM_3_5_2 = _from_3_0(owned_by_newest, gap=2, racks_count=True)
FROM_3_5_0 = _from_3_0(owned_by_last, racks_count=True)
FROM_3_4_1 = _from_3_0(owned_by_last)
FROM_3_0_0 = _from_3_0(owned_in_newest, user_data_known=False)
FROM_2_8_1 = _from_2_5_1(owned_in_newest, rest_with_generations)
FROM_2_5_1 = _from_2_5_1(claimed_in_newest, rest_with_generations)
FROM_2_4_0 = _from_2_3(all_with_generations)
FROM_2_3_0 = _from_2_3(all_with_generations, loose_first=False)
FROM_2_2_0 = Parts(None, assign_2_2, racks_count=False, user_data_known=False)

COOPERATIVE_FROM_2_8_1 = _from_2_5_1(owned_in_newest, generations_of_rest)
COOPERATIVE_FROM_2_5_1 = _from_2_5_1(claimed_by_all, all_without_generations)
COOPERATIVE_FROM_2_4_0 = _from_2_3(all_without_generations)
