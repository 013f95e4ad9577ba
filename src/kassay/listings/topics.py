"""What kafka-topics --describe prints: a line for each topic, then one for each of its partitions.

The lines are ``Name: value`` pairs. Releases differ in the names (TopicId, Offline, MarkedForDeletion, Adding
Replicas, Elr, LastKnownElr) and in the space after the colon; only Topic, TopicId, PartitionCount, Partition and
Replicas are read.
"""

import re
from dataclasses import dataclass, field

from kassay.listings.location import ListingError, Place, quoted, repeated, some
from kassay.sentences import counted

_NAME = re.compile(r"(?:^|(?<=\s))((?:Adding |Removing )?[A-Z][A-Za-z]*):")
PARTITIONS_MAX = 10_000_000
"""More partitions than this in one import are taken for a slip of the keyboard."""


@dataclass(slots=True)
class TopicLines:
    """A topic as listed: its id and partition count, None where that line is missing, and the brokers of each partition."""

    name: str
    place: Place
    id: str | None = None
    count: int | None = None
    replicas: dict[int, tuple[int, ...]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def partitions(self) -> int:
        """Return how many partitions the topic has: the listed ones hold where the count says less."""
        highest = max(self.replicas, default=-1) + 1
        return max(self.count or 0, highest)

    def contradictions(self) -> list[str]:
        """Return a sentence for each thing in which the topic's lines disagree or are incomplete."""
        total, listed = self.partitions(), len(self.replicas)
        said = list(self.warnings)
        if self.count is None:
            said.append(
                f"{self.place}: topic {self.name} has no line with its PartitionCount; "
                f"it is taken to have {counted(total, 'partition')}, one more than the highest listed number"
            )
        elif self.count < total:
            said.append(
                f"{self.place}: PartitionCount of topic {self.name} is {self.count}, but partition "
                f"{total - 1} is listed; it is taken to have {total}"
            )
        elif 0 < listed < total:
            said.append(
                f"{self.place}: topic {self.name} has {counted(total, 'partition')}, of which {listed} are "
                "listed; the others have no known replicas"
            )
        return said


def is_topic_line(line: str) -> bool:
    """Tell whether a line is one of kafka-topics --describe."""
    return line.lstrip().startswith("Topic:")


def read_topic_line(place: Place, line: str, topics: dict[str, TopicLines]) -> None:
    """Add what a line says to `topics`; raise ListingError where a value is missing or unreadable."""
    # Configs may hold anything, also the names of other fields.
    pieces = _NAME.split(re.split(r"(?:^|(?<=\s))Configs:", line, maxsplit=1)[0])
    names, values = pieces[1::2], [value.strip() for value in pieces[2::2]]
    twice = repeated(names)
    if twice is not None:
        raise place.error(f"{quoted(twice)} stands twice on the line", "give each line as printed")
    said = dict(zip(names, values, strict=True))
    topic = place.topic("Topic", said["Topic"])
    lines = topics.setdefault(topic, TopicLines(topic, place))
    if "PartitionCount" in said:
        _add_count(place, lines, place.number("PartitionCount", said["PartitionCount"]))
        if "TopicId" in said:
            lines.id = lines.id or place.uuid("TopicId", said["TopicId"])
    elif "Partition" in said:
        _add_replicas(place, lines, place.number("Partition", said["Partition"]), said)
    else:
        raise place.error(
            f"the line of topic {quoted(topic)} has neither PartitionCount nor Partition",
            "give each line of kafka-topics --describe as printed",
        )


def _add_count(place: Place, lines: TopicLines, count: int) -> None:
    refuse_many(place, "PartitionCount", count)
    if lines.count is None:
        lines.count, lines.place = count, place
    elif lines.count != count:
        lines.warnings.append(
            f"{place}: PartitionCount of topic {lines.name} is {count}, but {lines.count} at {lines.place}, "
            "which holds"
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
            f"{place}: Replicas of {lines.name}-{number} are {some(replicas, len(replicas))}, but an earlier "
            f"line says {some(first, len(first))}, which holds"
        )


def refuse_many(place: Place, field: str, count: int) -> None:
    """Raise ListingError where one topic has more partitions than an import may have."""
    if count > PARTITIONS_MAX:
        what = f"{field} makes a topic of {count} partitions"
        raise place.error(what, f"give topics of at most {PARTITIONS_MAX} partitions")


def refuse_many_in_all(counts: dict[str, int]) -> None:
    """Raise ListingError where the topics together have more partitions than an import may have."""
    total = sum(counts.values())
    if total > PARTITIONS_MAX:
        most = max(counts, key=lambda name: (counts[name], name))
        raise ListingError(
            f"the listed topics have {total} partitions together, {counts[most]} of them in {quoted(most)}; "
            f"give listings of at most {PARTITIONS_MAX} partitions"
        )
