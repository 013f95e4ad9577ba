"""JSON read strictly, and values of a form: what cannot be read, or is not so, has one sentence that names the field."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Any, NoReturn, TypeAlias

Json: TypeAlias = Any
Form: TypeAlias = Any
"""What a value must be; see :func:`shaped`."""
LARGEST = 10**300
"""Numbers of certificates have fewer digits than this one."""
OPEN = "..."
"""The key of a form whose objects may have other keys, too."""
LEVEL = {"level": str, "value": int, "least": int, "proved": bool, OPEN: None}
"""What an answer says of a level."""


class WrongInputError(ValueError):
    """What was given is no group, or no answer to one."""


class NotProvedError(ValueError):
    """The answer says what is not so, or proves less than it states."""


def need(holds: object, sentence: str) -> None:
    """Refuse input where something does not hold."""
    if not holds:
        raise WrongInputError(sentence)


def claim(holds: object, sentence: str) -> None:
    """Refuse a proof where something does not hold."""
    if not holds:
        raise NotProvedError(sentence)


def same(path: str, stated: object, found: object) -> None:
    """Refuse what is stated otherwise than it was found."""
    claim(stated == found, f"{path}: states {short(stated)}, but it is {short(found)}")


def short(value: object) -> str:
    """Return what is printed of a value; of a long one the beginning."""
    try:
        text = str(value)
    except ValueError:  # a number of more digits than Python prints
        return "a very long number"
    return text if len(text) <= 200 else f"{text[:200]}..."


def said(question: str, levels: list[dict[str, Json]], *, proved: bool) -> str:
    """Say what is proved of levels; raises NotProvedError where that is no optimum."""
    shown = ", ".join(
        f"{each['level']} {each['value'] if each['proved'] else '{least} to {value}'.format(**each)}"
        for each in levels
    )
    claim(proved, f"what it states holds, but it does not prove an optimum: {shown or 'no level'}")
    return f"proved: nothing is better in {question}: {shown or 'no level'}"


def values_of(name: str, content: bytes) -> list[Json]:
    """Read the JSON values of a file: one, or one on each line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise WrongInputError(f"{name}: cannot be read as JSON: {wrong}; give text in UTF-8") from None
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1:
        try:
            return [decoded(name, line) for line in lines]
        except WrongInputError:  # one value that stands on several lines
            pass
    return [decoded(name, text)]


def decoded(name: str, text: str) -> Json:
    """Read one JSON value, without repeated keys, numbers that are none, halves of characters, or anything behind it."""
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_once)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as wrong:
        raise WrongInputError(
            f"{name}: cannot be read as JSON: {short(wrong)}; give one JSON value"
        ) from None
    return value


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Make an object of its pairs; a key that stands twice is refused, as another reader would take the other value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {twice[:60]!r} stands twice in one object")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    if math.isinf(found := float(text)):
        raise ValueError(f"{text[:60]} is too large")
    return found


def shaped(value: Json, form: Form, path: str) -> None:
    """Demand a form: a type, one of {types}, [of each], (one, by, one), {None: or none}, {str: of each} or {"key": form}.

    A key that ends with ? may be left out, others may not; keys that the form does not name are refused, unless it has :data:`OPEN`.
    """
    if not fits([value], form):
        raise WrongInputError(_fault(value, form, path))


def fits(values: list[Json], form: Form) -> bool:
    """Return whether all values are of a form, column by column, which is quick for many."""
    if isinstance(form, type | frozenset):
        return set(map(type, values)) <= (form if isinstance(form, frozenset) else {form})
    if isinstance(form, dict) and None in form:
        return fits([value for value in values if value is not None], form[None])
    if not set(map(type, values)) <= {_kind(form)}:
        return False
    if isinstance(form, list):
        return fits(list(chain.from_iterable(values)), form[0])
    if isinstance(form, tuple):
        return set(map(len, values)) <= {len(form)} and all(
            fits(list(map(itemgetter(n), values)), of) for n, of in enumerate(form)
        )
    if str in form:
        return fits([each for value in values for each in value.values()], form[str])
    if OPEN not in form and not set().union(*values) <= {key.rstrip("?") for key in form}:
        return False
    return all(_have(values, key, of) for key, of in form.items() if key != OPEN)


def _have(values: list[Json], key: str, form: Form) -> bool:
    name = key.rstrip("?")
    there = [value[name] for value in values if name in value]
    return (key != name or len(there) == len(values)) and fits(there, form)


def _kind(form: Form) -> Any:
    if isinstance(form, dict):
        return _kind(form[None]) if None in form else dict
    return next(iter(form)) if isinstance(form, frozenset) else form if isinstance(form, type) else list


def _fault(value: Json, form: Form, path: str) -> str:
    """Return a sentence on the first place where a value is not of a form."""
    if isinstance(form, dict) and None in form:
        return _fault(value, form[None], path)
    if type(value) is not _kind(form) or isinstance(form, frozenset):
        said = "null" if value is None else short(value)[:60]
        return f"{path or 'answer'}: is {said}; give {NAMES[_kind(form)]}"
    if isinstance(form, tuple) and len(value) != len(form):
        return f"{path}: has {len(value)} entries; give {len(form)}"
    for name, child, of in _children(value, form, path):
        if child is MISSING:
            return f"{name}: is missing; give {NAMES[_kind(of)]}"
        if of is MISSING:
            return f"{name}: is not known; leave it out"
        if not fits([child], of):
            return _fault(child, of, name)
    raise AssertionError(path)


MISSING = object()
NAMES = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}


def _children(value: Json, form: Form, path: str) -> Iterator[tuple[str, Json, Form]]:
    if not isinstance(form, dict):
        forms: Iterable[Form] = form if isinstance(form, tuple) else form * len(value)
        yield from (
            (f"{path}[{n}]", child, of) for n, (child, of) in enumerate(zip(value, forms, strict=True))
        )
    elif str in form:
        yield from ((_at(path, key), child, form[str]) for key, child in value.items())
    else:
        names = {key.rstrip("?"): key for key in form}
        for name, key in names.items():
            if name != OPEN and (name in value or key == name):
                yield _at(path, name), value.get(name, MISSING), form[key]
        if OPEN not in form:
            yield from ((_at(path, key), value[key], MISSING) for key in sorted(value.keys() - names.keys()))


def _at(path: str, key: str) -> str:
    return f"{path}.{key[:60]}" if path else key[:60]
