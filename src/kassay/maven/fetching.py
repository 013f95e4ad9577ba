"""Fetching the pinned jars, once: into the cache, verified by SHA-256 each time they are used.

Python's own urllib does it, which knows the system's certificates and proxies; pooch would save twenty lines and bring
nine packages.
"""

import hashlib
import os
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from kassay import __version__
from kassay.errors import InputError, TargetGoneError
from kassay.maven.coordinate import Coordinate
from kassay.maven.network import Network, allows_http, is_plain, network
from kassay.maven.pinned import digests
from kassay.maven.settings import is_direct

TRIES = 3
TIMEOUT_S = 60.0
PAUSE_S = 1.0


def cache_folder() -> Path:
    """Return the folder for what is fetched or compiled: KASSAY_CACHE, else ``kassay`` in the user's cache folder."""
    chosen = os.environ.get("KASSAY_CACHE")
    usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(chosen) if chosen else Path(usual) / "kassay"


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
                content: bytes = answer.read()
                return content
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
