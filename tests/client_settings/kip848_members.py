"""Real clients as members with the lines for KIP-848, at a broker that says it has the protocol and records the heartbeats.

The broker answers each ConsumerGroupHeartbeat and assigns no partition: what is asked is whether a client takes its lines and tries the protocol.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from io import BytesIO

from client_settings.real_clients import Command, Recorder, open_stage
from kio.index import load_request_schema, load_response_schema
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader, entity_writer

from kassay.comparison.client_settings import describe_kip848, read_clients
from kassay.comparison.client_settings.cells import write_lines
from kassay.protocol.server.api_messages import Api, build_message, find_response_classes
from kassay.protocol.server.broker_responses import AT_ONCE
from kassay.protocol.server.client_process import HOST, Connection, Reply, Server
from kassay.reference.wire.schema import skip_tags

HEARTBEAT, HEARTBEAT_VERSIONS = 68, (0, 1)
"""The key of ConsumerGroupHeartbeat, and the oldest and the newest version that the broker offers."""
HEARTBEAT_INTERVAL = timedelta(milliseconds=500)
"""The interval of heartbeats that the broker tells."""
ASSIGNOR = "range"
"""The assignor of the broker that the printed lines name."""


@dataclass(frozen=True)
class Heartbeat:
    """One ConsumerGroupHeartbeat request."""

    group: str
    topics: tuple[str, ...]
    assignor: str


class HeartbeatConnection(Connection):
    """A connection that also answers ConsumerGroupHeartbeat, which kassay's own server does not have."""

    def _take(self, frame):
        if int.from_bytes(frame[:2]) != HEARTBEAT:
            super()._take(frame)
            return
        version, length = int.from_bytes(frame[2:4]), int.from_bytes(frame[8:10], signed=True)
        at = skip_tags(frame, 10 + max(length, 0))
        asked, _ = entity_reader(load_request_schema(HEARTBEAT, version))(frame, at)
        answer = self._server.taking.reply_to_heartbeat(asked, load_response_schema(HEARTBEAT, version))
        out = BytesIO()
        entity_writer(type(answer))(out, answer)
        body = frame[4:8] + b"\0" + out.getvalue()
        self._transport.write(len(body).to_bytes(4) + body)


class HeartbeatServer(Server):
    """A server whose connections answer ConsumerGroupHeartbeat."""

    async def open(self):
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(lambda: HeartbeatConnection(self), HOST, 0)
        self.taking.address = (HOST, self._listener.sockets[0].getsockname()[1])
        return f"{HOST}:{self.taking.address[1]}"


class HeartbeatRecorder(Recorder):
    """A broker that says it has ConsumerGroupHeartbeat, and records its requests as well as JoinGroup."""

    def __init__(self):
        super().__init__()
        self.server = HeartbeatServer(self, 2**20)
        self.heartbeats: list[Heartbeat] = []

    def take(self, request, reply):
        if request.api is Api.API_VERSIONS:
            reply = Reply(partial(self._offer, request, reply.send), reply.is_open, reply.drop)
        super().take(request, reply)

    def _offer(self, request, send, value):
        """Answer ApiVersions with ConsumerGroupHeartbeat as well."""
        oldest, newest = HEARTBEAT_VERSIONS
        kind = find_response_classes(request).ApiVersion
        more = build_message(kind, api_key=HEARTBEAT, min_version=oldest, max_version=newest)
        send(replace(value, api_keys=(*value.api_keys, more)))

    def reply_to_heartbeat(self, asked, kind):
        """Record a heartbeat, and take its member without giving it a partition."""
        topics = tuple(asked.subscribed_topic_names or ())
        self.heartbeats.append(Heartbeat(asked.group_id, topics, asked.server_assignor or ""))
        return build_message(
            kind,
            throttle_time=AT_ONCE,
            error_code=ErrorCode.none,
            error_message=None,
            member_id=asked.member_id or f"member-{len(self.heartbeats)}",
            member_epoch=asked.member_epoch or 1,
            heartbeat_interval=HEARTBEAT_INTERVAL,
            assignment=None,
        )


@dataclass
class Moved:
    """The outcome of the lines for KIP-848 of one client."""

    heartbeats: dict[str, list[Heartbeat]] = field(default_factory=dict)
    """The heartbeats by the assignor that the lines name, "" if they name none."""
    left_in: dict[str, str] = field(default_factory=dict)
    """The refusal of each setting that must be removed, "" if the client took it and sent heartbeats."""
    joined: bool = False
    """True if a member sent JoinGroup."""


FORMS = {
    "platformatic": "{setting}: {value},",
    "confluent-kafka-javascript": "kafkaJS: {{ {setting}: {value} }},",
}
"""How a number is set in clients whose line for KIP-848 is of another form."""
FUNCTIONS = {"partitionAssigner": "partitionAssigner: () => [],"}
"""The lines of settings that are a function."""


def write_left_in(client: str, setting: str) -> tuple[str, ...]:
    """Return the lines of a setting that KIP-848 does not allow, in the form of the client."""
    known = read_clients()[client]
    if setting in FUNCTIONS:
        return (FUNCTIONS[setting],)
    if not re.search("timeout|interval", setting, re.IGNORECASE):
        return write_lines(known, known.settable[:1])
    if client in FORMS:
        return (FORMS[client].format(setting=setting, value=30_000),)
    (line,) = describe_kip848(client).lines
    head, _, tail = line.replace("group.protocol", setting).rpartition("consumer")
    return (f"{head}30000{tail}",)


def record_move(client: str, command: Command) -> Moved:
    """Start members with the lines for KIP-848: alone, with an assignor, and with each setting that must be removed."""
    move = describe_kip848(client)
    lines: dict[str, Sequence[str]] = {"": move.lines, ASSIGNOR: describe_kip848(client, ASSIGNOR).lines}
    lines.update({setting: (*move.lines, *write_left_in(client, setting)) for setting in move.remove})
    moved = Moved()
    with open_stage(HeartbeatRecorder) as stage:
        recorder = stage.recorder
        members = {name: stage.start(command, f"group-{name}", own) for name, own in lines.items()}
        for name, member in members.items():

            def is_decided(name=name, member=member):
                beats = [one for one in recorder.heartbeats if one.group == f"group-{name}"]
                return member.read_refusal() is not None or bool(beats or stage.list_joins(member.group))

            stage.wait(is_decided, f"{client} {lines[name]}")
        moved.joined = bool(recorder.joins)
        for name, member in members.items():
            beats = [one for one in recorder.heartbeats if one.group == member.group]
            if name in move.remove:
                moved.left_in[name] = "" if beats else member.read_refusal() or ""
            else:
                assert beats, (client, lines[name], member.read_refusal())
                moved.heartbeats[name] = beats
    return moved


SAID = {"partitionAssigners": "partitionAssignors"}
"""The name of a setting in the refusal, if it is another one."""


def check_move(client: str, moved: Moved, refused: bool) -> None:
    """Assert that a client took its lines, tried the protocol, and refused what must be removed, or ignored it."""
    assert not moved.joined, client
    for assignor, beats in moved.heartbeats.items():
        assert {one.assignor for one in beats[:1]} == {assignor}, (client, beats)
        assert {one.topics for one in beats[:1]} == {("t00",)}, (client, beats)
    for setting, refusal in moved.left_in.items():
        said = rf"{re.escape(SAID.get(setting, setting))}\W+(is not supported|cannot be set) "
        assert bool(re.search(said, refusal)) == refused, (client, setting, refusal)
        assert bool(refusal) == refused, (client, setting, refusal)


def drop_heartbeat(template: str) -> str:
    """Return a program without its own interval of heartbeats, which KIP-848 does not allow."""
    return re.sub(r"(?im)^.*heartbeat.?interval.*\n", "", template)
