"""JSON text as values: what every reader of JSON text begins with.

An object that has a key twice is refused: of two readers one would see the first, the other the last of both values.

Decoded JSON as a type, which every reader of JSON begins with; and settings as JSON.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeVar, overload

import msgspec

from kassay.errors import InputError

T = TypeVar("T")
DEEPEST = 20
"""Objects and lists within each other are counted up to so deep; what is deeper is read pair by pair."""
_SPACED = (" :", "\t:", "\n:", "\r:")
_OBJECT = re.compile(rb"\{")
_LIST, _DICT = map(ord, "[{")
_RAW = msgspec.json.Decoder(dict[str, msgspec.Raw]), msgspec.json.Decoder(list[msgspec.Raw])


class RepeatedKeyError(InputError):
    """An object has a key twice; the sentence names it."""


@overload
def decoded(text: str | bytes) -> Any: ...
@overload
def decoded(text: str | bytes, kind: type[T]) -> T: ...
def decoded(text: str | bytes, kind: Any = Any) -> Any:
    """Read one JSON value; raises what msgspec raises, or RepeatedKeyError where an object has a key twice."""
    with suppress(UnicodeDecodeError):  # of which msgspec says more
        refuse_repeated(text if isinstance(text, str) else text.decode())
    return msgspec.json.decode(text, type=kind)


def refuse_repeated(text: str) -> None:
    """Raise RepeatedKeyError where an object of a text has a key twice; of a text that is no JSON nothing is said.

    A key is a text before a colon. Where there are no more of these signs than the objects have different keys, which is
    quick to count, no key stands twice; other texts are read pair by pair.
    """
    with suppress(
        msgspec.DecodeError, json.JSONDecodeError, UnicodeError
    ):  # no JSON, as whoever decodes it says
        if any(sign in text for sign in _SPACED):
            text = msgspec.json.format(text, indent=-1)
        signs = text.count('":')
        if signs and signs != _keys(text.encode().strip()):
            json.loads(text, object_pairs_hook=_refuse_twice, parse_int=len, parse_float=len)


def _keys(raw: bytes | msgspec.Raw, depth: int = 0) -> int:
    """Return how many different keys all objects of a text have; less where it is deeper than is counted."""
    first = memoryview(raw)[0]
    if depth == DEEPEST or first not in (_DICT, _LIST) or not _OBJECT.search(raw):
        return 0
    if first == _LIST:
        return sum(_keys(each, depth + 1) for each in _RAW[1].decode(raw))
    pairs = _RAW[0].decode(raw)
    return len(pairs) + sum(_keys(each, depth + 1) for each in pairs.values())


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise RepeatedKeyError(f"the key {key[:60]!r} stands twice in one object; give it once")
        seen.add(key)


MISSING = re.compile(r"Object missing required field (`.*?`)")


def convert_json(data: Any, shape: type[T]) -> T:
    """Check decoded JSON against a type; raises InputError saying where it differs and what belongs there."""
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as wrong:
        said, _, place = str(wrong).partition(" - at `$")
        what = said.replace("Object contains unknown field", "there is no field")
        what = MISSING.sub(r"a field is missing: add \1", what)
        path = place.rstrip("`").removeprefix(".")
        raise InputError(f"{path}: {what}" if path else what) from None


def write_config(settings: Any, fields: Mapping[str, str]) -> dict[str, Any]:
    """Make the JSON of settings under `config`, those that are not Kafka's default by the names that Kafka has for `fields`; nothing where there are none."""
    usual = type(settings)()
    written = {
        name: list(value) if isinstance(value, tuple) else value
        for name, field in fields.items()
        if (value := getattr(settings, field)) != getattr(usual, field)
    }
    return {"config": written} if written else {}
