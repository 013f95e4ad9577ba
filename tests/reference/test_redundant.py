"""The redundant assignor against worked examples and, on tiny groups, against every possible answer."""

import inspect
import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model import Assignment, Group, Member, Topic
from kassay.properties.partitions import strategies
from kassay.properties.partitions.invariants import balanced
from kassay.reference.consumer import fair
from kassay.reference.consumer.redundant import assign, redundant

TINY = st.builds(
    lambda sizes, subscriptions: Group(
        tuple(Topic(name, size) for name, size in zip("tuv", sizes, strict=True)),
        tuple(Member(f"m{number}", tuple(topics)) for number, topics in enumerate(subscriptions)),
    ),
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)),
    st.lists(st.sets(st.sampled_from("tuv")).map(sorted), min_size=1, max_size=4),
)


def shown(assignment: Assignment) -> dict[str, str]:
    return {member: " ".join(map(str, given)) for member, given in assignment.items()}


def test_two_copies() -> None:
    group = Group((Topic("t", 3),), tuple(Member(name, ("t",)) for name in "abc"))
    assert shown(assign(group)) == {"a": "t-0 t-1", "b": "t-0 t-2", "c": "t-1 t-2"}


def test_fewer_subscribers_than_copies() -> None:
    group = Group((Topic("t", 2), Topic("u", 1)), (Member("a", ("t", "u")), Member("b", ("t",))))
    assert shown(assign(group, copies=3)) == {"a": "t-0 t-1 u-0", "b": "t-0 t-1"}


def test_a_chain_of_moves_is_found() -> None:
    """Handing out alone, as KIP-49 does, gives a two partitions and c none, which no single move evens."""
    group = Group(
        (Topic("t", 3), Topic("u", 1)),
        (Member("a", ("t",)), Member("b", ("t", "u")), Member("c", ("u",)), Member("d", ("t",))),
    )
    assert shown(fair.assign(group)) == {"a": "t-0 t-2", "b": "u-0", "c": "", "d": "t-1"}
    assert shown(assign(group, copies=1)) == {"a": "t-2", "b": "t-0", "c": "u-0", "d": "t-1"}


def test_no_copies_are_refused() -> None:
    with pytest.raises(ValueError, match="copies: 0"):
        redundant(0)


def test_it_is_described_by_its_own_file() -> None:
    described = inspect.getmodule(redundant(3).assign)
    assert described is not None
    assert described.__name__ == "kassay.reference.consumer.redundant"


def test_promises_follow_the_copies() -> None:
    assert "redundant" in redundant(2).promises
    assert "redundant" not in redundant(3).promises
    assert "exclusive" in redundant(1).promises


@given(strategies.groups(), st.integers(1, 4))
def test_copies_have_distinct_readers(group: Group, copies: int) -> None:
    given = redundant(copies).assign(group)
    subscriptions = {member.id: member.topics for member in group.members}
    for topic in group.topics:
        readers = [member for member, topics in subscriptions.items() if topic.name in topics]
        for partition in topic:
            owners = [member for member, partitions in given.items() for p in partitions if p == partition]
            assert len(owners) == len(set(owners)) == min(copies, len(readers))
            assert set(owners) <= set(readers)


@given(strategies.groups(), st.integers(1, 4))
def test_loads_are_balanced(group: Group, copies: int) -> None:
    assert not list(balanced(group, assign(group, copies)))


@given(TINY, st.integers(1, 3))
def test_no_answer_is_more_even(group: Group, copies: int) -> None:
    loads = sorted(map(len, assign(group, copies).values()), reverse=True)
    every = [sorted(loads, reverse=True) for loads in possible_loads(group, copies)]
    assert sum(load * load for load in loads) == min(sum(load * load for load in loads) for loads in every)
    assert loads == min(every)  # the greatest least, then the second greatest ...


def possible_loads(group: Group, copies: int) -> Iterator[list[int]]:
    choices = []
    for topic in group.topics:
        readers = [number for number, member in enumerate(group.members) if topic.name in member.topics]
        choices += [list(itertools.combinations(readers, min(copies, len(readers))))] * topic.partitions
    for chosen in itertools.product(*choices):
        owners = list(itertools.chain(*chosen))
        yield [owners.count(number) for number in range(len(group.members))]
