"""RoundRobinAssignor on worked examples, and against its definition taken word by word."""

import pytest
from hypothesis import given
from shown import shown

from kassay.model import Assignment, AssignorError, Group, Member, Topic, TopicPartition
from kassay.properties.partitions import strategies
from kassay.reference.consumer.members import sort_members
from kassay.reference.consumer.roundrobin import assign


def test_the_first_example_of_its_documentation() -> None:
    group = Group((Topic("t0", 3), Topic("t1", 3)), (Member("c0", ("t0", "t1")), Member("c1", ("t0", "t1"))))
    assert shown(assign(group)) == {"c0": "t0-0 t0-2 t1-1", "c1": "t0-1 t1-0 t1-2"}


def test_the_second_example_of_its_documentation() -> None:
    group = Group(
        (Topic("t0", 1), Topic("t1", 2), Topic("t2", 3)),
        (Member("c0", ("t0",)), Member("c1", ("t0", "t1")), Member("c2", ("t0", "t1", "t2"))),
    )
    assert shown(assign(group)) == {"c0": "t0-0", "c1": "t1-0", "c2": "t1-1 t2-0 t2-1 t2-2"}


def test_static_members_come_first() -> None:
    group = Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",), instance_id="z")))
    assert shown(assign(group)) == {"a": "t-1", "b": "t-0 t-2"}


def test_nobody_is_refused() -> None:
    with pytest.raises(AssignorError, match=r"^IllegalArgumentException: "):
        assign(Group((), ()))


def test_nothing_is_no_error() -> None:
    assert shown(assign(Group((), (Member("a", ("gone",)), Member("b", ()))))) == {"a": "", "b": ""}


def word_by_word(group: Group) -> Assignment:
    members = sort_members(group.members)
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in members}
    turn = 0
    for topic in sorted(group.topics, key=lambda topic: topic.name.encode("utf-16-be")):
        for partition in topic if any(topic.name in member.topics for member in members) else ():
            while topic.name not in members[turn].topics:
                turn = (turn + 1) % len(members)
            given[members[turn].id].append(partition)
            turn = (turn + 1) % len(members)
    return given


@given(strategies.groups())
def test_turns_are_taken(group: Group) -> None:
    assert assign(group) == word_by_word(group)
