"""Topics, members, groups and assignments: the input and output of an assignor of topic partitions.

A :class:`Group` is valid by construction. An :data:`Assignment` may be wrong in any way; the properties find that.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias, TypeVar

from kassay.model.config import UNCONFIGURED, Config

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
_UUID = re.compile("[A-Za-z0-9_-]{21}[AQgw]")
"""Base64 of 16 bytes as Kafka prints it. The last sign encodes two bits."""


class TopicPartition(NamedTuple):
    """One partition of a topic; sorts by topic, then number, and prints as ``t0-3``."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


P = TypeVar("P", bound=tuple[Any, int])


def make_numbered(kind: type[P], name: Any, numbers: Iterable[int]) -> Iterator[P]:
    """Yield partitions or tasks of a name and numbers.

    It takes half the time of calling the class, and the fastest assignors do little else.
    """
    return map(partial(tuple.__new__, kind), zip(repeat(name), numbers, strict=False))


def refuse_wrong_weight(place: str, weight: object) -> None:
    """Raise ValueError, which begins with a place, if a weight or a capacity is not a whole number from 0 to INT64_MAX."""
    if type(weight) is not int or not 0 <= weight <= INT64_MAX:
        shown = weight if isinstance(weight, (int, float)) else repr(weight)
        raise ValueError(
            f"{place} {shown if len(str(shown)) < 40 else 'very much'}. Give a whole number from 0 to {INT64_MAX}, or null if it is unknown. "
            "Use a smaller unit for fractions, and a larger one for large numbers"
        )


def refuse_wrong_unit(unit: object) -> None:
    """Raise ValueError if the unit of all weights is not printable text."""
    if unit is not None and not (isinstance(unit, str) and unit.strip() and unit.isprintable()):
        raise ValueError(f"weight_unit: is {unit!r}. Name one unit for all weights, such as 'bytes/s'")


def refuse_outside(field: str, number: int, least: int, most: int) -> None:
    """Raise ValueError, naming the field, if a number is outside its range."""
    if not least <= number <= most:
        raise ValueError(f"{field}: {number}. Give {least} to {most}")


class _Listed:
    """The cache of a topic's partitions. It is not a field, so that it is not compared, printed or pickled."""

    __slots__ = ("_listed",)
    _listed: tuple[TopicPartition, ...]


class _Owned:
    """The cache of a member's partitions by topic, in the same way."""

    __slots__ = ("_by_topic", "_in_order")
    _by_topic: Mapping[str, Sequence[int]]
    _in_order: bool


@dataclass(frozen=True, slots=True)
class Topic(_Listed):
    """A topic as the metadata of the cluster shows it."""

    name: str
    partitions: int
    """The number of partitions."""
    racks: tuple[tuple[str | None, ...], ...] | None = None
    """One entry per partition, None if unknown: the racks of its replicas in order, also of offline ones.

    The rack of a replica is None if its broker has no rack.
    """
    hosts: tuple[tuple[str | None, ...], ...] | None = None
    """One entry per partition: the host names of its replicas, from which a rule of the configuration may find racks."""
    id: str | None = None
    """Kafka's Uuid of the topic as Kafka prints it. Only server-side assignors read it."""
    unassignable: tuple[int, ...] = ()
    """The partitions that a group coordinator may not assign yet. Only server-side assignors read them."""
    weights: tuple[int | None, ...] | None = None
    """The weight of each partition, such as its lag or bytes per second, None if unknown. No assignor of Kafka reads it."""

    def __post_init__(self) -> None:
        if not 0 <= self.partitions <= INT32_MAX:
            raise ValueError(f"partitions: topic {self.name!r} has {self.partitions}. Give 0 to {INT32_MAX}")
        for name, entries in (("racks", self.racks), ("hosts", self.hosts), ("weights", self.weights)):
            if entries is not None and len(entries) != self.partitions:
                raise ValueError(
                    f"{name}: topic {self.name!r} has {self.partitions} partitions but {len(entries)} entries. "
                    "Give one entry per partition, null where unknown"
                )
        if self.id is not None and not _UUID.fullmatch(self.id):
            raise ValueError(
                f"id: topic {self.name!r} has {self.id!r}. Give a Uuid as Kafka prints it, 22 signs of base64"
            )
        for number in self.unassignable:
            if not 0 <= number < self.partitions:
                raise ValueError(
                    f"unassignable: topic {self.name!r} has {self.partitions} partitions but lists {number}. Leave it out"
                )

        for number, weight in enumerate(self.weights or ()):
            if weight is not None:
                refuse_wrong_weight(f"weights: partition {number} of topic {self.name!r} weighs", weight)

    def __iter__(self) -> Iterator[TopicPartition]:
        """Iterate over the topic's partitions in ascending order."""
        return iter(self.listed())

    def listed(self) -> tuple[TopicPartition, ...]:
        """Return the topic's partitions in ascending order. They are built once."""
        try:
            return self._listed
        except AttributeError:
            listed = tuple(make_numbered(TopicPartition, self.name, range(self.partitions)))
            object.__setattr__(self, "_listed", listed)
            return listed


@dataclass(frozen=True, slots=True)
class Member(_Owned):
    """A member of a group with its subscription and its claims."""

    id: str
    topics: tuple[str, ...]
    """The subscription as sent: a topic may be listed twice, or not exist."""
    owned: tuple[TopicPartition, ...] = ()
    """The partitions that it claims from its last assignment, in reported order. The claim may be stale."""
    generation: int | None = None
    """The generation of the claim, None if the member sends no generation."""
    instance_id: str | None = None
    """The group.instance.id of a static member (KIP-345)."""
    rack: str | None = None
    """Its client.rack."""
    user_data: bytes | None = None
    """The bytes that its assignor adds to the subscription; None for the assignor's default."""
    capacity: int | None = None
    """The largest weight that it can process, None without a limit. No assignor of Kafka reads it."""

    def __post_init__(self) -> None:
        if self.capacity is not None:
            refuse_wrong_weight(f"capacity: member {self.id!r} can bear", self.capacity)
        if self.generation is not None and not 0 <= self.generation <= INT32_MAX:
            raise ValueError(
                f"generation: member {self.id!r} has {self.generation}. Give 0 to {INT32_MAX}, or leave it out"
            )
        if len(set(self.owned)) != len(self.owned):
            twice = next(p for n, p in enumerate(self.owned) if p in self.owned[:n])
            raise ValueError(f"owned: member {self.id!r} lists {twice} twice. List each partition once")
        numbers = [number for _, number in self.owned]
        if numbers and not 0 <= min(numbers) <= max(numbers) <= INT32_MAX:
            wrong = next(p for p in self.owned if not 0 <= p.partition <= INT32_MAX)
            raise ValueError(
                f"owned: member {self.id!r} lists {wrong}. Give partitions from 0 to {INT32_MAX}"
            )

    @property
    def owned_by_topic(self) -> Mapping[str, Sequence[int]]:
        """Topic -> the numbers of the owned partitions, in reported order. They are grouped once."""
        try:
            return self._by_topic
        except AttributeError:
            self._cache_owned()
            return self._by_topic

    @property
    def owned_in_order(self) -> bool:
        """True if it reports its partitions topic by topic, with ascending numbers in each topic."""
        try:
            return self._in_order
        except AttributeError:
            self._cache_owned()
            return self._in_order

    def _cache_owned(self) -> None:
        numbers: dict[str, list[int]] = {}
        for topic, number in self.owned:
            numbers.setdefault(topic, []).append(number)
        in_order = [(topic, number) for topic, some in numbers.items() for number in sorted(some)]
        object.__setattr__(self, "_by_topic", numbers)
        object.__setattr__(self, "_in_order", list(self.owned) == in_order)


@dataclass(frozen=True, slots=True)
class Group:
    """Everything an assignor of topic partitions may look at (consumer, broker and share families).

    The order of topics and members is the order in which the assignor receives them. `weight_unit` is the unit of all weights and capacities.
    Raises ValueError if two topics have the same name, two members the same id, or two static members the same instance id.
    """

    topics: tuple[Topic, ...]
    members: tuple[Member, ...]
    config: Config = UNCONFIGURED
    weight_unit: str | None = None

    def __post_init__(self) -> None:
        refuse_wrong_unit(self.weight_unit)
        if (together := sum(w or 0 for topic in self.topics for w in topic.weights or ())) > INT64_MAX:
            raise ValueError(
                f"topics: the total of their weights is {together}. Give at most {INT64_MAX}, in a larger unit"
            )
        _refuse_repeats("topics", "name", [topic.name for topic in self.topics])
        _refuse_repeats("topics", "id", [topic.id for topic in self.topics if topic.id is not None])
        _refuse_repeats("members", "id", [member.id for member in self.members])
        _refuse_repeats(
            "members", "instance_id", [m.instance_id for m in self.members if m.instance_id is not None]
        )


def _refuse_repeats(field: str, key: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{field}: two of them have the {key} {name!r}. Rename or remove one")
        seen.add(name)


Assignment: TypeAlias = Mapping[str, Sequence[TopicPartition]]
"""Member id -> the partitions given to it, in order; may be wrong."""
