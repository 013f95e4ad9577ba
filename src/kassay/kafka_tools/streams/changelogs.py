"""Which subtopology a changelog is of: ``<application.id>-<store>-changelog`` has a partition for each of its tasks.

Source: the names that InternalStreamsBuilder of kafka-streams 4.3 gives to stores and repartition topics.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kassay.kafka_tools.place import Assumed, some
from kassay.kafka_tools.streams.stated import Stated
from kassay.kafka_tools.streams.subtopologies import FIX
from kassay.reference.streams.topology.grouping import task_count
from kassay.reference.streams.topology.topics import Counts, Subtopology


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
