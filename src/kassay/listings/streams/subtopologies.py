"""Which topics a subtopology reads, which the tools do not print: as stated, and for the rest by how partitions are placed.

A task runs on one thread, so topics that are read together are placed alike. That holds of others by chance too, of whole
applications even, for assignors deal out one subtopology after the other: what is found here is a guess, and said to be one.

Which subtopology a changelog is of: ``<application.id>-<store>-changelog`` has a partition for each of its tasks.

Source: the names that InternalStreamsBuilder of kafka-streams 4.3 gives to stores and repartition topics.

What an application's tasks are: the subtopologies that its topics make, and the partitions that each task reads.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from kassay.listings.groups import GroupRows
from kassay.listings.location import Assumed, some
from kassay.listings.streams.topologies import Stated, resolved
from kassay.listings.topics import KnownTopics
from kassay.model import TopicPartition
from kassay.model.tasks import Task
from kassay.reference.streams.topology import Counts, Subtopology, changelog_groups, source_groups, task_count
from kassay.sentences import counted

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


def with_changelogs(
    found: Sequence[Subtopology],
    stated: Sequence[Stated],
    application: str,
    listed: Iterable[str],
    counts: Counts,
    warnings: list[str],
) -> list[Subtopology]:
    """Return the subtopologies with the changelogs that are stated, or that are listed and fit best.

    The store of an aggregation has the name of its repartition topic, that of a table begins with its topic; the others are
    known by their number of partitions alone. Raises InputError where a stated one has another number.
    """
    of = {each.number: list(one.changelogs or ()) for each, one in zip(found, stated, strict=False)}
    for number, names in of.items():
        for name in names:
            if counts[name] != (tasks := task_count(found[number], counts)):
                raise stated[number].wrong(
                    f"changelog {name!r} has {counts[name]} partitions, but the subtopology has {tasks} tasks",
                    "name stores of that subtopology, and take the listings at the same time",
                )
    said = {name for names in of.values() for name in names}
    open_ = [each for each in found if each.number >= len(stated) or stated[each.number].changelogs is None]
    guessed: list[str] = []
    several: list[str] = []
    strange: list[str] = []
    for name in sorted(set(listed) - said):
        fits = [each for each in open_ if task_count(each, counts) == counts[name]]
        if not fits:
            strange.append(f"{name} {counts[name]}")
            continue
        alike = [each for each in fits if _names_it(each, application, name)]
        best = (alike or [each for each in fits if _rekeyed(each)] or fits)[0]
        of.setdefault(best.number, []).append(name)
        (guessed if alike or len(fits) == 1 else several).append(f"{name} of {best.number}")
    if guessed:
        warnings.append(
            Assumed(
                "what has which state store is not printed: it is told by the names of repartition topics and tables, and by the number of "
                f"partitions ({some(guessed, len(guessed))}); {FIX}"
            )
        )
    if several:
        warnings.append(
            Assumed(
                "several subtopologies have as many tasks as these changelogs have partitions: they are taken to be of the first that "
                f"reads a repartition topic, or else of the first ({some(several, len(several))}); {FIX}"
            )
        )
    if strange:
        warnings.append(
            f"no subtopology that may have them has as many tasks as these changelogs have partitions: they are left out "
            f"({some(strange, len(strange))}); {FIX}"
        )
    return [replace(each, changelogs=tuple(sorted(of.get(each.number, ())))) for each in found]


def _names_it(each: Subtopology, application: str, changelog: str) -> bool:
    """Tell whether the store is named after a topic that the subtopology reads."""
    store = changelog.removesuffix("-changelog")
    names = {source.removesuffix("-repartition") for source in each.sources}
    return store in names or store.rpartition("-STATE-STORE-")[0] in {
        f"{application}-{name}" for name in names
    }


def _rekeyed(each: Subtopology) -> bool:
    return any(source.endswith("-repartition") for source in each.sources)


def topology(
    rows: GroupRows,
    topics: KnownTopics,
    groups: Collection[str],
    stated: Sequence[str],
    holders: Holders,
    warnings: list[str],
) -> list[Subtopology]:
    """Return the subtopologies with their changelogs, those stated first; say what is assumed of the others.

    Raises InputError where what is stated contradicts the listings.
    """
    held = {partition.topic for partition in holders}
    known = resolved(stated, rows.name, [name for name, count in topics.counts.items() if count])
    found = subtopologies(known, held, topics.counts, holders, warnings)
    own = [name for name in topics.counts if name not in held and _application_of(name, groups) == rows.name]
    _say_unread(rows, own, held, known, warnings)
    changelogs = [name for name in own if name.endswith("-changelog")]
    return with_changelogs(found, known, rows.name, changelogs, topics.counts, warnings)


def _application_of(topic: str, groups: Collection[str]) -> str | None:
    """Return the group with the longest name that an internal topic begins with."""
    return max((group for group in groups if topic.startswith(f"{group}-")), key=len, default=None)


def _say_unread(
    rows: GroupRows, own: Sequence[str], held: Collection[str], stated: Sequence[Stated], warnings: list[str]
) -> None:
    read = {*held, *(name for one in stated for name in one.sources)}
    left = sorted({*rows.unread, *(name for name in own if name.endswith("-repartition"))} - read)
    if left:
        warnings.append(
            f"no member holds a partition of {counted(len(left), 'topic')} that the application has read or written "
            f"({some(left, len(left))}): no task is taken to read them; {FIX}"
        )


def grouped(found: Sequence[Subtopology], counts: Mapping[str, int]) -> tuple[Task, ...]:
    """Return the tasks of subtopologies, with what each of them reads."""
    changelogs = changelog_groups(found, counts)
    return tuple(
        Task(task, bool(changelogs[task]), tuple(sorted(inputs)), tuple(sorted(changelogs[task])))
        for task, inputs in source_groups(found, counts).items()
    )
