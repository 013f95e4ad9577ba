"""Invariants: what they say of right and wrong outcomes, and that no assignment, however wrong, breaks them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from mutants.tiny import any_assignment, any_choices, tiny_group
from whole import share

from kassay.model import Config, Group, Member, Topic, TopicPartition
from kassay.properties.consumer import INVARIANTS, MEASURES

T0, T1, T2, U0 = (
    TopicPartition("t", 0),
    TopicPartition("t", 1),
    TopicPartition("t", 2),
    TopicPartition("u", 0),
)
GROUP = Group((Topic("t", 2), Topic("u", 1)), (Member("a", ("t",)), Member("b", ("t",))))


@pytest.mark.parametrize(
    ("name", "assignment", "sentences"),
    [
        ("complete", {"a": [T0], "b": []}, ["t-1 has no owner, though a subscribes to t"]),
        ("complete", {"a": [T0, T1]}, []),
        ("complete", {"a": [T0], "stranger": [T1]}, ["t-1 has no owner, though a subscribes to t"]),
        ("exclusive", {"a": [T0, T1], "b": [T1]}, ["t-1 is given to a and to b"]),
        ("exclusive", {"a": [T0, T0], "b": [T1]}, ["t-0 is given to a twice"]),
        ("exclusive", {"a": [T0], "b": [T1]}, []),
        ("subscribed", {"a": [U0], "b": [T0, T1]}, ["u-0 is given to a, which subscribes to t"]),
        ("subscribed", {"a": [T2], "stranger": [U0]}, []),
        ("existing", {"a": [T2]}, ["t-2 is given to a, but t has 2 partitions"]),
        ("existing", {"a": [TopicPartition("t", -1)]}, ["t--1 is given to a, but t has 2 partitions"]),
        ("existing", {"a": [TopicPartition("v", 0)]}, ["v-0 is given to a, but there is no topic v"]),
        ("existing", {"a": [U0]}, []),
        ("every_member", {"a": [T0]}, ["b is a member, but the result does not name it"]),
        ("every_member", {"a": [], "b": [], "c": []}, ["the result names c, which is no member"]),
        ("topic_balanced", {"a": [T0, T1], "b": []}, ["of t, a holds 2 partitions and b 0"]),
        ("topic_balanced", {"a": [T0], "b": []}, []),
        ("redundant", {"a": [T0, T1], "b": [T0, T0]}, ["t-1 has 1 owners instead of 2"]),
        ("redundant", {"a": [T0, T1], "b": [T1, T0]}, []),
    ],
)
def test_sentences(name, assignment, sentences):
    assert list(INVARIANTS[name](GROUP, assignment)) == sentences


def test_redundant_asks_for_one_owner_where_one_member_subscribes():
    group = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ())))
    assert not list(INVARIANTS["redundant"](group, {"a": [T0], "b": []}))
    assert list(INVARIANTS["redundant"](group, {"a": [], "b": []})) == ["t-0 has 0 owners instead of 1"]


def test_co_partitioned_asks_only_where_topics_can_be_joined():
    both = tuple(Member(name, ("t", "u")) for name in "ab")
    group = Group((Topic("t", 2), Topic("u", 2)), both, Config(joined_topics=(("t", "u"),)))
    u1 = TopicPartition("u", 1)
    broken = INVARIANTS["co_partitioned"]
    assert list(broken(group, {"a": [T0, U0], "b": [T1, u1]})) == []
    assert list(broken(group, {"a": [T0, T1, U0], "b": [u1]})) == [
        "t and u are joined, but t-1 is with a and u-1 with b"
    ]
    assert list(broken(group, {"a": [T0, U0, T1]})) == [
        "t and u are joined, but t-1 is with a and u-1 with nothing"
    ]
    alone = replace(group, members=(both[0], Member("b", ("t",))))
    assert list(broken(alone, {"a": [T0, U0, u1], "b": [T1]})) != []
    for wrong in (
        replace(group, topics=(Topic("t", 2), Topic("u", 1))),
        replace(group, members=(Member("a", ("t",)), Member("b", ("u",)))),
        replace(group, config=Config()),
    ):
        assert list(broken(wrong, {"a": [T0, T1], "b": [U0]})) == []


def claiming(*claims):
    """Make a group of members m0, m1, ... that claim t-0, or not, with these generations."""
    return Group(
        (Topic("t", 1),),
        tuple(
            Member(
                f"m{at}",
                ("t",),
                () if generation == "no" else (T0,),
                None if generation == "no" else generation,
            )
            for at, generation in enumerate(claims)
        ),
    )


@pytest.mark.parametrize(
    ("claims", "taker", "owner"),
    [
        ((1, "no"), "m1", "m0"),  # taken from its owner
        ((None, "no"), "m1", "m0"),  # a claim without generation is one
        ((1, "no"), "m0", None),  # kept
        (("no", "no"), "m0", None),  # nobody's
        ((1, 1), "m0", None),  # one of two owners keeps it
        ((1, 1, "no"), "m2", "m0 and m1"),  # handed on while two own it
        ((1, 2), "m1", None),  # its claim overrules the other
        ((1, 2), "m0", "m1"),  # the member with the outdated claim gets it in addition to the owner
        ((1, 2, "no"), "m2", "m1"),
    ],
)
def test_cooperative_protects_from_two_owners_at_one_time(claims, taker, owner):
    sentences = list(INVARIANTS["cooperative"](claiming(*claims), {taker: [T0]}))
    assert sentences == ([] if owner is None else [f"t-0 is given to {taker} while {owner} still owns it"])


@settings(max_examples=share(100, 500), deadline=None)
@given(any_choices())
def test_whatever_is_wrong_is_said_in_words_and_numbers(choices):
    group = tiny_group(choices, racks=True)
    assignment = any_assignment(choices, group)
    for invariant in INVARIANTS.values():
        assert all(isinstance(sentence, str) and sentence for sentence in invariant(group, assignment))
    for measure in MEASURES.values():
        assert type(measure(group, assignment)) is int
