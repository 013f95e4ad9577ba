"""Rounds: what is claimed after an assignment, right or wrong, and when a group has settled."""

from hypothesis import given, settings
from mutants.honest import cooperative
from mutants.tiny import any_assignment, any_choices, tiny_group
from whole import share

from kassay.model import INT32_MAX, Group, Member, Topic, TopicPartition
from kassay.properties.partitions.rounds import ROUNDS, apply_assignment, build_follow_up, settle

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def test_after_an_assignment_members_own_what_they_were_given():
    group = Group((Topic("t", 2),), (Member("a", ("t",), (T0, T1), 3, "i", "r"), Member("b", ("t",))))
    following = apply_assignment(group, {"a": [T1], "b": [T0]})
    assert following.members == (Member("a", ("t",), (T1,), 4, "i", "r"), Member("b", ("t",), (T0,), 4))


def test_wrong_answers_are_claimed_as_far_as_they_can_be():
    group = Group((Topic("t", 2),), (Member("a", ("t",), (T0,)), Member("b", ("t",), (T1,))))
    wrong = [
        T1,
        T1,
        TopicPartition("t", -1),
        TopicPartition("t", INT32_MAX + 1),
        TopicPartition("nowhere", 7),
    ]
    following = apply_assignment(group, {"a": wrong, "stranger": [T0]})
    assert following.members[0].owned == (T1, TopicPartition("nowhere", 7))
    assert following.members[1].owned == ()
    assert {member.generation for member in following.members} == {1}


def test_a_group_joins_again_for_what_only_waits_for_its_owner():
    group = Group((Topic("t", 2),), (Member("a", ("t",), (T0, T1), 3), Member("b", ("t",))))
    again = build_follow_up(group, {"a": [T0], "b": []})
    assert again == apply_assignment(group, {"a": [T0], "b": []})
    assert build_follow_up(group, {"a": [T0], "b": [T1]}) is None, "nothing is withheld"
    assert build_follow_up(group, {"a": [], "b": [T1]}) is not None
    unclaimed = Group(group.topics, (Member("a", ("t",), (T0,), 3), Member("b", ("t",))))
    assert build_follow_up(unclaimed, {"a": [], "b": []}) is None, "no member claims t-1, so it is lost"


def test_generations_start_again_at_the_end():
    group = Group((), (Member("a", (), generation=INT32_MAX),))
    assert apply_assignment(group, {}).members[0].generation == 1


@settings(max_examples=share(40, 200), deadline=None)
@given(any_choices())
def test_any_answer_can_be_fed_back(choices):
    group = tiny_group(choices)
    following = apply_assignment(group, any_assignment(choices, group))
    assert [member.id for member in following.members] == [member.id for member in group.members]
    assert len({member.generation for member in following.members}) == 1


def test_settling_takes_as_many_rounds_as_answers_differ():
    group = Group((Topic("t", 2),), (Member("a", ("t",), (T0, T1), 1), Member("b", ("t",))))
    settled = settle(cooperative, group)
    assert settled.rounds == 2
    assert sorted(map(len, settled.assignment.values())) == [1, 1]
    assert settled.group.members[1].owned == tuple(settled.assignment["b"])


def test_who_never_settles_is_stopped():
    def fickle(group):
        return {"a": [T0]} if (group.members[0].generation or 0) % 2 else {"a": [T1]}

    settled = settle(fickle, Group((Topic("t", 2),), (Member("a", ("t",)),)))
    assert settled.rounds is None
    assert settled.period == 2
    assert settled.group.members[0].generation == ROUNDS
