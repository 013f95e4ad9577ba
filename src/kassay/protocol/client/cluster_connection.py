"""Access to a cluster, by ``--command-config`` properties, TLS and SASL; and read-only connections, one for each broker.

Certificates are read from PEM and PKCS12 (what keytool has written since Java 9). No request in :data:`READ` changes anything. The
SASL mechanisms are from kafka-python. Source: CommonClientConfigs, SslConfigs and SaslConfigs of kafka-clients 4.4; KIP-651 for PEM, KIP-255 for
unsigned tokens, KIP-768 for a file with a token, KIP-152 for SaslAuthenticate.
"""

import base64
import json
import re
import ssl
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import javaproperties
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from kafka.errors import KafkaError
from kafka.net.sasl import get_sasl_mechanism
from kafka.net.sasl.oauth import AbstractTokenProvider
from kio.schema.errors import ErrorCode

from kassay.errors import InputError
from kassay.files.texts import read_bytes
from kassay.input_size import read_limited
from kassay.output.redaction import note_secret
from kassay.protocol.server.addresses import Place
from kassay.protocol.server.api_messages import Api, build_message
from kassay.protocol.server.external_cluster import BrokerConnection, NoResponseError, connect, make_body
from kassay.sentences import suggest_name

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
FETCHED = "sasl.oauthbearer.token.endpoint.url"
TIMES = ("request.timeout.ms", "default.api.timeout.ms")
KNOWN = (
    *("security.protocol", "sasl.mechanism", "sasl.jaas.config"),
    *(FETCHED, "sasl.oauthbearer.jwt.retriever.class", "sasl.login.callback.handler.class"),
    *("ssl.truststore.location", "ssl.truststore.password", "ssl.truststore.type", "ssl.truststore.certificates"),
    *("ssl.keystore.location", "ssl.keystore.password", "ssl.keystore.type"),
    *("ssl.keystore.key", "ssl.keystore.certificate.chain", "ssl.key.password"),
    *("ssl.endpoint.identification.algorithm", "bootstrap.servers", "client.id", *TIMES),
)  # fmt: skip
"""The known keys. The servers are on the command line, as with Kafka's tools; client.id and Java classes have no effect."""
SECRET = ("ssl.truststore.password", "ssl.keystore.password", "ssl.keystore.key", "ssl.key.password")
"""The keys whose values no output shows, like the password of a login."""
UNSIGNED_S = 3600
"""The lifetime of an unsigned token, as Kafka makes it."""
MOST_TOKEN = 2**16
"""The longest token."""
PEM, JKS = b"-----BEGIN ", bytes.fromhex("feedfeed")
_OPTION = re.compile(r"""(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"|(\w+)\s*=\s*(\S+?)(?=[\s;])""")
_PASSWORD = re.compile(r"""password\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))""", re.IGNORECASE)
_LOGIN = re.compile(r"\s*[\w.$]+\.(?:Plain|Scram|OAuthBearer)LoginModule\s+\w+(.*);\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach a cluster."""

    tls: ssl.SSLContext | None = None
    mechanism: str = ""
    """The mechanism of SASL, "" for none."""
    user: str = ""
    password: str = ""
    """A password, or the token of OAUTHBEARER."""
    answer_s: float = 30.0
    """Seconds for one answer."""
    whole_s: float = 60.0
    """Seconds for all answers."""


OPEN = Access()
"""The access to a cluster without TLS and login."""


def read_access(path: str) -> Access:
    """Read a file of properties; raises InputError with the file and the key."""
    try:
        said = javaproperties.loads(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: is not UTF-8 text. Give a file of properties such as client.properties"
        ) from None
    except javaproperties.InvalidUEscapeError as wrong:
        raise InputError(f"{path}: {wrong}. Correct the escape") from None
    for key in SECRET:
        note_secret(said.get(key))
    # The password of an unreadable login is secret too.
    for quoted, plain in _PASSWORD.findall(said.get("sasl.jaas.config", "")):
        note_secret(re.sub(r"\\(.)", r"\1", quoted) or plain)
    for key in said:
        if key not in KNOWN:
            raise InputError(
                f"{path}: {key}: kassay does not read this key. Leave it out{suggest_name(key, KNOWN)}"
            )
    protocol = said.get("security.protocol", "PLAINTEXT").upper()
    _refuse_other(path, "security.protocol", protocol, PROTOCOLS)
    times = []
    for key, usual in zip(TIMES, (OPEN.answer_s, OPEN.whole_s), strict=True):
        text = said.get(key, "")
        if text and not (re.fullmatch(r"[0-9]{1,9}", text) and int(text) > 0):
            raise InputError(f"{path}: {key}: is {text!r}. Give milliseconds, such as 30000")
        times.append(int(text) / 1000 if text else usual)
    login = "", "", ""
    if protocol.startswith("SASL_"):
        login = (_read_bearer if said.get("sasl.mechanism") == "OAUTHBEARER" else _read_login)(path, said)
    return Access(_make_context(path, said) if protocol.endswith("SSL") else None, *login, *times)


def _refuse_other(path: str, key: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(
            f"{path}: {key}: is {value!r}. Use one of: {', '.join(known)}{suggest_name(value, known)}"
        )


def _read_login(path: str, said: Mapping[str, str]) -> tuple[str, str, str]:
    mechanism = said.get("sasl.mechanism", "GSSAPI")  # Kafka's default
    if mechanism == "GSSAPI":
        raise InputError(
            f"{path}: sasl.mechanism: is GSSAPI (Kafka's default), and kassay holds no Kerberos ticket. Name a user of {', '.join(MECHANISMS)}, or give listings of Kafka's tools to kassay import"
        )
    _refuse_other(path, "sasl.mechanism", mechanism, MECHANISMS)
    options = _read_options(said)
    if not {"username", "password"} <= options.keys():
        module = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
        raise InputError(
            f"{path}: sasl.jaas.config: gives no username and password. Write it so:",
            [
                f'sasl.jaas.config=org.apache.kafka.common.security.{module}LoginModule required username="USER" password="PASSWORD";'
            ],
        )
    return mechanism, options["username"], options["password"]


def _read_options(said: Mapping[str, str]) -> dict[str, str]:
    """Return the options of the login module, which only Kafka's own client loads."""
    login = _LOGIN.fullmatch(said.get("sasl.jaas.config", ""))
    found = _OPTION.findall(f"{login[1]};") if login else []
    return {one[0] or one[2]: re.sub(r"\\(.)", r"\1", one[1]) or one[3] for one in found}


def _read_bearer(path: str, said: Mapping[str, str]) -> tuple[str, str, str]:
    """Read the token of OAUTHBEARER from its file, or make an unsigned one for the named user."""
    place = urlsplit(said.get(FETCHED, ""))
    user = _read_options(said).get("unsecuredLoginStringClaim_sub")
    if place.scheme == "file":
        with_token = {FETCHED: unquote(place.path)}
        token = _read_file(path, FETCHED, with_token)[: MOST_TOKEN + 1].strip()
        if not token or len(token) > MOST_TOKEN or not token.isascii() or len(token.split()) != 1:
            raise InputError(
                f"{path}: {FETCHED}: {with_token[FETCHED]} holds no token alone. Write one there, of at most {MOST_TOKEN} bytes"
            )
        note_secret(token.decode())
        return "OAUTHBEARER", "who has this token", token.decode()
    if not place.scheme and user is not None:
        now = int(time.time())
        parts = ({"alg": "none"}, {"sub": user, "iat": now, "exp": now + UNSIGNED_S})
        coded = (base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts)
        return "OAUTHBEARER", user, ".".join((*coded, ""))
    raise InputError(
        f"{path}: {FETCHED}: kassay does not fetch tokens. Fetch one, and name its file, such as file:///home/me/token."
    )


def _make_context(path: str, said: Mapping[str, str]) -> ssl.SSLContext:
    """Return the context that checks the certificates of brokers, and sends kassay's own if there is one.

    The default trust store is the store of the system.
    """
    check = said.get("ssl.endpoint.identification.algorithm", "https").lower()
    _refuse_other(path, "ssl.endpoint.identification.algorithm", check, ("https", ""))
    trusted = _read_trusted(path, said)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if trusted else ssl.create_default_context()
    context.check_hostname = bool(check)
    if trusted:
        try:
            context.load_verify_locations(cadata=trusted)
        except ssl.SSLError as wrong:
            raise InputError(
                f"{path}: ssl.truststore: has no readable certificate ({wrong.reason or wrong}). Give a PEM or PKCS12 file"
            ) from None
    shown = _read_shown(path, said)
    if shown:
        with (
            tempfile.NamedTemporaryFile() as file
        ):  # Python loads keys only from files, and only this user can read this one
            file.write(shown)
            file.flush()
            try:
                context.load_cert_chain(file.name, password=said.get("ssl.key.password") or "")
            except (ssl.SSLError, ValueError) as wrong:
                raise InputError(
                    f"{path}: ssl.keystore: its key cannot be used ({getattr(wrong, 'reason', None) or wrong}). Check ssl.key.password"
                ) from None
    return context


def _read_trusted(path: str, said: Mapping[str, str]) -> str:
    if "ssl.truststore.certificates" in said:
        return said["ssl.truststore.certificates"]
    if "ssl.truststore.location" not in said:
        return ""
    content = _read_file(path, "ssl.truststore.location", said)
    if content.lstrip().startswith(PEM):
        return content.decode("ascii", "replace")
    stored = _open_pkcs12(path, "ssl.truststore", content, said)
    certificates = [*([stored.cert] if stored.cert else []), *stored.additional_certs]
    return "".join(one.certificate.public_bytes(Encoding.PEM).decode() for one in certificates)


def _read_shown(path: str, said: Mapping[str, str]) -> bytes:
    """Return kassay's own private key and certificates as PEM, b"" if the file has none."""
    if "ssl.keystore.key" in said:
        return f"{said['ssl.keystore.key']}\n{said.get('ssl.keystore.certificate.chain', '')}".encode()
    if "ssl.keystore.location" not in said:
        return b""
    content = _read_file(path, "ssl.keystore.location", said)
    if content.lstrip().startswith(PEM):
        return content
    stored = _open_pkcs12(path, "ssl.keystore", content, said)
    if stored.key is None or stored.cert is None:
        raise InputError(
            f"{path}: ssl.keystore.location: holds no private key with its certificate. Give a key store"
        )
    password = said.get("ssl.key.password", "").encode()
    how = BestAvailableEncryption(password) if password else NoEncryption()
    chain = [stored.cert, *stored.additional_certs]
    return stored.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how) + b"".join(
        one.certificate.public_bytes(Encoding.PEM) for one in chain
    )


def _read_file(path: str, key: str, said: Mapping[str, str]) -> bytes:
    try:
        return read_limited(Path(said[key]))
    except OSError as wrong:
        raise InputError(
            f"{path}: {key}: {said[key]} cannot be read ({wrong.strerror}). Name a readable file"
        ) from None


def _open_pkcs12(
    path: str, key: str, content: bytes, said: Mapping[str, str]
) -> pkcs12.PKCS12KeyAndCertificates:
    place = said[f"{key}.location"]
    if content.startswith(JKS):
        raise InputError(
            f"{path}: {key}.location: {place} is of Java's old form. Make it PKCS12:",
            [f"keytool -importkeystore -srckeystore {place} -destkeystore {place}.p12 -deststoretype pkcs12"],
        )
    password = said.get(f"{key}.password")
    with suppress(ValueError, TypeError):
        return pkcs12.load_pkcs12(content, None if password is None else password.encode())
    raise InputError(
        f"{path}: {key}.location: {place} is neither PEM nor PKCS12 that {key}.password opens. Correct one of them"
    )


READ = {
    Api.LIST_OFFSETS: (1, 9),
    Api.METADATA: (4, 12),  # older ones cannot forbid the creation of topics
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
"""The oldest and the newest version of each request; no request changes anything."""
NEEDED = (Api.METADATA, Api.FIND_COORDINATOR, Api.LIST_GROUPS, Api.DESCRIBE_GROUPS)
LEAST_ITERATIONS = 4_096
"""The fewest iterations of SCRAM. With fewer, a server could guess the password; Java's client refuses them too."""
MOST_TOKENS = 8
"""The most messages of a login."""


class _Token(AbstractTokenProvider):  # type: ignore[misc]  # kafka-python has no types
    """The token, for kafka-python."""

    def __init__(self, token: str) -> None:
        self._token = token

    def token(self) -> str:
        return self._token


class Brokers:
    """The brokers of a cluster, by their ids; each is connected at its first request. Close them at the end."""

    def __init__(self, servers: Sequence[Place], access: Access) -> None:
        """Note the servers; nothing is connected yet."""
        self.servers, self.access = servers, access
        self.places: dict[int, Place] = {}
        self.racks: dict[int, str | None] = {}
        self.odd: dict[str, int] = {}
        """The defects of readable responses, with their number."""
        self._lines: dict[Place, BrokerConnection] = {}
        self._any: BrokerConnection | None = None

    async def open(self) -> None:
        """Connect to the first server that answers, and ask it for the brokers; raises InputError if none answers."""
        wrong: InputError | None = None
        for place in self.servers:
            try:
                self._any = await self._connect(place)
                break
            except InputError as why:
                wrong = wrong or why
        if self._any is None:
            assert wrong is not None
            raise wrong
        told = await self.fetch_metadata(())
        self.places = {one.node_id: Place(one.host, one.port) for one in told.brokers}
        self.racks = {one.node_id: one.rack for one in told.brokers}

    async def close(self) -> None:
        """Close all connections."""
        for line in self._lines.values():
            await line.end()

    async def fetch_metadata(self, topics: Sequence[str] | None) -> Any:
        """Return the metadata of topics, of all topics if None; no topic is created."""
        return await self.ask(
            None,
            Api.METADATA,
            lambda kinds, _: build_message(
                kinds.MetadataRequest,
                topics=None
                if topics is None
                else tuple(
                    build_message(kinds.MetadataRequestTopic, name=name, topic_id=None) for name in topics
                ),
                allow_auto_topic_creation=False,
                include_cluster_authorized_operations=False,
                include_topic_authorized_operations=False,
            ),
        )

    async def ask(self, broker: int | None, api: Api, asked: Callable[[Any, int], Any]) -> Any:
        """Send a request to a broker, or to any; raises InputError if it gets no response."""
        line = await self._find_connection(broker)
        try:
            return await line.ask(api, asked, self.access.answer_s)
        except NoResponseError as wrong:
            name = api.name.title().replace("_", "")
            place = self.servers[0] if broker is None else self.places[broker]
            raise InputError(f"{place}: {name}: {wrong}") from None

    async def find_version(self, broker: int | None, api: Api) -> int | None:
        """Return the version of a request at a broker, None if they have no common version."""
        return (await self._find_connection(broker)).versions.get(api)

    async def _find_connection(self, broker: int | None) -> BrokerConnection:
        if broker is None:
            assert self._any is not None
            return self._any
        if broker not in self.places:
            raise InputError(f"{self.servers[0]}: broker {broker} is not there now. Ask again in a moment")
        return await self._connect(self.places[broker])

    async def _connect(self, place: Place) -> BrokerConnection:
        if place in self._lines:
            return self._lines[place]
        access = self.access

        def note(odd: str) -> None:
            self.odd[odd] = self.odd.get(odd, 0) + 1

        try:
            line = await connect(place, note, asked=READ, needed=NEEDED, tls=access.tls)
        except NoResponseError as wrong:
            why = str(wrong).removeprefix(f"{place}: ").removeprefix(f"{place} ")
            raise InputError(f"{place}: {why}. {_describe_fix(why)}") from None
        self._lines[place] = line
        if access.mechanism:
            try:
                await self._log_in(line, place)
            except InputError:
                raise
            except NoResponseError as wrong:
                raise InputError(f"{place}: SASL: {wrong}. {_describe_fix(str(wrong))}") from None
            except (KafkaError, ValueError, KeyError) as wrong:
                raise InputError(
                    f"{place}: SASL: the answer is not of {access.mechanism} ({wrong}). Check sasl.mechanism"
                ) from None
        return line

    async def _log_in(self, line: BrokerConnection, place: Place) -> None:
        access = self.access
        shaken = await line.ask(
            Api.SASL_HANDSHAKE, make_body("SaslHandshakeRequest", mechanism=access.mechanism)
        )
        if shaken.error_code is not ErrorCode.none:
            offered = ", ".join(shaken.mechanisms) or "none"
            raise InputError(
                f"{place}: does not accept the sasl.mechanism {access.mechanism}. Use one of: {offered}"
            )
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
                Api.SASL_AUTHENTICATE, make_body("SaslAuthenticateRequest", auth_bytes=client.auth_bytes())
            )
            if told.error_code is not ErrorCode.none:
                why = told.error_message or told.error_code.name
                raise InputError(
                    f"{place}: does not let {access.user} in ({why}). Check the user and its password"
                )
            if access.mechanism.startswith("SCRAM-"):
                # The first message (RFC 5802) has the number of iterations; the later ones have no such part.
                found = re.search(rb"(?:^|,)i=([0-9]{1,9})(?:,|$)", told.auth_bytes)
                if found and int(found[1]) < LEAST_ITERATIONS:
                    raise InputError(
                        f"{place}: SASL: asks for {int(found[1]):,} iterations of SCRAM, fewer than {LEAST_ITERATIONS:,}. "
                        "Set the user's password again with more iterations (kafka-configs), and check who answers there."
                    )
            client.receive(told.auth_bytes)
            if client.is_done():
                break
        if not client.is_done() or not client.is_authenticated():
            raise InputError(
                f"{place}: does not let {access.user} in, for an unknown reason. Check the user and its password"
            )


def _describe_fix(why: str) -> str:
    """Return the advice on a failed connection."""
    if "certificate" in why:
        return "Name the certificate of its authority in --command-config FILE, as ssl.truststore.location"
    if "TLS" in why:
        return "Give the security.protocol of this listener in --command-config FILE"
    if "closed" in why:
        return "If the listener needs TLS or SASL, say so in --command-config FILE"
    return "Check that a broker listens there"
