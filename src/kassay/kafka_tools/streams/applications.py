"""From what the listings say of a consumer group of Kafka Streams to an application that a task assignor can be given."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kassay.errors import InputError
from kassay.kafka_tools.groups import GroupRows, claims
from kassay.kafka_tools.import_groups import ORDERED, Taken
from kassay.kafka_tools.location import Assumed, some
from kassay.kafka_tools.racks import rackless
from kassay.kafka_tools.reading import read_files
from kassay.kafka_tools.streams.clients import NAMED, clients, is_thread, processes
from kassay.kafka_tools.streams.described import is_described, statements
from kassay.kafka_tools.streams.subtopologies import grouped, topology
from kassay.kafka_tools.to_group import unlike
from kassay.kafka_tools.topic_catalog import KnownTopics
from kassay.model import TopicPartition
from kassay.model.partitions_json import built
from kassay.model.tasks import Application, Settings
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.streams.topology import Subtopology
from kassay.sentences import counted

KAFKAS = Settings()
"""Kafka's defaults."""


@dataclass(frozen=True, slots=True)
class Details:
    """What the listings do not print, as far as the user states it.

    `subtopologies` are such as ``orders,users:counts``; `end_offsets` are those of changelogs; racks are those of
    :func:`kassay.kafka_tools.read_listings`; with `leader` members come in the order in which a live leader receives them.
    """

    settings: Settings = KAFKAS
    subtopologies: Sequence[str] = ()
    end_offsets: Mapping[TopicPartition, int] | None = None
    broker_racks: Mapping[int, str | None] | None = None
    member_racks: Mapping[str, str | None] | None = None
    leader: bool = True


NONE = Details()


@dataclass(frozen=True, slots=True)
class ListedApplication:
    """An application read from listings, with a sentence for each thing assumed or contradictory."""

    name: str
    application: Application
    warnings: tuple[str, ...]


def read_applications(
    files: Sequence[tuple[str, str]],
    details: Details = NONE,
    only: str | None = None,
    taken: Taken | None = None,
) -> list[ListedApplication]:
    """Read the applications whose threads are members of a consumer group of the listings, or of what a cluster told, or `only` one.

    `files` are those of :func:`kassay.kafka_tools.read_listings`. Raises InputError and ListingError, one sentence with the place
    and the fix, where something cannot be read, contradicts what is stated, or where there is no application.
    """
    reading = taken.reading if taken else read_files([file for file in files if not is_described(file[1])])
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
    if described := [file for file in files if is_described(file[1])]:
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
    return [_application(rows, topics, set(reading.groups), details) for rows in streams]


def _application(
    rows: GroupRows, topics: KnownTopics, groups: Collection[str], details: Details
) -> ListedApplication:
    warnings = list(rows.warnings)
    held = claims(rows, warnings)
    holders: dict[TopicPartition, list[str]] = {}
    for member, partitions in held.items():
        for partition in partitions:
            holders.setdefault(partition, []).append(member)
    found = topology(rows, topics, groups, details.subtopologies, holders, warnings)
    read = {name for each in found for name in (*each.sources, *each.changelogs)}
    listed = topics.take(topics.ordered(read), warnings)
    sources = {name for each in found for name in each.sources}
    warnings += unlike([topic for topic in listed if topic.name in sources], holders.keys())
    tasks = grouped(found, topics.counts)
    names = hash_order(rows.members, string_hash, order_of=string_order) if details.leader else rows.members
    found_processes = processes(rows, (rows.members[name] for name in names), warnings)
    racks = {one.id: one.rack(details.member_racks or {}) for one in found_processes}
    warnings += _unprinted(found, details)
    if details.member_racks and None in racks.values():
        warnings.append(rackless("client", [one.name for one in found_processes if racks[one.id] is None]))
    if list(names) != list(rows.members):
        warnings.append(ORDERED)
    given = clients(found_processes, tasks, holders, details.end_offsets, racks, warnings)
    application = built("", lambda: Application(tasks, given, details.settings, listed))
    return ListedApplication(rows.name, application, tuple(warnings))


def _unprinted(found: Sequence[Subtopology], details: Details) -> list[str]:
    """Say what is assumed of every application, for none of it is printed."""
    said: list[str] = [
        Assumed("standby tasks are not printed: no client is taken to have one"),
        Assumed(
            "settings are not printed: those that --config NAME=VALUE does not state are taken to be Kafka's defaults"
        ),
    ]
    if details.settings.rack_aware_assignment_tags:
        said.append(Assumed("tags of clients are not printed: no client is taken to have any"))
    stated = [":" in text for text in details.subtopologies]
    if all(stated) and len(stated) == len(found):
        return said
    if any(each.changelogs for each in found):
        said.append(
            Assumed(
                "source topics that serve as changelogs (topology.optimization) are not told from others: none is taken to, unless "
                "--subtopology users:users states it"
            )
        )
    else:
        said.append(
            Assumed(
                "no changelog is listed: every task is taken to be stateless; give the output of kafka-topics --describe too"
            )
        )
    return said
