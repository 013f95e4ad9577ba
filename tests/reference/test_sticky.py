"""The sticky assignment where all subscriptions are equal: small cases, and what it must always keep."""

from hypothesis import given
from hypothesis import strategies as st
from shown import parts, showing

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.reference.consumer.sticky.assignor import assign

shown = showing(assign)


def member(name: str, owned: str = "", generation: int | None = None, rack: str | None = None) -> Member:
    return Member(name, ("a", "b", "c"), parts(owned), generation, None, rack)


def one_each(*racks: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names) for names in racks)


def test_partitions_go_round_by_topic_and_members_by_id() -> None:
    topics = (Topic("b", 2), Topic("a", 3))
    assert shown(topics, member("m1"), member("m0")) == {"m0": "a-0 a-2 b-1", "m1": "a-1 b-0"}


def test_who_stays_keeps_what_it_has() -> None:  # the example of StickyAssignor's documentation
    topics = tuple(Topic(name, 2) for name in "abcd")
    subscription = ("a", "b", "c", "d")
    fresh = assign(Group(topics, tuple(Member(f"c{n}", subscription) for n in range(3))))
    assert list(map(str, fresh["c1"])) == ["a-1", "c-0", "d-1"]
    stayed = tuple(Member(f"c{n}", subscription, tuple(fresh[f"c{n}"]), 1) for n in (0, 2))
    assert shown(topics, *stayed) == {"c0": "a-0 d-0 b-1 a-1", "c2": "b-0 c-1 c-0 d-1"}


def test_too_much_is_given_up_from_the_highest_partition_number() -> None:
    topics = (Topic("a", 2), Topic("b", 2))
    assert shown(topics, member("m0", "b-0 a-1 a-0 b-1", 1), member("m1")) == {
        "m0": "a-0 b-0",
        "m1": "a-1 b-1",
    }


def test_a_hash_map_decides_who_keeps_one_more() -> None:  # "p" is in slot 0, "a" in slot 1
    topics = (Topic("a", 4),)
    assert shown(topics, member("a", "a-0 a-1", 1), member("p", "a-2 a-3", 1), member("z")) == {
        "a": "a-0",
        "p": "a-2 a-3",
        "z": "a-1",
    }


def test_the_later_generation_owns() -> None:
    topics = (Topic("a", 2),)
    assert shown(topics, member("m0", "a-0", 1), member("m1", "a-0", 2)) == {"m0": "a-1", "m1": "a-0"}
    assert shown(topics, member("m0", "a-0"), member("m1", "a-0", 0)) == {"m0": "a-1", "m1": "a-0"}


def test_two_owners_of_one_generation_both_lose() -> None:
    topics = (Topic("a", 3),)
    assert shown(topics, member("m0"), member("m1", "a-2", 1), member("m2", "a-2", 1)) == {
        "m0": "a-0",
        "m1": "a-1",
        "m2": "a-2",
    }


def test_what_is_outside_the_rack_is_given_up() -> None:
    topics = (Topic("a", 2, one_each("x", "y")),)
    assert shown(topics, member("m0", "a-0", 1, "y"), member("m1", "a-1", 1, "x")) == {
        "m0": "a-1",
        "m1": "a-0",
    }


def test_partitions_near_fewest_members_go_first() -> None:
    topics = (Topic("a", 4, one_each("x", "y", "xy", "x")),)
    assert shown(topics, member("m0", rack="x"), member("m1", rack="y")) == {
        "m0": "a-0 a-3",
        "m1": "a-1 a-2",
    }


def test_members_of_a_rack_take_turns() -> None:
    topics = (Topic("a", 4, one_each("x", "y", "x", "y")),)
    assert shown(topics, member("m0", rack="x"), member("m1", rack="x")) == {
        "m0": "a-0 a-1",
        "m1": "a-2 a-3",
    }


def test_what_is_one_too_many_goes_near_first() -> None:
    topics = (Topic("a", 3, one_each("x", "y", "y")),)
    assert shown(topics, member("m0", rack="x"), member("m1", rack="y")) == {"m0": "a-0", "m1": "a-1 a-2"}


def test_everybody_everywhere_means_no_racks() -> None:
    topics = (Topic("a", 2, one_each("xy", "yx")),)
    assert shown(topics, member("m0", "a-1", 1, "x"), member("m1", "", 1, "z")) == {"m0": "a-1", "m1": "a-0"}


@st.composite
def running_groups(draw: st.DrawFn) -> Group:
    """Groups with equal subscriptions, whose members own existing partitions, each at most one of them."""
    sizes = draw(st.lists(st.integers(0, 6), min_size=1, max_size=3))
    ids = draw(st.lists(st.text("ab", max_size=3), min_size=1, max_size=6, unique=True))
    topics = tuple(Topic(f"t{n}", size) for n, size in enumerate(sizes))
    owned: dict[str, list[TopicPartition]] = {name: [] for name in ids}
    for topic in topics:
        for partition in topic:
            owner = draw(st.sampled_from([None, *ids]))
            if owner is not None:
                owned[owner].append(partition)
    names = tuple(topic.name for topic in topics)
    return Group(topics, tuple(Member(name, names, tuple(owned[name]), 1) for name in ids))


@given(group=running_groups())
def test_loads_are_within_one_and_as_much_is_kept_as_possible(group: Group) -> None:
    answer = assign(group)
    everything = [partition for topic in group.topics for partition in topic]
    assert sorted(partition for own in answer.values() for partition in own) == sorted(everything)
    least, surplus = divmod(len(everything), len(group.members))
    assert sorted(map(len, answer.values())) == sorted(
        least + (n < surplus) for n in range(len(group.members))
    )
    held = [len(m.owned) for m in group.members]
    most_kept = sum(min(h, least) for h in held) + min(surplus, sum(h > least for h in held))
    assert sum(len(set(m.owned).intersection(answer[m.id])) for m in group.members) == most_kept


@given(group=running_groups())
def test_fed_back_it_stays(group: Group) -> None:
    answer = assign(group)
    members = tuple(Member(m.id, m.topics, tuple(answer[m.id]), 2) for m in group.members)
    again = assign(Group(group.topics, members))
    assert {name: set(own) for name, own in again.items()} == {name: set(own) for name, own in answer.items()}
