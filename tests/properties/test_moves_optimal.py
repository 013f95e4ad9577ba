"""moves_optimal: an assignor may move what the most even loads ask for, and not one partition more."""

import pytest
from hypothesis import given, settings
from mutants.honest import cooperative, sticky
from mutants.several_runs import starts_over, swaps_two
from mutants.tiny import all_assignments, any_choices, tiny_group

from kassay.errors import SkippedError
from kassay.families import family
from kassay.families.shapes import partitions as optima_of_consumers
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.errors import TooLargeError
from kassay.properties.partitions.measures import moves, square_imbalance

MOVES_OPTIMAL = family("consumer").laws["moves_optimal"]
T = [TopicPartition("t", number) for number in range(4)]
GROUP = Group((Topic("t", 4),), (Member("a", ("t",), tuple(T), 1), Member("b", ("t",))))


def said(assign, group=GROUP):
    return list(MOVES_OPTIMAL(assign, group))


def test_needless_moves_are_counted():
    assert said(lambda _: {"a": T[:2], "b": T[2:]}) == []
    settled = Group(
        GROUP.topics, (Member("a", ("t",), (T[0], T[1]), 1), Member("b", ("t",), (T[2], T[3]), 1))
    )
    assert said(lambda _: {"a": [T[0], T[2]], "b": [T[1], T[3]]}, settled) == [
        "it moves 2 partitions; the most even loads need 0"
    ]
    assert said(swaps_two, settled)


def test_uneven_loads_excuse_no_move_but_spare_some():
    assert said(lambda _: {"a": T, "b": []}) == []
    assert said(lambda _: {"a": [], "b": T}) == ["it moves 4 partitions; the most even loads need 2"]


def test_what_is_withheld_first_counts_when_it_is_given():
    assert said(cooperative) == []


def test_what_is_not_whole_is_not_judged():
    assert said(lambda _: {"a": [], "b": T[1:]}) == []


def test_without_proof_nothing_is_told(monkeypatch):
    def fails(*_):
        raise TooLargeError("too large")

    monkeypatch.setattr(optima_of_consumers, "optima", fails)
    with pytest.raises(SkippedError, match="no optimum is proved: too large"):
        said(sticky)


@settings(max_examples=60, deadline=None)
@given(any_choices())
def test_it_is_the_least_of_all_that_are_as_even(choices):
    group = tiny_group(choices)
    every = list(all_assignments(group))
    even = min(square_imbalance(group, one) for one in every)
    least = min(moves(group, one) for one in every if square_imbalance(group, one) == even)
    for answer in (*every[:5], sticky(group), starts_over(group)):
        assert bool(said(lambda _, given=answer: given, group)) == (moves(group, answer) > least)
