"""The doors of the sockets: a client as leader, a client in a group, and a broker. There are no waits, and connections stay in the process (:mod:`fuzzing.still`).

An input is a valid conversation with changes, so that bytes get far: a list of records, one for each request or response.
"""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from fuzzing.door import Door
from fuzzing.still import Changes, run
from over_the_wire.machine_broker import Broker
from over_the_wire.machine_client import MachineClient
from wire.cases import CASES

from kassay.errors import DiedError, InputError
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.protocol.server import client_groups as member
from kassay.protocol.server import client_session
from kassay.protocol.server import external_groups as at_coordinator
from kassay.protocol.server.addresses import Place
from kassay.protocol.server.api_messages import Api, Request
from kassay.protocol.server.client_groups import build_machines
from kassay.protocol.server.client_process import IDLE_S, SLOW_S, Reply, Server
from kassay.protocol.server.client_session import Bounds
from kassay.protocol.server.coordinator_comparison import QUESTIONS, compare_responses
from kassay.protocol.server.external_cluster import ASKED, Cluster, NoResponseError
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting
from kassay.protocol.simulation.steps import make_machines
from kassay.reference import ASSIGNORS
from kassay.reference.group.behaviour import kafka
from kassay.reference.group.uses.consumer import consumer, strategy

MOST_BYTES = 2**20
"""How long a request may be here, and so what bounds the memory that one takes."""
SENT_FOR_ONE = 40_000
"""How many bytes may be answered for a request of a few bytes: Metadata with the padding that librdkafka needs."""
GROUP = Group(
    (Topic("t0", 3, (("a", "b"), ("b", None), ())), Topic("t1", 1)),
    (Member("m0", ("t0", "gone"), (TopicPartition("t0", 1),), 4, "i0", "a"), Member("m1", ("t0", "t1"))),
)
SETTING = Setting(coordinator="kafka@4.4.0", members=2, partitions=(2,))
SCHEDULES = (
    Schedule(SETTING, ()),
    Schedule(SETTING, (Fault(12_000, "leave", 1, 6_000),)),
    Schedule(SETTING, (Fault(7_000, "loss", 0, 9_000), Fault(9_000, "duplicate", 1, 3_000))),
)


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the records of an input: an action, a length, and the bytes of that length, or the remaining ones."""
    at = 0
    while at + 1 < len(data):
        yield data[at], data[at + 2 : at + 2 + data[at + 1]]
        at += 2 + data[at + 1]


def record(do: int, what: bytes = b"") -> bytes:
    """Write a record."""
    return bytes((do, len(what))) + what


def change_bytes(data: bytes) -> Changes:
    """Change the frames of a conversation, each as its record says."""
    left = records(data)

    def changes(frame: bytes) -> list[bytes | None]:
        do, what = next(left, (0, b""))
        at = 4 + int.from_bytes(what[:2]) % max(1, len(frame) - 4)
        rest = what[2:]
        match do % 10:
            case 1:  # another body, behind the right header
                return [_write_frame(frame[4:8] + what)]
            case 2 | 8:  # other bytes in the place of some, or between them
                return [_write_frame(frame[4:at] + rest + frame[at + len(rest) * (do % 10 == 2) :])]
            case 3:
                return [_write_frame(frame[4:at])]
            case 4:
                return [_write_frame(frame[4:] + what)]
            case 5:
                return [what]
            case 6:
                return []
            case 7:
                return [frame, None]
            case 9:
                return [frame, frame]
        return [frame]

    return changes


def _write_frame(body: bytes) -> bytes:
    return len(body).to_bytes(4) + body


class _Stands:
    """Stands for the process of a client."""

    pid = 0

    def signal(self, _: object) -> None:
        """No process takes it."""

    def last_words(self) -> str:
        """It wrote nothing."""
        return ""

    async def end(self) -> None:
        """Nothing was started."""


class Peer(asyncio.Protocol):
    """A client's connection, which counts what comes back."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.got = 0

    def data_received(self, data: bytes) -> None:
        """Count."""
        self.got += len(data)


def lead_client() -> Door:
    """The server that a judged client talks to: its requests are read one by one, and it is led, or its connection ends."""

    def enter(data: bytes) -> None:
        run(_make_request(data))

    join = CASES["JoinGroupRequestData"]
    seeds = []
    for version in (0, 2, 5, 6, 9):
        joins = _header(Api.JOIN_GROUP, version) + join.write(_make_join(), version)
        syncs = _header(Api.SYNC_GROUP, 0) + bytes.fromhex("000167000000010002 6d30 00000000")
        seeds.append(record(0, joins) + record(0, syncs) + record(0, joins))
    bodies = {
        Api.API_VERSIONS: b"", Api.METADATA: b"\0\0\0\1\0\2t0", Api.FIND_COORDINATOR: b"\0\1g", Api.HEARTBEAT: b"\0\1g\0\0\0\1\0\1m",
        Api.LEAVE_GROUP: b"\0\1g\0\1m", Api.OFFSET_FETCH: b"\0\1g\0\0\0\1\0\2t0\0\0\0\1\0\0\0\0", Api.LIST_OFFSETS: b"\xff" * 4 + bytes(4),
        Api.FETCH: b"\xff" * 4 + bytes(13) + bytes(4), Api.OFFSET_COMMIT: b"\0\1g\0\0\0\1\0\1m" + b"\xff" * 8 + bytes(4), Api.INIT_PRODUCER_ID: b"\xff\xff\0\0\0\1",
    }  # fmt: skip
    oldest = {Api.OFFSET_FETCH: 1, Api.LIST_OFFSETS: 1, Api.FETCH: 4, Api.OFFSET_COMMIT: 2}
    for api, body in bodies.items():
        seeds.append(record(0, _header(api, oldest.get(api, 0)) + body) + seeds[0])
    seeds += [record(1, b"\0\0\0\1") + record(3, bytes(200)), record(2) * 70 + seeds[0]]
    return Door(enter, tuple(seeds))


def _header(api: Api, version: int) -> bytes:
    return (
        api.to_bytes(2)
        + version.to_bytes(2)
        + b"\0\0\0\7\0\1c"
        + b"\0" * (version >= 6 and api is Api.JOIN_GROUP)
    )


def _make_join() -> Any:
    from kassay.reference.wire.consumer import Subscription, write_subscription
    from kassay.reference.wire.group import JoinGroupRequest, Protocol

    protocols = (Protocol("range", write_subscription(Subscription(("t00",)), 1)),)
    return JoinGroupRequest(group_id="g", protocol_type="consumer", session_timeout_ms=9, protocols=protocols)


async def _join_late(joining: Any, *_: Any) -> Any:
    """Wait for the first JoinGroup as long as may be: a client that is given up early shows no slow connection."""
    try:
        return await asyncio.wait_for(joining, 30)
    except TimeoutError:
        raise DiedError("it did not join") from None


async def _make_request(data: bytes) -> None:
    """Let a client that says these records be led through a group."""
    left, playing = records(data), set[asyncio.Future[None]]()
    servers = list[Server]()

    async def started(_command: Any, told: dict[str, str], _mb: int, _ended: Any) -> Any:
        playing.add(asyncio.ensure_future(_plays(told, left)))
        return _Stands()

    waiting = dict[object, Reply]()

    def serving(leading: Any, most: int) -> Server:
        """Serve, and note what waits for an answer that a group does not hold up."""
        right = leading.take

        def take(request: Request, reply: Reply) -> None:
            token = object()
            if request.api not in (Api.JOIN_GROUP, Api.SYNC_GROUP):
                waiting[token] = reply

            def send(value: Any) -> None:
                waiting.pop(token, None)
                reply.send(value)

            right(request, replace(reply, send=send))

        leading.take = take
        servers.append(Server(leading, most))
        return servers[-1]

    client = client_session.Client((), Bounds(30, 5, 0, MOST_BYTES // 2**20))
    with ExitStack() as patched:
        for name, value in (
            ("start", started), ("Server", serving), ("wait_for_join", _join_late), ("read_total_cpu_s", lambda _: 0.0), ("compute_due_s", lambda *_: 0.0),
        ):  # fmt: skip
            patched.enter_context(patch.object(client_session, name, value))
        try:
            with suppress(DiedError):
                names = await client.protocols()
                async for answer in client.answers([GROUP], names[0] if names else "x"):
                    assert str(answer).strip()
            await asyncio.gather(*playing)
            await asyncio.sleep(SLOW_S + 1)
            assert not any(reply.is_open() for reply in waiting.values()), "a request is not answered"
            for server in servers:
                for connection in server.connections:
                    assert not connection._buffer or connection._busy, "a slow connection stays"
        finally:
            await client.end()
    await asyncio.sleep(IDLE_S + 1)
    assert not any(server.connections for server in servers), "a connection stays"


async def _plays(told: dict[str, str], left: Iterator[tuple[int, bytes]]) -> None:
    """Send records to a server: whole requests, raw bytes, on new connections, and after pauses."""
    loop = asyncio.get_running_loop()
    host, port = told["KASSAY_BOOTSTRAP"].split(":")
    peers = list[Peer]()
    sent = 0
    try:
        transport = None
        for do, what in left:
            if transport is None or do % 5 == 2:
                transport, peer = await loop.create_connection(Peer, host, int(port))
                peers.append(peer)
            if do % 5 in (0, 1):
                sent += 1
                transport.write(_write_frame(what) if do % 5 == 0 else what)
            await asyncio.sleep(len(what) / 10 if do % 5 == 3 else 0.01)
            if do % 5 == 4:
                return
    except ConnectionRefusedError:
        return
    finally:
        got = sum(peer.got for peer in peers)
        assert got <= SENT_FOR_ONE * (sent + 1), f"{got} bytes are answered to {sent} pieces"


def join_client() -> Door:
    """The coordinator of groups in which a client is a member: its requests come changed, and its group is judged to the end."""
    use = consumer(strategy(ASSIGNORS["consumer/cooperative-sticky"]))

    async def talk(schedule: Schedule) -> None:
        started_: list[MachineClient] = []

        async def started(_command: Any, told: dict[str, str], _mb: int, _ended: Any) -> Any:
            left = iter(range(3))
            started_.append(
                MachineClient(
                    use, told, fetches=lambda one: one.owned if next(left, None) is not None else ()
                )
            )
            return started_[-1]

        def build(protocols: Any) -> Any:
            return build_machines(schedule.setting, protocols)

        with patch.object(member, "started", started):
            one = member.Client((), schedule, build, Bounds(30, 30, 0, MOST_BYTES // 2**20))
            with suppress(member.NoClientError):
                await one.run()
        assert not one._server.connections

    def enter(data: bytes) -> None:
        run(talk(SCHEDULES[data[0] % len(SCHEDULES) if data else 0]), requests=change_bytes(data[1:]))

    return Door(enter, _changes())


def ask_broker() -> Door:
    """The responses of brokers: the coordinator of the reference answers, and its responses are changed, in a group or for a probe."""
    asked = [*QUESTIONS.items()]

    def build(setting: Setting) -> Any:
        return make_machines(setting, ASSIGNORS["consumer/range"].assign)

    async def talk(way: int) -> None:
        broker = Broker(build(SETTING))
        await broker.open()
        cluster = Cluster(Place("127.0.0.1", 9), "own", remote=False, old=bool(way & 128))
        with suppress(InputError, NoResponseError):
            await cluster.open()
            assert await cluster.is_new("own-0") in (True, False)
            if way % 2:
                name, question = asked[way // 2 % len(asked)]
                await compare_responses(cluster, {name: question}, kafka("4.4.0"), ["own-0"])
            else:
                schedule = SCHEDULES[way // 2 % len(SCHEDULES)]
                await at_coordinator.Group(cluster, "own-0", schedule, build(SETTING)).run()
            await cluster.close(["own-0"])
        broker.server.close()

    def enter(data: bytes) -> None:
        run(talk(data[0] if data else 0), responses=change_bytes(data[1:]))

    offered = b"".join(api.to_bytes(2) + bytes(4) for api in ASKED)  # version 0 of all
    admin = record(1, bytes(2) + len(ASKED).to_bytes(4) + offered) + record(1, bytes(6)) + record(1, bytes(4))
    return Door(enter, (*_changes(), *(bytes((way,)) + admin for way in (0, 1, 3))))


def _changes() -> tuple[bytes, ...]:
    """Return conversations to begin with: one that goes well, and some where one frame is changed."""
    one = [bytes((way,)) for way in range(8)]
    return (
        *one,
        *(
            bytes((at % 5,)) + record(0) * at + record(do, b"\0\4\1")
            for at in range(8)
            for do in range(1, 10)
        ),
    )
