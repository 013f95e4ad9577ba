"""RangeAssignor on groups whose answer is written in its documentation, in KIP-881 or follows by hand."""

from hypothesis import given
from shown import shown

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.partitions import strategies
from kassay.reference.consumer.members import find_rack
from kassay.reference.consumer.range import assign


def one_each(*racks: str) -> tuple[tuple[str, ...], ...]:
    return tuple((rack,) for rack in racks)


def members(topics: tuple[str, ...], *racks: str | None) -> tuple[Member, ...]:
    return tuple(Member(f"c{number}", topics, rack=rack) for number, rack in enumerate(racks))


def test_the_example_of_its_documentation() -> None:
    group = Group((Topic("t0", 3), Topic("t1", 3)), members(("t0", "t1"), None, None))
    assert shown(assign(group)) == {"c0": "t0-0 t0-1 t1-0 t1-1", "c1": "t0-2 t1-2"}


def test_static_members_come_first() -> None:
    group = Group(
        (Topic("t", 4),),
        (Member("a", ("t",)), Member("b", ("t",), instance_id="2"), Member("c", ("t",), instance_id="1")),
    )
    assert shown(assign(group)) == {"c": "t-0 t-1", "b": "t-2", "a": "t-3"}


def test_a_topic_listed_twice_counts_once() -> None:
    group = Group((Topic("t", 3),), (Member("a", ("t", "t")), Member("b", ("t",))))
    assert shown(assign(group)) == {"a": "t-0 t-1", "b": "t-2"}


def test_unknown_and_empty_topics_are_left_out() -> None:
    group = Group((Topic("empty", 0), Topic("nobody", 3)), (Member("a", ("gone", "empty")),))
    assert shown(assign(group)) == {"a": ""}


def test_racks_are_matched_partition_by_partition() -> None:
    group = Group((Topic("t", 3, one_each("a", "b", "c")),), members(("t",), "c", "b", "a"))
    assert shown(assign(group)) == {"c0": "t-2", "c1": "t-1", "c2": "t-0"}


def test_balance_comes_before_racks() -> None:
    group = Group((Topic("t", 4, one_each("a", "a", "a", "d")),), members(("t",), "b", "a"))
    assert shown(assign(group)) == {"c0": "t-2 t-3", "c1": "t-0 t-1"}


def test_a_member_far_away_gets_what_is_left_and_not_the_one_more() -> None:
    group = Group((Topic("t", 3, one_each("a", "a", "d")),), members(("t",), "b", "a"))
    assert shown(assign(group)) == {"c0": "t-2", "c1": "t-0 t-1"}


def test_racks_that_hold_everything_do_not_matter() -> None:
    group = Group((Topic("t", 3, (("a", "b"), ("b", "a"), ("a", "b"))),), members(("t",), "b", "a"))
    assert shown(assign(group)) == {"c0": "t-0 t-1", "c1": "t-2"}


def test_replicas_without_rack_and_members_with_an_empty_one_do_not_count() -> None:
    topic = Topic("t", 2, ((None, "a"), (None, "b")))
    assert shown(assign(Group((topic,), members(("t",), "b", "a")))) == {"c0": "t-1", "c1": "t-0"}
    assert shown(assign(Group((topic,), members(("t",), "", "")))) == {"c0": "t-0", "c1": "t-1"}


def test_co_partitioned_topics_stay_so_in_racks_that_all_of_them_share() -> None:
    topics = (Topic("t0", 3, (("a",), ("b",), ("c",))), Topic("t1", 3, (("a", "b"), ("b",), ("a",))))
    group = Group(topics, members(("t0", "t1"), "b", "a", "c"))
    assert shown(assign(group)) == {"c0": "t0-1 t1-1", "c1": "t0-0 t1-0", "c2": "t0-2 t1-2"}


def test_topics_of_other_sizes_are_matched_alone() -> None:
    topics = (Topic("t0", 2, one_each("a", "b")), Topic("t1", 3, one_each("b", "a", "a")))
    group = Group(topics, members(("t0", "t1"), "b", "a"))
    assert shown(assign(group)) == {"c0": "t0-1 t1-0", "c1": "t0-0 t1-1 t1-2"}


def test_lists_are_in_the_order_of_a_hash_map_without_racks() -> None:
    names = ("alpha", "m", "topic-10", "topic-2", "zeta")
    group = Group(tuple(Topic(name, 1) for name in names), (Member("c", names),))
    assert shown(assign(group)) == {"c": "zeta-0 alpha-0 topic-2-0 m-0 topic-10-0"}


@given(strategies.groups())
def test_shares_are_ranges_without_racks_and_never_more_than_needed(group: Group) -> None:
    given = assign(group)
    for topic in group.topics:
        readers = [member for member in group.members if topic.name in member.topics]
        shares = {m.id: [p.partition for p in given[m.id] if p.topic == topic.name] for m in readers}
        assert sorted(p for share in shares.values() for p in share) == (
            list(range(topic.partitions)) if readers else []
        )
        for share in shares.values():
            assert topic.partitions // len(readers) <= len(share) <= -(-topic.partitions // len(readers))
            if not any(map(find_rack, group.members)):
                assert share == list(range(share[0], share[0] + len(share))) if share else True


@given(strategies.groups())
def test_racks_only_help(group: Group) -> None:
    """A member without anything in its rack that it could have had before others who have it elsewhere does not exist.

    In a group of one topic, whoever was given a partition outside its rack leaves no partition in it to a member of
    another rack that is outside its own as well: exchanging the two would be better for both.
    """
    for topic in group.topics:
        alone = Group((topic,), group.members)
        given = assign(alone)
        if topic.racks is None:
            continue
        far = {
            (member.id, find_rack(member)): [
                p for p in given[member.id] if find_rack(member) not in racks_at(topic, p)
            ]
            for member in group.members
            if find_rack(member)
        }
        for (one, its_rack), theirs in far.items():
            for (other, other_rack), others in far.items():
                assert not any(
                    its_rack in racks_at(topic, q) and other_rack in racks_at(topic, p)
                    for p in theirs
                    for q in others
                ), (one, other)


def racks_at(topic: Topic, partition: TopicPartition) -> tuple[str | None, ...]:
    assert topic.racks is not None
    return topic.racks[partition.partition]
