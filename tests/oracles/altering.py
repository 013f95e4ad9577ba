"""JSON with one key left out, without a value, with nothing in its value, or standing twice: each key of a value in turn."""

import json
from collections.abc import Iterator
from typing import Any

HOW = ("left out", "null", "empty", "twice")


def keys(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where each key of each object in a value stands."""
    if isinstance(value, dict):
        for key, of in value.items():
            yield (*place, key)
            yield from keys(of, (*place, key))
    elif isinstance(value, list):
        for n, of in enumerate(value):
            yield from keys(of, (*place, n))


def text(value: Any, place: tuple[str | int, ...] = (), how: str = "") -> str:
    """The JSON of a value, altered at the key that stands at a place."""
    if len(place) == 1:
        pairs = [(key, of) for key, of in value.items() if (key, how) != (place[0], "left out")]
        nothing = {"null": "null", "empty": json.dumps(type(value[place[0]])())}
        told = [
            f"{json.dumps(k)}: {nothing.get(how, json.dumps(of)) if k == place[0] else json.dumps(of)}"
            for k, of in pairs
        ]
        again = [f"{json.dumps(place[0])}: {json.dumps(value[place[0]])}"] if how == "twice" else []
        return f"{{{', '.join(told + again)}}}"
    if place and isinstance(value, dict):
        inner = (
            (k, text(of, place[1:], how) if k == place[0] else json.dumps(of)) for k, of in value.items()
        )
        return f"{{{', '.join(f'{json.dumps(k)}: {of}' for k, of in inner)}}}"
    if place:
        return f"[{', '.join(text(of, place[1:], how) if n == place[0] else json.dumps(of) for n, of in enumerate(value))}]"
    return json.dumps(value)
