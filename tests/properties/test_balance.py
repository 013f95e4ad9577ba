"""Balance: judged by chains, and by counting out every assignment of tiny groups."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from mutants.tiny import all_assignments, any_assignment, any_choices, legal_assignment, tiny_group
from whole import share

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.consumer import INVARIANTS
from kassay.properties.partitions.exchanges import find_improving_chain
from kassay.properties.partitions.invariants import balanced, locally_balanced
from kassay.properties.partitions.owners import holdings, subscribers


def squares(assignment):
    return sum(len(given) ** 2 for given in assignment.values())


def with_loads_fixed(group, assignment):
    """Leave out unassigned partitions, so that all compared assignments assign the same ones."""
    held = {partition for given in assignment.values() for partition in given}
    return [
        {member: [p for p in given if p in held] for member, given in other.items()}
        for other in all_assignments(group)
    ]


@settings(max_examples=share(60, 300), deadline=None)
@given(any_choices())
def test_balanced_means_that_no_assignment_is_more_even(choices):
    group = tiny_group(choices, claims=False)
    assignment = legal_assignment(choices, group)
    least = min(squares(other) for other in with_loads_fixed(group, assignment))
    assert bool(list(balanced(group, assignment))) == (squares(assignment) > least)


@settings(max_examples=share(40, 200), deadline=None)
@given(any_choices())
def test_balanced_holds_for_copies_too(choices):
    group = tiny_group(choices, claims=False)
    every = list(all_assignments(group, copies=2))
    assignment = choices.pick(every)
    assert bool(list(balanced(group, assignment))) == (squares(assignment) > min(map(squares, every)))


@settings(max_examples=share(60, 300), deadline=None)
@given(any_choices())
def test_a_chain_is_legal_and_evens_the_loads(choices):
    group = tiny_group(choices)
    held = holdings(group, any_assignment(choices, group))
    before = squares(held)
    chain = find_improving_chain(held, subscribers(group))
    for (_, _, taker), (_, giver, _) in pairwise(chain):
        assert taker == giver
    for partition, giver, taker in chain:
        assert partition not in held[taker]
        held[giver].remove(partition)
        held[taker].append(partition)
    assert holdings(group, held) == held
    assert squares(held) < before or not chain


@settings(max_examples=share(60, 300), deadline=None)
@given(any_choices())
def test_locally_balanced_means_that_no_single_move_evens(choices):
    group = tiny_group(choices, claims=False)
    assignment = legal_assignment(choices, group)
    readers = subscribers(group)
    moves = {
        (partition, giver, taker)
        for giver, given in assignment.items()
        for partition in given
        for taker in readers[partition.topic]
        if len(given) >= len(assignment[taker]) + 2
    }
    sentences = list(locally_balanced(group, assignment))
    assert bool(sentences) == bool(moves)
    for sentence in sentences:
        assert any(sentence.endswith(f"move {p} from {giver} to {taker}") for p, giver, taker in moves)


@settings(max_examples=share(40, 100), deadline=None)
@given(any_choices())
def test_balanced_is_locally_balanced(choices):
    group = tiny_group(choices)
    assignment = any_assignment(choices, group)
    if not list(balanced(group, assignment)):
        assert not list(locally_balanced(group, assignment))


def test_the_message_names_the_chain():
    group = Group(
        (Topic("t", 2), Topic("u", 2)),
        (Member("a", ("t",)), Member("b", ("t", "u")), Member("c", ("u",))),
    )
    t0, t1, u0, u1 = (TopicPartition(name, number) for name in "tu" for number in range(2))
    assert list(balanced(group, {"a": [t0, t1], "b": [u0], "c": []})) == [
        "a holds 2 partitions, c holds 0; more even: move t-0 from a to b and u-0 from b to c"
    ]
    assert not list(locally_balanced(group, {"a": [t0, t1], "b": [u0], "c": []}))
    assert not list(balanced(group, {"a": [t0], "b": [t1], "c": [u0, u1]}))


@pytest.mark.parametrize("name", ["balanced", "locally_balanced"])
def test_only_what_is_held_legally_counts(name):
    group = Group((Topic("t", 3), Topic("u", 3)), (Member("a", ("t",)), Member("b", ("t",))))
    gone, foreign = TopicPartition("t", 3), TopicPartition("u", 0)
    t0 = TopicPartition("t", 0)
    assert not list(INVARIANTS[name](group, {"a": [t0, t0, gone, foreign], "stranger": [t0], "b": []}))
