"""consumer/optimal as an assignor of kafka-python and aiokafka, whichever of them is installed; one group may have members of both."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar

from kassay.clients import subscriptions
from kassay.errors import InputError
from kassay.families.optimal.consumer.assignor import ORDER, ORDERS, assign, checked_order
from kassay.model import TopicPartition
from kassay.properties.partitions.rounds import next_generation
from kassay.reference.wire.consumer import Subscription, assignment_of, write_assignment, write_subscription

NAMES = dict(
    zip(
        ORDERS,
        ("optimal", "optimal-moves-first", "optimal-spread", "optimal-moves-first-spread"),
        strict=True,
    )
)
"""Order of levels -> what the members of a group call it: all of them must mean the same."""
VERSION = 0
"""That of the embedded protocol, which every client reads."""


def _base() -> type:
    """Make the class that is an assignor for each library that is installed."""
    place = "coordinator.assignors.abstract"
    installed = [name for name in ("kafka", "aiokafka") if find_spec(name)]
    bases = [import_module(f"{name}.{place}").AbstractPartitionAssignor for name in installed]
    return new_class("Base", tuple(bases))


if TYPE_CHECKING:
    Base = object
else:
    Base = _base()


class OptimalAssignor(Base):
    """Give the best possible, proved: the most even loads, then the fewest reads across racks, then the fewest moves.

    Give each consumer an object of its own. `rack` is the consumer's; None where it does not matter. `order` may put moves
    before reads across racks, and the spread of topics behind both. Raises InputError where there is no such order. See docs/optimal.md.
    """

    name = NAMES[ORDER]
    cooperative: ClassVar[bool] = False

    def __init__(self, rack: str | None = None, order: str = ORDER) -> None:
        self.name = NAMES[checked_order(order)] + "-cooperative" * self.cooperative
        self.rack, self.order = rack, order
        self.owned: list[TopicPartition] = []
        self.generation: int | None = None

    def metadata(self, topics: Iterable[str]) -> bytes:
        """Return what the member tells the leader: what it subscribes to and, as user data, what it owns."""
        claims = subscriptions.claims(self.owned, self.generation, self.rack)
        return write_subscription(Subscription(tuple(sorted(topics)), claims), VERSION)

    def assign(self, cluster: Any, members: Any) -> dict[str, bytes]:
        """Return what each member is given.

        `members` is kafka-python's list or aiokafka's mapping. Raises AssignorError where no optimum is proved, InputError where
        a member has another assignor.
        """
        group = subscriptions.group_of(cluster, self._told(members))
        given = assign(group, self.order, cooperative=self.cooperative)
        told = subscriptions.answered(next_generation(group))
        return {
            member: write_assignment(assignment_of(partitions, told), VERSION)
            for member, partitions in given.items()
        }

    def on_assignment(self, given: Any, generation: int | None = None) -> None:
        """Remember what the member is given; kafka-python tells the generation, which counts where the leader tells none."""
        if generation is None:
            self._refuse_aiokafka()
        self.owned = [TopicPartition(*partition) for partition in given.partitions()]
        self.generation = subscriptions.generation_of(given.user_data) if given.user_data else generation
        if self.generation is not None and self.generation < 0:
            self.generation = None

    def _told(self, members: Any) -> Iterable[tuple[str, str | None, Iterable[str], bytes]]:
        """Return each member's id, instance id, topics and user data."""
        if isinstance(members, Mapping):
            self._refuse_aiokafka()
            return [(name, None, told.subscription, told.user_data) for name, told in members.items()]
        return [
            (each.member_id, each.group_instance_id, each.metadata.topics, each.metadata.user_data)
            for each in members
        ]

    def _refuse_aiokafka(self) -> None:
        """Raise InputError where the rebalance is cooperative: without KIP-429 nobody asks for the second round."""
        if self.cooperative:
            raise InputError(
                "partition_assignment_strategy: aiokafka has no cooperative rebalances; give OptimalAssignor()"
            )


class CooperativeOptimalAssignor(OptimalAssignor):
    """Give the optimum in two rounds, so that members go on reading what they keep (KIP-429); for kafka-python from 3 on."""

    name = f"{NAMES[ORDER]}-cooperative"
    cooperative = True

    def supported_protocols(self) -> list[Any]:
        """Return the one rebalance protocol that it is made for."""
        return [import_module("kafka.coordinator.assignors.abstract").RebalanceProtocol.COOPERATIVE]
