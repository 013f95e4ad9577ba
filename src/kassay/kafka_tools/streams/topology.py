"""What an application's tasks are: the subtopologies that its topics make, and the partitions that each task reads."""

from collections.abc import Collection, Mapping, Sequence

from kassay.kafka_tools.groups import GroupRows
from kassay.kafka_tools.known import KnownTopics
from kassay.kafka_tools.place import plural, some
from kassay.kafka_tools.streams.changelogs import with_changelogs
from kassay.kafka_tools.streams.stated import Stated, resolved
from kassay.kafka_tools.streams.subtopologies import FIX, Holders, subtopologies
from kassay.model.tasks import Task
from kassay.reference.streams.topology.grouping import changelog_groups, source_groups
from kassay.reference.streams.topology.topics import Subtopology


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
            f"no member holds a partition of {plural(len(left), 'topic')} that the application has read or written "
            f"({some(left, len(left))}): no task is taken to read them; {FIX}"
        )


def grouped(found: Sequence[Subtopology], counts: Mapping[str, int]) -> tuple[Task, ...]:
    """Return the tasks of subtopologies, with what each of them reads."""
    changelogs = changelog_groups(found, counts)
    return tuple(
        Task(task, bool(changelogs[task]), tuple(sorted(inputs)), tuple(sorted(changelogs[task])))
        for task, inputs in source_groups(found, counts).items()
    )
