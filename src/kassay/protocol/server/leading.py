"""How one client is led from group to group: it joins, is told that it leads, says an assignment, and is told to join again.

There are no sockets here: requests are taken one by one, each with the place where its answer goes. Nor is there a machine of a
coordinator: who is in the group, and in which order, is the group's own matter, and no member but the leader exists.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from kio.schema.errors import ErrorCode

from kassay.errors import DiedError
from kassay.model import Assignment, AssignorError, Group, Member, Topic
from kassay.protocol.server.answers import AT_ONCE, answer, asked_topics, cluster_of
from kassay.protocol.server.apis import Api, Request, kinds_of, made
from kassay.protocol.server.told import read_states
from kassay.reference.wire.group import (
    JoinedMember,
    JoinGroupRequest,
    JoinGroupResponse,
    SyncGroupRequest,
    SyncGroupResponse,
)

MOST_JOINS = 5
"""How often a client may join for one group before it must have said an assignment."""
WAIT_S = 0.5
"""How long a request may wait that is not answered at once."""
_AGAIN = SyncGroupResponse(error_code=ErrorCode.rebalance_in_progress)
"""The answer to every assignment: another rebalance has begun. A client joins at once then, and need not revoke or fetch anything."""

_OLD = SyncGroupResponse(error_code=ErrorCode.illegal_generation)


class GoneError(Exception):
    """The client can be asked no more, for a reason that is not the group's; it has to be started again."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Where an answer goes; nowhere once the connection is closed, as it also is by `drop`."""

    send: Callable[[Any], None]
    is_open: Callable[[], bool]
    drop: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Joined:
    """The client has asked to join, and waits."""

    request: JoinGroupRequest
    reply: Reply


@dataclass(frozen=True, slots=True)
class Synced:
    """The client has said an assignment, and waits."""

    request: SyncGroupRequest
    reply: Reply


@dataclass(frozen=True, slots=True)
class Left:
    """The client has left the group."""


@dataclass(frozen=True, slots=True)
class Over:
    """The client can be asked no more: it has ended, or what it sent cannot be read."""

    why: str


class Leading:
    """The conversation with one client, as its coordinator sees it; `heard` is set once it was told of the topics that are shown."""

    def __init__(self, topics: tuple[str, ...]) -> None:
        """Begin it; the client subscribes to these topics."""
        self.topics, self.address = topics, ("", 0)
        self.heard = asyncio.Event()
        self.last_words: Callable[[], str] = str
        """What the client wrote last, behind words that say so."""
        self._generation = 0
        self._is_between = self._is_told_once = False
        self._asking: list[tuple[Request, Reply]] = []
        self._parked: Joined | None = None
        self._events: asyncio.Queue[Joined | Synced | Left | Over] = asyncio.Queue()
        self._cluster = cluster_of(
            [Group(tuple(Topic(name, 1) for name in topics), (Member("m", topics),))], ()
        )

    def take(self, request: Request, reply: Reply) -> None:
        """Take a request, and answer it now or later."""
        match request.api:
            case Api.JOIN_GROUP:
                self._events.put_nowait(Joined(request.body, reply))
            case Api.SYNC_GROUP:
                self._events.put_nowait(Synced(request.body, reply))
            case Api.HEARTBEAT:
                error = ErrorCode.rebalance_in_progress
                reply.send(made(kinds_of(request).HeartbeatResponse, throttle_time=AT_ONCE, error_code=error))
            case Api.LEAVE_GROUP:
                kind = kinds_of(request).LeaveGroupResponse
                reply.send(made(kind, throttle_time=AT_ONCE, error_code=ErrorCode.none, members=()))
                self._events.put_nowait(Left())
            case Api.FETCH:
                wait = min(max(request.body.max_wait.total_seconds(), 0), WAIT_S)
                value = answer(request, self._cluster, self.address)
                asyncio.get_running_loop().call_later(wait, reply.send, value)
            case Api.METADATA:
                self._asking.append((request, reply))
                if not self._is_between:
                    self._tell_topics()
                else:
                    asyncio.get_running_loop().call_later(WAIT_S, self._tell_topics)
            case _:
                reply.send(answer(request, self._cluster, self.address))

    def _tell_topics(self) -> None:
        """Answer those who ask about topics; between two groups they wait, so that a leader has heard nothing of the last one late."""
        waiting, self._asking = self._asking, []
        for request, reply in waiting:
            asked = asked_topics(request)
            reply.send(answer(request, self._cluster, self.address))
            if asked is None or asked & self._cluster.replicas.keys():
                self.heard.set()
                if self._is_told_once:
                    self._cluster = replace(self._cluster, besides=self.topics)

    def over(self, why: str) -> None:
        """Note that the client can be asked no more."""
        self._events.put_nowait(Over(why))

    def show(self, groups: Iterable[Group], *, once: bool) -> None:
        """Let the cluster be that of these groups; `once`, or always, the client is told of all their topics whatever it asks about."""
        self._cluster, self._is_told_once = cluster_of(groups, self.topics), once
        self.heard.clear()

    async def hears(self, seconds: float) -> bool:
        """Wait at most so long until the client was told of the topics that are shown, and say whether it was."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.heard.wait(), seconds)
        return self.heard.is_set()

    async def join(self) -> Joined:
        """Wait until the client waits to join; raises GoneError where it can be asked no more."""
        self._is_between = False
        self._tell_topics()
        while self._parked is None or not self._parked.reply.is_open():
            match await self._events.get():
                case Joined() as joined:
                    self._parked = joined
                case Synced(_, reply):
                    reply.send(_AGAIN)
                case Over(why):
                    raise GoneError(why)
        return self._parked

    async def lead(self, members: tuple[JoinedMember, ...], protocol: str) -> Assignment:
        """Let the client lead a group of these members, the first of which it is, and return the assignment that it says.

        Raises AssignorError for one that cannot be read or where it only joins, DiedError where it ends, and GoneError as `join` does.
        """
        for _ in range(MOST_JOINS):
            join = await self.join()
            self._tell(join, members, protocol)
            match await self._said():
                case Joined() as joined:
                    self._parked = joined
                case Synced(request, reply):
                    self._is_between = True
                    reply.send(_AGAIN)
                    return read_states(request.assignments)
                case Over(why):
                    raise DiedError(why)
        raise AssignorError(
            f"it joined or left {MOST_JOINS} times, and said no assignment{self.last_words()}"
        )

    async def _said(self) -> Joined | Synced | Left | Over:
        """Wait for what the client does next; an assignment of another generation is refused, and does not count."""
        while isinstance(said := await self._events.get(), Synced):
            if said.request.generation_id == self._generation:
                return said
            said.reply.send(_OLD)
        return said

    def _tell(self, join: Joined, members: tuple[JoinedMember, ...], protocol: str) -> None:
        self._generation += 1
        self._parked = None
        leader = members[0].member_id
        join.reply.send(
            JoinGroupResponse(
                generation_id=self._generation,
                protocol_type=join.request.protocol_type,
                protocol_name=protocol,
                leader=leader,
                member_id=leader,
                members=members,
            )
        )
