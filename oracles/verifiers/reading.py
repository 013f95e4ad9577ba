"""What the stand-alone verifiers read: JSON values of a form; like them it needs Python alone."""

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any


class WrongInputError(Exception):
    """What was given is no group or no answer."""


class NotProvedError(Exception):
    """The answer says what is not so, or proves less than an optimum."""


def need(holds: object, sentence: str, kind: type[Exception] = WrongInputError) -> None:
    """Refuse input where something does not hold."""
    if not holds:
        raise kind(sentence)


claim = partial(need, kind=NotProvedError)  # refuses the proof instead


def shaped(value: Any, form: Any, path: str) -> None:
    """Demand a form: a type, [of each], (one, by, one), {None: or none}, {str: of each} or {"key": form}.

    A key that ends with ? may be left out, one that ends with ! may not even where there may be none.
    """
    if isinstance(form, dict) and None in form:
        return None if value is None else shaped(value, form[None], path)
    kind = form if isinstance(form, type) else dict if isinstance(form, dict) else list
    missing = "missing" if value is None else str(value)[:60]
    need(type(value) is kind, f"{path}: is {missing}; give {kind.__name__}")
    if isinstance(form, list):
        form = form * len(value)
    elif isinstance(form, dict) and str in form:
        form = dict.fromkeys(value, form[str])
    if not isinstance(form, type):
        need(kind is dict or len(value) == len(form), f"{path}: has {len(value)} entries; give {len(form)}")
        for key, of in form.items() if isinstance(form, dict) else enumerate(form):
            name = key.rstrip("?!") if isinstance(key, str) and key not in value else key
            need(not str(key).endswith("!") or name in value, f"{path}.{name}: is missing; give it")
            if not str(key).endswith("?") or name in value:
                shaped(value.get(name) if kind is dict else value[name], of, f"{path}.{name}")
    return None


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs; a key that stands twice is refused, as another reader would take the other value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {twice[:60]!r} stands twice in one object")
    return found


def decoded(text: str) -> Any:
    """Read one JSON value."""
    return json.loads(text, parse_constant=int, object_pairs_hook=once)


def read(path: str) -> Any:
    """Read the one JSON value of a file."""
    try:
        value = decoded(Path(path).read_bytes().decode("utf-8-sig"))
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (OSError, ValueError, RecursionError) as wrong:
        raise WrongInputError(f"{path}: cannot be read as JSON: {wrong}; give one JSON value") from None
    return value
