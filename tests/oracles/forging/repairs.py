"""Repairs of altered answers: each value that the checker computes itself is set to its result, so that only a proof is missing."""

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from forging.alterations import copy_value

from kassay.oracles.proof import reading

Json: TypeAlias = Any
MANY = 10**6
"""More moves than any assignment has."""
ROUNDS = 16
"""The greatest number of sentences of the checker to follow."""


@contextmanager
def print_whole_values() -> Iterator[None]:
    """Let the checker print long values as a whole, so that they can be read."""
    short = reading.format_short
    reading.format_short = repr
    try:
        yield
    finally:
        reading.format_short = short


def parse_path(path: str) -> list[str | int]:
    """Return the keys and indexes of a path that a sentence names."""
    return [int(key) if key.isdecimal() else key for key in re.findall(r"[^.\[\]]+", path)]


def put(answer: Json, path: str, new: Json) -> bool:
    """Put a value at a path that a sentence names, and return whether there is such a place."""
    try:
        at: Any = answer
        *way, last = parse_path(path)
        for key in way:
            if isinstance(at, list) and isinstance(key, str):  # an entry by the level that it is of
                at = next(each for each in at if each.get("level") == key)
            else:
                at = at[key]
        if isinstance(at, list) and isinstance(last, str):
            for each, own in zip(at, new, strict=True):
                each[last] = own
        elif isinstance(at[last], dict) and isinstance(new, dict) and "level" in new:
            at[last] = at[last] | new
        else:
            at[last] = new
    except (KeyError, TypeError, IndexError, StopIteration, ValueError, AttributeError):
        return False
    return True


def parse_value(text: str) -> Json:
    """Return a value that a sentence names."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def mark_unsupported(answer: Json, path: str) -> bool:
    """Mark a point as proved by two solvers alone."""
    return all(
        put(answer, f"{path}.{field}", new)
        for field, new in (("proof", None), ("supported", False), ("proved_by", "two solvers"))
    )


def sort_points(answer: Json) -> bool:
    """Sort the points of a frontier by their values, and keep each once."""
    try:
        rows = {tuple(each["values"][level] for level in answer["levels"]): each for each in answer["points"]}
    except (KeyError, TypeError):
        return False
    answer["points"] = [rows[key] for key in sorted(rows)]
    return True


def raise_moves(answer: Json, path: str) -> bool:
    """Let a step have more moves than any assignment; where it had them, leave out what moves buy."""
    if any(step["moves"] >= MANY for step in answer["bought"]):
        return put(answer, "bought", [])
    return put(answer, "bought", answer["bought"][:1]) and put(
        answer, f"{path.partition('[')[0]}[0].moves", MANY
    )


REPAIRS: list[tuple[str, Callable[[Json, re.Match[str]], bool]]] = [
    (r"([^:]+): states .*, but it is (.*)", lambda answer, of: put(answer, of[1], parse_value(of[2]))),
    (r"(.*\.least): is more than prices prove, which is (-?\d+)", lambda answer, of: put(answer, of[1], int(of[2]))),
    (r"(bought\[\d+\])\.most: the best of the points has None", lambda answer, of: raise_moves(answer, of[1])),
    (r"(bought\[\d+\]\.most): the best of the points has (\d+)", lambda answer, of: put(answer, of[1], int(of[2]))),
    (r"(bought\[\d+\]\.least): is more than (\d+), .*", lambda answer, of: put(answer, of[1], int(of[2]))),
    (r"(bought\[\d+\]\.least): is not proved", lambda answer, of: put(answer, of[1], 0)),
    (r"bought: moves do not ascend", lambda answer, _: put(answer, "bought", answer["bought"][:1])),
    (r"bought: .*", lambda answer, _: put(answer, "bought", [])),
    (r"(points\[\d+\])\.(?:supported|proof|proved_by): .*", lambda answer, of: mark_unsupported(answer, of[1])),
    (r"points: do not ascend", lambda answer, _: sort_points(answer)),
    (r"whole: is true, though .*", lambda answer, _: put(answer, "extreme", True)),
]  # fmt: skip
"""Sentences of the checker, and the repair for each."""


def repair(answer: Json, ask: Callable[[Json], str]) -> Json:
    """Return an answer in which all that the checker counts again is as it counts it; `ask` returns its sentence."""
    answer = copy_value(answer)
    if not isinstance(answer, dict):
        return answer
    with print_whole_values():
        for _ in range(ROUNDS):
            said = ask(answer).removeprefix("NOT proved: ")
            if not _follow(answer, said):
                break
    return answer


def _follow(answer: Json, said: str) -> bool:
    if said.startswith("levels: states "):
        return put(answer, "levels", parse_value(said.rpartition(", but it is ")[2]))
    for pattern, repair in REPAIRS:
        of = re.fullmatch(pattern, said, re.DOTALL)
        if of is not None:
            return repair(answer, of)
    return False
