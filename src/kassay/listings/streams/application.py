"""From what a listing says of the threads of one application to an application that a task assignor can be given."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kassay.listings.groups import GroupRows, claims
from kassay.listings.location import LEADERS_ORDER, Assumed, some
from kassay.listings.racks import rackless
from kassay.listings.streams.clients import clients, processes
from kassay.listings.streams.subtopologies import grouped, topology
from kassay.listings.to_group import unlike
from kassay.listings.topic_catalog import KnownTopics
from kassay.model import TopicPartition
from kassay.model.partitions_json import built
from kassay.model.tasks import Application, Settings
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import string_hash, string_order
from kassay.reference.streams.topology import Subtopology

KAFKAS = Settings()
"""Kafka's defaults."""


@dataclass(frozen=True, slots=True)
class Details:
    """Details that the listings do not print, as far as the user states them.

    `subtopologies` are such as ``orders,users:counts``; `end_offsets` are of changelogs; racks are as in
    :func:`kassay.listings.read_listings`; with `leader` members come in the order in which a live leader receives them. `log` is what each
    changelog is taken to hold where no end offsets are stated, None: nothing is assumed, and lags are not known.
    """

    settings: Settings = KAFKAS
    subtopologies: Sequence[str] = ()
    end_offsets: Mapping[TopicPartition, int] | None = None
    broker_racks: Mapping[int, str | None] | None = None
    member_racks: Mapping[str, str | None] | None = None
    leader: bool = True
    log: int | None = None


NONE = Details()


@dataclass(frozen=True, slots=True)
class ListedApplication:
    """An application read from listings, with a sentence for each thing assumed or contradictory."""

    name: str
    application: Application
    warnings: tuple[str, ...]


def application_of(
    rows: GroupRows, topics: KnownTopics, groups: Collection[str], details: Details
) -> ListedApplication:
    """Make the application of a group's threads; `groups` are the names of all groups, by which internal topics are told apart.

    Raises InputError and ListingError, one sentence with the place and the fix, where a row is no thread's, cannot be read or contradicts
    what is stated.
    """
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
        warnings.append(LEADERS_ORDER)
    ends = details.end_offsets
    changelogs = [changelog for task in tasks for changelog in task.changelogs]
    if ends is None and details.log is not None and changelogs:
        ends = dict.fromkeys(changelogs, details.log)
        warnings.append(
            Assumed(
                f"end offsets of changelogs are not printed: each partition is taken to hold {details.log:,} records "
                f"({some(changelogs, len(changelogs))}). So a client must restore a task before it can run it; --end-offsets FILE states them"
            )
        )
    given = clients(found_processes, tasks, holders, ends, racks, warnings)
    application = built("", lambda: Application(tasks, given, details.settings, listed))
    return ListedApplication(rows.name, application, tuple(warnings))


def _unprinted(found: Sequence[Subtopology], details: Details) -> list[str]:
    """Return what is assumed of every application, because no tool prints it."""
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
