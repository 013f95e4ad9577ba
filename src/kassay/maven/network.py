"""How a Maven repository is reached: its address, login and proxy, from the environment and the user's Maven settings."""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

from kassay.errors import InputError
from kassay.maven.settings import read_settings

CENTRAL_URL = "https://repo.maven.apache.org/maven2"
SETTINGS = "~/.m2/settings.xml"
ALLOW_HTTP = "KASSAY_ALLOW_HTTP"
"""Set to 1, it is the option --allow-http, for all processes that this one starts, too."""


@dataclass(frozen=True, slots=True)
class Network:
    """The repository to fetch from, with its login.

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
    given = os.environ.get("KASSAY_MAVEN_URL", "").rstrip("/")
    url = given or settings.mirror or CENTRAL_URL
    scheme = urlsplit(url).scheme
    place = "KASSAY_MAVEN_URL" if given else SETTINGS
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
    user, password = (None, None) if given else (settings.user, settings.password)
    return Network(url, user, password, proxy, direct, frozenset(chosen))


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
