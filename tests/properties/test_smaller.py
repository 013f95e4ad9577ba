"""Smaller groups: every step goes down by one order, stays legal, and the smallest of all are in that order."""

from hypothesis import given, settings
from whole import share

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.minimise import minimise
from kassay.properties.partitions.shrinking import smaller, steps
from kassay.properties.partitions.smallest import catalogue, order_key, size
from kassay.properties.partitions.strategies import groups


@settings(max_examples=share(40, 100), deadline=None)
@given(groups().filter(lambda group: len(group.members) < 9))
def test_every_step_is_smaller(group):
    own = order_key(group)
    for candidate in steps(group):
        assert candidate.members
        assert order_key(candidate) < own


@settings(max_examples=10, deadline=None)
@given(groups().filter(lambda group: len(group.members) < 4))
def test_everything_yielded_is_smaller(group):
    own = order_key(group)
    assert all(order_key(candidate) < own for candidate in smaller(group))


def test_one_plain_member_without_anything_is_the_smallest_of_all():
    least = Group((), (Member("m0", ()),))
    assert catalogue()[0][1] == least
    assert list(smaller(least)) == []


def test_the_smallest_are_in_order_and_different():
    weights = [its for its, _ in catalogue()]
    assert weights == sorted(weights)
    assert all(order_key(group) == its for its, group in catalogue())
    assert len({group for _, group in catalogue()}) == len(weights)


@settings(max_examples=60, deadline=None)
@given(groups())
def test_everything_can_be_taken_away(group):
    """Where anything fails, the smallest group of all is reached, from any start and without asking often."""
    found = minimise(group, lambda _: True, smaller)
    assert found.finished
    assert size(found.group) == size(catalogue()[0][1])
    assert found.tries < 60


def test_a_large_group_comes_down_in_few_steps():
    members = tuple(Member(f"member-{at}", ("t",)) for at in range(200))
    group = Group((Topic("t", 5_000),), members)
    found = minimise(
        group, lambda g: sum(t.partitions for t in g.topics) >= 7 and len(g.members) >= 3, smaller
    )
    assert (len(found.group.members), found.group.topics) == (3, (Topic("t0", 7),))
    assert found.finished


def test_claims_become_sound_where_it_does_not_matter():
    stale = Member("b", (), (TopicPartition("gone", 3), TopicPartition("t", 9)), 7)
    group = Group((Topic("t", 2),), (stale, Member("a", ("t", "gone"))))
    found = minimise(group, lambda g: sum(len(member.owned) for member in g.members) >= 2, smaller)
    assert found.group == Group(
        (Topic("t0", 1),),
        tuple(Member(name, ("t0",), (TopicPartition("t0", 0),)) for name in ("m0", "m1")),
    ) or found.group == Group(
        (Topic("t0", 2),), (Member("m0", ("t0",), (TopicPartition("t0", 0), TopicPartition("t0", 1))),)
    )
