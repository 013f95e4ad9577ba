"""Which topics a subtopology reads, which the tools do not print: as stated, and for the rest by how partitions are placed.

A task runs on one thread, so topics that are read together are placed alike. That holds of others by chance too, of whole
applications even, for assignors deal out one subtopology after the other: what is found here is a guess, and said to be one.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from kassay.kafka_tools.place import Assumed, some
from kassay.kafka_tools.streams.stated import Stated
from kassay.model import TopicPartition
from kassay.reference.streams.topology.topics import Counts, Subtopology

Holders: TypeAlias = Mapping[TopicPartition, Sequence[str]]
"""Of each partition the ids of the members that hold it, nobody's left out."""
FIX = "--subtopology TOPIC,TOPIC:STORE states it otherwise"


def subtopologies(
    stated: Sequence[Stated], held: Collection[str], counts: Counts, holders: Holders, warnings: list[str]
) -> list[Subtopology]:
    """Return the stated subtopologies in their order, then those of the other topics by the first name; without changelogs.

    Raises InputError where partitions of one task are held by different members.
    """
    for one in stated:
        _refuse_apart(one, counts, holders)
    left = sorted(set(held) - {name for one in stated for name in one.sources})
    guessed = _together(left, counts, holders, warnings)
    found = [*(one.sources for one in stated), *guessed]
    if guessed:
        which = (f"{number} reads {' and '.join(found[number])}" for number in range(len(stated), len(found)))
        warnings.append(
            Assumed(
                "subtopologies are not printed: source topics of as many partitions, which the same members hold, are taken to be read "
                f"together, repartition topics alone, in the order of their names ({some(which, len(guessed))}); Kafka numbers "
                f"subtopologies as the topology has them; {FIX}"
            )
        )
    return [Subtopology(number, sources) for number, sources in enumerate(found)]


def _refuse_apart(one: Stated, counts: Counts, holders: Holders) -> None:
    for number in range(max(counts[name] for name in one.sources)):
        task = [TopicPartition(name, number) for name in one.sources if number < counts[name]]
        known = {partition: set(holders[partition]) for partition in task if partition in holders}
        first = next(iter(known), None)
        for partition, members in known.items():
            if first is not None and not members & known[first]:
                raise one.wrong(
                    f"{first} is held by {min(known[first])!r}, {partition} by {min(members)!r}, but a task runs on one thread",
                    "name topics that one subtopology reads",
                )


def _together(
    topics: Sequence[str], counts: Counts, holders: Holders, warnings: list[str]
) -> list[tuple[str, ...]]:
    """Return topics that are placed alike together, by their first name.

    A repartition topic is written by another subtopology, mostly of as many tasks, and is left alone; so is a topic that one
    member holds whole, for that says nothing.
    """
    groups: dict[object, list[str]] = {}
    placed = {
        name: tuple(tuple(holders.get(TopicPartition(name, number), ())) for number in range(counts[name]))
        for name in topics
    }
    for name in topics:
        alone = name.endswith("-repartition") or len(set(placed[name])) < 2
        groups.setdefault(name if alone else placed[name], []).append(name)
    doubtful = [
        (names, chance)
        for names in groups.values()
        if len(names) > 1 and (chance := [name for name in topics if _agree(placed[name], placed[names[0]])])
    ]
    if doubtful:
        names, chance = doubtful[0]
        warnings.append(
            f"{', '.join(names)} are placed alike, but so is {chance[0]}, which has another number of partitions: placement tells "
            f"little of {some((' and '.join(names) for names, _ in doubtful), len(doubtful))}; {FIX}"
        )
    return [tuple(names) for names in groups.values()]


def _agree(one: Sequence[Sequence[str]], other: Sequence[Sequence[str]]) -> bool:
    """Tell whether topics of different numbers of partitions are placed alike over several members as far as both go."""
    both = min(len(one), len(other))
    return len(one) != len(other) and len(set(one[:both])) > 1 and one[:both] == other[:both]
