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

    Raises InputError where either cannot be read.
    """
    settings = read_settings(Path(SETTINGS).expanduser())
    given = os.environ.get("KASSAY_MAVEN_URL", "").rstrip("/")
    url = given or settings.mirror or CENTRAL_URL
    scheme = urlsplit(url).scheme
    if scheme not in {"http", "https", "file"}:
        place = "KASSAY_MAVEN_URL" if given else SETTINGS
        raise InputError(f"{place}: {url!r} is no address; give one such as {CENTRAL_URL}")
    proxies = getproxies()
    chosen = {"url"} if given else set()
    proxy, direct = settings.proxy, settings.direct
    if scheme in proxies:
        chosen.add("proxy")
        proxy, direct = proxies[scheme], _without(proxies.get("no", ""))
    user, password = (None, None) if given else (settings.user, settings.password)
    return Network(url, user, password, proxy, direct, frozenset(chosen))


def _without(no_proxy: str) -> tuple[str, ...]:
    """Turn NO_PROXY into patterns: a name there stands for itself and all below it."""
    names = [name.strip().lstrip(".") for name in no_proxy.split(",")]
    return tuple(pattern for name in names if name for pattern in (name, f"*.{name}"))
