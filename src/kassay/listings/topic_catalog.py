"""The topics of the cluster as far as the listings tell, with their partitions and racks.

Settings as the user states them, ``NAME=VALUE``, for the tools do not print them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kassay.errors import InputError
from kassay.listings.location import Assumed, repeated, some
from kassay.listings.reading import Reading
from kassay.listings.topics import TopicLines, refuse_many_in_all
from kassay.model import Topic
from kassay.sentences import counted
from kassay.suggesting import meant

_INTERNAL = {"__consumer_offsets", "__transaction_state", "__share_group_state"}


@dataclass(frozen=True, slots=True)
class KnownTopics:
    """Partition counts by topic in listed order, those of the topics listing first, and what its lines say.

    Another topic has one partition more than the highest number that any group lists; `assumed` are topics that no listing shows.
    """

    counts: Mapping[str, int]
    listed: Mapping[str, TopicLines]
    broker_racks: Mapping[int, str | None] | None
    places: Mapping[str, int]
    """Each topic's place in that order."""
    assumed: Collection[str] = ()

    @classmethod
    def of(cls, reading: Reading, broker_racks: Mapping[int, str | None] | None) -> "KnownTopics":
        """Gather the topics of all files; raise ListingError where there are too many partitions."""
        counts = {name: lines.partitions() for name, lines in reading.topics.items()}
        for rows in reading.groups.values():
            for name, highest in rows.known.items():
                if name not in reading.topics:
                    counts[name] = max(counts.get(name, 0), highest + 1)
        refuse_many_in_all(counts)
        return cls(counts, reading.topics, broker_racks, {name: n for n, name in enumerate(counts)})

    def of_nobody(self) -> set[str]:
        """Return the names of the topics listing without Kafka's own topics."""
        return set(self.listed) - _INTERNAL

    def ordered(self, names: set[str]) -> tuple[str, ...]:
        """Return the names in listed order."""
        return tuple(sorted((name for name in names if name in self.places), key=self.places.__getitem__))

    def take(self, names: Sequence[str], warnings: list[str], *, ids: bool = False) -> tuple[Topic, ...]:
        """Return the topics of these names, with their ids if asked, and a sentence for each thing assumed about them.

        Raises ListingError where two of them have one id.
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
                warnings += self.listed[name].contradictions()
        if self.broker_racks and names and not any(name in self.listed for name in names):
            warnings.append("broker racks need the topics' replicas; give kafka-topics --describe too")
        missing: set[int] = set()
        known = self._ids(names, warnings) if ids else {}
        topics = tuple(
            Topic(name, self.counts[name], self._racks(name, missing), id=known.get(name)) for name in names
        )
        if missing:
            warnings.append(
                f"the table of broker racks does not have {counted(len(missing), 'broker')} "
                f"({some(sorted(missing), len(missing))}): their replicas have no rack"
            )
        return topics

    def _ids(self, names: Sequence[str], warnings: list[str]) -> dict[str, str]:
        """Return the topics' ids, which decide between equals where the group coordinator assigns."""
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
                    f"the TopicId of {counted(len(unknown), 'topic')} is not known ({some(unknown, len(unknown))}), by which a coordinator "
                    "decides between equals: it is taken to be the UUID that Java makes of the name; give kafka-topics --describe too"
                )
            )
        return known

    def _racks(self, name: str, missing: set[int]) -> tuple[tuple[str | None, ...], ...] | None:
        racks, lines = self.broker_racks, self.listed.get(name)
        if racks is None or lines is None or not lines.replicas:
            return None
        missing.update(broker for ids in lines.replicas.values() for broker in ids if broker not in racks)
        return tuple(
            tuple(racks.get(broker) for broker in lines.replicas.get(number, ()))
            for number in range(self.counts[name])
        )


def read_pairs(texts: Sequence[str], known: Collection[str], who: str) -> dict[str, str]:
    """Split ``NAME=VALUE`` each; raises InputError naming the setting where `who` reads none of that name, or it is given twice."""
    pairs = [text.partition("=") for text in texts]
    for name, equals, value in pairs:
        if not equals or not value:
            raise InputError(
                f"--config {name}{equals}: has no value; give NAME=VALUE, such as {next(iter(known))}=1"
            )
        if name not in known:
            raise InputError(
                f"--config {name}: {who} read no such setting; known are {', '.join(known)}{meant(name, known)}"
            )
    if twice := repeated(name for name, _, _ in pairs):
        raise InputError(f"--config {twice}: is given twice; give it once")
    return {name: value for name, _, value in pairs}


def whole_number(name: str, text: str, most: int) -> int:
    """Return the number of a setting, 0 to `most`; raises InputError naming it otherwise."""
    if text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= most:
        return int(text)
    raise InputError(f"--config {name}: is {text!r}; give a number from 0 to {most}")
