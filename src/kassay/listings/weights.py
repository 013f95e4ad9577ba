"""What partitions weigh by the listings: their lag, or what was written to them between two listings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kassay.errors import InputError
from kassay.listings.groups import GroupRows
from kassay.listings.location import some
from kassay.model import Topic, TopicPartition

LAG = "records of lag"
RATE = "records in {} s"
ENDS = "what kafka-consumer-groups --describe prints without --members"


@dataclass(frozen=True, slots=True)
class Earlier:
    """Groups by name as listed so many seconds earlier; `file` is what they were read from."""

    file: str
    groups: Mapping[str, GroupRows]
    seconds: int


def weighed(
    rows: GroupRows, topics: tuple[Topic, ...], earlier: Earlier | None
) -> tuple[tuple[Topic, ...], str | None]:
    """Return topics with what their partitions weigh, and the unit: lag as listed, or what was written since; as they are where the listing tells neither.

    Raises InputError where two listings do not match.
    """
    known = rows.lags if earlier is None else _written(rows, earlier)
    unit = LAG if earlier is None else RATE.format(earlier.seconds)
    found = tuple(
        replace(topic, weights=tuple(map(known.get, topic)))
        if any(partition in known for partition in topic)
        else topic
        for topic in topics
    )
    return found, unit if found != topics else None


def _written(rows: GroupRows, earlier: Earlier) -> dict[TopicPartition, int]:
    before = earlier.groups.get(rows.name)
    path = f"--earlier {earlier.file}"
    if before is None:
        raise InputError(
            f"{path}: does not list {rows.called}; give an earlier listing of the same group, or choose a group by --consumer-group"
        )
    for which, ends in (("the later listing", rows.ends), (path, before.ends)):
        if not ends:
            raise InputError(f"{which}: has no LOG-END-OFFSET of {rows.called}; give {ENDS}")
    if apart := sorted({p.topic for p in rows.ends} ^ {p.topic for p in before.ends}):
        raise InputError(
            f"{path}: lists other topics of {rows.called} than the later listing ({some(apart, len(apart))}); give two listings of the same topics"
        )
    if unlike := sorted(rows.ends.keys() ^ before.ends.keys()):
        raise InputError(
            f"{path}: lists other partitions of {rows.called} than the later listing ({some(unlike, len(unlike))}); give two listings of the same partitions"
        )
    for partition, end in rows.ends.items():
        if end < before.ends[partition]:
            raise InputError(
                f"{path}: {partition} ends at {before.ends[partition]} (LOG-END-OFFSET), and later at {end}; give the earlier listing here, of a topic that was not made anew"
            )
    return {partition: end - before.ends[partition] for partition, end in rows.ends.items()}
