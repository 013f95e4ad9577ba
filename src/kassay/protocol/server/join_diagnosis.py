"""The diagnosis of a client that does not join: its connections and requests, and the setting to change."""

import asyncio
import re
import time
from collections.abc import Collection, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kassay.protocol.server.api_messages import Api
from kassay.protocol.server.client_process import Process, Server
from kassay.targets.limits import compute_due_s, find_descendants, is_waiting_for_core, read_total_cpu_s

T = TypeVar("T")
STEPS = 20
"""The number of looks at a client in the time for which it may be quiet."""
IDLE_SHARE = 0.05
"""The share of one core below which a client without a connection does not start any more, but waits or tries again."""
HEARTBEAT_S = 1.0
"""The time to wait for a JoinGroup after a ConsumerGroupHeartbeat, in case the client then uses the other protocol."""
_UNREACHABLE = re.compile(
    r"refused|could not be established|NoBrokersAvailable|not be available|not known|resolve", re.IGNORECASE
)
"""The output of clients that try a wrong address again and again."""
_PLAIN = "Set security.protocol=PLAINTEXT."
_CLASSIC = "Set group.protocol=classic, or remove group.protocol."


class NotJoinedError(Exception):
    """The client did not join; the text has what it did instead, and the setting to change."""


@dataclass(slots=True)
class _Watch:
    """A client while it starts: when it last did something new, and what it had done by then."""

    pid: int
    since: float = field(default_factory=time.monotonic)
    cpu_s: float | None = None
    seen: Any = None
    looks: int = 0
    busy: int = 0
    """The number of looks at which it ran or waited for a core."""

    def note(self, seen: Any) -> None:
        """Look at the client, and begin a new period of silence if it has done something new."""
        if seen != self.seen:
            self.seen, self.since, self.cpu_s = seen, time.monotonic(), read_total_cpu_s(self.pid)
            self.looks = self.busy = 0
        self.looks += 1
        self.busy += is_waiting_for_core(self.pid)

    def has_been_quiet(self, seconds: float) -> bool:
        """Return True if the client has done nothing new for this time, and had a core if it wanted one."""
        if time.monotonic() - self.since < seconds:
            return False
        return compute_due_s(self.pid, seconds, self.since, self.cpu_s) <= 0

    def has_been_idle(self, seconds: float) -> bool:
        """Return True if the client has also worked for almost none of this time; False if the system does not tell."""
        now = read_total_cpu_s(self.pid)
        if now is None or self.cpu_s is None or not self.has_been_quiet(seconds):
            return False
        # A client that starts on a busy machine has little CPU time, but mostly waits for a core.
        if now - self.cpu_s <= IDLE_SHARE * seconds and self.busy <= IDLE_SHARE * self.looks:
            return True
        self.seen = None
        return False


async def wait_for_join(
    joining: Coroutine[Any, Any, T], process: Process, server: Server, start_s: float, quiet_s: float
) -> T:
    """Return the result of `joining`; raises NotJoinedError as soon as it is certain that the client does not join.

    It is certain after `start_s` seconds; `quiet_s` seconds after the last new kind of request; or if the client has no
    connection, and has been idle for `quiet_s` seconds. A ConsumerGroupHeartbeat shortens this to HEARTBEAT_S.
    """
    task = asyncio.ensure_future(joining)
    began, before = time.monotonic(), read_total_cpu_s(process.pid)
    watch = _Watch(process.pid)
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=min(quiet_s / STEPS, start_s))
            if done:
                return task.result()
            waited = time.monotonic() - began
            if server.connections_made:
                watch.note(tuple(server.requested))
                asks_broker = Api.CONSUMER_GROUP_HEARTBEAT in server.requested
                if watch.has_been_quiet(min(quiet_s, HEARTBEAT_S) if asks_broker else quiet_s):
                    raise NotJoinedError(describe_silence(process, server, waited))
            else:
                words = process.last_words()
                watch.note(
                    (tuple(find_descendants(process.pid)), "" if _UNREACHABLE.search(words) else words)
                )
                if watch.has_been_idle(quiet_s):
                    raise NotJoinedError(describe_silence(process, server, waited))
            if waited >= start_s and compute_due_s(process.pid, start_s, began, before) <= 0:
                raise NotJoinedError(describe_silence(process, server, start_s))
    finally:
        task.cancel()


def describe_silence(process: Process, server: Server, seconds: float) -> str:
    """Return a sentence on a client that did not join within this time: what it did, and what to change."""
    within = f"within {round(seconds, 1):g} seconds"
    return f"it did not join {within}{process.last_words()}. {describe_requests(server)}"


def explain_end(why: str, server: Server) -> str:
    """Return why a client ended before it joined; a client that asks the broker to assign ends because of that."""
    return f"{why}. {describe_requests(server)}" if Api.CONSUMER_GROUP_HEARTBEAT in server.requested else why


def describe_requests(server: Server) -> str:
    """Return what a client without a JoinGroup did, and the setting to change."""
    asked = server.requested
    host, port = server.taking.address
    if not server.connections_made:
        return f"It opened no connection. Set its bootstrap.servers to KASSAY_BOOTSTRAP ({host}:{port})."
    if not asked:
        return f"It connected, but sent no request. {_PLAIN}"
    if Api.CONSUMER_GROUP_HEARTBEAT in asked:
        return f"It sent ConsumerGroupHeartbeat: with group.protocol=consumer the broker assigns, not the client. {_CLASSIC}"
    said = f"It connected and sent {', '.join(_write_name(api) for api in asked)}, but no JoinGroup."
    if Api.FETCH in asked or Api.LIST_OFFSETS in asked:
        return f"{said} Call subscribe with the topics of KASSAY_TOPICS instead of assign."
    subscribe = "subscribe to the topics of KASSAY_TOPICS, and poll in a loop."
    if Api.FIND_COORDINATOR in asked:
        return f"{said} S{subscribe[1:]}"
    if asked.keys() == {Api.API_VERSIONS}:
        return f"{said} {_PLAIN} Set group.id to KASSAY_GROUP, and {subscribe}"
    return f"{said} Set group.id to KASSAY_GROUP, {subscribe}"


def refuse_wrong_join(protocol_type: str, protocols: Collection[Any]) -> None:
    """Raise NotJoinedError if a client cannot lead consumers with this JoinGroup."""
    if protocol_type != "consumer":
        raise NotJoinedError(
            f"its JoinGroup has the protocol type {protocol_type!r}, and kassay tests 'consumer'. Start a consumer."
        )
    if not protocols:
        raise NotJoinedError(
            "its JoinGroup has no assignor. Set partition.assignment.strategy, for example to range."
        )


def _write_name(api: Api) -> str:
    """Return the name of a request as in Kafka's protocol guide."""
    return "".join(word.capitalize() for word in api.name.split("_"))
