"""How a cluster is reached: the properties that Kafka's own tools take as ``--command-config``.

Certificates are read from PEM and PKCS12 (what keytool has written since Java 9).
Source: CommonClientConfigs, SslConfigs and SaslConfigs of kafka-clients 4.4; KIP-651 for PEM, KIP-255 for tokens that nobody has signed, KIP-768 for a file with one.
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
from kassay.files.texts import read_bytes, read_limited
from kassay.output.redaction import note_secret
from kassay.protocol.server.addresses import Place
from kassay.protocol.server.api_messages import Api, made
from kassay.protocol.server.broker_connection import Line, UnansweredError, body, dial
from kassay.suggesting import meant

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
"""The keys that are read; as with Kafka's tools the command line says which servers; client.id and classes of Java change nothing."""
SECRET = ("ssl.truststore.password", "ssl.keystore.password", "ssl.keystore.key", "ssl.key.password")
"""The keys whose values no output shows; the password of a login is another one."""
UNSIGNED_S = 3600
"""How long a token counts that nobody has signed, as Kafka's own makes it."""
MOST_TOKEN = 2**16
"""How long a token may be."""
PEM, JKS = b"-----BEGIN ", bytes.fromhex("feedfeed")
_OPTION = re.compile(r"""(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"|(\w+)\s*=\s*(\S+?)(?=[\s;])""")
_PASSWORD = re.compile(r"""password\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))""", re.IGNORECASE)
_LOGIN = re.compile(r"\s*[\w.$]+\.(?:Plain|Scram|OAuthBearer)LoginModule\s+\w+(.*);\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach a cluster: TLS where there is a context, SASL where there is a mechanism, whose password may be a token; times in seconds for one answer and for all."""

    tls: ssl.SSLContext | None = None
    mechanism: str = ""
    user: str = ""
    password: str = ""
    answer_s: float = 30.0
    whole_s: float = 60.0


OPEN = Access()
"""Of a cluster that anybody may ask."""


def read_access(path: str) -> Access:
    """Read a file of properties; raises InputError, one sentence that names the key and the file."""
    try:
        said = javaproperties.loads(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: is not UTF-8 text; give a file of properties such as client.properties"
        ) from None
    except javaproperties.InvalidUEscapeError as wrong:
        raise InputError(f"{path}: {wrong}; mend the escape") from None
    for key in SECRET:
        note_secret(said.get(key))
    for quoted, plain in _PASSWORD.findall(
        said.get("sasl.jaas.config", "")
    ):  # also of a login that cannot be read
        note_secret(re.sub(r"\\(.)", r"\1", quoted) or plain)
    for key in said:
        if key not in KNOWN:
            raise InputError(f"{path}: {key}: kassay reads no such key{meant(key, KNOWN)}; leave it out")
    protocol = said.get("security.protocol", "PLAINTEXT").upper()
    _refuse_other(path, "security.protocol", protocol, PROTOCOLS)
    times = [
        _seconds(path, key, said, usual)
        for key, usual in zip(TIMES, (OPEN.answer_s, OPEN.whole_s), strict=True)
    ]
    mechanism, user, password = (
        (_bearer if said.get("sasl.mechanism") == "OAUTHBEARER" else _login)(path, said)
        if protocol.startswith("SASL_")
        else ("", "", "")
    )
    return Access(
        _context(path, said) if protocol.endswith("SSL") else None, mechanism, user, password, *times
    )


def _refuse_other(path: str, key: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(
            f"{path}: {key}: is {value!r}; kassay speaks {', '.join(known)}{meant(value, known)}"
        )


def _seconds(path: str, key: str, said: Mapping[str, str], usual: float) -> float:
    text = said.get(key, "")
    if text and not (re.fullmatch(r"[0-9]{1,9}", text) and int(text) > 0):
        raise InputError(f"{path}: {key}: is {text!r}; give milliseconds, such as 30000")
    return int(text) / 1000 if text else usual


def _login(path: str, said: Mapping[str, str]) -> tuple[str, str, str]:
    mechanism = said.get("sasl.mechanism", "GSSAPI")  # Kafka's default
    if mechanism == "GSSAPI":
        raise InputError(
            f"{path}: sasl.mechanism: is GSSAPI (Kafka's default), and kassay holds no Kerberos ticket; name a user of {', '.join(MECHANISMS)}, or give listings of Kafka's tools to kassay import"
        )
    _refuse_other(path, "sasl.mechanism", mechanism, MECHANISMS)
    options = _options(said)
    if not {"username", "password"} <= options.keys():
        module = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
        raise InputError(
            f"{path}: sasl.jaas.config: gives no username and password; write it so:",
            [
                f'sasl.jaas.config=org.apache.kafka.common.security.{module}LoginModule required username="USER" password="PASSWORD";'
            ],
        )
    return mechanism, options["username"], options["password"]


def _options(said: Mapping[str, str]) -> dict[str, str]:
    """Return the options of the login module that Kafka's own client would load; nothing of it is run here."""
    login = _LOGIN.fullmatch(said.get("sasl.jaas.config", ""))
    found = _OPTION.findall(f"{login[1]};") if login else []
    return {one[0] or one[2]: re.sub(r"\\(.)", r"\1", one[1]) or one[3] for one in found}


def _bearer(path: str, said: Mapping[str, str]) -> tuple[str, str, str]:
    """Read the token of OAUTHBEARER from its file, or make one that nobody has signed for the user that is named."""
    place = urlsplit(said.get(FETCHED, ""))
    user = _options(said).get("unsecuredLoginStringClaim_sub")
    if place.scheme == "file":
        with_token = {FETCHED: unquote(place.path)}
        token = _store(path, FETCHED, with_token)[: MOST_TOKEN + 1].strip()
        if not token or len(token) > MOST_TOKEN or not token.isascii() or len(token.split()) != 1:
            raise InputError(
                f"{path}: {FETCHED}: {with_token[FETCHED]} holds no token alone; write one there, of at most {MOST_TOKEN} bytes"
            )
        note_secret(token.decode())
        return "OAUTHBEARER", "who has this token", token.decode()
    if not place.scheme and user is not None:
        now = int(time.time())
        parts = ({"alg": "none"}, {"sub": user, "iat": now, "exp": now + UNSIGNED_S})
        coded = (base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts)
        return "OAUTHBEARER", user, ".".join((*coded, ""))
    raise InputError(
        f"{path}: {FETCHED}: kassay asks nobody for a token; fetch one, and name its file, such as file:///home/me/token"
    )


def _context(path: str, said: Mapping[str, str]) -> ssl.SSLContext:
    """Make what checks the brokers' certificates, and shows one where the file has one; without a trust store the system's counts."""
    check = said.get("ssl.endpoint.identification.algorithm", "https").lower()
    _refuse_other(path, "ssl.endpoint.identification.algorithm", check, ("https", ""))
    context = ssl.create_default_context()
    context.check_hostname = bool(check)
    trusted = _trusted(path, said)
    if trusted:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = bool(check)
        try:
            context.load_verify_locations(cadata=trusted)
        except ssl.SSLError as wrong:
            raise InputError(
                f"{path}: ssl.truststore: has no certificate that can be read ({wrong.reason or wrong})"
            ) from None
    shown = _shown(path, said)
    if shown:
        _show(path, context, shown, said.get("ssl.key.password"))
    return context


def _trusted(path: str, said: Mapping[str, str]) -> str:
    if "ssl.truststore.certificates" in said:
        return said["ssl.truststore.certificates"]
    if "ssl.truststore.location" not in said:
        return ""
    content = _store(path, "ssl.truststore.location", said)
    if content.lstrip().startswith(PEM):
        return content.decode("ascii", "replace")
    stored = _pkcs12(path, "ssl.truststore", content, said)
    certificates = [*([stored.cert] if stored.cert else []), *stored.additional_certs]
    return "".join(one.certificate.public_bytes(Encoding.PEM).decode() for one in certificates)


def _shown(path: str, said: Mapping[str, str]) -> bytes:
    """Return, as PEM, the private key and the certificates by which kassay is to be known; nothing where the file names none."""
    if "ssl.keystore.key" in said:
        return f"{said['ssl.keystore.key']}\n{said.get('ssl.keystore.certificate.chain', '')}".encode()
    if "ssl.keystore.location" not in said:
        return b""
    content = _store(path, "ssl.keystore.location", said)
    if content.lstrip().startswith(PEM):
        return content
    stored = _pkcs12(path, "ssl.keystore", content, said)
    if stored.key is None or stored.cert is None:
        raise InputError(
            f"{path}: ssl.keystore.location: holds no private key with its certificate; give a key store"
        )
    password = said.get("ssl.key.password", "").encode()
    how = BestAvailableEncryption(password) if password else NoEncryption()
    chain = [stored.cert, *stored.additional_certs]
    return stored.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how) + b"".join(
        one.certificate.public_bytes(Encoding.PEM) for one in chain
    )


def _show(path: str, context: ssl.SSLContext, pem: bytes, password: str | None) -> None:
    with (
        tempfile.NamedTemporaryFile() as file
    ):  # Python loads keys from files alone; nobody else may read this one
        file.write(pem)
        file.flush()
        try:
            context.load_cert_chain(file.name, password=password or "")
        except (ssl.SSLError, ValueError) as wrong:
            raise InputError(
                f"{path}: ssl.keystore: its key cannot be used ({getattr(wrong, 'reason', None) or wrong}); is ssl.key.password right?"
            ) from None


def _store(path: str, key: str, said: Mapping[str, str]) -> bytes:
    try:
        return read_limited(Path(said[key]))
    except OSError as wrong:
        raise InputError(
            f"{path}: {key}: {said[key]} cannot be read ({wrong.strerror}); name a readable file"
        ) from None


def _pkcs12(path: str, key: str, content: bytes, said: Mapping[str, str]) -> pkcs12.PKCS12KeyAndCertificates:
    place = said[f"{key}.location"]
    if content.startswith(JKS):
        raise InputError(
            f"{path}: {key}.location: {place} is of Java's old form; make it PKCS12:",
            [f"keytool -importkeystore -srckeystore {place} -destkeystore {place}.p12 -deststoretype pkcs12"],
        )
    password = said.get(f"{key}.password")
    with suppress(ValueError, TypeError):
        return pkcs12.load_pkcs12(content, None if password is None else password.encode())
    raise InputError(
        f"{path}: {key}.location: {place} is neither PEM nor PKCS12 that {key}.password opens; mend one of them"
    )


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
