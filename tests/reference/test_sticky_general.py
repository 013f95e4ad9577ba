"""The sticky assignment where subscriptions differ, step by step."""

from shown import member, showing, topics

from kassay.model import Topic
from kassay.reference.consumer.sticky.assignor import assign

shown = showing(assign)


def test_the_example_of_its_documentation() -> None:
    there = topics(a=1, b=2, c=3)
    assert shown(there, member("c0", "a"), member("c1", "ab"), member("c2", "abc")) == {
        "c0": "a-0",
        "c1": "b-0 b-1",
        "c2": "c-0 c-1 c-2",
    }
    assert shown(there, member("c1", "ab", "b-0 b-1"), member("c2", "abc", "c-0 c-1 c-2")) == {
        "c1": "b-0 b-1 a-0",
        "c2": "c-0 c-1 c-2",
    }


def test_topics_of_fewest_subscribers_go_first_each_to_the_least_load_then_id() -> None:
    assert shown(topics(a=2, b=2), member("m1", "ab"), member("m0", "a"), member("m2", "ab")) == {
        "m0": "a-0 a-1",
        "m1": "b-0",
        "m2": "b-1",
    }


def test_near_ones_go_first_then_all() -> None:
    racks = (("x",), ("z",), ("x",))
    there = (Topic("a", 3, racks), Topic("b", 0))
    assert shown(there, member("m0", "ab", rack="y"), member("m1", "a", rack="x"), member("m2", "b")) == {
        "m0": "a-1",
        "m1": "a-0 a-2",
        "m2": "",
    }


def test_what_is_no_longer_subscribed_or_outside_the_rack_is_given_up() -> None:
    there = (Topic("a", 1, (("x",),)), Topic("b", 1, (("y",),)))
    assert shown(there, member("m0", "b", "a-0 b-0", rack="x"), member("m1", "ab", rack="x")) == {
        "m0": "b-0",
        "m1": "a-0",
    }


def test_partitions_move_in_order_until_loads_are_within_one() -> None:
    there = topics(a=4, b=1)
    assert shown(there, member("m0", "ab", "a-3 a-2 a-1 a-0"), member("m1", "a")) == {
        "m0": "a-3 a-2 b-0",
        "m1": "a-0 a-1",
    }


def test_who_has_all_it_can_get_is_left_alone() -> None:
    there = topics(a=2, b=4)
    assert shown(there, member("m0", "a"), member("m1", "b", "b-0 b-1 b-2 b-3"), member("m2", "b")) == {
        "m0": "a-0 a-1",
        "m1": "b-2 b-3",
        "m2": "b-0 b-1",
    }


def test_the_previous_owner_comes_before_the_least_load() -> None:
    there = topics(a=4, b=1)
    heavy, back = member("m0", "ab", "a-0 a-1 a-2 a-3", 2), member("m2", "a", "a-0", 1)
    assert shown(there, heavy, member("m1", "a", generation=2), back) == {
        "m0": "a-3 b-0",
        "m1": "a-1 a-2",
        "m2": "a-0",
    }


def test_the_latest_of_several_previous_owners_counts() -> None:
    there = topics(a=4, b=1)
    heavy = member("m0", "ab", "a-0 a-1 a-2 a-3", 3)
    earlier, later = member("m1", "a", "a-0", 1), member("m2", "a", "a-0", 2)
    assert shown(there, heavy, earlier, later) == {"m0": "a-3 b-0", "m1": "a-1 a-2", "m2": "a-0"}


def test_what_was_free_moves_first() -> None:
    there = topics(a=4, c=2, d=6, e=1)
    others = member("m1", "a", "a-2 a-3"), member("m2", "cde", "d-0 d-1 d-2 d-3 d-4 d-5 e-0")
    assert shown(there, member("m0", "ac", "a-0"), *others) == {
        "m0": "a-0 c-0 c-1",
        "m1": "a-2 a-3 a-1",
        "m2": "d-0 d-1 d-2 d-3 d-4 d-5 e-0",
    }


def test_unless_somebody_had_to_give_up_something() -> None:
    there = topics(a=4, c=2, d=6, e=1)
    others = member("m1", "a", "a-2 a-3 e-0"), member("m2", "cde", "d-0 d-1 d-2 d-3 d-4 d-5")
    assert shown(there, member("m0", "ac", "a-0"), *others) == {
        "m0": "a-1 c-0 c-1",
        "m1": "a-2 a-3 a-0",
        "m2": "d-0 d-1 d-2 d-3 d-4 d-5 e-0",
    }


def test_one_of_the_topic_goes_home_instead() -> None:
    """First a-2 goes from m1 to m2; when m1 then should get a-0 from m2, a-2 goes back."""
    there = topics(a=5, b=5)
    middle = member("m1", "ab", "a-2 b-0 b-1 b-2 b-3 b-4")
    assert shown(there, member("m2", "a"), middle, member("m0", "b")) == {
        "m0": "b-0 b-1 b-2",
        "m1": "b-3 b-4 a-2",
        "m2": "a-0 a-1 a-3 a-4",
    }


def test_it_is_the_first_of_a_hash_set() -> None:
    """Both t-3 and t-4, in this order, go from m1 to m2; t-4 comes back, being in an earlier slot."""
    there = topics(t=5, u=3, v=3)
    members = (member("m2", "tu"), member("m0", "u"), member("m1", "tuv", "t-3 t-4 u-1 u-2"))
    assert shown(there, *members) == {
        "m0": "u-0 u-1 u-2",
        "m1": "v-0 v-1 v-2 t-4",
        "m2": "t-0 t-1 t-2 t-3",
    }
