"""Redaction: no text, record or file that leaves kassay has a password that it knows.

Code that reads a secret notes it. The blocks of commands, sentences on standard error, files and reports of bugs pass :func:`redact` or
:func:`redact_value` before they leave.

>>> forget_secrets()
>>> note_secret("hunter2!")
>>> redact("the server says: wrong password hunter2!")
'the server says: wrong password ***'
>>> redact("https://me:unknown@repo.example/x")
'https://***@repo.example/x'
>>> forget_secrets()
"""

import html
import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus, unquote

T = TypeVar("T")
MASK = "***"
URLS = (
    "KASSAY_MAVEN_URL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
)
"""The variables of the environment whose URLs may hold a login."""
SHORT = 4
"""A secret with fewer characters is masked only if it is a whole word, as it may stand in any word."""
_LOGIN = re.compile(r"(?<=://)[^/\s@?#'\"<>]*:[^/\s?#'\"<>]*@")
"""A user with a password in a URL."""
_PASSWORD = re.compile(r"(?:[\w+.-]*://)?[^/@:]*:(.+)@", re.DOTALL)
"""The beginning of a URL up to the host, with the password."""
LEAST_BASE64 = 6
"""Fewer characters of Base64 may stand in any text."""


@dataclass
class _Known:
    """The secrets of this process, the pattern that finds them, and how often one was masked."""

    secrets: set[str] = field(default_factory=set)
    pattern: re.Pattern[str] | None = None
    masked: int = 0


_KNOWN = _Known()


def note_secret(secret: str | None) -> None:
    """Note a password, a key or a token, which no output shows from now on."""
    if not secret or secret in _KNOWN.secrets:
        return
    _KNOWN.secrets.add(secret)
    # of two spellings of which one holds the other, the longer one is to be found first
    words = sorted(
        {form for each in _KNOWN.secrets for form in _list_spellings(each)}, key=lambda w: (-len(w), w)
    )
    _KNOWN.pattern = re.compile("|".join(map(_build_pattern, words)))


def note_login(url: str) -> None:
    """Note the password of a URL, if it has one; also of text that is no URL, such as one whose scheme is forgotten."""
    found = _PASSWORD.match(url)
    if found:
        note_secret(found[1])
        note_secret(unquote(found[1]))


def note_environment() -> None:
    """Note the passwords in the variables of the environment that kassay reads."""
    for name in URLS:
        note_login(os.environ.get(name, ""))


def redact(text: str) -> str:
    """Return a text in which a mask stands in the place of each known secret, however it is written, and of each login in a URL."""
    if _KNOWN.pattern is not None:
        text, times = _KNOWN.pattern.subn(MASK, text)
        _KNOWN.masked += times
    if "://" in text and "@" in text:
        text, times = _LOGIN.subn(f"{MASK}@", text)
        _KNOWN.masked += times
    return text


def redact_value(value: T) -> T:
    """Return a value with all text in it redacted: in lists, mappings and dataclasses, however deep."""
    found: T = _redact_within(value) if _KNOWN.pattern is not None else value
    return found


def _redact_within(value: Any) -> Any:
    if isinstance(value, str):
        text = redact(value)
        return value if text == value else text  # what draws itself is no plain text
    if isinstance(value, Mapping):
        return {_redact_within(key): _redact_within(each) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_redact_within, value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(map(_redact_within, value))
    if is_dataclass(value) and not isinstance(value, type):
        own = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        changed = {name: new for name, old in own.items() if (new := _redact_within(old)) != old}
        return replace(value, **changed) if changed else value
    return value


def count_masked() -> int:
    """Return how often a secret was masked since this was last asked."""
    masked, _KNOWN.masked = _KNOWN.masked, 0
    return masked


def forget_secrets() -> None:
    """Forget all secrets, as tests do that plant some."""
    _KNOWN.secrets.clear()
    _KNOWN.pattern, _KNOWN.masked = None, 0


def _list_spellings(secret: str) -> set[str]:
    """Return a secret as texts of several kinds write it: in URLs, JSON, HTML, Python's and terminals' escapes, and Base64."""
    raw = secret.encode("utf-8", "surrogatepass")
    return {
        secret,
        quote(secret, safe="", errors="surrogatepass"),
        quote_plus(secret, safe="", errors="surrogatepass"),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        html.escape(secret),
        repr(secret)[1:-1],
        secret.encode("unicode_escape").decode(),
        b64encode(raw).decode(),
        b64encode(raw).decode().rstrip("="),
        *_find_within_base64(raw),
    }


def _find_within_base64(raw: bytes) -> Iterator[str]:
    """Yield the signs that stand for a secret within the Base64 of a longer text, such as a login: it may begin at any of three places."""
    for before in range(3):
        coded = b64encode(b"\0" * before + raw).decode()
        inner = coded[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]
        if len(inner) >= LEAST_BASE64:
            yield inner


def _build_pattern(word: str) -> str:
    """Return the pattern of a word, in which a backslash may stand doubled, and before a quote: a text may be quoted more than once."""
    escaped = "".join(
        r"\\+" if sign == "\\" else rf"\\*{sign}" if sign in "'\"" else re.escape(sign) for sign in word
    )
    return escaped if len(word) >= SHORT else rf"(?<!\w){escaped}(?!\w)"
