"""Maven repositories: coordinates, the user's settings, and pinned jars, fetched once into the cache and verified at each use.

jars.sha256 has the SHA-256 of all jars that kassay itself needs, in the form of ``sha256sum --check``; ``python publishing/pinning.py`` prints
more lines of it. Python's urllib fetches them, since it knows the system's certificates and proxies; pooch would save twenty lines and bring
nine packages. Of ``~/.m2/settings.xml`` these jars need only mirror, login and proxy; Maven's own resolver reads the whole file, and encrypted
passwords are left to it.
"""

import hashlib
import os
import re
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Self
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    ProxyHandler,
    Request,
    build_opener,
    getproxies,
)
from xml.etree import ElementTree

from kassay import __version__
from kassay.defaults import cache_folder
from kassay.errors import InputError, TargetGoneError
from kassay.input_size import read_limited, read_stream
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
        """Read ``GROUP:ARTIFACT:VERSION``; raises InputError for other texts."""
        parts = text.split(":")
        if len(parts) != 3 or not all(_PART.fullmatch(part) for part in parts):
            raise InputError(
                f"{text!r} is no coordinate. Write GROUP:ARTIFACT:VERSION, as in org.apache.kafka:kafka-clients:4.4.0"
            )
        return cls(*parts)

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def path(self) -> str:
        """The path of the jar in repositories of Maven's layout."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.artifact}-{self.version}.jar"


FILE = Path(__file__).with_name("jars.sha256")


@cache
def compute_digests() -> dict[str, str]:
    """Return the SHA-256 of every pinned jar by its path in a repository."""
    lines = FILE.read_text(encoding="ascii").splitlines()
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def list_versions(group: str, artifact: str) -> list[str]:
    """Return the pinned versions of an artifact, oldest first."""
    start = f"{group.replace('.', '/')}/{artifact}/"
    found = [path.split("/")[-2] for path in compute_digests() if path.startswith(start)]
    return sorted(found, key=lambda version: [int(number) for number in version.split(".")])


CENTRAL = "central"


@dataclass(frozen=True, slots=True)
class Settings:
    """The mirror of Maven Central with its login, and the proxy with the hosts that are reached without it."""

    mirror: str | None = None
    user: str | None = None
    password: str | None = None
    proxy: str | None = None
    direct: tuple[str, ...] = ()


def read_settings(path: Path) -> Settings:
    """Read settings, empty ones if there is no such file; raises InputError if it is not XML."""
    if not path.is_file():
        return Settings()
    try:
        root = ElementTree.fromstring(read_limited(path))  # noqa: S314 - the user's own file
    except (ElementTree.ParseError, LookupError, ValueError) as wrong:  # also an unknown encoding
        raise InputError(f"{path}: is no XML ({wrong}). Correct the Maven settings") from None

    def mirrors_central(mirror: dict[str, str]) -> bool:
        parts = [part.strip() for part in mirror.get("mirrorOf", "").split(",")]
        return f"!{CENTRAL}" not in parts and any(part in {"*", "external:*", CENTRAL} for part in parts)

    mirror = next(filter(mirrors_central, _read_entries(root, "mirrors", "mirror")), None)
    place = CENTRAL if mirror is None else mirror.get("id", "")
    servers = _read_entries(root, "servers", "server")
    server = next((one for one in servers if one.get("id", "") == place), {})
    settings = Settings(
        mirror=mirror if mirror is None else mirror.get("url", "").rstrip("/"),
        user=server.get("username") or None,
        password=server.get("password") or None,
    )
    for proxy in _read_entries(root, "proxies", "proxy"):
        if proxy.get("active") != "false":
            user, password = (quote(proxy.get(name, ""), safe="") for name in ("username", "password"))
            login = f"{user}:{password}@" if user else ""
            url = f"http://{login}{proxy.get('host', '')}:{proxy.get('port') or '8080'}"
            direct = tuple(filter(None, proxy.get("nonProxyHosts", "").split("|")))
            return replace(settings, proxy=url, direct=direct)
    return settings


def _read_entries(root: ElementTree.Element, group: str, entry: str) -> list[dict[str, str]]:
    """Return the texts of all entries of a group by their names, the first of each name."""
    found = []
    for one in (child for groups in root if _format_name(groups) == group for child in groups):
        if _format_name(one) == entry:
            texts = [(_format_name(child), (child.text or "").strip()) for child in one]
            found.append(dict(reversed(texts)))
    return found


def _format_name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def is_direct(host: str, patterns: tuple[str, ...]) -> bool:
    """Return True if a host is reached without the proxy."""
    return any(fnmatchcase(host.lower(), pattern.lower()) for pattern in patterns)


CENTRAL_URL = "https://repo.maven.apache.org/maven2"
SETTINGS = "~/.m2/settings.xml"
ALLOW_HTTP = "KASSAY_ALLOW_HTTP"
"""The environment variable that is 1 with --allow-http, also for the processes that this one starts."""


@dataclass(frozen=True, slots=True)
class Network:
    """The repository to fetch from, with its login."""

    url: str
    """Without a login."""
    user: str | None
    password: str | None
    proxy: str | None
    """A URL that may have a login."""
    direct: tuple[str, ...]
    """The patterns of hosts that are reached without the proxy."""
    chosen: frozenset[str]
    """The names of the fields, `url` and `proxy`, that the environment sets, with precedence over the settings."""


def open_network() -> Network:
    """Read the environment (KASSAY_MAVEN_URL, HTTPS_PROXY, NO_PROXY ...) and then ``~/.m2/settings.xml``.

    Raises InputError if they cannot be read, or the repository is not encrypted and that is not allowed.
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
        raise InputError(f"{place}: {url!r} is no address. Give one such as {CENTRAL_URL}")
    if is_plain(url) and not is_http_allowed():
        raise InputError(
            f"{place}: {url!r} is not encrypted, so that what it sends may be changed "
            "on its way. Give an https:// address, or --allow-http"
        )
    proxies = getproxies()
    chosen = {"url"} if given else set()
    proxy, direct = settings.proxy, settings.direct
    if scheme in proxies:
        chosen.add("proxy")
        # A name in NO_PROXY means itself and all below it.
        names = [name.strip().lstrip(".") for name in proxies.get("no", "").split(",")]
        direct = tuple(pattern for name in names if name for pattern in (name, f"*.{name}"))
        proxy = proxies[scheme]
    user, password = login if given or login[0] is not None else (settings.user, settings.password)
    return Network(url, user, password, proxy, direct, frozenset(chosen))


def split_login(url: str) -> tuple[str, tuple[str | None, str | None]]:
    """Return a URL without its user and password, and these, None if it has none; raises ValueError if it is not a URL."""
    parts = urlsplit(url)
    user, password = parts.username, parts.password
    if user is None:
        return url, (None, None)
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return bare.geturl(), (unquote(user), None if password is None else unquote(password))


def is_http_allowed() -> bool:
    """Return True if other machines may be asked without encryption."""
    return os.environ.get(ALLOW_HTTP) == "1"


def is_plain(url: str) -> bool:
    """Return True if a URL is of another machine and not encrypted."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}


def with_login(reached: Network) -> str:
    """Return the URL of a repository with its login, for Maven's resolver."""
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


def fetch(coordinate: Coordinate) -> Path:
    """Return the jar of a pinned coordinate, fetched if need be.

    Raises InputError if the repository lacks the jar or has another one than the pinned one, and TargetGoneError if it cannot be reached.
    """
    path, digest = coordinate.path, compute_digests()[coordinate.path]
    jar = cache_folder() / "jars" / path
    if jar.is_file() and hashlib.sha256(jar.read_bytes()).hexdigest() == digest:
        return jar
    url = f"{open_network().url}/{path}"
    content = read_url(url)
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise InputError(
            f"{url}: has the SHA-256 {found} instead of {digest}. Set KASSAY_MAVEN_URL to a repository "
            "that has the original"
        )
    # Other processes never see a part of it.
    with find_cache(jar.parent), tempfile.TemporaryDirectory(dir=jar.parent) as draft:
        whole = Path(draft) / jar.name
        whole.write_bytes(content)
        whole.replace(jar)
    return jar


def read_url(url: str) -> bytes:
    """Fetch a file from the repository; raises InputError if it is missing, TargetGoneError on any other failure."""
    reached = open_network()
    headers = {"User-Agent": f"kassay/{__version__}"}
    if reached.user is not None:
        login = b64encode(f"{reached.user}:{reached.password or ''}".encode()).decode()
        headers["Authorization"] = f"Basic {login}"
    parts = urlsplit(url)
    proxies = {}
    if reached.proxy is not None and not is_direct(parts.hostname or "", reached.direct):
        proxies[parts.scheme] = reached.proxy
    for tries_left in reversed(range(TRIES)):
        try:
            opener = build_opener(ProxyHandler(proxies), Redirected)
            request = Request(url, headers=headers)  # noqa: S310 - the scheme was checked
            with opener.open(request, timeout=TIMEOUT_S) as answer:
                return read_stream(answer, url)
        except (OSError, HTTPException) as failed:
            missing = isinstance(failed, URLError) and isinstance(failed.reason, FileNotFoundError)
            if isinstance(failed, HTTPError):
                failed.close()
                missing = failed.code == 404
            if missing:
                raise InputError(f"{url}: there is no such file. Check the version") from None
            failure: Exception = failed
        if tries_left:
            time.sleep(PAUSE_S)
    raise TargetGoneError(
        f"{url}: cannot be fetched ({failure}). Connect, or set KASSAY_MAVEN_URL to a repository within reach"
    )


@contextmanager
def find_cache(folder: Path) -> Iterator[None]:
    """Make a folder of the cache; raises InputError if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as wrong:
        raise InputError(
            f"{folder}: cannot be written ({wrong.strerror}). Set KASSAY_CACHE to another folder"
        ) from None


class Redirected(HTTPRedirectHandler):
    """Redirects that must stay encrypted, and send no login to another host."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return the next request; raises URLError if it is not allowed."""
        if is_plain(newurl) and not is_http_allowed():
            fp.close()
            raise URLError(f"it leads to {newurl}, which is not encrypted; --allow-http allows it")
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        if following is not None and urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            following.remove_header("Authorization")
        return following
