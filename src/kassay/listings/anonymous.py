"""Groups without the names of their owner, so that they can be published: the same sizes, numbers and orders under plain names."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from kassay.errors import InputError
from kassay.model.tasks import order_uuid
from kassay.reference.broker.group_spec import TopicId, make_topic_id
from kassay.reference.java.strings import string_order

TOPIC, PERSON, RACK, TAG, VALUE, SUBTOPOLOGY, CONNECTOR = "t", "m", "r", "k", "v", "s", "c"
PROCESS, CLIENT, TOPIC_ID = "p", "client", "topic id"
"""Kinds of names. A kind of one letter gets that letter and a number. Clients and topic ids are UUIDs."""
KINDS: Mapping[tuple[str, ...], str] = {
    ("topics", "name"): TOPIC,
    ("topics", "id"): TOPIC_ID,
    ("topics", "racks"): RACK,
    ("members", "id"): PERSON,
    ("members", "instance_id"): PERSON,
    ("members", "topics"): TOPIC,
    ("members", "owned"): TOPIC,
    ("members", "rack"): RACK,
    ("members", "process_id"): PROCESS,
    ("members", "tags", "*"): VALUE,
    **{("members", role): SUBTOPOLOGY for role in ("active", "standby", "warmup")},
    ("subtopologies", "id"): SUBTOPOLOGY,
    ("tasks", "id"): SUBTOPOLOGY,
    ("tasks", "inputs"): TOPIC,
    ("tasks", "changelogs"): TOPIC,
    ("clients", "id"): CLIENT,
    ("clients", "rack"): RACK,
    ("clients", "tags", "*"): VALUE,
    ("clients", "active"): SUBTOPOLOGY,
    ("clients", "standby"): SUBTOPOLOGY,
    ("config", "rack.aware.assignment.tags"): TAG,
    ("config", "joined.topics"): TOPIC,
    ("connectors", "name"): CONNECTOR,
    ("workers", "id"): PERSON,
    ("memory", "members"): PERSON,
    ("memory", "candidates"): PERSON,
    **{(*of, what): CONNECTOR for of in (("workers",), ("memory", "assignment"), ("memory", "revocation")) for what in ("connectors", "tasks")},
}  # fmt: skip
"""Place of a text in the JSON of a group -> its kind. Lists have no place of their own, and * is any key."""
KEYS: Mapping[tuple[str, ...], str] = {
    ("members", "tags"): TAG,
    ("members", "offsets"): SUBTOPOLOGY,
    ("members", "end_offsets"): SUBTOPOLOGY,
    ("clients", "tags"): TAG,
    ("clients", "lags"): SUBTOPOLOGY,
    ("clients", "consumers"): PERSON,
    ("clients", "consumers", "*"): SUBTOPOLOGY,
}
"""Place of an object whose keys are names -> their kind."""
DROPPED = {
    ("name",),
    ("listed",),
    ("members", "user_data"),
    ("topics", "hosts"),
    ("config", "rack.from.host"),
}
"""Places that are left out: the name of the group, facts of the listing, encoded data with names in it, and hosts."""
KEPT = {("family",), ("weight_unit",), ("config", "other.topics.assignor"), ("config", "rack.aware.assignment.strategy")}  # fmt: skip
"""Texts that are words of Kafka or of kassay."""


def replace_names(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON of a group under other names, which sort as the old ones do.

    Numbers stay: partitions, offsets, lags, weights, generations. Raises InputError if a text has no known meaning.
    """
    found: dict[str, set[str]] = {}

    def note(kind: str, text: str) -> str:
        found.setdefault(kind, set()).add(_split_task(text)[0] if kind == SUBTOPOLOGY else text)
        return text

    _replace_texts(record, (), note)
    new = {kind: dict(_list_new_names(kind, names)) for kind, names in found.items()}

    def replace(kind: str, text: str) -> str:
        if kind != SUBTOPOLOGY:
            return new[kind][text]
        subtopology, partition = _split_task(text)
        return f"{new[kind][subtopology]}{partition}"

    made: dict[str, Any] = _replace_texts(record, (), replace)
    return made


def _replace_texts(value: Any, place: tuple[str, ...], write: Callable[[str, str], str]) -> Any:
    """Return JSON in which `write`, given kind and text, has written each name."""
    if isinstance(value, str):
        if place in KINDS:
            return write(KINDS[place], value)
        if place in KEPT:
            return value
        raise InputError(
            f"{'.'.join(place)}: {value!r} cannot be made anonymous. Remove it from the group, or leave out --anonymize."
        )
    if isinstance(value, Mapping):
        if place in KEYS:
            return {
                write(KEYS[place], key): _replace_texts(of, (*place, "*"), write) for key, of in value.items()
            }
        return {
            key: _replace_texts(of, (*place, key), write)
            for key, of in value.items()
            if (*place, key) not in DROPPED
        }
    if isinstance(value, list | tuple):
        return [_replace_texts(each, place, write) for each in value]
    return value


def _split_task(text: str) -> tuple[str, str]:
    """Return the subtopology of a task, and the rest: orders_3 -> orders, _3. A subtopology alone has no rest."""
    subtopology, sign, partition = text.rpartition("_")
    return (subtopology, sign + partition) if sign and partition.isdigit() else (text, "")


def _list_new_names(kind: str, names: set[str]) -> Iterator[tuple[str, str]]:
    """Yield each name with its new one, in the order in which Kafka sorts them."""
    if kind in UUIDS:
        read, write = UUIDS[kind]
        for rank, name in enumerate(sorted(names, key=read)):
            most, _ = read(name)
            # Java compares halves as signed numbers, so a negative half stays one.
            yield name, write(rank - SIGN if most < 0 else rank, rank + 1)
        return
    if kind == SUBTOPOLOGY:  # numbers are Kafka's own names
        yield from ((name, name) for name in names if name.isdigit())
        names = {name for name in names if not name.isdigit()}
    ordered = sorted(names, key=string_order)
    digits = len(str(max(0, len(ordered) - 1)))
    yield from ((name, f"{kind}{rank:0{digits}}") for rank, name in enumerate(ordered))


SIGN = 1 << 63
"""The sign of half a UUID."""


def _write_client(most: int, least: int) -> str:
    return str(UUID(int=most % (1 << 64) << 64 | least))


def _write_topic_id(most: int, least: int) -> str:
    return str(TopicId(most, least))


UUIDS: Mapping[str, tuple[Callable[[str], tuple[int, int]], Callable[[int, int], str]]] = {
    CLIENT: (order_uuid, _write_client),
    TOPIC_ID: (partial(make_topic_id, ""), _write_topic_id),
}
"""Kind -> the function that reads the two halves of its texts as signed numbers, and the one that writes them."""
