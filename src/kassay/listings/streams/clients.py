"""Clients and processes of an application of Kafka Streams, as far as listings tell, from the names of its consumers.

A thread's consumer is named ``<client.id>-StreamThread-<n>-consumer``; client.id is by default ``<application.id>-<process>``.
Source: ClientUtils and KafkaStreams of kafka-streams 4.3.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kassay.errors import InputError
from kassay.listings.details import read_thread
from kassay.listings.groups import GroupRows, MemberRow
from kassay.listings.location import Assumed, quoted, repeated, some
from kassay.listings.streams.subtopologies import Holders
from kassay.model import TopicPartition
from kassay.model.tasks import RUNNING, UNKNOWN, Client, Task, TaskId
from kassay.reference.java.strings import name_uuid
from kassay.sentences import counted

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


NAMED = "<client.id>-StreamThread-<n>-consumer"
"""How CLIENT-ID is made of client.id and the number of a thread."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process: `id` is a UUID, `name` how the listing tells it, `threads` the members that are its threads."""

    id: str
    name: str
    threads: tuple[MemberRow, ...]

    def rack(self, racks: Mapping[str, str | None]) -> str | None:
        """Return the rack of its threads, None where none is known; raises InputError where they have several."""
        found = {row.rack(racks): row for row in self.threads}
        if len(found) > 1:
            raise InputError(
                f"{self.threads[0].place}: the table of member racks gives the threads of process {quoted(self.name)} the racks "
                f"{some(sorted(map(str, found)), len(found))}; give all of them one, by client id or host"
            )
        return next(iter(found))


def is_thread(row: MemberRow) -> bool:
    """Tell whether a member is a thread of Kafka Streams."""
    return read_thread(row.client_id) is not None


def processes(rows: GroupRows, members: Iterable[MemberRow], warnings: list[str]) -> list[Process]:
    """Return the processes in the order of their first member; say what is assumed of them.

    Raises InputError where a member is no thread of Kafka Streams.
    """
    of: dict[str, list[MemberRow]] = {}
    for row in members:
        client_id = read_thread(row.client_id)
        if client_id is None:
            raise InputError(
                f"{row.place}: CLIENT-ID is {quoted(row.client_id)}, which is no thread of Kafka Streams ({NAMED}) as other members of "
                f"{quoted(rows.name)} are; give the rows as printed, or read all members as consumers: kassay import --family consumer"
            )
        of.setdefault(client_id, []).append(row)
    found: list[Process] = []
    for client, threads in of.items():
        process = client.removeprefix(f"{rows.name}-")
        if process != client and _UUID.fullmatch(process):
            found.append(Process(process, client, tuple(threads)))
        else:
            found += _read_named(client, threads, warnings)
    named = [one for one in found if one.id == name_uuid(one.name)]
    if named:
        which = some((f"{one.name} {one.id}" for one in named), len(named))
        warnings.append(
            Assumed(
                "client.id is not Kafka's default, which ends in the UUID of the process: the UUID is taken to be what Java's "
                f"UUID.nameUUIDFromBytes makes of the name ({which})"
            )
        )
    for one in found:
        names = [row.client_id for row in one.threads]
        if (twice := repeated(names)) is not None:
            warnings.append(
                f"{names.count(twice)} members have CLIENT-ID {quoted(twice)}: they are taken for threads of one process; "
                "one may have left already, or two processes may share client.id"
            )
    return found


def _read_named(client: str, threads: list[MemberRow], warnings: list[str]) -> list[Process]:
    """Return the processes of a client.id that somebody set: one for each host."""
    hosts: dict[str, list[MemberRow]] = {}
    for row in threads:
        hosts.setdefault(row.host, []).append(row)
    if len(hosts) == 1:
        return [Process(name_uuid(client), client, tuple(threads))]
    warnings.append(
        Assumed(
            f"client.id {quoted(client)} stands at {len(hosts)} hosts: each is taken for a process of its own"
        )
    )
    names = {f"{client} {host}": here for host, here in hosts.items()}
    return [Process(name_uuid(name), name, tuple(here)) for name, here in names.items()]


def clients(
    processes: Sequence[Process],
    tasks: Sequence[Task],
    holders: Holders,
    end_offsets: Mapping[TopicPartition, int] | None,
    racks: Mapping[str, str | None],
    warnings: list[str],
) -> tuple[Client, ...]:
    """Return a client for each process, with a consumer for each thread; say what is assumed of lags.

    A process runs the tasks of the partitions that its threads hold. A task whose changelogs' end offsets are known lags by their
    sum elsewhere, as Kafka counts a client without its state; UNKNOWN where they are not.
    """
    runs: dict[str, dict[TaskId, int]] = {row.id: {} for one in processes for row in one.threads}
    for task in tasks:
        for member in {member for read in task.inputs for member in holders.get(read, ())}:
            runs[member][task.id] = RUNNING
    ends = {
        task.id: sum(offset for offset in offsets if offset is not None) if None not in offsets else UNKNOWN
        for task in tasks
        if task.stateful
        for offsets in [[(end_offsets or {}).get(one) for one in task.changelogs]]
    }
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
) -> list[str]:
    said = []
    idle = [task.id for task in tasks if task.id not in active]
    if idle:
        said.append(
            f"no member holds what {counted(len(idle), 'task')} would read ({some(idle, len(idle))}): no client runs them"
        )
    unknown = [task for task, end in ends.items() if end == UNKNOWN]
    if ends:
        said.append(
            Assumed(
                "LAG is that of source topics, not of state: a client is taken to have the whole state of a task that it runs"
                + (", and none of any other" if len(unknown) < len(ends) else "")
            )
        )
    if unknown:
        said.append(
            Assumed(
                f"how much of {counted(len(unknown), 'task')} a client has that does not run them is not known "
                f"({some(unknown, len(unknown))}); --end-offsets FILE gives what kafka-get-offsets prints of the changelogs"
            )
        )
    return said
