"""Server-side assignors of consumer groups: what tells their releases apart, and what a coordinator's group looks like to them."""

import json
from dataclasses import astuple, replace
from pathlib import Path
from pickle import dumps, loads

import pytest

from kassay.errors import InputError
from kassay.families import family
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import read_group, write_group
from kassay.reference import ASSIGNORS
from kassay.reference.broker.group_spec import Numbering, TopicId, id_of_name, make_topic_id
from kassay.targets import Options, open_target


def assign(spec, group):
    given = open_target(spec, Options()).assign(group)
    return {member: " ".join(map(str, given[member])) for member in sorted(given)}


def owned(topic, *numbers):
    return tuple(TopicPartition(topic, number) for number in numbers)


def test_ids_print_hash_and_sort_as_kafkas_uuid():
    # as Kafka 4.4.0 prints and hashes the Uuid of UUID.nameUUIDFromBytes
    assert str(id_of_name("t0")) == "gJ1FgKrtMVaavDjVj3f4QA"
    assert make_topic_id("x", "gJ1FgKrtMVaavDjVj3f4QA") == id_of_name("t0")
    assert id_of_name("t0") < TopicId(0, 0)  # its first bit is set: both halves are signed
    assert id_of_name("t0").java_hash() == 1069265987


def test_an_id_and_what_may_not_be_given_are_read_and_written():
    data = {
        "topics": [{"name": "t", "partitions": 3, "id": "AAAAAAAAAAAAAAAAAAAAAQ", "unassignable": [2]}],
        "members": [{"id": "m", "topics": ["t"]}],
    }
    assert write_group(read_group(data)) == data


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        ({"id": "t"}, r"topics\[0\]\.id: topic 't' has 't'. Give a Uuid as Kafka prints it"),
        ({"id": "AAAAAAAAAAAAAAAAAAAAAB"}, "Give a Uuid"),
        (
            {"unassignable": [3]},
            r"topics\[0\]\.unassignable: topic 't' has 3 partitions but lists 3. Leave it out",
        ),
        ({"unassignable": "all"}, r"topics\[0\]\.unassignable: Expected `array`"),
    ],
)
def test_wrong_ones_are_refused_by_field(topic, words):
    with pytest.raises(InputError, match=words):
        read_group({"topics": [{"name": "t", "partitions": 3} | topic], "members": []})


def test_two_topics_of_one_id_are_refused():
    topic = {"partitions": 1, "id": "AAAAAAAAAAAAAAAAAAAAAQ"}
    with pytest.raises(InputError, match="topics: two of them have the id 'AAAAAAAAAAAAAAAAAAAAAQ'"):
        read_group({"topics": [{"name": name} | topic for name in "tu"], "members": []})


def test_a_topic_makes_its_partitions_once_and_is_no_other_for_it():
    topic = Topic("t", 2)
    assert topic.listed() is topic.listed()
    assert topic.listed() == tuple(topic) == owned("t", 0, 1)
    assert (topic, hash(topic), repr(topic)) == (Topic("t", 2), hash(Topic("t", 2)), repr(Topic("t", 2)))
    assert (astuple(topic), dumps(topic)) == (astuple(Topic("t", 2)), dumps(Topic("t", 2)))


def test_what_is_gone_is_numbered_behind_all_and_sorted_in_among_its_topic():
    numbering = Numbering((Topic("t", 1), Topic("u", 1)))
    assert numbering.numbers({"u": [0], "t": [0]}) == [1, 0]
    assert numbering.order() is None
    assert numbering.numbers({"t": [0, 7], "u": [0], "v": [0]}) == [0, 2, 1]
    assert sorted([0, 1, 2], key=numbering.order()) == [0, 2, 1]


def test_members_group_what_they_own_by_topic_and_say_whether_it_was_in_order():
    apart = Member("a", (), (*owned("u", 1), *owned("t", 0), *owned("u", 0)))
    assert {**apart.owned_by_topic} == {"u": [1, 0], "t": [0]}
    together = [
        Member("a", (), (*owned("u", 0, 2), *owned("t", *numbers))) for numbers in ((), (0, 1), (1, 0))
    ]
    assert [member.owned_in_order for member in (apart, *together)] == [False, True, True, False]
    assert loads(dumps(apart)) == apart == replace(apart)  # what they keep of it is no field


EXTRA_AT_THE_LAST = Group(
    (Topic("t", 3),), (Member("a", ("t",), owned("t", 0)), Member("b", ("t",), owned("t", 1, 2)))
)


def test_what_does_not_go_round_stays_from_4_0_1_on():
    assert assign("broker/uniform@4.0.0", EXTRA_AT_THE_LAST) == {"a": "t-0 t-2", "b": "t-1"}
    assert assign("broker/uniform@4.0.1", EXTRA_AT_THE_LAST) == {"a": "t-0", "b": "t-1 t-2"}


def test_range_keeps_what_is_owned_before_3_9_only():
    assert assign("broker/range@3.8.1", EXTRA_AT_THE_LAST) == {"a": "t-0", "b": "t-1 t-2"}
    assert assign("broker/range@3.9.0", EXTRA_AT_THE_LAST) == {"a": "t-0 t-1", "b": "t-2"}


def test_a_group_without_members_makes_3_8_fail():
    nobody = Group((Topic("t", 1),), ())
    assert assign("broker/range@3.7.2", nobody) == assign("broker/range", nobody) == {}
    with pytest.raises(AssignorError, match="NoSuchElementException"):
        assign("broker/range@3.8.1", nobody)


def test_uniform_reads_racks_in_3_7_only():
    near = Group(
        (Topic("t", 2, (("y",), ("x",))),), (Member("a", ("t",), rack="x"), Member("b", ("t",), rack="y"))
    )
    assert assign("broker/uniform@3.7.2", near) == {"a": "t-1", "b": "t-0"}
    assert assign("broker/uniform@3.8.0", near) == {"a": "t-0", "b": "t-1"}


@pytest.mark.parametrize("name", ["broker/range", "broker/uniform", "share/simple"])
def test_an_unknown_topic_is_an_exception_of_kafkas(name):
    with pytest.raises(AssignorError, match="PartitionAssignorException: Member"):
        assign(name, Group((), (Member("a", ("t",)),)))


def test_share_groups_by_release():
    group = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ("t",))))
    everybody = {"a": "t-0", "b": "t-0"}
    assert all(
        assign(f"share/simple@{release}", group) == everybody for release in ("4.0.2", "4.1.2", "4.4.0")
    )
    more = Group((Topic("t", 4),), group.members)
    assert assign("share/simple@4.0.2", more) == dict.fromkeys("ab", "t-0 t-1 t-2 t-3")
    assert assign("share/simple@4.4.0", more) == {"a": "t-1 t-3", "b": "t-0 t-2"}
    withheld = Group((Topic("t", 4, unassignable=(0, 1)),), group.members)
    assert assign("share/simple@4.4.0", withheld) == {"a": "t-2", "b": "t-3"}


@pytest.mark.parametrize(
    ("example", "name", "broken", "says"),
    [
        ("lost-copy", "share/simple", "evenly_shared", "orders-2 is shared by 1 member instead of 2"),
        ("unread-topic", "share/simple", "subscribed", "t1-0 is given to m0, which subscribes to t0"),
        ("unassignable", "share/simple", "existing", "t0-1 is given to m0, but it may not be given yet"),
        ("unassignable", "share/simple", "complete", "t0-0 has no owner, though m0 subscribes to t0"),
        ("whole-topics", "broker/uniform", "topic_balanced", "of t0, m0 holds 2 partitions and m1 0"),
    ],
)
def test_what_the_page_shows_is_so(example, name, broken, says):
    text = (Path(__file__).parents[2] / "examples" / "broker" / f"{example}.json").read_text()
    of_family = family(name.partition("/")[0])
    group = of_family.shape.read_group(json.loads(text))
    assert says in list(of_family.invariants[broken](group, ASSIGNORS[name].assign(group)))


def test_uniform_of_3_7_counts_what_a_member_is_given_twice_once_where_it_looks_for_near_members():
    """Found against Kafka 3.7.2 among 80,000 groups: two members own the same, and it goes to the one of them that keeps it."""
    group = Group(
        (Topic("t0", 5, (("r0",),) * 5), Topic("t1", 4)),
        (
            Member("m2", ("t0",), rack="r0"),
            Member("m1", ("t0",), owned("t0", 1, 4), rack="r0"),
            Member("m0", ("t0", "t1"), owned("t0", 1, 4), rack="r0"),
        ),
    )
    assert assign("broker/uniform@3.7.2", group) == {
        "m0": "t1-0 t1-1 t1-2 t1-3", "m1": "t0-1 t0-4", "m2": "t0-0 t0-2 t0-3",
    }  # fmt: skip


def test_uniform_until_3_9_fails_with_kafkas_words_where_nobody_can_take_a_partition_of_two_owners():
    """Found against Kafka 3.7.2, 3.8.1 and 3.9.2 among 100,000 groups."""
    group = Group(
        (Topic("t0", 1), Topic("t1", 2)),
        (Member("m1", ("t0",), owned("t0", 0)), Member("m0", ("t0", "t1"), owned("t0", 0))),
    )
    for release in ("3.7.2", "3.9.2"):
        with pytest.raises(AssignorError, match=r"found for the partitiongJ1FgKrtMVaavDjVj3f4QA:0$"):
            assign(f"broker/uniform@{release}", group)
