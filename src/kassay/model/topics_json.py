"""The JSON of a topic, and what the forms of all groups have in common (contract.md)."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from kassay.errors import InputError
from kassay.model.partitions import Topic

T = TypeVar("T")

MOST_TASKS = 10_000_000
"""How many tasks the subtopologies of one file may have in all: they are all numbered."""


class TopicForm(msgspec.Struct, forbid_unknown_fields=True):
    """A topic as people write it."""

    name: str
    partitions: int
    racks: list[list[str | None] | None] | None = None
    hosts: list[list[str | None] | None] | None = None
    id: str | None = None
    unassignable: list[int] = []


def read_topic(form: TopicForm) -> Topic:
    """Make a topic; raises ValueError naming the field."""
    return Topic(
        form.name,
        form.partitions,
        _entries(form.racks),
        _entries(form.hosts),
        form.id,
        tuple(form.unassignable),
    )


def _entries(entries: list[list[str | None] | None] | None) -> tuple[tuple[str | None, ...], ...] | None:
    return None if entries is None else tuple(tuple(of_one or ()) for of_one in entries)


def write_topic(topic: Topic) -> dict[str, Any]:
    """Make the JSON of a topic; what is not known or empty is left out."""
    entries = {"racks": topic.racks, "hosts": topic.hosts}
    told = {"id": topic.id, "unassignable": list(topic.unassignable)}
    return (
        {"name": topic.name, "partitions": topic.partitions}
        | {
            key: [list(of_one) or None for of_one in each]
            for key, each in entries.items()
            if each is not None
        }
        | {key: value for key, value in told.items() if value}
    )


def built(path: str, build: Callable[[], T]) -> T:
    """Build a part of a group; raises InputError, which names the place too, for ValueError."""
    try:
        return build()
    except ValueError as wrong:
        raise InputError(f"{path}.{wrong}" if path else str(wrong)) from None
