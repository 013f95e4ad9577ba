"""Groups share topics under new names only if a client cannot tell the difference, and the order of names stays."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.conformance.fixtures import list_groups
from kassay.families import family
from kassay.model import AssignorError
from kassay.protocol.server.topic_pool import TopicPool, list_names
from kassay.reference.java.strings import string_order
from kassay.targets import Options
from kassay.targets.program import open_command

GROUPS = st.lists(family("consumer").shape.groups(), min_size=1, max_size=6)


def list_positions(group):
    """Return the group with each name replaced by its place in Java's order."""
    place = {name: at for at, name in enumerate(list_names(group))}
    return (
        [(place[topic.name], topic.partitions, topic.racks) for topic in group.topics],
        [
            ([place[name] for name in one.topics], [(place[p.topic], p.partition) for p in one.owned])
            for one in group.members
        ],
    )


@given(GROUPS)
def test_a_renamed_group_is_the_group_and_the_client_knows_what_a_leader_knows(groups):
    pool = TopicPool()
    told = [pool.rename(group) for group in groups]
    known = {topic.name: topic for topic in pool.topics}
    assert len(known) == len(pool.topics)
    assert pool.partitions == sum(topic.partitions for topic in pool.topics)
    for group, each in zip(groups, told, strict=True):
        assert list_positions(each.group) == list_positions(group)
        assert [each.names[name] for name in list_names(each.group)] == list_names(group)
        assert sorted(each.names) == sorted(each.names, key=string_order)
        read = {name for member in each.group.members for name in member.topics}
        shown = {topic.name: topic for topic in each.group.topics if topic.name in read}
        assert {name: known[name] for name in each.names if name in known} == {
            name: known[name] for name in shown
        }
        for name, topic in shown.items():
            assert (topic.partitions, topic.racks) == (known[name].partitions, known[name].racks)


@given(GROUPS)
def test_a_group_has_the_same_names_again_and_adds_none(groups):
    pool = TopicPool()
    told = [pool.rename(group) for group in groups]
    assert not any(topic.name for one in told for topic in one.group.topics if pool.is_shown(one.group))
    number = pool.number
    pool.note_shown()
    assert [pool.rename(group) for group in groups] == told
    assert pool.number == number
    assert all(pool.is_shown(one.group) for one in told)


@given(GROUPS)
def test_fresh_groups_and_groups_after_a_clear_share_no_names(groups):
    pool = TopicPool()
    before = {name for group in groups for name in pool.rename(group).names}
    fresh = set(pool.rename(groups[0], fresh=True).names)
    pool.note_shown()
    pool.clear()
    after = pool.rename(groups[0])
    assert not before & fresh
    assert not (before | fresh) & set(after.names)
    assert not after.group.topics or not pool.is_shown(after.group)


PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "kassay" in asked:
        said = {"assignors": [{"name": "one", "family": "consumer", "promises": []}], "language": "any", "version": "1"}
    else:
        said = {"seq": asked["seq"], "error": f"{len(asked.get('ahead', ()))} ahead"}
    print(json.dumps(said), flush=True)
"""


@pytest.mark.parametrize("expects", [True, False])
def test_expected_groups_are_sent_once_and_only_to_a_client(expects):
    groups = list_groups(family("consumer"))[:3]
    with open_command("x", [sys.executable, "-c", PROGRAM], Options(), expects=expects) as target:
        assert (target.expect is not None) == expects
        for assign in (target.assign, target.again):
            said = []
            if target.expect is not None:
                target.expect(groups[1:])
            for _ in range(2):
                with pytest.raises(AssignorError) as failure:
                    assign(groups[0])
                said.append(str(failure.value))
            assert said == ["2 ahead" if expects else "0 ahead", "0 ahead"]
