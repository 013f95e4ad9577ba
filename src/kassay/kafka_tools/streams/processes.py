"""The processes of an application: the clients of a task assignor, from the names that Kafka Streams gives its consumers.

A thread's consumer is named ``<client.id>-StreamThread-<n>-consumer``; client.id is by default ``<application.id>-<process>``.
Source: ClientUtils and KafkaStreams of kafka-streams 4.3.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kassay.errors import InputError
from kassay.kafka_tools.groups import GroupRows, MemberRow
from kassay.kafka_tools.place import Assumed, quoted, repeated, some
from kassay.reference.java.uuids import name_uuid

_THREAD = re.compile(r"(.+)-StreamThread-[0-9]+-consumer", re.DOTALL)
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
    return _THREAD.fullmatch(row.client_id) is not None


def processes(rows: GroupRows, members: Iterable[MemberRow], warnings: list[str]) -> list[Process]:
    """Return the processes in the order of their first member; say what is assumed of them.

    Raises InputError where a member is no thread of Kafka Streams.
    """
    of: dict[str, list[MemberRow]] = {}
    for row in members:
        of.setdefault(_client_id(rows, row), []).append(row)
    found: list[Process] = []
    for client, threads in of.items():
        process = client.removeprefix(f"{rows.name}-")
        if process != client and _UUID.fullmatch(process):
            found.append(Process(process, client, tuple(threads)))
        else:
            found += _named(client, threads, warnings)
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
        _say_twice(one, warnings)
    return found


def _client_id(rows: GroupRows, row: MemberRow) -> str:
    match = _THREAD.fullmatch(row.client_id)
    if match is None:
        raise InputError(
            f"{row.place}: CLIENT-ID is {quoted(row.client_id)}, which is no thread of Kafka Streams ({NAMED}) as other members of "
            f"{quoted(rows.name)} are; give the rows as printed, or import the group without --family streams"
        )
    return match[1]


def _named(client: str, threads: list[MemberRow], warnings: list[str]) -> list[Process]:
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


def _say_twice(one: Process, warnings: list[str]) -> None:
    names = [row.client_id for row in one.threads]
    twice = repeated(names)
    if twice is not None:
        warnings.append(
            f"{names.count(twice)} members have CLIENT-ID {quoted(twice)}: they are taken for threads of one process; "
            "one may have left already, or two processes may share client.id"
        )
