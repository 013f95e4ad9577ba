"""What Kafka's sticky assignors do wrong: each expectation is what Kafka 4.4.0 answers."""

import pytest
from shown import member, parts, showing, topics

from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.reference.consumer.sticky.assignor import assign

shown = showing(assign)


def test_who_comes_first_without_topics_is_given_some() -> None:
    nothing, something = member("m0", ""), member("m1", "a")
    assert shown(topics(a=2), nothing, something) == {"m0": "a-0", "m1": "a-1"}
    assert shown(topics(a=2), something, nothing) == {"m0": "", "m1": "a-0 a-1"}


def test_the_first_may_list_a_topic_twice_and_no_other() -> None:
    """With equal subscriptions the lowest partition numbers are kept, else they move."""
    twice, once = member("m0", "aa", "a-0 a-1 a-2 a-3"), member("m1", "a")
    assert shown(topics(a=4), twice, once) == {"m0": "a-0 a-1", "m1": "a-2 a-3"}
    assert shown(topics(a=4), once, twice) == {"m0": "a-2 a-3", "m1": "a-0 a-1"}


def test_an_old_quarrel_takes_a_partition_from_its_present_owner() -> None:
    quarrel = (member("m1", "a", "a-2", 1), member("m2", "a", "a-2", 1))
    assert shown(topics(a=3), member("m0", "a", "a-2", 2), *quarrel)["m0"] == "a-2"
    assert shown(topics(a=3), *quarrel, member("m0", "a", "a-2", 2))["m0"] == "a-0"


def test_a_claim_beyond_the_last_partition_counts_as_load() -> None:
    assert shown(topics(a=4), member("m0", "a"), member("m1", "a", "a-1 a-5")) == {
        "m0": "a-0 a-2 a-3",
        "m1": "a-1 a-5",
    }


def test_partitions_of_later_topics_are_given_twice() -> None:
    members = (member("m0", "ab"), member("m1", "ab", "a-5 b-0"), member("m2", "ab"))
    assert shown(topics(a=2, b=2), *members) == {"m0": "a-0 b-0", "m1": "b-0 a-5", "m2": "a-1 b-1"}
    different = (member("m0", "b"), member("m1", "ab", "a-5 b-0 b-1"))
    assert shown(topics(a=2, b=2), *different) == {"m0": "b-0 b-1", "m1": "a-5 b-0 b-1 a-0 a-1"}


def test_or_it_fails() -> None:
    with pytest.raises(
        AssignorError, match=r"^IllegalStateException: No more unfilled consumers to be assigned\.$"
    ):
        shown(topics(a=1), member("m0", "a", "a-3"))


def test_a_previous_owner_need_not_subscribe() -> None:
    owner, other = member("m0", "a", "a-0 a-1 a-2 a-3", 2), member("m1", "a", generation=2)
    back = member("m2", "b", "a-0", 1)
    assert shown(topics(a=4, b=1), owner, other, back, member("m3", "b")) == {
        "m0": "a-2 a-3",
        "m1": "a-1",
        "m2": "a-0",
        "m3": "b-0",
    }


def test_a_previous_owner_that_can_get_nothing_else() -> None:
    owner, other = member("m0", "a", "a-0 a-1 a-2 a-3", 2), member("m1", "a", generation=2)
    with pytest.raises(AssignorError, match=r"^NullPointerException"):
        shown(topics(a=4), owner, other, member("m2", "", "a-0", 1))


def test_a_subscriber_that_seems_to_have_all_it_can_get() -> None:
    """m0 has a-3 and a-0, as many as it can get, and cannot be found when b-0 should move."""
    there = (Topic("a", 1), Topic("b", 1, (("x",),)))
    near = Member("m1", ("b",), parts("b-0"), 1, rack="x")
    with pytest.raises(AssignorError, match=r"^NullPointerException"):
        shown(there, member("m0", "ab", "a-3"), near, Member("m2", ("b",), rack="y"))


def test_a_topic_listed_twice_counts_twice() -> None:
    """With a-1, a-0, m0 has all it can get, but is thought to lack something; so b-0 moves on."""
    assert shown(topics(a=1, b=2), member("m0", "aa", "a-1"), member("m1", "ba", "a-0")) == {
        "m0": "a-1 a-0",
        "m1": "b-0 b-1",
    }


def test_unless_as_many_topics_are_listed_as_there_are() -> None:
    """Then all partitions count: m0 is thought to lack some until it has five."""
    members = (member("m0", "abb", "b-0 b-3"), member("m1", "ac", "a-0 a-3"))
    assert shown(topics(a=1, b=1, c=3), *members) == {
        "m0": "b-0 b-3 b-0 a-0",
        "m1": "a-3 c-0 c-1 c-2",
    }


@pytest.mark.parametrize(("keeper", "taker", "fails"), [("a", "p", True), ("p", "a", False)])
def test_of_two_owners_a_hash_map_decides_who_counts(keeper: str, taker: str, fails: bool) -> None:
    """Slot 0 has "p", slot 1 "a", which counts. If that is the keeper, b-0 should move on."""
    group = Group(
        topics(a=1, b=1),
        (
            member(taker, "b"),
            member("y", "", "b-0", None),
            member(keeper, "ab", "b-0 a-1"),
            member("z", "b"),
        ),
    )
    if fails:
        with pytest.raises(AssignorError, match=r"^NullPointerException"):
            assign(group)
    else:
        assert list(map(str, assign(group)[keeper])) == ["b-0", "a-1", "a-0"]


def test_movements_that_undo_each_other_for_ever() -> None:
    """Kafka never returns from this; nobody is late and every claim is right."""
    there = topics(a=8, b=8, c=8, d=12, e=3)
    heavy = tuple(TopicPartition("a", n) for n in range(8)) + tuple(
        TopicPartition("d", n) for n in range(2, 12)
    )
    members = (
        member("m0", "bd", "b-0 b-1 b-2 b-3 b-4 b-5 b-6 b-7"),
        member("m1", "bcd", "c-1 c-6"),
        member("m2", "cd", "c-0"),
        member("m3", "ace"),
        Member("m4", ("a", "d"), heavy, 1),
    )
    with pytest.raises(AssignorError, match="again and again"):
        shown(there, *members)


def test_unevenness_overflows() -> None:
    """Moving c-0 to c-2 evens loads, but only then do the differences fit into 32 bits: all is undone."""
    there = topics(a=39_646, b=1, c=3)
    heavy = Member("heavy", ("a", "c"), (*there[0], *there[2]), 1)
    idle = (Member(f"m{n}", ("b",)) for n in range(54_160))
    answer = assign(Group(there, (heavy, Member("light", ("c",)), *idle)))
    assert answer["light"] == []
    less = assign(Group(there, (heavy, Member("light", ("c",)), Member("m0", ("b",)), Member("m1", ("b",)))))
    assert list(map(str, less["light"])) == ["c-0", "c-1", "c-2"]
