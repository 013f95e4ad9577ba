"""Waiting until a group has settled, as its coordinator sees it."""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from java_members import JavaMembers

from kassay.model import TopicPartition

QUIET_S = 1.5
"""So long nothing may change: several heartbeats, with which the coordinator would call for another rebalance."""

PATIENCE_S = 60.0


@dataclass(frozen=True)
class Settled:
    """What the coordinator says: the members' ids and their partitions, both by client id."""

    ids: Mapping[str, str]
    given: Mapping[str, frozenset[TopicPartition]]

    def by_member(self) -> dict[str, frozenset[TopicPartition]]:
        """Return the partitions by member id."""
        return {self.ids[client]: partitions for client, partitions in self.given.items()}


def settled(
    java: JavaMembers,
    group: str,
    clients: Collection[str],
    held: Callable[[], Mapping[str, Collection[tuple[str, int]]]] | None,
) -> Settled:
    """Wait until the group has just these clients, is stable, and they hold what the coordinator says, for a while.

    Members of a share group, for which `held` is None, are not told what they hold.
    """
    kind = "describe" if held else "describe-share"
    deadline = time.monotonic() + PATIENCE_S
    before: tuple[Settled | None, float] = (None, 0.0)
    while time.monotonic() < deadline:
        said = java.described(group, kind)
        now = _read(said)
        own = (
            {client: frozenset(some) for client, some in held().items() if client in clients}
            if held
            else now.given
        )
        if said["state"] != "Stable" or now.given != own or set(own) != set(clients):
            before = (None, 0.0)
        elif now != before[0]:
            before = (now, time.monotonic())
        elif time.monotonic() - before[1] > QUIET_S:
            return now
        time.sleep(0.1)
    raise AssertionError(
        f"{group} has not settled: {clients} should be there, of whom the coordinator says {said}"
    )


def _read(said: Mapping[str, Any]) -> Settled:
    return Settled(
        {member["client"]: member["id"] for member in said["members"]},
        {
            member["client"]: frozenset(TopicPartition(*one) for one in member["held"])
            for member in said["members"]
        },
    )


def unlisted(record):
    """Return a record of an import without what else was listed, which is no part of the group."""
    return {key: value for key, value in record.items() if key != "listed"}
