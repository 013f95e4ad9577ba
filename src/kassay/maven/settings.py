"""The part of a user's Maven settings (``~/.m2/settings.xml``) that fetching needs: mirror, login, proxy.

Maven's own resolver reads the whole file; this is for the jars that are fetched before it can run. Encrypted passwords
are left to it.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from kassay.errors import InputError
from kassay.input_size import read_limited

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
