"""Laws: what they say, what they let pass, and that renaming keeps every order."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from mutants.honest import by_topic, sticky
from mutants.several_runs import (
    deals_topics_as_listed,
    keeps_the_first_topics,
    moves_one_more,
    serves_in_order_of_arrival,
)
from whole import share

from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.properties.consumer import INVARIANTS, LAWS, SITUATIONS
from kassay.properties.minimise import minimise
from kassay.properties.partitions.laws import renamed
from kassay.properties.partitions.shrinking import smaller
from kassay.properties.partitions.strategies import groups
from kassay.reference.java.strings import string_order

T0, T1, T2 = (TopicPartition("t", number) for number in range(3))
GROUP = Group((Topic("t", 3),), (Member("a", ("t",)), Member("b", ("t",))))


def said(law, assign, group=GROUP):
    return list(LAWS[law](assign, group))


def fails(_):
    raise AssignorError("IllegalStateException: no")


def test_crash_free_repeats_why_it_gives_up():
    assert said("crash_free", fails) == ["it fails: IllegalStateException: no"]
    assert said("crash_free", sticky) == []


@pytest.mark.parametrize("law", [law for law in LAWS if law != "crash_free"])
def test_other_laws_let_failures_through(law):
    with pytest.raises(AssignorError):
        said(
            law,
            fails,
            Group(
                (replace(GROUP.topics[0], racks=(("r",),) * 3),),
                (Member("a", ("t",), (T0, T1), rack="r"), Member("b", ("t",))),
            ),
        )


def test_deterministic_tells_the_two_answers():
    answers = iter([{"a": [T0, T1]}, {"a": [T1, T0]}])
    assert said("deterministic", lambda _: next(answers)) == ["a is given t-0, t-1 at first, then t-1, t-0"]
    answers = iter([{"a": []}, {}])
    assert said("deterministic", lambda _: next(answers)) == ["a is given nothing at first, then no answer"]
    answers = iter([1, 2])
    assert said("deterministic", lambda _: next(answers)) == ["it answers 1 at first, then 2"]


def test_order_of_members():
    assert said("member_order_independent", serves_in_order_of_arrival) == [
        "a is given t-0, t-2; with the members in reverse order, t-1",
        "b is given t-1; with the members in reverse order, t-0, t-2",
    ]


def test_order_of_topics():
    topics = (Topic("t", 1), Topic("u", 1))
    group = Group(topics, tuple(Member(name, ("t", "u")) for name in "ab"))
    assert said("topic_order_independent", deals_topics_as_listed, group)
    assert said("topic_order_independent", sticky, group) == []


def test_order_of_claims():
    def keeps_the_first(group):
        return {member.id: list(member.owned[:1]) for member in group.members}

    claiming = Group(GROUP.topics, (Member("a", ("t",), (T0, T1)), Member("b", ("t",), (T2,))))
    assert said("claim_order_independent", keeps_the_first, claiming) == [
        "a is given t-0; with their claims in reverse order, t-1"
    ]


def test_order_within_lists_does_not_matter_to_laws_about_order():
    def backwards(group):
        step = -1 if group.members[0].id == "b" else 1
        return {member: given[::step] for member, given in by_topic(group).items()}

    assert said("member_order_independent", backwards) == []


def test_renaming_is_taken_back_before_comparing():
    assert said("renaming_independent", by_topic) == []
    assert said("renaming_independent", lambda g: {g.members[0].id[:1]: []})[0].startswith(
        "a is given nothing;"
    )


def test_stable_names_the_taker():
    def turns(group):
        return {"a": [T0], "b": []} if group.members[0].generation is None else {"a": [], "b": [T0]}

    assert said("stable", turns) == ["t-0 is given to a; fed back, it goes to b"]


def test_stable_lets_partitions_without_owner_find_one():
    def late(group):
        return {"a": [T0], "b": []} if group.members[0].generation is None else {"a": [T0], "b": [T1, T2]}

    assert said("stable", late) == []
    assert said("settling", late) == []


def test_settling_wants_an_end_and_everything_given():
    assert said("settling", lambda _: {"a": [T0, T1], "b": []}) == [
        "when it has converged, t-2 has no owner, though a subscribes to t"
    ]
    turning = lambda g: {"a": [T0, T1, T2] if (g.members[0].generation or 0) % 2 else [], "b": []}  # noqa: E731
    assert (
        said("settling", turning)[0] == "it never converges: every 2 rebalances the same answers come again"
    )
    always_new = lambda g: {"a": [T0, T1, TopicPartition("t", g.members[0].generation or 0)], "b": []}  # noqa: E731
    assert said("settling", always_new)[0] == "it still changes its mind after 8 rebalances"


def test_leaver_minimal_names_an_exchange():
    group = Group((Topic("t", 6),), tuple(Member(name, ("t",)) for name in "abc"))
    (sentence, *_) = said("leaver_minimal", moves_one_more, group)
    assert sentence.startswith("when a leaves, moves are not forced: with loads as even, hand back t-")
    assert said("leaver_minimal", sticky, group) == []
    assert said("leaver_minimal", moves_one_more, Group(group.topics, group.members[:1])) == []


@settings(max_examples=share(40, 200), deadline=None)
@given(groups().filter(lambda group: len(group.members) < 9))
def test_renaming_keeps_every_order_and_leads_back(group):
    renaming = renamed(group)
    assert renaming.group != group
    for old, new in zip(group.members, renaming.group.members, strict=True):
        assert renaming.old_member(new.id) == old.id
        assert [renaming.old_topic(name) for name in new.topics] == list(old.topics)
        assert [renaming.old_topic(p.topic) for p in new.owned] == [p.topic for p in old.owned]
        assert (new.instance_id is None, new.generation, new.rack) == (
            old.instance_id is None,
            old.generation,
            old.rack,
        )

    def people(of):
        return [name for m in of.members for name in (m.id, m.instance_id) if name is not None]

    def topics(of):
        return [topic.name for topic in of.topics] + [name for member in of.members for name in member.topics]

    for names in (people, topics):
        for (one, new_one), (two, new_two) in combinations(
            zip(names(group), names(renaming.group), strict=True), 2
        ):
            assert (one < two) == (new_one < new_two)
            assert (string_order(one) < string_order(two)) == (string_order(new_one) < string_order(new_two))


@pytest.mark.parametrize("name", [*INVARIANTS, *LAWS])
def test_an_empty_group_and_odd_ids_break_nothing_but_promises(name):
    lone = Group(
        (Topic("t", 1),), (Member("\ud83d", ("t",), rack="\ude00"), Member("m" + "9" * 5_000, ("t",)))
    )
    for group in (Group((), ()), lone):
        found = INVARIANTS[name](group, sticky(group)) if name in INVARIANTS else LAWS[name](sticky, group)
        assert all(isinstance(sentence, str) for sentence in found)
    assert minimise(lone, lambda group: len(group.members) == 2, smaller).group.members[0].id == "m0"


@pytest.mark.parametrize("name", SITUATIONS)
def test_situations_of_an_empty_group(name):
    assert SITUATIONS[name](Group((), ())) == (name == "first_generation")


@pytest.mark.parametrize(("sizes", "sentences"), [((2, 2), 2), ((2, 0, 2), 2), ((2, 4), 0), ((2,), 0)])
def test_joined_evenly_is_about_topics_of_one_size(sizes, sentences):
    topics = tuple(Topic(f"t{at}", size) for at, size in enumerate(sizes))
    names = tuple(topic.name for topic in topics)
    group = Group(topics, (Member("newcomer", names, (TopicPartition("t0", 0),), 3), Member("b", names)))
    assert len(said("joined_evenly", keeps_the_first_topics, group)) == sentences
    assert said("joined_evenly", by_topic, group) == []


def test_joined_evenly_names_who_holds_what():
    group = Group((Topic("t", 2), Topic("u", 2)), (Member("a", ("t", "u")),))
    assert said("joined_evenly", keeps_the_first_topics, group)[0] == (
        "when newcomer has joined a, of t, a holds 2 partitions and newcomer 0"
    )
