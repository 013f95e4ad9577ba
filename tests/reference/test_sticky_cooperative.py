"""What cooperative-sticky holds back from the sticky assignment, and what it does not."""

from shown import member, showing, topics

from kassay.model import Topic
from kassay.reference.consumer.sticky.cooperative import assign

shown = showing(assign)


def test_what_moves_is_held_back_until_it_is_given_up() -> None:
    heavy, light = member("m0", "a", "a-0 a-1 a-2"), member("m1", "a", "a-3")
    assert shown(topics(a=4), heavy, light) == {"m0": "a-0 a-1", "m1": "a-3"}
    assert shown(topics(a=4), member("m0", "a", "a-0 a-1"), light) == {"m0": "a-0 a-1", "m1": "a-3 a-2"}


def test_so_it_is_where_subscriptions_differ() -> None:
    heavy, light = member("m0", "ab", "a-0 a-1 a-2"), member("m1", "a")
    assert shown(topics(a=3, b=1), heavy, light) == {"m0": "a-2 b-0", "m1": ""}
    assert shown(topics(a=3, b=1), member("m0", "ab", "a-2 b-0"), light) == {"m0": "a-2 b-0", "m1": "a-0 a-1"}


def test_what_nobody_owns_is_given_at_once() -> None:
    assert shown(topics(a=2), member("m0", "a", "a-1"), member("m1", "a")) == {"m0": "a-1", "m1": "a-0"}


def test_what_two_claim_is_held_back() -> None:
    assert shown(topics(a=2), member("m0", "a", "a-0"), member("m1", "a", "a-0")) == {"m0": "", "m1": "a-1"}


def test_what_leaves_a_rack_is_held_back_but_not_what_returns_to_its_owner() -> None:
    there = (Topic("a", 3, (("x",), ("y",), ("y",))),)
    far, near = member("m0", "a", "a-1 a-2", rack="x"), member("m1", "a", rack="y")
    assert shown(there, far, near) == {"m0": "a-0", "m1": ""}
    assert shown((Topic("a", 2, (("y",), ("y",))),), member("m0", "a", "a-0", rack="x"), near) == {
        "m0": "a-0",
        "m1": "a-1",
    }


def test_the_owner_of_the_latest_generation_keeps_what_another_claims() -> None:
    assert shown(topics(a=2), member("m0", "a", "a-0", 1), member("m1", "a", "a-0", 2)) == {
        "m0": "a-1",
        "m1": "a-0",
    }


def test_who_claimed_it_of_old_is_given_what_its_owner_has_yet_to_give_up() -> None:
    """A defect, as Kafka has it: m1 owns a-0, though it no longer subscribes, and m0 is given it at once."""
    assert shown(topics(a=1), member("m0", "a", "a-0", None), member("m1", "", "a-0", 1)) == {
        "m0": "a-0",
        "m1": "",
    }
