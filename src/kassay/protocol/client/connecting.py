"""A cluster that is only asked: its brokers, with TLS and SASL where they want that, each dialled once.

No request stands in :data:`READ` that changes anything. SASL's mechanisms are kafka-python's. Source: KIP-152 (SaslAuthenticate).
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from kafka.errors import KafkaError
from kafka.net.sasl import get_sasl_mechanism
from kafka.net.sasl.oauth import AbstractTokenProvider
from kio.schema.errors import ErrorCode

from kassay.errors import InputError
from kassay.output.redaction import note_secret
from kassay.protocol.client.command_config import Access
from kassay.protocol.server.apis import Api, made
from kassay.protocol.server.groups.addresses import Place
from kassay.protocol.server.groups.dialling import Line, UnansweredError, body, dial

READ = {
    Api.LIST_OFFSETS: (1, 9),
    Api.METADATA: (4, 12),  # older ones cannot say that no topic is to be made
    Api.OFFSET_FETCH: (2, 8),
    Api.FIND_COORDINATOR: (0, 4),
    Api.DESCRIBE_GROUPS: (0, 5),
    Api.LIST_GROUPS: (0, 5),
    Api.SASL_HANDSHAKE: (1, 1),
    Api.API_VERSIONS: (0, 0),
    Api.DESCRIBE_CONFIGS: (1, 4),
    Api.SASL_AUTHENTICATE: (0, 2),
    Api.CONSUMER_GROUP_DESCRIBE: (0, 1),
    Api.SHARE_GROUP_DESCRIBE: (1, 1),
    Api.STREAMS_GROUP_DESCRIBE: (0, 0),
    Api.DESCRIBE_SHARE_GROUP_OFFSETS: (0, 1),
}
"""The oldest and the newest version of each request that is asked: none that changes anything."""
NEEDED = (Api.METADATA, Api.FIND_COORDINATOR, Api.LIST_GROUPS, Api.DESCRIBE_GROUPS)
LEAST_ITERATIONS = 4_096
"""A server that asks for fewer makes a password easy to guess from what it is sent, so that Java's client refuses it, too."""
MOST_TOKENS = 8
"""A mechanism is done after no more messages than this."""


class _Token(AbstractTokenProvider):  # type: ignore[misc]  # kafka-python has no types
    """Gives kafka-python the token that is known."""

    def __init__(self, token: str) -> None:
        self._token = token

    def token(self) -> str:
        return self._token


class Brokers:
    """The brokers of a cluster, by their ids; each is dialled when it is first asked. What is opened is to be closed."""

    def __init__(self, servers: Sequence[Place], access: Access) -> None:
        """Note where the cluster is; nothing is dialled yet."""
        self.servers, self.access = servers, access
        self.places: dict[int, Place] = {}
        self.racks: dict[int, str | None] = {}
        self.odd: dict[str, int] = {}
        """What is wrong with answers that can be read all the same, with how many."""
        self._lines: dict[Place, Line] = {}
        self._any: Line | None = None

    async def open(self) -> None:
        """Reach the first server that answers, and hear which brokers there are; raises InputError where none does."""
        wrong: InputError | None = None
        for place in self.servers:
            try:
                self._any = await self._dialled(place)
                break
            except InputError as why:
                wrong = wrong or why
        if self._any is None:
            assert wrong is not None
            raise wrong
        told = await self.metadata(())
        self.places = {one.node_id: Place(one.host, one.port) for one in told.brokers}
        self.racks = {one.node_id: one.rack for one in told.brokers}

    async def close(self) -> None:
        """End all connections."""
        for line in self._lines.values():
            await line.end()

    async def metadata(self, topics: Sequence[str] | None) -> Any:
        """Ask any broker about topics of these names, all of them where that is None; none is made."""
        return await self.ask(
            None,
            Api.METADATA,
            lambda kinds, version: body(
                "MetadataRequest",
                topics=None
                if topics is None
                else tuple(made(kinds.MetadataRequestTopic, name=name, topic_id=None) for name in topics),
                allow_auto_topic_creation=False,
                include_cluster_authorized_operations=False,
                include_topic_authorized_operations=False,
            )(kinds, version),
        )

    async def ask(self, broker: int | None, api: Api, asked: Callable[[Any, int], Any]) -> Any:
        """Ask a broker, or any; raises InputError where no answer comes."""
        line = await self._line(broker)
        try:
            return await line.ask(api, asked, self.access.answer_s)
        except UnansweredError as wrong:
            name = api.name.title().replace("_", "")
            raise InputError(f"{self._place(broker)}: {name}: {wrong}") from None

    async def offers(self, broker: int | None, api: Api) -> int | None:
        """Return the version in which a broker is asked, None where it offers none that kassay knows."""
        return (await self._line(broker)).versions.get(api)

    def _place(self, broker: int | None) -> Place:
        return self.servers[0] if broker is None else self.places[broker]

    async def _line(self, broker: int | None) -> Line:
        if broker is None:
            assert self._any is not None
            return self._any
        if broker not in self.places:
            raise InputError(f"{self.servers[0]}: broker {broker} is not there now; ask again in a moment")
        return await self._dialled(self.places[broker])

    async def _dialled(self, place: Place) -> Line:
        if place in self._lines:
            return self._lines[place]
        access = self.access
        try:
            line = await dial(place, self._note, asked=READ, needed=NEEDED, tls=access.tls)
        except UnansweredError as wrong:
            why = str(wrong).removeprefix(f"{place}: ").removeprefix(f"{place} ")
            raise InputError(f"{place}: {why}; {self._way_out(why)}") from None
        self._lines[place] = line
        if access.mechanism:
            await self._log_in(line, place)
        return line

    def _way_out(self, why: str) -> str:
        if "certificate" in why:
            return "name that of its authority in --command-config FILE, as ssl.truststore.location"
        if "TLS" in why:
            return "does security.protocol in --command-config FILE say what this listener speaks?"
        if "closed" in why:
            return "does it want TLS or SASL? Say so in --command-config FILE"
        return "is a broker there?"

    def _note(self, odd: str) -> None:
        self.odd[odd] = self.odd.get(odd, 0) + 1

    async def _log_in(self, line: Line, place: Place) -> None:
        try:
            await self._authenticate(line, place)
        except InputError:
            raise
        except UnansweredError as wrong:
            raise InputError(f"{place}: SASL: {wrong}; {self._way_out(str(wrong))}") from None
        except (KafkaError, ValueError, KeyError) as wrong:
            raise InputError(
                f"{place}: SASL: what it says is not {self.access.mechanism} ({wrong})"
            ) from None

    async def _authenticate(self, line: Line, place: Place) -> None:
        access = self.access
        shaken = await line.ask(Api.SASL_HANDSHAKE, body("SaslHandshakeRequest", mechanism=access.mechanism))
        if shaken.error_code is not ErrorCode.none:
            offered = ", ".join(shaken.mechanisms) or "none"
            raise InputError(f"{place}: takes no sasl.mechanism {access.mechanism}, but {offered}")
        note_secret(access.password)
        client = get_sasl_mechanism(access.mechanism)(
            sasl_mechanism=access.mechanism,
            sasl_plain_username=access.user,
            sasl_plain_password=access.password,
            sasl_oauth_token_provider=_Token(access.password),
            host=place.host,
        )
        for _ in range(MOST_TOKENS):
            told = await line.ask(
                Api.SASL_AUTHENTICATE, body("SaslAuthenticateRequest", auth_bytes=client.auth_bytes())
            )
            if told.error_code is not ErrorCode.none:
                why = told.error_message or told.error_code.name
                raise InputError(f"{place}: does not let {access.user} in ({why})")
            if access.mechanism.startswith("SCRAM-"):
                _refuse_few_iterations(place, told.auth_bytes)
            client.receive(told.auth_bytes)
            if client.is_done():
                break
        if not client.is_done() or not client.is_authenticated():
            raise InputError(f"{place}: does not let {access.user} in, and does not say why")


def _refuse_few_iterations(place: Place, said: bytes) -> None:
    """Raise InputError if the first message of a SCRAM server (RFC 5802) asks for fewer iterations than Java's client accepts.

    The later messages have no such part.
    """
    found = re.search(rb"(?:^|,)i=([0-9]{1,9})(?:,|$)", said)
    if found and int(found[1]) < LEAST_ITERATIONS:
        raise InputError(
            f"{place}: SASL: asks for {int(found[1]):,} iterations of SCRAM, fewer than {LEAST_ITERATIONS:,}. "
            "Set the user's password again with more iterations (kafka-configs), and check who answers there."
        )
