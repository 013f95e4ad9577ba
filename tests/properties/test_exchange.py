"""Exchanges that undo needless moves: compared with every assignment of tiny groups and with a closed form."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from mutants.tiny import all_assignments, any_choices, legal_assignment, tiny_group
from whole import share

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.partitions.exchanges import find_exchange
from kassay.properties.partitions.invariants import balanced
from kassay.properties.partitions.measures import cross_rack, kept, square_imbalance
from kassay.properties.partitions.owners import holdings, owners


def with_owners(group, assignment):
    """Count the partitions that are with one of their owners, copies each."""
    owned_by = owners(group)
    return sum(member in owned_by.get(p, ()) for member, given in assignment.items() for p in given)


def loads(assignment):
    return sorted(map(len, assignment.values()))


def carried_out(assignment, moves):
    result = {member: list(given) for member, given in assignment.items()}
    for partition, giver, taker in moves:
        result[giver].remove(partition)
        result[taker].append(partition)
    return result


@settings(max_examples=share(100, 500), deadline=None)
@given(any_choices())
def test_an_exchange_is_legal_keeps_the_loads_as_even_and_brings_back(choices):
    group = tiny_group(choices, racks=True)
    assignment = legal_assignment(choices, group)
    moves = find_exchange(group, assignment)
    if moves:
        after = carried_out(assignment, moves)
        assert holdings(group, after) == after
        assert square_imbalance(group, after) <= square_imbalance(group, assignment)
        assert sum(map(len, after.values())) == sum(map(len, assignment.values()))
        assert kept(group, after) > kept(group, assignment)
        assert cross_rack(group, after) <= cross_rack(group, assignment)


@settings(max_examples=share(60, 300), deadline=None)
@given(any_choices())
def test_without_racks_no_exchange_means_that_nothing_as_even_keeps_more(choices):
    group = tiny_group(choices)
    every = list(all_assignments(group))
    assignment = choices.pick(every)
    best = max(with_owners(group, other) for other in every if loads(other) == loads(assignment))
    found = find_exchange(group, assignment)
    if not found:
        assert with_owners(group, assignment) == best
    if not list(balanced(group, assignment)):
        assert bool(found) == (with_owners(group, assignment) < best)


@settings(max_examples=share(40, 200), deadline=None)
@given(any_choices())
def test_the_same_holds_for_copies(choices):
    group = tiny_group(choices)
    every = [other for other in all_assignments(group, copies=2) if not list(balanced(group, other))]
    assignment = choices.pick(every)
    best = max(with_owners(group, other) for other in every)
    assert bool(find_exchange(group, assignment)) == (with_owners(group, assignment) < best)


@settings(max_examples=share(40, 100), deadline=None)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=6), st.integers(0, 8), st.randoms(use_true_random=False)
)
def test_equal_subscriptions_have_a_closed_form(claims, free, random):
    """Of what each member owns, its share can stay: the even share, and one more for the larger ones."""
    total = sum(claims) + free
    partitions = [TopicPartition("t", number) for number in range(total)]
    left = list(partitions)
    members = []
    for at, claim in enumerate(claims):
        members.append(Member(f"m{at}", ("t",), tuple(left[:claim]), 1))
        left = left[claim:]
    group = Group((Topic("t", total),), tuple(members))
    share, rest = divmod(total, len(claims))
    best = sum(min(claim, share) for claim in claims) + min(rest, sum(claim > share for claim in claims))
    random.shuffle(partitions)
    assignment = {member.id: partitions[at :: len(claims)] for at, member in enumerate(members)}
    while moves := find_exchange(group, assignment):
        assignment = carried_out(assignment, moves)
    assert kept(group, assignment) == best


def test_a_move_for_the_sake_of_racks_is_not_undone():
    group = Group(
        (Topic("t", 2, (("a",), ("b",))),),
        (
            Member("m0", ("t",), (TopicPartition("t", 1),), 1, rack="a"),
            Member("m1", ("t",), (TopicPartition("t", 0),), 1, rack="b"),
        ),
    )
    near = {"m0": [TopicPartition("t", 0)], "m1": [TopicPartition("t", 1)]}
    assert find_exchange(group, near) == []
    without = replace(group, members=tuple(replace(member, rack=None) for member in group.members))
    assert len(find_exchange(without, near)) == 2
