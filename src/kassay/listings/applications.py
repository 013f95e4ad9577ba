r"""Applications of Kafka Streams from what Kafka's own tools print of their consumer groups and topics.

>>> from kassay.listings.applications import read_applications
>>> table = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT"
>>> row = "shop shop-a-StreamThread-1-consumer-7e /h shop-a-StreamThread-1-consumer 2 orders(0,1)"
>>> topics = "Topic: orders\tPartitionCount: 2\nTopic: shop-counts-changelog\tPartitionCount: 2"
>>> (shop,) = read_applications([("shop.txt", f"{table}\n{row}\n{topics}")])
>>> [(str(task.id), task.changelogs[0].topic) for task in shop.application.tasks]
[('0_0', 'shop-counts-changelog'), ('0_1', 'shop-counts-changelog')]
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kassay.errors import InputError
from kassay.listings.details import describe_missing_racks, read_thread
from kassay.listings.groups import GroupRows, MemberRow, find_owned
from kassay.listings.listed_groups import describe_mismatch
from kassay.listings.location import LEADERS_ORDER, Assumed, ListingError, find_repeated, list_some, quote
from kassay.listings.reading import Reading, Taken, read_files
from kassay.listings.topics import KnownTopics
from kassay.listings.topologies import (
    Holders,
    build_tasks,
    find_subtopologies,
    is_described,
    read_parts,
    write_statements,
)
from kassay.model import TopicPartition
from kassay.model.json_text import build_part
from kassay.model.tasks import RUNNING, UNKNOWN, Application, Client, Settings, Task, TaskId
from kassay.reference.java.hash_map import hash_order
from kassay.reference.java.strings import name_uuid, string_hash, string_order
from kassay.reference.streams.topology import Subtopology
from kassay.sentences import format_count, join_names

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


NAMED = "<client.id>-StreamThread-<n>-consumer"
"""How CLIENT-ID is made of client.id and the number of a thread."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process of an application."""

    id: str
    """Its UUID."""
    name: str
    """Its name in the listing."""
    threads: tuple[MemberRow, ...]
    """The members that are its threads."""

    def find_rack(self, racks: Mapping[str, str | None]) -> str | None:
        """Return the rack of its threads, None if it is unknown; raise InputError if they have several racks."""
        found = {row.find_rack(racks): row for row in self.threads}
        if len(found) > 1:
            raise InputError(
                f"{self.threads[0].place}: the table of member racks gives the threads of process {quote(self.name)} the racks "
                f"{list_some(sorted(map(str, found)), len(found))}. Give all of them one, by client id or host"
            )
        return next(iter(found))


def is_thread(row: MemberRow) -> bool:
    """Return True if a member is a thread of Kafka Streams."""
    return read_thread(row.client_id) is not None


def find_processes(rows: GroupRows, members: Iterable[MemberRow], warnings: list[str]) -> list[Process]:
    """Return the processes in the order of their first member, and add assumptions to `warnings`.

    Raises InputError if a member is not a thread of Kafka Streams.
    """
    of: dict[str, list[MemberRow]] = {}
    for row in members:
        client_id = read_thread(row.client_id)
        if client_id is None:
            raise InputError(
                f"{row.place}: CLIENT-ID {quote(row.client_id)} is no thread of Kafka Streams ({NAMED}), unlike other members of "
                f"{quote(rows.name)}. Give the rows as printed, or read all members as consumers: kassay import --family consumer"
            )
        of.setdefault(client_id, []).append(row)
    found: list[Process] = []
    for client, threads in of.items():
        process = client.removeprefix(f"{rows.name}-")
        if process != client and _UUID.fullmatch(process):
            found.append(Process(process, client, tuple(threads)))
        else:
            found += _split_by_host(client, threads, warnings)
    named = [one for one in found if one.id == name_uuid(one.name)]
    if named:
        which = list_some((f"{one.name} {one.id}" for one in named), len(named))
        warnings.append(
            Assumed(
                "client.id is not Kafka's default, which ends in the UUID of the process: the UUID is taken to be what Java's "
                f"UUID.nameUUIDFromBytes makes of the name ({which})"
            )
        )
    for one in found:
        names = [row.client_id for row in one.threads]
        if (twice := find_repeated(names)) is not None:
            warnings.append(
                f"{names.count(twice)} members have CLIENT-ID {quote(twice)}: they are taken for threads of one process; "
                "one may have left already, or two processes may share client.id"
            )
    return found


def _split_by_host(client: str, threads: list[MemberRow], warnings: list[str]) -> Iterator[Process]:
    """Yield a process for each host, for a client.id that is set in the configuration."""
    hosts: dict[str, list[MemberRow]] = {}
    for row in threads:
        hosts.setdefault(row.host, []).append(row)
    if len(hosts) > 1:
        where = f"client.id {quote(client)} stands at {len(hosts)} hosts"
        warnings.append(Assumed(f"{where}: each is taken for a process of its own"))
    for host, here in hosts.items():
        name = client if len(hosts) == 1 else f"{client} {host}"
        yield Process(name_uuid(name), name, tuple(here))


def build_clients(
    processes: Sequence[Process],
    tasks: Sequence[Task],
    holders: Holders,
    end_offsets: Mapping[TopicPartition, int] | None,
    racks: Mapping[str, str | None],
    warnings: list[str],
) -> tuple[Client, ...]:
    """Return a client for each process, with a consumer for each thread, and add assumptions on lags to `warnings`.

    A process runs the tasks of the partitions that its threads own. On other clients the lag of a task is the sum of the end offsets of
    its changelogs, as Kafka counts it. It is UNKNOWN if an end offset is unknown.
    """
    runs: dict[str, dict[TaskId, int]] = {row.id: {} for one in processes for row in one.threads}
    for task in tasks:
        for member in {member for read in task.inputs for member in holders.get(read, ())}:
            runs[member][task.id] = RUNNING
    ends: dict[TaskId, int] = {}
    for task in tasks:
        offsets = [(end_offsets or {}).get(one, UNKNOWN) for one in task.changelogs]
        if task.stateful:
            ends[task.id] = UNKNOWN if UNKNOWN in offsets else sum(offsets)
    warnings += _describe_lags(tasks, {task for of_thread in runs.values() for task in of_thread}, ends)
    found = []
    for one in processes:
        consumers = {row.id: runs[row.id] for row in one.threads}
        own = {task for of_thread in consumers.values() for task in of_thread}
        lags = {task: RUNNING if task in own else end for task, end in ends.items()}
        active = tuple(sorted(own))
        found.append(
            Client(one.id, len(one.threads), active, lags=lags, rack=racks[one.id], consumers=consumers)
        )
    return tuple(found)


def _describe_lags(
    tasks: Sequence[Task], active: Collection[TaskId], ends: Mapping[TaskId, int]
) -> Iterator[str]:
    idle = [task.id for task in tasks if task.id not in active]
    if idle:
        yield f"no member holds what {format_count(len(idle), 'task')} would read ({list_some(idle, len(idle))}): no client runs them"
    unknown = [task for task, end in ends.items() if end == UNKNOWN]
    if ends:
        yield Assumed(
            "LAG is the lag of source topics, not of state: a client is taken to have the whole state of a task that it runs"
            + (", and none of any other" if len(unknown) < len(ends) else "")
        )
    if unknown:
        yield Assumed(
            f"how much of {format_count(len(unknown), 'task')} a client has that does not run them is not known "
            f"({list_some(unknown, len(unknown))}); --end-offsets FILE gives what kafka-get-offsets prints of the changelogs"
        )


_DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Details:
    """Details from options, which the listings do not print; racks are as in :func:`kassay.listings.read_listings`."""

    settings: Settings = _DEFAULTS
    subtopologies: Sequence[str] = ()
    """Statements such as ``orders,users:counts``."""
    end_offsets: Mapping[TopicPartition, int] | None = None
    """The end offsets of changelogs."""
    broker_racks: Mapping[int, str | None] | None = None
    member_racks: Mapping[str, str | None] | None = None
    leader: bool = True
    """True to put members into the order in which a live leader receives them."""
    log: int | None = None
    """The assumed end offset of each changelog without a stated one, None if its lag is then unknown."""


NONE = Details()


@dataclass(frozen=True, slots=True)
class ListedApplication:
    """An application read from listings, with a sentence for each assumption and contradiction."""

    name: str
    application: Application
    warnings: tuple[str, ...]


def build_application(
    rows: GroupRows, topics: KnownTopics, groups: Collection[str], details: Details
) -> ListedApplication:
    """Build the application whose threads are the members of a group.

    `groups` has the names of all groups, to find the group of an internal topic. Raises InputError or ListingError with place and fix if
    a row is not a thread, cannot be read or contradicts an option.
    """
    warnings = list(rows.warnings)
    held = find_owned(rows, warnings)
    holders: dict[TopicPartition, list[str]] = {}
    for member, partitions in held.items():
        for partition in partitions:
            holders.setdefault(partition, []).append(member)
    found = find_subtopologies(rows, topics, groups, details.subtopologies, holders, warnings)
    read = {name for each in found for name in (*each.sources, *each.changelogs)}
    listed = topics.take(topics.sort(read), warnings)
    sources = {name for each in found for name in each.sources}
    warnings += describe_mismatch([topic for topic in listed if topic.name in sources], holders.keys())
    tasks = build_tasks(found, topics.counts)
    names = hash_order(rows.members, string_hash, order_of=string_order) if details.leader else rows.members
    processes = find_processes(rows, (rows.members[name] for name in names), warnings)
    racks = {one.id: one.find_rack(details.member_racks or {}) for one in processes}
    warnings += _describe_assumptions(found, details)
    if details.member_racks and None in racks.values():
        warnings.append(
            describe_missing_racks("client", [one.name for one in processes if racks[one.id] is None])
        )
    if list(names) != list(rows.members):
        warnings.append(LEADERS_ORDER)
    ends = details.end_offsets
    changelogs = [changelog for task in tasks for changelog in task.changelogs]
    if ends is None and details.log is not None and changelogs:
        ends = dict.fromkeys(changelogs, details.log)
        warnings.append(
            Assumed(
                f"end offsets of changelogs are not printed: each partition is taken to hold {details.log:,} records "
                f"({list_some(changelogs, len(changelogs))}). So a client must restore a task before it can run it; --end-offsets FILE states them"
            )
        )
    given = build_clients(processes, tasks, holders, ends, racks, warnings)
    application = build_part("", lambda: Application(tasks, given, details.settings, listed))
    return ListedApplication(rows.name, application, tuple(warnings))


def _describe_assumptions(found: Sequence[Subtopology], details: Details) -> Iterator[str]:
    """Yield the assumptions on facts of an application that no tool prints."""
    yield Assumed("standby tasks are not printed: no client is taken to have one")
    yield Assumed(
        "settings are not printed: those that --config NAME=VALUE does not state are taken to be Kafka's defaults"
    )
    if details.settings.rack_aware_assignment_tags:
        yield Assumed("tags of clients are not printed: no client is taken to have any")
    stated = [":" in text for text in details.subtopologies]
    if all(stated) and len(stated) == len(found):
        return
    if any(each.changelogs for each in found):
        yield Assumed(
            "source topics that serve as changelogs (topology.optimization) cannot be recognized: none is taken to, unless "
            "--subtopology users:users states it"
        )
    else:
        yield Assumed(
            "no changelog is listed: every task is taken to be stateless. Give the output of kafka-topics --describe too"
        )


NO_TASKS = "no thread owns a partition, so no task of the application is known: list the group again when it is stable"


def is_application(rows: GroupRows) -> bool:
    """Return True if any member of a group is a thread of Kafka Streams."""
    return any(map(is_thread, rows.members.values()))


def find_applications(
    reading: Reading, details: Details, topologies: Sequence[tuple[str, str]], only: str | None = None
) -> dict[str, ListedApplication | str]:
    """Return the application of each group with threads of Kafka Streams by the name of the group, or its problem.

    Each has the one of the `topologies` that reads its topics. Subtopologies of `details` belong to the only application, or to the
    application named `only`. Raises InputError if subtopologies are stated and there are several applications.
    """
    topics = reading.known_topics(details.broker_racks)
    streams = [rows for rows in reading.groups.values() if is_application(rows)]
    meant = [rows.name for rows in streams if only in {None, rows.name}]
    if details.subtopologies and len(meant) > 1:
        raise InputError(
            f"--subtopology: the listings show {len(meant)} applications ({', '.join(meant)}). Choose one by --consumer-group"
        )
    found: dict[str, ListedApplication | str] = {}
    for rows in streams:
        # Internal topics may lack the prefix of the application.
        held = {partition.topic for row in rows.members.values() for partition in row.known}
        held |= {partition.topic for partitions in rows.offsets.values() for partition in partitions}
        held |= {name.removeprefix(f"{rows.name}-") for name in held}
        own = [each for each in topologies if any(held.intersection(names) for names, _ in read_parts(*each))]
        stated = details if rows.name in meant else replace(details, subtopologies=())
        try:
            known = topics
            if own and not stated.subtopologies:
                known = topics if reading.topics else _add_changelogs(rows, own[0], topics)
                stated = _apply_topology(rows, stated, own, known)
            application = build_application(rows, known, set(reading.groups), stated)
        except (InputError, ListingError) as wrong:
            found[rows.name] = str(wrong)
            continue
        idle = [] if application.application.tasks else [NO_TASKS]
        caveat = _explain_reading(described=bool(stated.subtopologies), topics=bool(reading.topics))
        found[rows.name] = replace(application, warnings=(*idle, caveat, *application.warnings))
    return found


def _apply_topology(
    rows: GroupRows, details: Details, own: Sequence[tuple[str, str]], topics: KnownTopics
) -> Details:
    """Return the details with the subtopologies of the only topology; raise InputError if there are several."""
    if len(own) > 1:
        raise InputError(f"{own[1][0]}: has two topologies of application {rows.name}. Give one of them")
    stated, said = write_statements(*own[0], rows.name, topics.counts)
    rows.warnings += said
    return replace(details, subtopologies=stated)


def _explain_reading(*, described: bool, topics: bool) -> Assumed:
    """Return the caveat that a group is read as an application, with the output to add to the listing."""
    tools = [("Topology#describe()", described), ("kafka-topics --describe", topics)]
    missing = [f"the output of {tool}" for tool, there in tools if not there]
    add = f"Add {join_names(missing)} to the same file. " if missing else ""
    return Assumed(
        f"CLIENT-ID names threads of Kafka Streams, so kassay reads the group as an application. {add}"
        "Settings, standbys and end offsets of changelogs: kassay import --family streams takes them"
    )


def _add_changelogs(rows: GroupRows, topology: tuple[str, str], topics: KnownTopics) -> KnownTopics:
    """Return the topics with a changelog for each store of a topology, since no listing of topics shows which stores have one."""
    counts = dict(topics.counts)
    for sources_, stores in read_parts(*topology):
        tasks = max((counts.get(name, counts.get(f"{rows.name}-{name}", 0)) for name in sources_), default=0)
        if tasks:
            counts |= {
                changelog: tasks
                for store in stores
                if (changelog := f"{rows.name}-{store}-changelog") not in counts
            }
    added = counts.keys() - topics.counts.keys()
    if added:
        stores_ = "store has" if len(added) == 1 else "stores have"
        rows.warnings.append(
            Assumed(
                f"{topology[0]}: the topology's {len(added)} {stores_} a changelog, as by default, with a partition for each task: "
                "the output of kafka-topics --describe tells which have one"
            )
        )
    return replace(topics, counts=counts, places={name: n for n, name in enumerate(counts)}, assumed=added)


def read_applications(
    files: Sequence[tuple[str, str]],
    details: Details = NONE,
    only: str | None = None,
    taken: Taken | None = None,
) -> list[ListedApplication]:
    """Read the applications whose threads are members of consumer groups in the listings or in a cluster, or `only` one.

    `files` are as in :func:`kassay.listings.read_listings`. Raises InputError or ListingError with place and fix if something cannot be
    read or contradicts an option, or if there is no application.
    """
    reading = taken.reading if taken else read_files(files)
    described = [file for file in files if is_described(file[1])] if taken else reading.topologies
    if taken:
        ends = details.end_offsets or taken.ends
        details = replace(details, broker_racks=taken.broker_racks, end_offsets=ends)
    topics = reading.known_topics(details.broker_racks)
    groups = [rows for rows in reading.groups.values() if only in {None, rows.name}]
    streams = [rows for rows in groups if is_application(rows)]
    if not streams:
        wanted = "no consumer group" if only is None else f"no consumer group {only!r}"
        raise InputError(
            f"--family streams: the listings show {wanted} with threads of Kafka Streams, whose CLIENT-ID is {NAMED}, but: "
            f"{', '.join([*reading.groups, *reading.streams_groups])}. Give a group of threads with members, or leave out --family streams"
        )
    if details.subtopologies and len(streams) > 1:
        raise InputError(
            f"--subtopology: the listings show {len(streams)} applications ({', '.join(rows.name for rows in streams)}). "
            "Choose one by --consumer-group"
        )
    if described:
        if len(described) > 1 or details.subtopologies or len(streams) > 1:
            raise InputError(
                f"{described[-1][0]}: is a topology. Give one, without --subtopology, and the listing of its application alone "
                "(--consumer-group chooses one)"
            )
        stated, said = write_statements(*described[0], streams[0].name, topics.counts)
        details = replace(details, subtopologies=stated)
        streams[0].warnings += said
    others = [rows.name for rows in groups if rows not in streams]
    if others:
        streams[0].warnings.append(
            f"{format_count(len(others), 'consumer group')} without threads of Kafka Streams ({list_some(others, len(others))}) left out"
        )
    return [build_application(rows, topics, set(reading.groups), details) for rows in streams]
