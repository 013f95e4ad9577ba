"""Strict reading of JSON, and checks of its form; each error is one sentence that names the field."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias

Json: TypeAlias = Any
Form: TypeAlias = Any
"""The form of a value; see :func:`require_form`."""
LARGEST = 10**300
"""Numbers of certificates have fewer digits than this one."""
OPEN = "..."
"""The key of a form whose objects may have other keys, too."""
LEVEL = {"level": str, "value": int, "least": int, "proved": bool, OPEN: None}
"""The form of a level of an answer."""


class WrongInputError(ValueError):
    """The input is no group, or no answer to one."""


class NotProvedError(ValueError):
    """The answer states something false, or proves less than it states."""


def require(holds: object, sentence: str) -> None:
    """Raise WrongInputError with a sentence if something does not hold."""
    if not holds:
        raise WrongInputError(sentence)


def prove(holds: object, sentence: str) -> None:
    """Raise NotProvedError with a sentence if something does not hold."""
    if not holds:
        raise NotProvedError(sentence)


def compare(path: str, stated: object, found: object) -> None:
    """Raise NotProvedError if a statement differs from what was found."""
    prove(stated == found, f"{path}: states {format_short(stated)}, but it is {format_short(found)}")


def compare_rows(path: str, stated: list[Json], form: dict[str, Form], found: object) -> None:
    """Raise NotProvedError if the fields of a form are stated otherwise than found; other keys of objects do not count."""
    compare(path, [{key: each[key] for key in form if key != OPEN} for each in stated], found)


def format_short(value: object) -> str:
    """Return a value as text, cut after 200 characters."""
    try:
        text = str(value)
    except ValueError:  # a number of more digits than Python prints
        return "a very long number"
    return text if len(text) <= 200 else f"{text[:200]}..."


def describe_proof(question: str, levels: list[dict[str, Json]], *, proved: bool) -> str:
    """Return a sentence on the proved levels; raises NotProvedError if not all are proved."""
    shown = ", ".join(
        f"{each['level']} {each['value'] if each['proved'] else '{least} to {value}'.format(**each)}"
        for each in levels
    )
    prove(proved, f"what it states holds, but it does not prove an optimum: {shown or 'no level'}")
    return f"proved: nothing is better in {question}: {shown or 'no level'}"


def read_values(name: str, content: bytes) -> list[Json]:
    """Read the JSON values of a file: one, or one on each line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise WrongInputError(f"{name}: cannot be read as JSON: {wrong}. Give text in UTF-8") from None
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1:
        try:
            return [decode_value(name, line) for line in lines]
        except WrongInputError:  # one value that stands on several lines
            pass
    return [decode_value(name, text)]


def decode_value(name: str, text: str) -> Json:
    """Read one JSON value; refuses repeated keys, infinite numbers, halves of characters, and anything after the value."""
    try:
        value = json.loads(
            text, parse_constant=_read_number, parse_float=_read_number, object_pairs_hook=_read_object
        )
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as wrong:
        raise WrongInputError(
            f"{name}: cannot be read as JSON: {format_short(wrong)}. Give one JSON value"
        ) from None
    return value


def _read_object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Make an object of its pairs; a key that stands twice is refused, as another reader would take the other value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {twice[:60]!r} stands twice in one object")
    return found


def _read_number(text: str) -> float:
    if text in ("NaN", "Infinity", "-Infinity"):
        raise ValueError(f"{text} is no number of JSON")
    if math.isinf(found := float(text)):
        raise ValueError(f"{text[:60]} is too large")
    return found


def require_form(value: Json, form: Form, path: str) -> None:
    """Raise WrongInputError if a value has another form.

    A form is a type, one of {types}, [of each], (one, by, one), {None: or none}, {str: of each} or {"key": form}. A key that ends with ? may be
    missing. Unknown keys are refused, unless the form has :data:`OPEN`.
    """
    if not is_of_form([value], form):
        raise WrongInputError(_find_fault(value, form, path))


def is_of_form(values: list[Json], form: Form) -> bool:
    """Return True if all values have a form; column by column, which is fast for many."""
    if isinstance(form, type | frozenset):
        return set(map(type, values)) <= (form if isinstance(form, frozenset) else {form})
    if isinstance(form, dict) and None in form:
        return is_of_form([value for value in values if value is not None], form[None])
    if not set(map(type, values)) <= {_get_type(form)}:
        return False
    if isinstance(form, list):
        return is_of_form(list(chain.from_iterable(values)), form[0])
    if isinstance(form, tuple):
        return set(map(len, values)) <= {len(form)} and all(
            is_of_form(list(map(itemgetter(n), values)), of) for n, of in enumerate(form)
        )
    if str in form:
        return is_of_form([each for value in values for each in value.values()], form[str])
    if OPEN not in form and not set().union(*values) <= {key.rstrip("?") for key in form}:
        return False
    for key, of in form.items():
        name = key.rstrip("?")
        there = [value[name] for value in values if name in value]
        if key != OPEN and not ((key != name or len(there) == len(values)) and is_of_form(there, of)):
            return False
    return True


def _get_type(form: Form) -> Any:
    if isinstance(form, dict):
        return _get_type(form[None]) if None in form else dict
    return next(iter(form)) if isinstance(form, frozenset) else form if isinstance(form, type) else list


def _find_fault(value: Json, form: Form, path: str) -> str:
    """Return a sentence on the first place where a value has another form."""
    if isinstance(form, dict) and None in form:
        return _find_fault(value, form[None], path)
    if type(value) is not _get_type(form) or isinstance(form, frozenset):
        said = "null" if value is None else format_short(value)[:60]
        return f"{path or 'answer'}: is {said}. Give {NAMES[_get_type(form)]}"
    if isinstance(form, tuple) and len(value) != len(form):
        return f"{path}: has {len(value)} entries. Give {len(form)}"
    for name, child, of in _list_children(value, form, path):
        if child is MISSING:
            return f"{name}: is missing. Give {NAMES[_get_type(of)]}"
        if of is MISSING:
            return f"{name}: is not known. Leave it out"
        if not is_of_form([child], of):
            return _find_fault(child, of, name)
    raise AssertionError(path)


MISSING = object()
NAMES = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}


def _list_children(value: Json, form: Form, path: str) -> Iterator[tuple[str, Json, Form]]:
    if not isinstance(form, dict):
        forms: Iterable[Form] = form if isinstance(form, tuple) else form * len(value)
        yield from (
            (f"{path}[{n}]", child, of) for n, (child, of) in enumerate(zip(value, forms, strict=True))
        )
    elif str in form:
        yield from ((_join_path(path, key), child, form[str]) for key, child in value.items())
    else:
        names = {key.rstrip("?"): key for key in form}
        for name, key in names.items():
            if name != OPEN and (name in value or key == name):
                yield _join_path(path, name), value.get(name, MISSING), form[key]
        if OPEN not in form:
            yield from (
                (_join_path(path, key), value[key], MISSING) for key in sorted(value.keys() - names.keys())
            )


def _join_path(path: str, key: str) -> str:
    return f"{path}.{key[:60]}" if path else key[:60]
