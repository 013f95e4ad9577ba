"""Conversion of JSON text to values, and between forms of JSON objects and frozen dataclasses.

An object with a repeated key is refused, because some readers take the first value and others the last.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar, overload

import msgspec

from kassay.errors import InputError

T = TypeVar("T")
DEEPEST = 20
"""The deepest nesting in which keys are counted. Deeper objects are read pair by pair."""
_SPACED = (" :", "\t:", "\n:", "\r:")
_OBJECT = re.compile(rb"\{")
_LIST, _DICT = map(ord, "[{")
_RAW = msgspec.json.Decoder(dict[str, msgspec.Raw]), msgspec.json.Decoder(list[msgspec.Raw])


class RepeatedKeyError(InputError):
    """An object has a key twice; the sentence names it."""


@overload
def decode_json(text: str | bytes) -> Any: ...
@overload
def decode_json(text: str | bytes, kind: type[T]) -> T: ...
def decode_json(text: str | bytes, kind: Any = Any) -> Any:
    """Return one JSON value; raises the errors of msgspec, or RepeatedKeyError if an object has a key twice."""
    with suppress(UnicodeDecodeError):  # msgspec describes it better.
        refuse_repeated(text if isinstance(text, str) else text.decode())
    return msgspec.json.decode(text, type=kind)


def refuse_repeated(text: str) -> None:
    """Raise RepeatedKeyError if an object of a text has a key twice; a text that is not JSON passes.

    A key is a text before a colon. If a text has as many such signs as different keys in its objects, which is quick to count,
    no key is repeated. Other texts are read pair by pair.
    """
    with suppress(
        msgspec.DecodeError, json.JSONDecodeError, UnicodeError
    ):  # Not JSON: its decoder reports that.
        signs = text.count('":')
        # One more scan of a large text is cheaper than four; if no colon is apart from its key, the text is as it should be.
        if text.count(":") != signs and any(sign in text for sign in _SPACED):
            text = msgspec.json.format(text, indent=-1)
            signs = text.count('":')
        if signs and signs != _count_keys(text.encode().strip()):
            json.loads(text, object_pairs_hook=_refuse_keys, parse_int=len, parse_float=len)


def _refuse_keys(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise RepeatedKeyError(f"the key {key[:60]!r} stands twice in one object. Give it once")
        seen.add(key)


def _count_keys(raw: bytes | msgspec.Raw, depth: int = 0) -> int:
    """Return the number of different keys in all objects of a text; fewer if it is nested deeper than DEEPEST."""
    first = memoryview(raw)[0]
    if depth == DEEPEST or first not in (_DICT, _LIST):
        return 0
    if first == _LIST:
        objects = _RAW[1].decode(raw) if _OBJECT.search(raw) else ()
        return sum(_count_keys(each, depth + 1) for each in objects)
    pairs = _RAW[0].decode(raw)
    if not _OBJECT.search(raw, 1):
        return len(pairs)
    return len(pairs) + sum(_count_keys(each, depth + 1) for each in pairs.values())


_MISSING = re.compile(r"Object missing required field (`.*?`)")
_UNKNOWN = re.compile(r"Object contains unknown field (`.*`)", re.DOTALL)


def convert_json(data: Any, shape: type[T]) -> T:
    """Return decoded JSON as a type; raises InputError naming the field and the expected value."""
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as wrong:
        said, _, place = str(wrong).partition(" - at `$")
        what = _UNKNOWN.sub(r"there is no field \1. Leave it out", said)
        what = _MISSING.sub(r"a field is missing. Add \1", what)
        path = place.rstrip("`").removeprefix(".")
        raise InputError(f"{path}: {what}" if path else what) from None


def build_part(path: str, build: Callable[[], T]) -> T:
    """Return the result of `build`; its ValueError becomes an InputError that begins with the path."""
    try:
        return build()
    except ValueError as wrong:
        raise InputError(f"{path}.{wrong}" if path else str(wrong)) from None


def build_fields(kind: Callable[..., T], form: msgspec.Struct, **others: Any) -> T:
    """Return an object built from the fields of the same names of a form; `others` replace some of them."""
    fields = {name: getattr(form, name) for name in form.__struct_fields__}
    return kind(**fields | others)


def write_fields(
    form: type[msgspec.Struct], value: object, *, whole: bool = False, **others: Any
) -> dict[str, Any]:
    """Return the JSON of an object by the fields of its form; without `whole`, fields with the default of the form are left out.

    `others` replace fields of the object. Tuples become lists.
    """
    written = {}
    for name, key, default in _list_fields(form):
        given = others[name] if name in others else getattr(value, name)
        if whole or given != default:
            written[key] = list(given) if type(given) is tuple else given
    return written


@cache
def _list_fields(form: type[msgspec.Struct]) -> list[tuple[str, str, Any]]:
    """Return name, JSON key and default of each field; the default of a required field is NODEFAULT, which equals no value."""
    return [
        (
            field.name,
            field.encode_name,
            field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory(),
        )
        for field in msgspec.structs.fields(form)
    ]


def map_keys(form: type[msgspec.Struct]) -> dict[str, str]:
    """Return JSON key -> name of the field."""
    return {key: name for name, key, _ in _list_fields(form)}
