"""Topics in the output of kafka-topics --describe, and the topics of the cluster according to all listings."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kassay.listings.location import Assumed, ListingError, Place, find_repeated, list_some, quote
from kassay.model import Topic
from kassay.sentences import format_count

_NAME = re.compile(r"(?:^|(?<=\s))((?:Adding |Removing )?[A-Z][A-Za-z]*):")
PARTITIONS_MAX = 10_000_000
"""A larger number of partitions in one import is taken for a typing error."""


@dataclass(slots=True)
class TopicLines:
    """A topic as listed."""

    name: str
    place: Place
    id: str | None = None
    count: int | None = None
    """Its number of partitions; `id` and `count` are None if their line is missing."""
    replicas: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The brokers of each partition."""
    warnings: list[str] = field(default_factory=list)

    def partitions(self) -> int:
        """Return the number of partitions: the printed count, or more if more are listed."""
        return max(self.count or 0, max(self.replicas, default=-1) + 1)

    def describe_contradictions(self) -> Iterator[str]:
        """Yield a sentence for each contradiction and gap in the lines of the topic."""
        total, listed = self.partitions(), len(self.replicas)
        yield from self.warnings
        if self.count is None:
            yield (
                f"{self.place}: topic {self.name} has no line with its PartitionCount; "
                f"it is taken to have {format_count(total, 'partition')}, one more than the highest listed number"
            )
        elif self.count < total:
            yield (
                f"{self.place}: PartitionCount of topic {self.name} is {self.count}, but partition "
                f"{total - 1} is listed; it is taken to have {total}"
            )
        elif 0 < listed < total:
            yield (
                f"{self.place}: topic {self.name} has {format_count(total, 'partition')}, of which {listed} are "
                "listed; the others have no known replicas"
            )


def is_topic_line(line: str) -> bool:
    """Return True if a line is output of kafka-topics --describe."""
    return line.lstrip().startswith("Topic:")


def read_topic_line(place: Place, line: str, topics: dict[str, TopicLines]) -> None:
    """Add a line to `topics`; raise ListingError if a value is missing or unreadable."""
    # The value of Configs may contain the names of other fields.
    pieces = _NAME.split(re.split(r"(?:^|(?<=\s))Configs:", line, maxsplit=1)[0])
    names, values = pieces[1::2], [value.strip() for value in pieces[2::2]]
    twice = find_repeated(names)
    if twice is not None:
        raise place.error(f"{quote(twice)} stands twice on the line", "give each line as printed")
    said = dict(zip(names, values, strict=True))
    topic = place.topic("Topic", said["Topic"])
    lines = topics.setdefault(topic, TopicLines(topic, place))
    if "PartitionCount" in said:
        count = place.number("PartitionCount", said["PartitionCount"])
        refuse_many(place, "PartitionCount", count)
        if lines.count is None:
            lines.count, lines.place = count, place
        elif lines.count != count:
            lines.warnings.append(
                f"{place}: PartitionCount of topic {lines.name} is {count}, but {lines.count} at {lines.place}, which holds"
            )
        if "TopicId" in said:
            lines.id = lines.id or place.uuid("TopicId", said["TopicId"])
    elif "Partition" in said:
        _add_replicas(place, lines, place.number("Partition", said["Partition"]), said)
    else:
        raise place.error(
            f"the line of topic {quote(topic)} has neither PartitionCount nor Partition",
            "give each line of kafka-topics --describe as printed",
        )


def _add_replicas(place: Place, lines: TopicLines, number: int, said: dict[str, str]) -> None:
    refuse_many(place, "Partition", number + 1)
    for name in ("Replicas", "Isr"):
        if name not in said:
            raise place.error(f"the line of {lines.name}-{number} has no {name}", "give the whole line")
    ids = [text.strip() for text in said["Replicas"].split(",")] if said["Replicas"] else []
    replicas = tuple(place.number("Replicas", text) for text in ids)
    first = lines.replicas.setdefault(number, replicas)
    if first != replicas:
        lines.warnings.append(
            f"{place}: Replicas of {lines.name}-{number} are {list_some(replicas, len(replicas))}, but an earlier "
            f"line says {list_some(first, len(first))}, which holds"
        )


def refuse_many(place: Place, field: str, count: int) -> None:
    """Raise ListingError if one topic has more partitions than an import may have."""
    if count > PARTITIONS_MAX:
        what = f"{field} makes a topic of {count} partitions"
        raise place.error(what, f"give topics of at most {PARTITIONS_MAX} partitions")


INTERNAL = {"__consumer_offsets", "__transaction_state", "__share_group_state"}
"""Kafka's own topics."""


@dataclass(frozen=True, slots=True)
class KnownTopics:
    """The topics of a cluster, first the topics of the topics listing."""

    counts: Mapping[str, int]
    """The number of partitions of each topic; for a topic outside the topics listing, the highest number in any group plus one."""
    listed: Mapping[str, TopicLines]
    """The topics of the topics listing."""
    broker_racks: Mapping[int, str | None] | None
    places: Mapping[str, int]
    """The position of each topic in the order of `counts`."""
    assumed: Collection[str] = ()
    """Topics that no listing shows."""

    @classmethod
    def build(
        cls,
        listed: Mapping[str, TopicLines],
        known: Iterable[Mapping[str, int]],
        broker_racks: Mapping[int, str | None] | None,
    ) -> "KnownTopics":
        """Build it from the topics listing and the highest partition numbers of each group; raise ListingError if there are too many."""
        counts = {name: lines.partitions() for name, lines in listed.items()}
        for highest_by_topic in known:
            for name, highest in highest_by_topic.items():
                if name not in listed:
                    counts[name] = max(counts.get(name, 0), highest + 1)
        total = sum(counts.values())
        if total > PARTITIONS_MAX:
            most = max(counts, key=lambda name: (counts[name], name))
            raise ListingError(
                f"topics: {total} partitions are listed, {counts[most]} of them in {quote(most)}. "
                f"Give listings of at most {PARTITIONS_MAX} partitions"
            )
        return cls(counts, listed, broker_racks, {name: n for n, name in enumerate(counts)})

    def sort(self, names: set[str]) -> tuple[str, ...]:
        """Return the names in listed order."""
        return tuple(sorted((name for name in names if name in self.places), key=self.places.__getitem__))

    def take(self, names: Sequence[str], warnings: list[str], *, ids: bool = False) -> tuple[Topic, ...]:
        """Return the topics of these names, with their ids if `ids` asks for them, and add assumptions to `warnings`.

        Raises ListingError if two of them have the same id.
        """
        inferred = [
            f"{name} {self.counts[name]}" for name in names if not {name} & {*self.listed, *self.assumed}
        ]
        if inferred:
            first, *others = inferred
            warnings.append(
                Assumed(
                    f"{first.replace(' ', ' has ')} {'partition' if first.endswith(' 1') else 'partitions'}"
                    f"{''.join(f', {each}' for each in others[:4])}{f' and {len(others) - 4} topics more' if len(others) > 4 else ''} "
                    "(highest number listed). To be exact, append the output of kafka-topics --describe"
                )
            )
        for name in names:
            if name in self.listed:
                warnings += self.listed[name].describe_contradictions()
        if self.broker_racks and names and not any(name in self.listed for name in names):
            warnings.append("broker racks need the topics' replicas. Give kafka-topics --describe too")
        missing: set[int] = set()
        known = self._find_ids(names, warnings) if ids else {}
        topics = tuple(
            Topic(name, self.counts[name], self._find_racks(name, missing), id=known.get(name))
            for name in names
        )
        if missing:
            warnings.append(
                f"the table of broker racks does not have {format_count(len(missing), 'broker')} "
                f"({list_some(sorted(missing), len(missing))}): their replicas have no rack"
            )
        return topics

    def _find_ids(self, names: Sequence[str], warnings: list[str]) -> dict[str, str]:
        """Return the ids of topics, by which a group coordinator breaks ties."""
        known: dict[str, str] = {}
        for name in names:
            lines = self.listed.get(name)
            if lines is None or lines.id is None:
                continue
            if lines.id in known.values():
                raise lines.place.error(
                    f"TopicId of topic {name} is {lines.id}, which another topic has too",
                    "give each line as printed",
                )
            known[name] = lines.id
        unknown = [name for name in names if name not in known]
        if unknown:
            warnings.append(
                Assumed(
                    f"the TopicId of {format_count(len(unknown), 'topic')}, by which a coordinator breaks ties, is unknown "
                    f"({list_some(unknown, len(unknown))}): it is taken to be the UUID that Java makes of the name. Give kafka-topics --describe too"
                )
            )
        return known

    def _find_racks(self, name: str, missing: set[int]) -> tuple[tuple[str | None, ...], ...] | None:
        racks, lines = self.broker_racks, self.listed.get(name)
        if racks is None or lines is None or not lines.replicas:
            return None
        missing.update(broker for ids in lines.replicas.values() for broker in ids if broker not in racks)
        return tuple(
            tuple(racks.get(broker) for broker in lines.replicas.get(number, ()))
            for number in range(self.counts[name])
        )
