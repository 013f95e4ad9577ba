"""consumer/optimal as an assignor of kafka-python and aiokafka, as far as they are installed; one group may have members of both."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar

from kassay.errors import InputError
from kassay.families.optimal.consumer import ORDER, ORDERS, assign, checked_order
from kassay.model import TopicPartition
from kassay.properties.partitions.rounds import next_generation
from kassay.reference.wire.consumer import (
    Subscription,
    build_assignment,
    write_assignment,
    write_subscription,
)
from kassay.targets import clients

NAMES = dict(
    zip(
        ORDERS,
        ("optimal", "optimal-moves-first", "optimal-spread", "optimal-moves-first-spread"),
        strict=True,
    )
)
"""Order of levels -> the assignor's name, which all members of a group must share."""
VERSION = 0
"""The version of the embedded protocol that every client reads."""


if TYPE_CHECKING:
    Base = object
else:  # an assignor for each library that is installed
    _INSTALLED = [name for name in ("kafka", "aiokafka") if find_spec(name)]
    _ABSTRACT = [import_module(f"{name}.coordinator.assignors.abstract") for name in _INSTALLED]
    Base = new_class("Base", tuple(one.AbstractPartitionAssignor for one in _ABSTRACT))


class OptimalAssignor(Base):
    """Assign with proof of the optimum: the most even loads, then the fewest reads across racks, then the fewest moves.

    Give each consumer an object of its own, with its rack, or None if racks do not matter. `order` may put moves before reads across racks,
    and the spread of topics behind both. Raises InputError if there is no such order. See docs/explanation/solver.md.
    """

    name = NAMES[ORDER]
    cooperative: ClassVar[bool] = False

    def __init__(self, rack: str | None = None, order: str = ORDER) -> None:
        self.name = NAMES[checked_order(order)] + "-cooperative" * self.cooperative
        self.rack, self.order = rack, order
        self.owned: list[TopicPartition] = []
        self.generation: int | None = None

    def metadata(self, topics: Iterable[str]) -> bytes:
        """Return the member's subscription for the leader, with the partitions that it owns as user data."""
        claims = clients.write_claims(self.owned, self.generation, self.rack)
        return write_subscription(Subscription(tuple(sorted(topics)), claims), VERSION)

    def assign(self, cluster: Any, members: Any) -> dict[str, bytes]:
        """Return the assignment of each member; `members` is kafka-python's list or aiokafka's mapping.

        Raises AssignorError if no optimum is proved, InputError if a member has another assignor.
        """
        joined: Iterable[tuple[str, str | None, Iterable[str], bytes]]
        if isinstance(members, Mapping):
            self._refuse_aiokafka()
            joined = [(name, None, one.subscription, one.user_data) for name, one in members.items()]
        else:
            joined = [
                (one.member_id, one.group_instance_id, one.metadata.topics, one.metadata.user_data)
                for one in members
            ]
        group = clients.read_group(cluster, joined)
        given = assign(group, self.order, cooperative=self.cooperative)
        told = clients.write_answer(next_generation(group))
        return {
            member: write_assignment(build_assignment(partitions, told), VERSION)
            for member, partitions in given.items()
        }

    def on_assignment(self, given: Any, generation: int | None = None) -> None:
        """Note the member's assignment; kafka-python's generation counts if the leader sends none."""
        if generation is None:
            self._refuse_aiokafka()
        self.owned = [TopicPartition(*partition) for partition in given.partitions()]
        self.generation = clients.read_generation(given.user_data) if given.user_data else generation
        if self.generation is not None and self.generation < 0:
            self.generation = None

    def _refuse_aiokafka(self) -> None:
        """Raise InputError if the rebalance is cooperative: without KIP-429 there is no second round."""
        if self.cooperative:
            raise InputError(
                "partition_assignment_strategy: aiokafka has no cooperative rebalances. Give OptimalAssignor()"
            )


class CooperativeOptimalAssignor(OptimalAssignor):
    """Assign the optimum in two rounds, so that members go on reading what they keep (KIP-429); for kafka-python from 3 on."""

    name = f"{NAMES[ORDER]}-cooperative"
    cooperative = True

    def supported_protocols(self) -> list[Any]:
        """Return the rebalance protocol that it is made for."""
        return [import_module("kafka.coordinator.assignors.abstract").RebalanceProtocol.COOPERATIVE]
