"""The JSON of groups and assignments of topic partitions (consumer, broker and share families; contract.md)."""

import binascii
from base64 import b64decode, b64encode
from functools import partial
from operator import itemgetter
from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.model import Assignment, Config, Group, Member, Topic, TopicPartition
from kassay.model.config import OTHERS
from kassay.model.json_text import build_fields, build_part, convert_json, decode_json, write_fields

MOST_PARTITIONS = 10_000_000
Entries = tuple[tuple[str | None, ...] | None, ...] | None
"""Racks or hosts of the replicas of each partition, null where they are not known."""

_FIRST, _SECOND = itemgetter(0), itemgetter(1)
_PARTITION = partial(tuple.__new__, TopicPartition)


class TopicForm(msgspec.Struct, forbid_unknown_fields=True):
    """A topic as people write it."""

    name: str
    partitions: int
    racks: Entries = None
    hosts: Entries = None
    id: str | None = None
    unassignable: tuple[int, ...] = ()
    weights: tuple[Any, ...] | None = None


class _MemberForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    topics: tuple[str, ...]
    owned: tuple[tuple[str, int], ...] = ()
    generation: int | None = None
    instance_id: str | None = None
    rack: str | None = None
    user_data: str | None = None
    capacity: Any = None


class _ConfigForm(msgspec.Struct, forbid_unknown_fields=True):
    rack_from_host: str | None = msgspec.field(name="rack.from.host", default=None)
    joined_topics: tuple[tuple[str, ...], ...] = msgspec.field(name="joined.topics", default=())
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


def read_topic(form: TopicForm, known: dict[Any, Any] | None = None) -> Topic:
    """Make a topic; raises ValueError naming the field.

    In topics with the same `known`, equal racks of a partition are one object: a large group has a million of them.
    """
    known = {None: ()} if known is None else known
    racks, hosts = (
        None if entries is None else tuple(map(known.setdefault, entries, entries))
        for entries in (form.racks, form.hosts)
    )
    return Topic(form.name, form.partitions, racks, hosts, form.id, form.unassignable, form.weights)


def write_topic(topic: Topic) -> dict[str, Any]:
    """Return the JSON of a topic; what is not known or empty is left out."""
    racks, hosts = (
        None if entries is None else [list(of_one) or None for of_one in entries]
        for entries in (topic.racks, topic.hosts)
    )
    return write_fields(TopicForm, topic, racks=racks, hosts=hosts)


def decode_group(text: str) -> tuple[str | None, str | None, Group] | None:
    """Return the group of JSON text at once, with the family and the name that it states: large ones in half the time and memory.

    Return None if the text is anything else; :func:`read_group` then raises the error.
    """
    try:
        form = decode_json(text, _LargeForm)
        known: dict[Any, Any] = {None: ()}
        topics = [read_topic(msgspec.json.decode(raw, type=TopicForm), known) for raw in form.topics]
        if sum(topic.partitions for topic in topics) > MOST_PARTITIONS:
            return None
        # Equal names of topics are one object as well.
        names = {topic.name: topic.name for topic in topics}
        members = [_read_member(msgspec.json.decode(raw, type=_MemberForm), names) for raw in form.members]
        group = Group(tuple(topics), tuple(members), build_fields(Config, form.config), form.weight_unit)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return form.family, form.name, group


def read_group(data: Any) -> Group:
    """Return the group of decoded JSON; raises InputError naming the field."""
    form = convert_json(data, _GroupForm)
    total = sum(topic.partitions for topic in form.topics)
    if total > MOST_PARTITIONS:
        raise InputError(f"topics: {total} partitions in all are too many. Give at most {MOST_PARTITIONS}")
    topics = [build_part(f"topics[{n}]", partial(read_topic, topic)) for n, topic in enumerate(form.topics)]
    members = [
        build_part(f"members[{n}]", partial(_read_member, one, {})) for n, one in enumerate(form.members)
    ]
    config = build_part("config", partial(build_fields, Config, form.config))
    return build_part("", lambda: Group(tuple(topics), tuple(members), config, form.weight_unit))


def _read_member(form: _MemberForm, names: dict[str, str]) -> Member:
    named = map(_FIRST, form.owned)
    pairs = zip(map(names.get, named, map(_FIRST, form.owned)), map(_SECOND, form.owned), strict=True)
    owned = tuple(map(_PARTITION, pairs))  # millions: skips the slow __new__
    user_data = None
    if form.user_data is not None:
        try:
            user_data = b64decode(form.user_data, validate=True)
        except (binascii.Error, ValueError) as wrong:
            raise ValueError(
                f"user_data: member {form.id!r} has bytes that are not base64 ({wrong}). Write the bytes as in 'aG9zdA=='"
            ) from None
    told = form.generation, form.instance_id, form.rack, user_data, form.capacity
    return Member(form.id, form.topics, owned, *told)


def write_group(group: Group) -> dict[str, Any]:
    """Return the JSON of a group, without its family; what is unknown or empty is left out."""
    joined = tuple(map(list, group.config.joined_topics))
    settings = write_fields(_ConfigForm, group.config, joined_topics=joined)
    return {
        "topics": [write_topic(topic) for topic in group.topics],
        "members": [
            write_fields(
                _MemberForm,
                member,
                owned=tuple(map(list, member.owned)),
                user_data=None if member.user_data is None else b64encode(member.user_data).decode(),
            )
            for member in group.members
        ],
        **({"config": settings} if settings else {}),
        **({} if group.weight_unit is None else {"weight_unit": group.weight_unit}),
    }


def read_assignment(data: Any) -> Assignment:
    """Return the assignment of decoded JSON, also a wrong one; raises InputError if its form is wrong."""
    return convert_json(data, dict[str, tuple[TopicPartition, ...]])


def write_assignment_lightly(assignment: Assignment) -> dict[str, Any]:
    """Return what encoders write as the JSON of an assignment, without a list for each partition."""
    return {member: tuple(given) for member, given in assignment.items()}


def write_assignment(assignment: Assignment) -> dict[str, Any]:
    """Return the JSON of an assignment."""
    return {member: list(map(list, given)) for member, given in assignment.items()}
