"""Fixtures of topic partitions: consumer groups, groups whose coordinator assigns (KIP-848), and share groups (KIP-932).

The JSON of groups and answers has no defaults, and lists partitions by topic.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from kassay.conformance import partition_values
from kassay.conformance.fixtures import Declared, Form
from kassay.conformance.partition_values import keep_counted_claims, list_owners
from kassay.errors import InputError
from kassay.families.shapes.partitions import refuse_unknown_fields
from kassay.model import Assignment, Config, Group, Member, Topic, TopicPartition
from kassay.model.json_text import build_part, convert_json
from kassay.properties.consumer import SITUATIONS
from kassay.properties.partitions.rounds import apply_assignment
from kassay.reference.broker.group_spec import make_topic_id

Given = dict[str, list[int]]


class _TopicForm(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    partitions: int
    racks: list[list[str | None]]


class _MemberForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    topics: list[str]
    owned: Given
    generation: int
    instance_id: str | None
    rack: str | None


class _GroupForm(msgspec.Struct, forbid_unknown_fields=True):
    topics: list[_TopicForm]
    members: list[_MemberForm]
    joined: list[list[str]] = []


class _ServerTopicForm(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    id: str
    partitions: int
    racks: list[list[str | None]]
    unassignable: list[int]


class _ServerMemberForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    topics: list[str]
    owned: Given
    instance_id: str | None
    rack: str | None


class _ServerGroupForm(msgspec.Struct, forbid_unknown_fields=True):
    """A group that a coordinator assigns: topics have ids, and members have no generation."""

    topics: list[_ServerTopicForm]
    members: list[_ServerMemberForm]


def _read_group(data: Any) -> Group:
    """Read a group from the JSON of a fixture; raise InputError with the field."""
    form = convert_json(data, _GroupForm)

    def build() -> Group:
        topics = tuple(Topic(one.name, one.partitions, _read_racks(one)) for one in form.topics)
        members = (_read_member(one, None if one.generation < 0 else one.generation) for one in form.members)
        return Group(topics, tuple(members), Config(joined_topics=tuple(map(tuple, form.joined))))

    return build_part("", build)


def _read_server_group(data: Any) -> Group:
    """Read a group that a coordinator assigns from the JSON of a fixture; raise InputError with the field."""
    form = convert_json(data, _ServerGroupForm)

    def build() -> Group:
        topics = tuple(
            Topic(t.name, t.partitions, _read_racks(t), id=t.id, unassignable=tuple(t.unassignable))
            for t in form.topics
        )
        return Group(topics, tuple(_read_member(one, None) for one in form.members))

    return build_part("", build)


def _read_racks(topic: _TopicForm | _ServerTopicForm) -> tuple[tuple[str | None, ...], ...] | None:
    """Return the racks of a topic, None if no rack is known; raise ValueError if there is not one entry per partition."""
    if len(topic.racks) != topic.partitions:
        raise ValueError(
            f"racks: topic {topic.name!r} has {topic.partitions} partitions but {len(topic.racks)} entries. "
            "Give one entry per partition, [] where no rack is known"
        )
    return tuple(map(tuple, topic.racks)) if any(topic.racks) else None


def _read_member(form: _MemberForm | _ServerMemberForm, generation: int | None) -> Member:
    owned = tuple(_list_partitions(form.owned))
    return Member(form.id, tuple(form.topics), owned, generation, form.instance_id, form.rack)


def _list_partitions(given: Mapping[str, Sequence[int]]) -> Iterator[TopicPartition]:
    return (TopicPartition(topic, number) for topic, numbers in given.items() for number in numbers)


def _list_by_topic(given: Sequence[TopicPartition]) -> Given:
    """Return the numbers of partitions by topic, in their order."""
    found: Given = {}
    for topic, number in given:
        found.setdefault(topic, []).append(number)
    return found


def _write_group(group: Group) -> dict[str, Any]:
    """Return the JSON of a group without defaults; raise InputError if it has a value that no fixture can have."""
    other = any(topic.hosts or topic.id or topic.unassignable or topic.weights for topic in group.topics)
    other = other or any(m.capacity is not None or m.user_data is not None for m in group.members)
    if other or group.config.rack_from_host:
        raise InputError(
            "hosts, ids, unassignable, rack.from.host, user_data, weights, capacity: no consumer fixture has these. Leave them out"
        )
    joined = [list(names) for names in group.config.joined_topics]
    return {
        "topics": [
            {"name": t.name, "partitions": t.partitions, "racks": _write_racks(t)} for t in group.topics
        ],
        "members": [
            _write_member(m, {"generation": -1 if m.generation is None else m.generation})
            for m in group.members
        ],
        **({"joined": joined} if joined else {}),
    }


def _write_server_group(group: Group) -> dict[str, Any]:
    """Return the JSON of a group without defaults; raise InputError if it has a value that no coordinator sends."""
    if told := refuse_unknown_fields(group):
        raise InputError(told)
    return {
        "topics": [
            {
                "name": t.name, "id": str(make_topic_id(t.name, t.id)), "partitions": t.partitions,
                "racks": _write_racks(t), "unassignable": list(t.unassignable),
            }
            for t in group.topics
        ],
        "members": [_write_member(m, {}) for m in group.members],
    }  # fmt: skip


def _write_member(member: Member, generation: Mapping[str, int]) -> dict[str, Any]:
    return {
        "id": member.id, "topics": list(member.topics), "owned": _list_by_topic(member.owned), **generation,
        "instance_id": member.instance_id, "rack": member.rack,
    }  # fmt: skip


def _write_racks(topic: Topic) -> list[list[str | None]]:
    return list(map(list, topic.racks or [()] * topic.partitions))


def _read_answer(data: Any) -> Assignment:
    """Read an assignment from the JSON of a fixture; raise InputError if it is wrong."""
    given = convert_json(data, dict[str, Given])
    return {member: tuple(_list_partitions(own)) for member, own in given.items()}


def _write_answer(assignment: Assignment) -> dict[str, Given]:
    """Return the JSON of an assignment with ascending topics and numbers, because sets are compared."""
    return {member: _list_by_topic(sorted(given)) for member, given in assignment.items()}


def _rename(answer: Assignment, topics: Mapping[str, str], members: Mapping[str, str]) -> Assignment:
    return {
        members.get(member, member): tuple(
            TopicPartition(topics.get(p.topic, p.topic), p.partition) for p in given
        )
        for member, given in answer.items()
    }


def _has_any(*names: str) -> Callable[[Group], bool]:
    return lambda group: any(SITUATIONS[name](group) for name in names)


_CALM = ("again", "left_out", "order", "names", "repeat")
_STICKY = ("loads", "moves", "joined", *_CALM)
_OF_CLIENTS = {"generation", "joined", "double-claim", "late-claim"}
"""Needs and flags of client-side assignors: a coordinator has one owner per partition, and no joined topics."""
_OF_COORDINATOR = ("again", "left_out", "repeat", "static")

CONSUMER = Form(
    family="consumer",
    needs={
        "owned": lambda group: any(member.owned for member in group.members),
        # Generations count only if members that have one, or claim something, differ in it.
        "generation": lambda group: (
            len({m.generation for m in group.members if m.owned or m.generation is not None}) > 1
        ),
        "instance_id": lambda group: any(member.instance_id is not None for member in group.members),
        "racks": lambda group: (
            any(t.racks for t in group.topics) or any(m.rack is not None for m in group.members)
        ),
        "unknown_topic": _has_any("unknown_topic"),
        "orphan_topic": _has_any("unread_topic"),
        "joined": lambda group: bool(group.config.joined_topics),
    },
    flags={
        # Only the existing topics of subscriptions count.
        "mixed-subscriptions": lambda group: (
            len({frozenset({t.name for t in group.topics}.intersection(m.topics)) for m in group.members}) > 1
        ),
        "no-subscription": _has_any("no_subscription"),
        "repeated-topic": _has_any("repeated_topic"),
        "unknown-topic": _has_any("unknown_topic"),
        "orphan-topic": _has_any("unread_topic"),
        "empty-topic": _has_any("empty_topic"),
        "static": _has_any("static_members"),
        "racks": _has_any("racks"),
        "double-claim": _has_any("double_claim"),
        "late-claim": _has_any("overruled_claim"),
        "unsubscribed-owner": _has_any("unsubscribed_owner"),
        "vanished-partition": _has_any("vanished_partition", "vanished_topic"),
        "odd-names": _has_any("hostile_name", "hostile_rack", "partition_like_topic"),
        "large": _has_any("large_group", "many_partitions"),
        "joined": _has_any("joined_topics"),
    },
    read_group=_read_group,
    write_group=_write_group,
    read_answer=_read_answer,
    write_answer=_write_answer,
    owners=list_owners,
    musts=("existing", "subscribed", "exclusive", "complete", "cooperative"),
    broken=partition_values.find_broken,
    values=partition_values.measure,
    best=partition_values.find_best_of_consumer_group,
    after=apply_assignment,
    renamed=_rename,
    exact={
        "consumer/range": ("3.4.1", "4.4.0"),
        "consumer/roundrobin": ("4.4.0",),
        "consumer/sticky": ("4.4.0",),
        "consumer/cooperative-sticky": ("4.4.0",),
    },
    declared={
        "consumer/range": Declared(("per_topic", "apart", *_CALM, "static"), ("joined",)),
        "consumer/roundrobin": Declared(("loads", *_CALM, "static"), ("mixed-subscriptions",)),
        "consumer/sticky": Declared((*_STICKY, "cross_rack")),
        "consumer/cooperative-sticky": Declared((*_STICKY, "cross_rack", "rounds"), cooperative=True),
        "consumer/fair": Declared(("loads", *_CALM), ("mixed-subscriptions",)),
        "consumer/optimal": Declared(("loads", "cross_rack", "moves", "joined", *_CALM)),
        "consumer/optimal-cooperative": Declared(
            ("loads", "cross_rack", "moves", "joined", *_CALM, "rounds"), cooperative=True
        ),
        "consumer/redundant": Declared(_CALM, copies=2),
    },
    proved_of=keep_counted_claims,
    conditional=frozenset({"moves", "cross_rack", "joined"}),
    relations=("order", "names", "static", "repeat"),
    proved_aims=("loads", "moves", "cross_rack"),
)

BROKER = Form(
    family="broker",
    needs={
        **{need: has for need, has in CONSUMER.needs.items() if need not in _OF_CLIENTS},
        "unassignable": lambda group: any(topic.unassignable for topic in group.topics),
    },
    flags={flag: has for flag, has in CONSUMER.flags.items() if flag not in _OF_CLIENTS},
    read_group=_read_server_group,
    write_group=_write_server_group,
    read_answer=_read_answer,
    write_answer=_write_answer,
    owners=list_owners,
    musts=("existing", "subscribed", "exclusive", "complete"),
    broken=partition_values.find_broken,
    values=partition_values.measure,
    best=partition_values.find_best,
    after=apply_assignment,
    renamed=_rename,
    exact={"broker/range": ("4.4.0",), "broker/uniform": ("3.9.2", "4.4.0")},
    declared={
        "broker/range": Declared(("per_topic", "apart", *_OF_COORDINATOR, "order", "names")),
        "broker/uniform": Declared(("loads", "moves", *_OF_COORDINATOR), ("mixed-subscriptions",)),
    },
    proved_of=keep_counted_claims,
    conditional=CONSUMER.conditional,
    relations=CONSUMER.relations,
    proved_aims=CONSUMER.proved_aims,
)

SHARE = Form(
    family="share",
    needs=BROKER.needs,
    flags=BROKER.flags,
    read_group=_read_server_group,
    write_group=_write_server_group,
    read_answer=_read_answer,
    write_answer=_write_answer,
    owners=partition_values.list_owners_of_share_group,
    musts=("existing", "subscribed", "distinct", "complete"),
    broken=partition_values.find_broken_of_share_group,
    values=partition_values.measure_share_group,
    best=partition_values.find_best_of_share_group,
    after=apply_assignment,
    renamed=_rename,
    exact={"share/simple": ("4.0.2", "4.4.0")},
    declared={
        "share/simple": Declared(("loads", "idle", "again", "left_out", "repeat"), ("mixed-subscriptions",))
    },
    conditional=frozenset({"moves"}),
    relations=BROKER.relations,
    proved_aims=("loads", "moves"),
)
