"""The JSON of groups and assignments of topic partitions (consumer, broker and share families; contract.md).

The JSON of a topic, and what the forms of all groups have in common (contract.md).
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import msgspec

from kassay.errors import InputError
from kassay.model import Assignment, Config, Group, Member, Topic, TopicPartition
from kassay.model.config import OTHERS
from kassay.model.json_text import convert_json, decoded

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
    weights: list[Any] | None = None


def read_topic(form: TopicForm) -> Topic:
    """Make a topic; raises ValueError naming the field."""
    return Topic(
        form.name,
        form.partitions,
        _entries(form.racks),
        _entries(form.hosts),
        form.id,
        tuple(form.unassignable),
        None if form.weights is None else tuple(form.weights),
    )


def _entries(entries: list[list[str | None] | None] | None) -> tuple[tuple[str | None, ...], ...] | None:
    return None if entries is None else tuple(tuple(of_one or ()) for of_one in entries)


def write_topic(topic: Topic) -> dict[str, Any]:
    """Make the JSON of a topic; what is not known or empty is left out."""
    entries = {"racks": topic.racks, "hosts": topic.hosts}
    told = {"id": topic.id, "unassignable": list(topic.unassignable)}
    weighed = {} if topic.weights is None else {"weights": list(topic.weights)}
    return (
        {"name": topic.name, "partitions": topic.partitions}
        | {
            key: [list(of_one) or None for of_one in each]
            for key, each in entries.items()
            if each is not None
        }
        | {key: value for key, value in told.items() if value}
        | weighed
    )


def built(path: str, build: Callable[[], T]) -> T:
    """Build a part of a group; raises InputError, which names the place too, for ValueError."""
    try:
        return build()
    except ValueError as wrong:
        raise InputError(f"{path}.{wrong}" if path else str(wrong)) from None


MOST_PARTITIONS = 10_000_000


class _MemberForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    topics: list[str]
    owned: list[tuple[str, int]] = []
    generation: int | None = None
    instance_id: str | None = None
    rack: str | None = None
    user_data: str | None = None
    capacity: Any = None


class _ConfigForm(msgspec.Struct, forbid_unknown_fields=True):
    rack_from_host: str | None = msgspec.field(name="rack.from.host", default=None)
    joined_topics: list[list[str]] = msgspec.field(name="joined.topics", default_factory=list)
    other_topics_assignor: str = msgspec.field(name="other.topics.assignor", default=OTHERS[0])


class _GroupForm(msgspec.Struct, forbid_unknown_fields=True):
    topics: list[TopicForm]
    members: list[_MemberForm]
    config: _ConfigForm = msgspec.field(default_factory=_ConfigForm)
    family: str | None = None
    name: str | None = None
    weight_unit: str | None = None


class _LargeForm(msgspec.Struct, forbid_unknown_fields=True):
    topics: list[msgspec.Raw]
    members: list[msgspec.Raw]
    config: _ConfigForm = msgspec.field(default_factory=_ConfigForm)
    family: str | None = None
    name: str | None = None
    weight_unit: str | None = None


class _LargeTopicForm(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    partitions: int
    racks: tuple[tuple[str | None, ...] | None, ...] | None = None
    hosts: tuple[tuple[str | None, ...] | None, ...] | None = None
    id: str | None = None
    unassignable: tuple[int, ...] = ()
    weights: tuple[int | None, ...] | None = None


class _LargeMemberForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    topics: tuple[str, ...]
    owned: tuple[tuple[str, int], ...] = ()
    generation: int | None = None
    instance_id: str | None = None
    rack: str | None = None
    user_data: str | None = None
    capacity: int | None = None


def decode_group(text: str) -> tuple[str | None, str | None, Group] | None:
    """Make a group of JSON text at once, with the family and the name that it states: large ones in half the time and memory.

    None where the text is anything else; :func:`read_group` then says what is wrong.
    """
    try:
        form = decoded(text, _LargeForm)
        known: dict[tuple[str | None, ...] | None, Any] = {None: ()}
        topics = [_large_topic(msgspec.json.decode(raw, type=_LargeTopicForm), known) for raw in form.topics]
        if sum(topic.partitions for topic in topics) > MOST_PARTITIONS:
            return None
        members, names = [], {topic.name: topic.name for topic in topics}
        for raw in form.members:
            of = msgspec.json.decode(raw, type=_LargeMemberForm)
            owned = tuple(TopicPartition(names.get(name, name), number) for name, number in of.owned)
            told = of.generation, of.instance_id, of.rack, _user_data(of), of.capacity
            members.append(Member(of.id, of.topics, owned, *told))
        told_beside = _config(form.config), form.weight_unit
        return form.family, form.name, Group(tuple(topics), tuple(members), *told_beside)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _large_topic(form: _LargeTopicForm, known: dict[tuple[str | None, ...] | None, Any]) -> Topic:
    """Make a topic in which equal racks are one object, of which a large group has a million."""
    racks, hosts = (
        None if entries is None else tuple(map(known.setdefault, entries, entries))
        for entries in (form.racks, form.hosts)
    )
    return Topic(form.name, form.partitions, racks, hosts, form.id, form.unassignable, form.weights)


def read_group(data: Any) -> Group:
    """Make a group of decoded JSON; raises InputError naming the field."""
    form = convert_json(data, _GroupForm)
    total = sum(topic.partitions for topic in form.topics)
    if total > MOST_PARTITIONS:
        raise InputError(f"topics: {total} partitions in all are too many; give at most {MOST_PARTITIONS}")
    topics = [built(f"topics[{n}]", partial(read_topic, topic)) for n, topic in enumerate(form.topics)]
    members = [built(f"members[{n}]", partial(_member, member)) for n, member in enumerate(form.members)]
    config = built("config", partial(_config, form.config))
    return built("", lambda: Group(tuple(topics), tuple(members), config, form.weight_unit))


def write_group(group: Group) -> dict[str, Any]:
    """Make the JSON of a group, without its family; what is unknown or empty is left out."""
    config = group.config
    known = {
        "rack.from.host": config.rack_from_host,
        "joined.topics": list(map(list, config.joined_topics)),
        "other.topics.assignor": config.other_topics_assignor,
    }
    settings = {key: value for key, value in known.items() if value and value != OTHERS[0]}
    return {
        "topics": [write_topic(topic) for topic in group.topics],
        "members": [_member_json(member) for member in group.members],
        **({"config": settings} if settings else {}),
        **({} if group.weight_unit is None else {"weight_unit": group.weight_unit}),
    }


def read_assignment(data: Any) -> Assignment:
    """Make an assignment of decoded JSON, however wrong its content is; raises InputError where its shape is wrong."""
    return convert_json(data, dict[str, tuple[TopicPartition, ...]])


def write_assignment(assignment: Assignment) -> dict[str, Any]:
    """Make the JSON of an assignment."""
    return {member: list(map(list, given)) for member, given in assignment.items()}


def _member(form: _MemberForm) -> Member:
    owned = tuple(TopicPartition(*partition) for partition in form.owned)
    told = form.generation, form.instance_id, form.rack, _user_data(form), form.capacity
    return Member(form.id, tuple(form.topics), owned, *told)


def _user_data(form: _MemberForm | _LargeMemberForm) -> bytes | None:
    if form.user_data is None:
        return None
    try:
        return b64decode(form.user_data, validate=True)
    except (binascii.Error, ValueError) as wrong:
        raise ValueError(
            f"user_data: that of member {form.id!r} is no base64 ({wrong}); write the bytes as in 'aG9zdA=='"
        ) from None


def _config(form: _ConfigForm) -> Config:
    joined = tuple(map(tuple, form.joined_topics))
    return Config(form.rack_from_host, joined, form.other_topics_assignor)


def _member_json(member: Member) -> dict[str, Any]:
    optional = {
        "owned": [list(partition) for partition in member.owned] or None,
        "generation": member.generation,
        "instance_id": member.instance_id,
        "rack": member.rack,
        "user_data": None if member.user_data is None else b64encode(member.user_data).decode(),
        "capacity": member.capacity,
    }
    return {"id": member.id, "topics": list(member.topics)} | {
        k: v for k, v in optional.items() if v is not None
    }
