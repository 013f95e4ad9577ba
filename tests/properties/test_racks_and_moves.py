"""The laws of racks and moves, counted out on small groups by their definitions."""

from itertools import product

import pytest

from kassay.families import family
from kassay.model import Group, Member, Topic, TopicPartition

CONSUMER = family("consumer")
P = [TopicPartition("t", number) for number in range(4)]
NEAR = Group(
    (Topic("t", 4, racks=(("x",), ("x",), ("y",), ("y",))),),
    (Member("a", ("t",), rack="x"), Member("b", ("t",), rack="y")),
)


def said(name, group, answer):
    return list(CONSUMER.invariants[name](group, answer))


def each_answer():
    for owners in product("ab", repeat=len(P)):
        yield {name: tuple(p for p, owner in zip(P, owners, strict=True) if owner == name) for name in "ab"}


def test_near_before_far_by_all_exchanges():
    """Broken exactly where both have a partition that the other one has near."""
    for answer in each_answer():
        afar = [p for p in answer["a"] if p.partition > 1], [p for p in answer["b"] if p.partition < 2]
        assert bool(said("near_before_far", NEAR, answer)) == all(afar)


def test_near_before_far_leaves_what_is_owned():
    owned = Group(NEAR.topics, (Member("a", ("t",), rack="x", owned=(P[2], P[3])), NEAR.members[1]))
    assert not said("near_before_far", owned, {"a": P[2:], "b": P[:2]})


@pytest.mark.parametrize("claims", [((), ()), (P[:4], ()), (P[:3], P[3:]), (P[:2], ()), (P[:1], P[1:])])
def test_moves_bounded_by_the_definition(claims):
    """Twice the moves against the fall of the sum of squares, over all answers."""
    members = tuple(
        Member(name, ("t",), owned=tuple(owned)) for name, owned in zip("ab", claims, strict=True)
    )
    group = Group((Topic("t", 4),), members)
    owner = {p: member.id for member in members for p in member.owned}
    for answer in each_answer():
        has = {p: name for name, given in answer.items() for p in given}
        moved = [p for p in P if p in owner and owner[p] != has[p]]
        stayed = [owner.get(p, has[p]) for p in P]
        before, after = (sum(list(who).count(name) ** 2 for name in "ab") for who in (stayed, has.values()))
        assert bool(said("moves_bounded", group, answer)) == (2 * len(moved) > before - after)


def test_moves_bounded_says_nothing_of_what_is_lost():
    group = Group((Topic("t", 4),), (Member("a", ("t",), owned=tuple(P)), Member("b", ("t",))))
    assert not said("moves_bounded", group, {"a": (), "b": P[:3]})


def test_more_reads_than_without_racks():
    law = CONSUMER.laws["rack_aware_no_more_reads"]

    def turned(group):
        near = any(topic.racks for topic in group.topics)
        return {"a": P[2:], "b": P[:2]} if near else {"a": P[:2], "b": P[2:]}

    (told,) = law(turned, NEAR)
    assert told == "4 partitions read across racks; without racks, with the same loads and moves, 0"
    assert not list(law(lambda _: {"a": P[2:], "b": P[:2]}, NEAR))
    assert not list(law(lambda group: turned(group) if group is not NEAR else {"a": P[1:], "b": P[:1]}, NEAR))
