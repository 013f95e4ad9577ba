"""The applications of Kafka Streams among listings that are said to have some."""

from collections.abc import Sequence
from dataclasses import replace

from kassay.errors import InputError
from kassay.listings.import_groups import Taken
from kassay.listings.location import some
from kassay.listings.reading import read_files
from kassay.listings.streams.application import NONE, Details, ListedApplication, application_of
from kassay.listings.streams.clients import NAMED, is_thread
from kassay.listings.streams.described import is_described, statements
from kassay.listings.topic_catalog import KnownTopics
from kassay.sentences import counted

__all__ = ["Details", "ListedApplication", "read_applications"]


def read_applications(
    files: Sequence[tuple[str, str]],
    details: Details = NONE,
    only: str | None = None,
    taken: Taken | None = None,
) -> list[ListedApplication]:
    """Read the applications whose threads are members of a consumer group of the listings, or of what a cluster told, or `only` one.

    `files` are those of :func:`kassay.listings.read_listings`. Raises InputError and ListingError, one sentence with the place
    and the fix, where something cannot be read, contradicts what is stated, or where there is no application.
    """
    reading = taken.reading if taken else read_files(files)
    described = [file for file in files if is_described(file[1])] if taken else reading.topologies
    if taken:
        ends = details.end_offsets or taken.ends
        details = replace(details, broker_racks=taken.broker_racks, end_offsets=ends)
    topics = KnownTopics.of(reading, details.broker_racks)
    groups = [rows for rows in reading.groups.values() if only in {None, rows.name}]
    streams = [rows for rows in groups if any(map(is_thread, rows.members.values()))]
    if not streams:
        wanted = "no consumer group" if only is None else f"no consumer group {only!r}"
        raise InputError(
            f"there is {wanted} with threads of Kafka Streams, whose CLIENT-ID is {NAMED}, in the listings, which show: "
            f"{', '.join([*reading.groups, *reading.streams_groups])}; describe that of an application with members, or leave out --family streams"
        )
    if details.subtopologies and len(streams) > 1:
        raise InputError(
            f"--subtopology: the listings show {len(streams)} applications ({', '.join(rows.name for rows in streams)}); "
            "choose one by --consumer-group"
        )
    if described:
        if len(described) > 1 or details.subtopologies or len(streams) > 1:
            raise InputError(
                f"{described[-1][0]}: is a topology; give one, without --subtopology, and the listing of its application alone "
                "(--consumer-group chooses one)"
            )
        stated, said = statements(*described[0], streams[0].name, topics.counts)
        details = replace(details, subtopologies=stated)
        streams[0].warnings += said
    others = [rows.name for rows in groups if rows not in streams]
    if others:
        streams[0].warnings.append(
            f"{counted(len(others), 'consumer group')} without threads of Kafka Streams ({some(others, len(others))}) left out"
        )
    return [application_of(rows, topics, set(reading.groups), details) for rows in streams]
