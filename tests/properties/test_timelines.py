"""Timelines: what each event does, and that what is owned is what the assignor gave."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from mutants.honest import by_topic, sticky
from whole import share

from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.properties.partitions.owners import NO_GENERATION, generation
from kassay.properties.partitions.strategies import timelines
from kassay.properties.partitions.timelines import (
    Alter,
    Delete,
    Join,
    Leave,
    Miss,
    Move,
    Rest,
    Resubscribe,
    Return,
    Timeline,
    play,
)

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
A = Member("a", ("t",), (T0,), 1)
B = Member("b", ("t",), (T1,), 1, instance_id="i")
START = Group((Topic("t", 2),), (A, B))


def keep(group):
    """Let everybody keep what it claims."""
    return {member.id: list(member.owned) for member in group.members}


def played(*events, assign=keep):
    return list(play(assign, Timeline(START, events)))


def then(member, generation):
    return replace(member, generation=generation)


MORE, OTHER, NEW = Topic("t", 5), Topic("s", 1), Member("c", ("t",))
RESTED = Group(START.topics, (then(A, 2), then(B, 2)))


@pytest.mark.parametrize(
    ("events", "last"),
    [
        ([], START),
        ([Rest()], RESTED),
        ([Join(NEW)], replace(RESTED, members=(*RESTED.members, NEW))),
        ([Join(Member("a", ()))], RESTED),
        ([Join(Member("c", (), instance_id="i"))], RESTED),
        ([Leave("a")], replace(START, members=(then(B, 2),))),
        ([Leave("a"), Leave("b")], replace(START, members=(then(B, 3),))),  # the last one stays
        ([Leave("x")], RESTED),
        ([Resubscribe("a", ("u",))], replace(RESTED, members=(replace(A, topics=("u",), generation=2), then(B, 2)))),
        ([Move("b", "r")], replace(RESTED, members=(then(A, 2), replace(B, rack="r", generation=2)))),
        ([Alter(MORE)], replace(RESTED, topics=(MORE,))),
        ([Alter(OTHER)], replace(RESTED, topics=(*START.topics, OTHER))),
    ],
)  # fmt: skip
def test_what_an_event_does(events, last):
    assert played(*events)[-1] == last


def test_topics_change_in_their_place():
    assert played(Alter(OTHER), Alter(MORE))[-1].topics == (MORE, OTHER)
    assert played(Delete("t"), Delete("t"))[-1].topics == ()


def test_who_misses_generations_comes_back_with_its_stale_claim():
    def give_all_to_the_first(group):
        return {member.id: [T0, T1] if member is group.members[0] else [] for member in group.members}

    stages = played(Miss("a"), Rest(), Return("a"), assign=give_all_to_the_first)
    assert [[member.id for member in stage.members] for stage in stages] == [
        ["a", "b"],
        ["b"],
        ["b"],
        ["b", "a"],
    ]
    back, held = stages[-1].members[1], stages[-1].members[0]
    assert (back.owned, back.generation) == ((T0, T1), 2)
    assert (held.owned, held.generation) == ((T0, T1), 4)


def test_nobody_comes_back_twice_and_the_last_one_stays():
    assert len(played(Miss("a"), Return("a"), Return("a"))[-1].members) == 2
    assert len(played(Leave("b"), Miss("a"), Return("a"))[-1].members) == 1


def test_the_group_on_which_an_assignor_gives_up_was_yielded():
    def fails(_):
        raise AssignorError("no")

    stages = play(fails, Timeline(START, (Rest(),)))
    assert next(stages) == START
    with pytest.raises(AssignorError):
        next(stages)


@settings(max_examples=share(40, 100), deadline=None)
@given(timelines())
def test_members_own_what_they_were_given(timeline):
    before = None
    for group in play(sticky, timeline):
        assert group.members
        newest = max(map(generation, group.members))
        if before is not None:
            given = sticky(before)
            for member in group.members:
                if generation(member) == newest != NO_GENERATION:
                    assert set(member.owned) == set(given[member.id])
        before = group


@settings(max_examples=50, deadline=None)
@given(timelines())
def test_a_timeline_plays_alike_each_time(timeline):
    assert list(play(by_topic, timeline)) == list(play(by_topic, timeline))
