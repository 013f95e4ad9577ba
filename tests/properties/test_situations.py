"""Situations: each is reached by default, and says what its name says."""

from dataclasses import replace
from itertools import islice

import pytest
from families.consumer_situations import T0, U0, A, B, T, U, having, near
from families.tables import FIRST_OF_SITUATIONS, each, tables
from mutants.honest import by_topic
from whole import cases

from kassay.engine.generate import draw_examples
from kassay.families import family
from kassay.model import Member, Topic
from kassay.properties.consumer import SITUATIONS
from kassay.properties.partitions.owners import is_owned_once, owned_once
from kassay.properties.partitions.strategies import running_groups, timelines
from kassay.properties.partitions.timelines import play


@pytest.mark.parametrize("seed", cases(1, 5))
@pytest.mark.parametrize("name", FIRST_OF_SITUATIONS)
def test_each_situation_is_reached_within_1000_groups(name, seed):
    family_ = family(name)
    generated = draw_examples(family_.shape.groups(), 1_000, seed)
    met = {situation: sum(map(holds, generated)) for situation, holds in family_.situations.items()}
    missed = {situation for situation, count in met.items() if not count}
    assert missed == {*tables(name).not_generated}, (
        f"1,000 generated groups of {name} are never in {sorted(missed)}; let the generator of the shape make such groups, or name them in not_generated"
    )


@pytest.mark.parametrize(("name", "situation"), each(lambda family: family.situations))
def test_a_situation_is_seen_where_it_is_and_not_where_it_is_not(name, situation):
    holds, of_tests = family(name).situations[situation], tables(name)
    assert situation in of_tests.situations, (
        f"{situation}: add the smallest group that is in it to the examples that TABLES in tests/families/{name}.py has"
    )
    for example in of_tests.situations[situation]:
        assert holds(example), f"{situation}: is not seen in its example {example}"
    assert holds(of_tests.plain) == (situation in of_tests.situations_of_plain), (
        f"{situation}: PLAIN of tests/families/{name}.py must be in {sorted(of_tests.situations_of_plain)} and no other situation"
    )


@pytest.mark.parametrize("seed", cases(1, 5))
def test_what_a_coordinator_holds_has_one_owner_of_each_partition(seed):
    shape = family("broker").shape
    assert all(map(is_owned_once, draw_examples(shape.groups(), 500, seed)))
    stages = [
        g for timeline in draw_examples(shape.timelines(), 200, seed) for g in shape.play(by_topic, timeline)
    ]
    assert all(map(is_owned_once, stages))
    assert any(group.members[0].owned for group in stages)


def test_what_has_one_owner_of_each_partition_is_made_smaller_to_what_has():
    shape = family("broker").shape
    for group in draw_examples(shape.groups(), 40, 1):
        assert all(map(is_owned_once, islice(shape.smaller(group), 200)))
    contested = having(replace(A, owned=(T0,)), replace(B, owned=(T0,)))
    assert not all(map(is_owned_once, shape.smaller(contested)))  # it was given: asked for


def test_the_first_claim_that_stands_is_left():
    late = having(replace(A, owned=(T0,), generation=1), replace(B, topics=("t",), owned=(T0,), generation=2))
    assert [member.owned for member in owned_once(late).members] == [(), (T0,)]


def test_running_groups_reach_every_situation_of_running_groups():
    generated = draw_examples(running_groups(), 1_000, 0)
    for name in (
        "newcomer",
        "stale_claim",
        "double_claim",
        "overruled_claim",
        "unsubscribed_owner",
        "vanished_topic",
    ):
        assert any(map(SITUATIONS[name], generated)), name
    assert not all(map(SITUATIONS["stale_claim"], generated))


def test_timelines_reach_what_time_brings():
    stages = [group for timeline in draw_examples(timelines(), 300, 0) for group in play(by_topic, timeline)]
    for name in (
        "stale_claim",
        "overruled_claim",
        "unsubscribed_owner",
        "vanished_topic",
        "newcomer",
        "permuted_members",
    ):
        assert any(map(SITUATIONS[name], stages)), name


def test_racks_that_cannot_decide():
    decide = SITUATIONS["racks_decide"]
    assert not decide(near(("x", "y"), ("y", "x"), rack="x"))  # every partition on every rack
    assert not decide(near(("x",), ("y",), rack="z"))  # no member near a replica
    assert not decide(near(("x",), ("y",)))  # no member has a rack
    assert not decide(having(replace(A, rack="x"), B))  # no replica has one


def test_a_topic_without_known_racks_is_nowhere_near():
    here = (Topic("t", 1, (("x",),)), Topic("u", 1))
    assert SITUATIONS["racks_decide"](having(replace(A, rack="x"), B, topics=here))


def test_who_subscribes_to_nothing_is_not_first():
    first = SITUATIONS["no_subscription_first"]
    assert not first(having(A, Member("b", ())))
    assert not first(having(Member("a", ()), Member("b", ())))


def test_owners_of_the_newest_generation_are_not_late():
    late = SITUATIONS["stale_unsubscribed_owner"]
    assert not late(having(A, replace(B, owned=(U0,)), topics=(T, U)))
    assert not late(having(replace(A, owned=(T0,), generation=1), replace(B, generation=2)))
