"""The JSON of groups in fixtures of assignors that a coordinator runs: topics have ids, claims no generation."""

from typing import Any

import msgspec

from kassay.conformance.partitions.consumer import Given, by_topic, flat, racks_of
from kassay.errors import InputError
from kassay.families.shapes.partitions.over_time import untold
from kassay.model import Group, Member, Topic
from kassay.model.json_text import convert_json
from kassay.reference.broker.group_spec import topic_id


class _TopicForm(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    id: str
    partitions: int
    racks: list[list[str | None]]
    unassignable: list[int]


class _MemberForm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    topics: list[str]
    owned: Given
    instance_id: str | None
    rack: str | None


class _GroupForm(msgspec.Struct, forbid_unknown_fields=True):
    topics: list[_TopicForm]
    members: list[_MemberForm]


def read_group(data: Any) -> Group:
    """Make a group of the JSON of a fixture; raises InputError naming the field."""
    form = convert_json(data, _GroupForm)
    try:
        return Group(
            tuple(
                Topic(t.name, t.partitions, racks_of(t), id=t.id, unassignable=tuple(t.unassignable))
                for t in form.topics
            ),
            tuple(
                Member(m.id, tuple(m.topics), tuple(flat(m.owned)), None, m.instance_id, m.rack)
                for m in form.members
            ),
        )
    except ValueError as wrong:
        raise InputError(str(wrong)) from None


def write_group(group: Group) -> dict[str, Any]:
    """Make the JSON of a group with nothing left to a default; raises InputError where it has what no coordinator tells."""
    told = untold(group)
    if told:
        raise InputError(told)
    return {
        "topics": [
            {
                "name": t.name, "id": str(topic_id(t.name, t.id)), "partitions": t.partitions,
                "racks": list(map(list, t.racks or [()] * t.partitions)), "unassignable": list(t.unassignable),
            }
            for t in group.topics
        ],
        "members": [
            {"id": m.id, "topics": list(m.topics), "owned": by_topic(m.owned), "instance_id": m.instance_id, "rack": m.rack}
            for m in group.members
        ],
    }  # fmt: skip
