"""Maven coordinates: how an artifact is named, and where a repository keeps its jar.

The jars kassay itself names, by SHA-256: what jars.sha256 lists, in the form that ``sha256sum --check`` reads.

``python publishing/pinning.py`` prints the lines for more of them.
"""

import hashlib
import os
import re
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Self
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
    getproxies,
)
from xml.etree import ElementTree

from kassay import __version__
from kassay.defaults import cache_folder
from kassay.errors import InputError, TargetGoneError
from kassay.files.texts import read_limited, read_stream
from kassay.output.redaction import note_environment, note_login, note_secret

_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")


@dataclass(frozen=True, slots=True)
class Coordinate:
    """An artifact of one version; prints as ``group:artifact:version``."""

    group: str
    artifact: str
    version: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``GROUP:ARTIFACT:VERSION``; raises InputError where it is none."""
        parts = text.split(":")
        if len(parts) != 3 or not all(_PART.fullmatch(part) for part in parts):
            raise InputError(
                f"{text!r} is no coordinate; write GROUP:ARTIFACT:VERSION, as in org.apache.kafka:kafka-clients:4.4.0"
            )
        return cls(*parts)

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def path(self) -> str:
        """Where repositories of Maven's layout keep the jar."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.artifact}-{self.version}.jar"


FILE = Path(__file__).with_name("jars.sha256")


@cache
def digests() -> dict[str, str]:
    """Return the SHA-256 of every pinned jar by its path in a repository."""
    lines = FILE.read_text(encoding="ascii").splitlines()
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def versions(group: str, artifact: str) -> list[str]:
    """Return the pinned versions of an artifact, oldest first."""
    start = f"{group.replace('.', '/')}/{artifact}/"
    found = [path.split("/")[-2] for path in digests() if path.startswith(start)]
    return sorted(found, key=lambda version: [int(number) for number in version.split(".")])


CENTRAL = "central"


@dataclass(frozen=True, slots=True)
class Settings:
    """The mirror to use for Maven Central with its login, and the proxy with the hosts that are reached without it."""

    mirror: str | None = None
    user: str | None = None
    password: str | None = None
    proxy: str | None = None
    direct: tuple[str, ...] = ()


def read_settings(path: Path) -> Settings:
    """Read settings; those of a file that does not exist are empty. Raises InputError where it is no XML."""
    if not path.is_file():
        return Settings()
    try:
        root = ElementTree.fromstring(read_limited(path))  # noqa: S314 - the user's own file
    except (ElementTree.ParseError, LookupError, ValueError) as wrong:  # an encoding that is none, too
        raise InputError(f"{path}: is no XML ({wrong}); correct the Maven settings") from None
    mirror = next((m for m in _all(root, "mirrors", "mirror") if _stands_for(_text(m, "mirrorOf"))), None)
    place = CENTRAL if mirror is None else _text(mirror, "id")
    server = next((s for s in _all(root, "servers", "server") if _text(s, "id") == place), None)
    proxy = next((p for p in _all(root, "proxies", "proxy") if _text(p, "active") != "false"), None)
    return Settings(
        mirror=mirror if mirror is None else _text(mirror, "url").rstrip("/"),
        user=None if server is None else _text(server, "username") or None,
        password=None if server is None else _text(server, "password") or None,
        proxy=None if proxy is None else _proxy_url(proxy),
        direct=() if proxy is None else tuple(filter(None, _text(proxy, "nonProxyHosts").split("|"))),
    )


def _stands_for(pattern: str) -> bool:
    """Tell whether a mirrorOf pattern covers Maven Central."""
    parts = [part.strip() for part in pattern.split(",")]
    return f"!{CENTRAL}" not in parts and any(part in {"*", "external:*", CENTRAL} for part in parts)


def _proxy_url(proxy: ElementTree.Element) -> str:
    user, password = _text(proxy, "username"), _text(proxy, "password")
    login = f"{quote(user, safe='')}:{quote(password, safe='')}@" if user else ""
    return f"http://{login}{_text(proxy, 'host')}:{_text(proxy, 'port') or '8080'}"


def is_direct(host: str, patterns: tuple[str, ...]) -> bool:
    """Tell whether a host is to be reached without the proxy."""
    return any(fnmatchcase(host.lower(), pattern.lower()) for pattern in patterns)


def _all(root: ElementTree.Element, *names: str) -> list[ElementTree.Element]:
    found = [root]
    for name in names:
        found = [child for one in found for child in one if child.tag.rpartition("}")[2] == name]
    return found


def _text(element: ElementTree.Element, name: str) -> str:
    return next(((child.text or "").strip() for child in _all(element, name)), "")


CENTRAL_URL = "https://repo.maven.apache.org/maven2"
SETTINGS = "~/.m2/settings.xml"
ALLOW_HTTP = "KASSAY_ALLOW_HTTP"
"""Set to 1, it is the option --allow-http, for all processes that this one starts, too."""


@dataclass(frozen=True, slots=True)
class Network:
    """The repository to fetch from, with its login; the URL itself holds none.

    `proxy` is a URL that may hold a login; `direct` are patterns of hosts which are reached without it. `chosen` tells
    which of `url` and `proxy` the environment sets, so that they go before the settings.
    """

    url: str
    user: str | None
    password: str | None
    proxy: str | None
    direct: tuple[str, ...]
    chosen: frozenset[str]


def network() -> Network:
    """Read the environment (KASSAY_MAVEN_URL, HTTPS_PROXY, NO_PROXY ...) and then ``~/.m2/settings.xml``.

    Raises InputError where either cannot be read, or the repository is asked without encryption and that is not allowed.
    """
    settings = read_settings(Path(SETTINGS).expanduser())
    note_environment()
    note_secret(settings.password)
    for address in (settings.mirror, settings.proxy):
        note_login(address or "")
    given = os.environ.get("KASSAY_MAVEN_URL", "").rstrip("/")
    place = "KASSAY_MAVEN_URL" if given else SETTINGS
    try:
        url, login = split_login(given or settings.mirror or CENTRAL_URL)
    except ValueError as wrong:
        raise InputError(f"{place}: is not an address ({wrong}). Give one such as {CENTRAL_URL}.") from None
    scheme = urlsplit(url).scheme
    if scheme not in {"http", "https", "file"}:
        raise InputError(f"{place}: {url!r} is no address; give one such as {CENTRAL_URL}")
    if is_plain(url) and not allows_http():
        raise InputError(
            f"{place}: {url!r} is not encrypted, so that what it sends may be changed "
            "on its way; give an https:// address, or --allow-http"
        )
    proxies = getproxies()
    chosen = {"url"} if given else set()
    proxy, direct = settings.proxy, settings.direct
    if scheme in proxies:
        chosen.add("proxy")
        proxy, direct = proxies[scheme], _without(proxies.get("no", ""))
    user, password = login if given or login[0] is not None else (settings.user, settings.password)
    return Network(url, user, password, proxy, direct, frozenset(chosen))


def split_login(url: str) -> tuple[str, tuple[str | None, str | None]]:
    """Return a URL without the user and password in it, and these, None if it has none; raises ValueError if it is no URL."""
    parts = urlsplit(url)
    user, password = parts.username, parts.password
    if user is None:
        return url, (None, None)
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return bare.geturl(), (unquote(user), None if password is None else unquote(password))


def allows_http() -> bool:
    """Tell whether other machines may be asked without encryption."""
    return os.environ.get(ALLOW_HTTP) == "1"


def is_plain(url: str) -> bool:
    """Tell whether a URL is of another machine and not encrypted."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}


def _without(no_proxy: str) -> tuple[str, ...]:
    """Turn NO_PROXY into patterns: a name there stands for itself and all below it."""
    names = [name.strip().lstrip(".") for name in no_proxy.split(",")]
    return tuple(pattern for name in names if name for pattern in (name, f"*.{name}"))


def with_login(reached: Network) -> str:
    """Return the URL of a repository with its login in it, as Maven's resolver takes it."""
    if reached.user is None:
        return reached.url
    parts = urlsplit(reached.url)
    login = quote(reached.user, safe="") + (
        f":{quote(reached.password, safe='')}" if reached.password else ""
    )
    return parts._replace(netloc=f"{login}@{parts.netloc}").geturl()


TRIES = 3
TIMEOUT_S = 60.0
PAUSE_S = 1.0


def fetched(coordinate: Coordinate) -> Path:
    """Return the jar of a pinned coordinate, fetched if need be.

    Raises InputError where the repository's jar is another than the pinned one, or is not there, and TargetGoneError
    where the repository cannot be reached.
    """
    path, digest = coordinate.path, digests()[coordinate.path]
    jar = cache_folder() / "jars" / path
    if jar.is_file() and hashlib.sha256(jar.read_bytes()).hexdigest() == digest:
        return jar
    url = f"{network().url}/{path}"
    content = read_url(url)
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise InputError(
            f"{url}: has the SHA-256 {found} instead of {digest}; it was changed, so set KASSAY_MAVEN_URL to a repository "
            "that has the original"
        )
    _store(jar, content)
    return jar


def read_url(url: str) -> bytes:
    """Fetch a file from the repository; raises InputError where it is not there, TargetGoneError on any other failure."""
    reached = network()
    for tries_left in reversed(range(TRIES)):
        try:
            with _opener(url, reached).open(_request(url, reached), timeout=TIMEOUT_S) as answer:
                return read_stream(answer, url)
        except (OSError, HTTPException) as failed:
            if isinstance(failed, HTTPError):
                failed.close()
            if _is_missing(failed):
                raise InputError(f"{url}: there is no such file; check the version") from None
            failure: Exception = failed
        if tries_left:
            time.sleep(PAUSE_S)
    raise TargetGoneError(
        f"{url}: cannot be fetched ({failure}); connect, or set KASSAY_MAVEN_URL to a repository within reach"
    )


def _is_missing(failure: Exception) -> bool:
    if isinstance(failure, HTTPError):
        return failure.code == 404
    return isinstance(failure, URLError) and isinstance(failure.reason, FileNotFoundError)


def _store(jar: Path, content: bytes) -> None:
    """Put a jar into the cache so that nobody ever sees half of it."""
    with usable_cache(jar.parent), tempfile.TemporaryDirectory(dir=jar.parent) as draft:
        whole = Path(draft) / jar.name
        whole.write_bytes(content)
        whole.replace(jar)


@contextmanager
def usable_cache(folder: Path) -> Iterator[None]:
    """Make a folder of the cache to write into; raises InputError where it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as wrong:
        raise InputError(
            f"{folder}: cannot be written ({wrong.strerror}); set KASSAY_CACHE to another folder"
        ) from None


def _opener(url: str, reached: Network) -> OpenerDirector:
    host, scheme = urlsplit(url).hostname or "", urlsplit(url).scheme
    if reached.proxy is None or is_direct(host, reached.direct):
        return build_opener(ProxyHandler({}), Redirected)
    return build_opener(ProxyHandler({scheme: reached.proxy}), Redirected)


class Redirected(HTTPRedirectHandler):
    """Follows no repository out of encryption, and hands no login to another host."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return what is asked next; raises URLError where that is not allowed."""
        if is_plain(newurl) and not allows_http():
            fp.close()
            raise URLError(f"it leads to {newurl}, which is not encrypted; --allow-http allows it")
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        if following is not None and urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            following.remove_header("Authorization")
        return following


def _request(url: str, reached: Network) -> Request:
    headers = {"User-Agent": f"kassay/{__version__}"}
    if reached.user is not None:
        login = b64encode(f"{reached.user}:{reached.password or ''}".encode()).decode()
        headers["Authorization"] = f"Basic {login}"
    return Request(url, headers=headers)  # noqa: S310 - the scheme was checked
