"""Connections to external brokers, and an external cluster with kassay's own groups and the topic in which they commit."""

import asyncio
import os
import re
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import timedelta
from importlib import import_module
from typing import Any

from kio.index import load_request_schema
from kio.schema.errors import ErrorCode

from kassay.errors import InputError
from kassay.protocol.server.addresses import Place, is_loopback
from kassay.protocol.server.api_messages import Api, build_message, is_flexible, make_reader, make_writer
from kassay.reference.wire.schema import INT32, Form, MalformedError, skip_tags

ASKED = {
    Api.METADATA: (0, 8),
    Api.OFFSET_COMMIT: (2, 8),
    Api.FIND_COORDINATOR: (0, 4),
    Api.JOIN_GROUP: (0, 9),
    Api.HEARTBEAT: (0, 4),
    Api.LEAVE_GROUP: (0, 5),
    Api.SYNC_GROUP: (0, 5),
    Api.DESCRIBE_GROUPS: (0, 5),
    Api.LIST_GROUPS: (0, 4),
    Api.API_VERSIONS: (0, 0),
    Api.CREATE_TOPICS: (2, 5),
    Api.DELETE_TOPICS: (1, 5),
    Api.DELETE_GROUPS: (0, 2),
}
"""The oldest and the newest version of each request that kassay can send."""
NEEDED = (Api.FIND_COORDINATOR, Api.JOIN_GROUP, Api.SYNC_GROUP, Api.HEARTBEAT, Api.LEAVE_GROUP)
CLIENT_ID = "kassay"
MOST_BYTES = 64 * 2**20
"""The largest response."""
TLS_ALERT = b"\x15\x03"
"""The first bytes of a TLS alert. As the length of a response of Kafka they are too large."""
CONNECT_S, CLOSE_S = 10.0, 1.0
ANSWER_S = 30.0
"""The default time to wait for a response."""
_LONG = INT32(Form())


class NoResponseError(Exception):
    """A request got no response: the connection broke, the response was late, or it cannot be read."""


class BrokerConnection:
    """A connection with one open request at a time."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        versions: Mapping[int, int],
        odd: Callable[[str], None],
    ) -> None:
        """Use these versions, by the keys of requests; `odd` is called with defects of readable responses."""
        self._reader, self._writer, self.versions, self._odd = reader, writer, versions, odd
        self._asked = 0

    async def ask(self, api: Api, body: Callable[[Any, int], Any], within_s: float = ANSWER_S) -> Any:
        """Send a request and return the response; `body` makes the request from kio's classes and the version.

        Raises NoResponseError, or InputError if the broker has no version of the request that kassay knows.
        """
        if api not in self.versions:
            raise InputError(
                f"broker: does not offer {api.name} in a version of kassay. Use a broker of Kafka 2.1 or newer"
            )
        version = self.versions[api]
        self._asked += 1
        header = b"".join(
            (
                api.to_bytes(2),
                version.to_bytes(2),
                self._asked.to_bytes(4),
                len(CLIENT_ID).to_bytes(2),
                CLIENT_ID.encode(),
                b"\0" * is_flexible(api, version),
            )
        )
        kinds = import_module(load_request_schema(api, version).__module__)
        frame = header + make_writer(api, version, response=False)(body(kinds, version))
        try:
            async with asyncio.timeout(within_s):
                self._writer.write(len(frame).to_bytes(4) + frame)
                await self._writer.drain()
                head = await self._reader.readexactly(4)
                if head.startswith(TLS_ALERT):
                    raise NoResponseError("it answers in TLS, and was not spoken to in TLS")
                length = int.from_bytes(head, signed=True)
                if not 0 <= length <= MOST_BYTES:
                    raise NoResponseError(f"its answer is of {length} bytes; 0 to {MOST_BYTES} are taken")
                answer = await self._reader.readexactly(length)
        except TimeoutError:
            raise NoResponseError(f"no answer came within {within_s:g} s") from None
        except (OSError, asyncio.IncompleteReadError):
            raise NoResponseError("the broker closed the connection") from None
        try:
            return self._read_response(answer, api, version)
        except MalformedError as wrong:
            raise NoResponseError(f"its answer cannot be read: {wrong}") from None

    def _read_response(self, frame: bytes, api: Api, version: int) -> Any:
        number, at = _LONG.read(frame, 0)
        if number != self._asked:
            raise MalformedError(f"it answers request {number} where {self._asked} was asked", 0)
        if api is not Api.API_VERSIONS and is_flexible(api, version):
            at = skip_tags(frame, at)
        value, end = make_reader(api, version, response=True)(frame, at)
        if end != len(frame):
            self._odd(f"{api.name}, version {version}: its answer has {len(frame) - end} bytes too many")
        return value

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self._writer.close()

    async def end(self) -> None:
        """Close the connection, and wait for its end, which takes a moment with TLS."""
        self.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._writer.wait_closed()


async def connect(
    place: Place,
    odd: Callable[[str], None],
    versions: Mapping[int, int] | None = None,
    *,
    old: bool = False,
    asked: Mapping[Api, tuple[int, int]] = ASKED,
    needed: Sequence[Api] = NEEDED,
    tls: ssl.SSLContext | None = None,
) -> BrokerConnection:
    """Connect to a broker, and ask for its versions if `versions` is None; raises NoResponseError.

    `asked` has the versions of the requests that may follow, and `needed` the requests that the broker must offer. With `old`, requests have
    no tagged fields (KIP-482).
    """
    try:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(place.host, place.port, ssl=tls)
    except TimeoutError:
        raise NoResponseError(f"{place} takes no connection within {CONNECT_S:g} s") from None
    except ssl.SSLCertVerificationError as wrong:
        raise NoResponseError(f"{place}: its certificate is not trusted ({wrong.verify_message})") from None
    except ssl.SSLError as wrong:
        raise NoResponseError(f"{place} does not come to terms on TLS ({wrong.reason or wrong})") from None
    except (OSError, ValueError, OverflowError) as wrong:  # a broker may name any host and port
        broke = isinstance(wrong, ConnectionError) and not isinstance(wrong, ConnectionRefusedError)
        does = "does not come to terms on TLS" if tls is not None and broke else "takes no connection"
        raise NoResponseError(f"{place} {does} ({getattr(wrong, 'strerror', None) or wrong})") from None
    if versions is not None:
        return BrokerConnection(reader, writer, versions, odd)
    first = BrokerConnection(reader, writer, {Api.API_VERSIONS: 0}, odd)
    with ExitStack() as failed:
        failed.callback(first.close)
        offered = await first.ask(Api.API_VERSIONS, lambda kinds, _: kinds.ApiVersionsRequest())
        line = BrokerConnection(
            reader, writer, _choose_versions(offered.api_keys, asked, needed, old=old), odd
        )
        failed.pop_all()
    return line


def _choose_versions(
    offered: Any, asked: Mapping[Api, tuple[int, int]], needed: Sequence[Api], *, old: bool
) -> dict[int, int]:
    """Return the newest version of each request that both sides know; raises InputError if a needed request is missing."""
    common = {}
    for one in offered:
        if one.api_key in asked:
            api = Api(one.api_key)
            oldest, newest = asked[api]
            best = min(newest, one.max_version)
            while old and best > oldest and is_flexible(api, best):
                best -= 1
            if best >= max(oldest, one.min_version):
                common[int(one.api_key)] = best
    missing = [api.name for api in needed if api not in common]
    if missing:
        raise InputError(
            f"broker: does not offer {', '.join(missing)} in a version of kassay. Use a broker of Kafka 2.1 or newer"
        )
    return common


def make_body(kind: str, **values: Any) -> Callable[[Any, int], Any]:
    """Return a function that makes a request of a kio class, with the fields that its version has."""
    return lambda kinds, _: build_message(getattr(kinds, kind), **values)


def find_coordinator_entry(found: Any) -> Any:
    """Return the entry of a FindCoordinator response on the requested group; raises NoResponseError if it is missing."""
    many = getattr(found, "coordinators", (found,))
    if not many:
        raise NoResponseError("its FindCoordinator response says nothing of the group")
    return many[0]


PREFIX = "kassay"
PARTITIONS = 32
"""The partitions of the topic."""
SIGNS = re.compile(r"[A-Za-z0-9._-]{1,200}")
"""A name that a group and a topic may have."""
WITHIN = timedelta(seconds=30)
TRIES, AGAIN_S = 100, 0.2
"""The tries to find a coordinator that is not ready, and the seconds in between."""


def build_prefix() -> str:
    """Return a unique prefix for the groups of this run, with the time and the process id."""
    return f"{PREFIX}-{time.time_ns() // 1_000_000}-{os.getpid()}"


def check_prefix(prefix: str) -> str:
    """Return a prefix; raises InputError if names of groups cannot begin with it."""
    if not SIGNS.fullmatch(prefix):
        raise InputError(
            f"--group-prefix {prefix!r}: is not valid. Give 1 to 200 letters, digits, dots, underscores or dashes"
        )
    return prefix


class Cluster:
    """A cluster for kassay's groups, all of whose names begin with `prefix`."""

    def __init__(self, place: Place, prefix: str, *, remote: bool, old: bool) -> None:
        """Note the address, which must be on loopback unless `remote`. With `old`, requests have old versions."""
        self.place, self.prefix, self._remote, self._old = place, prefix, remote, old
        self.versions: Mapping[int, int] = {}
        """The version of each request, by its key."""
        self._places: dict[str, Place] = {}
        self.odd: dict[str, int] = {}
        """The defects of readable responses, with their number."""
        self.partitions = 0
        """The partitions of the topic in which our groups commit; 0 if there is none."""

    async def open(self) -> None:
        """Connect, check that no other group has our prefix, and make the topic; raises InputError."""
        self._check(self.place, "it")
        try:
            line = await connect(self.place, self._note, old=self._old)
        except NoResponseError as wrong:
            raise InputError(f"{self.place}: {wrong}. Check that a broker listens there") from None
        self.versions = line.versions
        try:
            await self._refuse_other_groups(line)
            await self._make_topic(line)
        except NoResponseError as wrong:
            raise InputError(f"{self.place}: {wrong}") from None
        finally:
            line.close()

    def _note(self, odd: str) -> None:
        self.odd[odd] = self.odd.get(odd, 0) + 1

    def _check(self, place: Place, what: str) -> None:
        if not self._remote and not is_loopback(place.host):
            raise InputError(
                f"{place}: {what} is not on loopback. Add --allow-remote and --group-prefix PREFIX if kassay may create groups there."
            )

    async def _refuse_other_groups(self, line: BrokerConnection) -> None:
        """Raise InputError if a group has our prefix."""
        if Api.LIST_GROUPS not in self.versions:
            if self._remote:
                raise InputError(
                    f"{self.place}: the broker does not list its groups, so kassay cannot protect groups of others. Use a broker on loopback."
                )
            return
        listed = await line.ask(Api.LIST_GROUPS, make_body("ListGroupsRequest", states_filter=()))
        if listed.error_code is not ErrorCode.none:
            raise InputError(
                f"{self.place}: does not list its groups ({listed.error_code.name}). Allow that first"
            )
        theirs = sorted(one.group_id for one in listed.groups if one.group_id.startswith(self.prefix))
        if theirs:
            raise InputError(
                f"--group-prefix {self.prefix}: there is a group {theirs[0]} already. Give another prefix"
            )

    async def _make_topic(self, line: BrokerConnection) -> None:
        """Create the topic in which our groups commit, named like their prefix; some brokers create it after a Metadata request."""
        if Api.CREATE_TOPICS in self.versions:
            created = await line.ask(
                Api.CREATE_TOPICS,
                lambda kinds, _: build_message(
                    kinds.CreateTopicsRequest,
                    topics=(
                        kinds.CreatableTopic(
                            name=self.prefix,
                            num_partitions=PARTITIONS,
                            replication_factor=1,
                            assignments=(),
                            configs=(),
                        ),
                    ),
                    timeout=WITHIN,
                    validate_only=False,
                ),
            )
            errors = {one.error_code for one in created.topics} - {ErrorCode.none}
            if errors:
                raise InputError(
                    f"{self.place}: makes no topic {self.prefix} ({errors.pop().name}), to which offsets are committed. Allow that first"
                )
            self.partitions = PARTITIONS
            return
        for _ in range(TRIES):
            found = await line.ask(
                Api.METADATA,
                lambda kinds, _: build_message(
                    kinds.MetadataRequest,
                    topics=(kinds.MetadataRequestTopic(name=self.prefix),),
                    allow_auto_topic_creation=True,
                    include_cluster_authorized_operations=False,
                    include_topic_authorized_operations=False,
                ),
            )
            if any(one.error_code is ErrorCode.none and one.partitions for one in found.topics):
                self.partitions = min(len(one.partitions) for one in found.topics)
                return
            await asyncio.sleep(AGAIN_S)

    async def dial_coordinator(self, group: str) -> BrokerConnection:
        """Connect to the coordinator of one of our groups; raises NoResponseError, or InputError if it must be on loopback and is not."""
        if group not in self._places:
            self._places[group] = await self._find_coordinator(group)
        return await connect(self._places[group], self._note, self.versions)

    def forget_coordinator(self, group: str) -> None:
        """Forget the coordinator of a group, because the group has another one now."""
        self._places.pop(group, None)

    async def _find_coordinator(self, group: str) -> Place:
        line = await connect(self.place, self._note, self.versions)
        try:
            for _ in range(TRIES):
                found = await line.ask(
                    Api.FIND_COORDINATOR,
                    make_body("FindCoordinatorRequest", key=group, key_type=0, coordinator_keys=(group,)),
                )
                one = find_coordinator_entry(found)
                if one.error_code is ErrorCode.none:
                    place = Place(one.host, one.port)
                    self._check(place, f"where {self.place} says that the coordinator is")
                    return place
                await asyncio.sleep(AGAIN_S)
        finally:
            line.close()
        raise NoResponseError(f"no coordinator was found ({one.error_code.name})")

    async def is_new(self, group: str) -> bool:
        """Return True if there is no group of this name, as far as the broker describes groups."""
        try:
            line = await self.dial_coordinator(group)
        except NoResponseError as wrong:
            raise InputError(f"{self.place}: {wrong}") from None
        try:
            if Api.DESCRIBE_GROUPS not in self.versions:
                return True
            told = await line.ask(
                Api.DESCRIBE_GROUPS,
                make_body("DescribeGroupsRequest", groups=(group,), include_authorized_operations=False),
            )
            return all(one.group_state in ("Dead", "") and not one.members for one in told.groups)
        finally:
            line.close()

    async def close(self, groups: list[str]) -> None:
        """Delete our groups, whose members have left, and the topic."""
        for group in groups if Api.DELETE_GROUPS in self.versions else ():
            await self._try_request(
                group, Api.DELETE_GROUPS, make_body("DeleteGroupsRequest", groups_names=(group,))
            )
        if Api.DELETE_TOPICS in self.versions:
            await self._try_request(
                None,
                Api.DELETE_TOPICS,
                make_body("DeleteTopicsRequest", topic_names=(self.prefix,), timeout=WITHIN),
            )

    async def _try_request(self, group: str | None, api: Api, asked: Any) -> None:
        """Send a request that may fail: then a group or topic with our prefix stays on the broker."""
        with suppress(NoResponseError):
            line = await (
                connect(self.place, self._note, self.versions)
                if group is None
                else self.dial_coordinator(group)
            )
            await line.ask(api, asked)
            line.close()
