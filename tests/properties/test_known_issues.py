"""The properties that come from issues of real clients: what they say, and what they let pass."""

from dataclasses import replace

import pytest
from mutants.honest import cooperative, sticky
from mutants.several_runs import (
    hands_over_one_at_a_time,
    sorts_static_members_by_id,
    takes_the_last_claims_for_everybodys,
    withholds_for_ever,
)

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.consumer import INVARIANTS, LAWS
from kassay.reference.consumer.range import assign as range_assign
from kassay.reference.releases import behaviours

T = [TopicPartition("t", number) for number in range(6)]
U0 = TopicPartition("u", 0)
TWO = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))


def said(name, *given):
    return list((INVARIANTS if name in INVARIANTS else LAWS)[name](*given))


def static(group):
    return replace(group, members=tuple(replace(m, instance_id=f"i-{m.id}") for m in group.members))


def test_static_members_come_back_under_ids_in_reverse():
    assert said("static_identity", sorts_static_members_by_id, static(TWO)) == [
        "t-0 is given to instance i-a; back as ~back-2 instead of a, it loses t-0 to ~back-1",
        "t-1 is given to instance i-b; back as ~back-1 instead of b, it loses t-1 to ~back-2",
    ]
    assert said("static_identity", range_assign, static(TWO)) == []
    assert said("static_identity", sorts_static_members_by_id, TWO) == []


@pytest.mark.parametrize("name", ["consumer/range", "consumer/roundrobin"])
def test_kafka_before_2_4_forgot_who_is_static(name):
    old, *_, new = behaviours(name)
    assert said("static_identity", old.assign, static(TWO))
    assert not said("static_identity", new.assign, static(TWO))


def test_who_never_rests_is_not_asked_whether_the_static_lose_anything():
    turns = lambda g: {"a": T[:2], "b": []} if (g.members[0].generation or 0) % 2 else {"a": [], "b": T[:2]}  # noqa: E731
    assert said("static_identity", turns, static(TWO)) == []


def test_round_is_told_in_which_it_is_whole():
    group = Group((Topic("t", 6),), (Member("a", ("t",), tuple(T), 1), Member("b", ("t",))))
    assert said("two_rounds", cooperative, group) == []
    assert said("two_rounds", hands_over_one_at_a_time, group) == [
        "it is complete only in rebalance 4; in rebalance 2, t-1 has no owner, though a subscribes to t"
    ]
    claimed = Group(group.topics, (replace(group.members[0], owned=(T[0],)), group.members[1]))
    assert said("two_rounds", withholds_for_ever, claimed) == [
        "it is never complete: every 1 rebalance the same answers come again; in rebalance 2, t-1 has no owner, though a subscribes to t"
    ]
    later = lambda g: {"a": [T[(g.members[0].generation or 0) % 6]], "b": []}  # noqa: E731
    assert said("two_rounds", later, group)[0].startswith("it is never complete: every 6 rebalances")
    more = Group((Topic("t", 20),), group.members)
    always_new = lambda g: {"a": [TopicPartition("t", g.members[0].generation or 0)], "b": []}  # noqa: E731
    assert said("two_rounds", always_new, more)[0].startswith(
        "it is complete in none of 8 rebalances; in rebalance 2, t-0 "
    )


def test_an_older_claim_takes_nothing_that_its_owner_could_keep():
    late, owner = Member("a", ("t",), (T[0],), 1), Member("b", ("t",), (T[0],), 2)
    group = Group((Topic("t", 2),), (late, owner))
    name = "newest_generation_wins"
    told = "t-0 is given to a, which claims it with generation 1, and not to b, which claims it with 2; "
    assert said(name, group, {"a": [T[0]], "b": []}) == [f"{told}the loads would be as even"]
    assert said(name, group, {"a": [T[0]], "b": [T[1]]}) == [f"{told}b could have it for t-1"]
    assert said(name, group, {"a": [T[1]], "b": [T[0]]}) == []
    assert said(name, group, {"a": [], "b": []}) == []


def test_an_older_claim_may_be_given_what_balance_or_racks_take():
    full = Member("b", ("t",), (T[0], T[1]), 2)
    group = Group((Topic("t", 2),), (Member("a", ("t",), (T[0],), 1), full))
    name = "newest_generation_wins"
    assert said(name, group, {"a": [T[0]], "b": [T[1]]}) == []
    near = (Topic("t", 2, (("x",), ("y",))),)
    members = (replace(group.members[0], rack="x"), replace(full, owned=(T[0],), rack="y"))
    assert said(name, Group(near, members), {"a": [T[0]], "b": [T[1]]}) == []
    unread = Group(
        (Topic("t", 1), Topic("u", 1)), (Member("a", ("t",), (T[0],), 1), Member("b", ("u",), (T[0],), 2))
    )
    assert said(name, unread, {"a": [T[0]], "b": [U0]}) == []


def test_equal_topics_are_cut_alike_and_into_ranges():
    members = (Member("a", ("t", "u"), rack="x"), Member("b", ("t", "u")))
    group = Group((Topic("t", 2), Topic("u", 2)), members)
    u = [TopicPartition("u", number) for number in range(2)]
    name = "co_located"
    assert said(name, group, {"a": [T[0], u[0]], "b": [T[1], u[1]]}) == []
    assert said(name, group, {"a": [T[0], u[1]], "b": [T[1], u[0]]}) == [
        "of t, a holds 0; of u, 1",
        "of t, b holds 1; of u, 0",
    ]
    assert said(name, Group((Topic("t", 3),), members), {"a": [T[0], T[2]], "b": [T[1]]}) == [
        "of t, a holds 0, 2, which are not consecutive"
    ]
    other = Group((Topic("t", 2), Topic("u", 3)), members)
    assert said(name, other, {"a": [T[0], *u], "b": [T[1], TopicPartition("u", 2)]}) == []


@pytest.mark.parametrize(
    ("racks", "sentences"), [((("x",), (), ("x",)), 0), ((("x",),) * 3, 1), ((("y",), (), ()), 1)]
)
def test_racks_void_ranges_only_where_they_matter(racks, sentences):
    group = Group((Topic("t", 3, racks),), (Member("a", ("t",), rack="x"), Member("b", ("t",))))
    assert len(said("co_located", group, {"a": [T[0], T[2]], "b": [T[1]]})) == sentences


def test_what_is_seen_of_one_group_shows_in_another(monkeypatch):
    monkeypatch.setattr("mutants.several_runs._seen", [()])
    assert said("instance_isolated", takes_the_last_claims_for_everybodys, TWO) == [
        "a is given t-0; asked again after another group, t-1",
        "b is given t-1; asked again after another group, t-0",
    ]
    assert said("instance_isolated", sticky, TWO) == []
