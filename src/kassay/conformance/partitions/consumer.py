"""The record of the fixtures of consumer groups.

The JSON of groups and answers in fixtures: nothing is left to a default, and partitions stand by topic.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from kassay.conformance.form import Declared, Form
from kassay.conformance.partitions.musts import best_of_clients, broken, counted, may_keep, values
from kassay.errors import InputError
from kassay.model import Assignment, Config, Group, Member, Topic, TopicPartition
from kassay.model.json_text import convert_json
from kassay.properties.consumer import SITUATIONS
from kassay.properties.partitions.rounds import after

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


def read_group(data: Any) -> Group:
    """Make a group of the JSON of a fixture; raises InputError naming the field."""
    form = convert_json(data, _GroupForm)
    try:
        return Group(
            tuple(Topic(t.name, t.partitions, racks_of(t)) for t in form.topics),
            tuple(
                Member(
                    m.id, tuple(m.topics), tuple(flat(m.owned)), None if m.generation < 0 else m.generation,
                    m.instance_id, m.rack,
                )
                for m in form.members
            ),
            Config(joined_topics=tuple(map(tuple, form.joined))),
        )  # fmt: skip
    except ValueError as wrong:
        raise InputError(str(wrong)) from None


def racks_of(topic: Any) -> tuple[tuple[str | None, ...], ...] | None:
    """Return the racks of a topic, None where none is known; raises ValueError where there is not one entry per partition."""
    if len(topic.racks) != topic.partitions:
        raise ValueError(
            f"racks: topic {topic.name!r} has {topic.partitions} partitions but {len(topic.racks)} entries; "
            "give one entry per partition, [] where no rack is known"
        )
    return tuple(map(tuple, topic.racks)) if any(topic.racks) else None


def flat(given: Mapping[str, Sequence[int]]) -> Iterator[TopicPartition]:
    """Yield the partitions of what stands by topic."""
    return (TopicPartition(topic, number) for topic, numbers in given.items() for number in numbers)


def by_topic(given: Sequence[TopicPartition]) -> Given:
    """Return the numbers of partitions by topic, in their order."""
    found: Given = {}
    for topic, number in given:
        found.setdefault(topic, []).append(number)
    return found


def write_group(group: Group) -> dict[str, Any]:
    """Make the JSON of a group with nothing left to a default; raises InputError where it has what no fixture can say."""
    hosts = any(topic.hosts or topic.id or topic.unassignable or topic.weights for topic in group.topics)
    hosts = hosts or any(member.capacity is not None for member in group.members)
    if hosts or group.config.rack_from_host or any(member.user_data is not None for member in group.members):
        raise InputError(
            "hosts, ids, unassignable, rack.from.host, user_data, weights, capacity: no consumer fixture says these; leave them out"
        )
    joined = [list(names) for names in group.config.joined_topics]
    return {
        "topics": [
            {"name": t.name, "partitions": t.partitions, "racks": list(map(list, t.racks or [()] * t.partitions))}
            for t in group.topics
        ],
        "members": [
            {
                "id": m.id, "topics": list(m.topics), "owned": by_topic(m.owned),
                "generation": -1 if m.generation is None else m.generation, "instance_id": m.instance_id, "rack": m.rack,
            }
            for m in group.members
        ],
        **({"joined": joined} if joined else {}),
    }  # fmt: skip


def read_answer(data: Any) -> Assignment:
    """Make an assignment of the JSON of a fixture; raises InputError where it is none."""
    return {member: tuple(flat(given)) for member, given in convert_json(data, dict[str, Given]).items()}


def write_answer(assignment: Assignment) -> dict[str, Given]:
    """Make the JSON of an assignment: topics and numbers ascending, as sets are compared."""
    return {member: by_topic(sorted(given)) for member, given in assignment.items()}


def renamed(answer: Assignment, topics: Mapping[str, str], members: Mapping[str, str]) -> Assignment:
    """Return an assignment with other names for topics and members; what has none keeps its own."""
    return {
        members.get(member, member): tuple(
            TopicPartition(topics.get(p.topic, p.topic), p.partition) for p in given
        )
        for member, given in answer.items()
    }


def _generations_differ(group: Group) -> bool:
    """Say whether the generations of claims make a difference: all members that have one, or claim something, have the same otherwise."""
    return len({m.generation for m in group.members if m.owned or m.generation is not None}) > 1


def _mixed(group: Group) -> bool:
    """Say whether members read different ones of the topics that exist."""
    existing = {topic.name for topic in group.topics}
    return len({frozenset(existing.intersection(member.topics)) for member in group.members}) > 1


def _having(*names: str) -> Callable[[Group], bool]:
    return lambda group: any(SITUATIONS[name](group) for name in names)


_CALM = ("again", "left_out", "order", "names", "repeat")
_STICKY = ("loads", "moves", "joined", *_CALM)

CONSUMER = Form(
    family="consumer",
    needs={
        "owned": lambda group: any(member.owned for member in group.members),
        "generation": _generations_differ,
        "instance_id": lambda group: any(member.instance_id is not None for member in group.members),
        "racks": lambda group: (
            any(t.racks for t in group.topics) or any(m.rack is not None for m in group.members)
        ),
        "unknown_topic": _having("unknown_topic"),
        "orphan_topic": _having("unread_topic"),
        "joined": lambda group: bool(group.config.joined_topics),
    },
    flags={
        "mixed-subscriptions": _mixed,
        "no-subscription": _having("no_subscription"),
        "repeated-topic": _having("repeated_topic"),
        "unknown-topic": _having("unknown_topic"),
        "orphan-topic": _having("unread_topic"),
        "empty-topic": _having("empty_topic"),
        "static": _having("static_members"),
        "racks": _having("racks"),
        "double-claim": _having("double_claim"),
        "late-claim": _having("overruled_claim"),
        "unsubscribed-owner": _having("unsubscribed_owner"),
        "vanished-partition": _having("vanished_partition", "vanished_topic"),
        "odd-names": _having("hostile_name", "hostile_rack", "partition_like_topic"),
        "large": _having("large_group", "many_partitions"),
        "joined": _having("joined_topics"),
    },
    read_group=read_group,
    write_group=write_group,
    read_answer=read_answer,
    write_answer=write_answer,
    owners=may_keep,
    musts=("existing", "subscribed", "exclusive", "complete", "cooperative"),
    broken=broken,
    values=values,
    best=best_of_clients,
    after=after,
    renamed=renamed,
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
    proved_of=counted,
    conditional=frozenset({"moves", "cross_rack", "joined"}),
    relations=("order", "names", "static", "repeat"),
    proved_aims=("loads", "moves", "cross_rack"),
)
