"""Smaller groups of every shape: each step goes down by one order and stays legal, and the smallest are in that order."""

from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whole import share

from kassay.families import family
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.streams_group import StreamsGroup, StreamsMember
from kassay.model.tasks import Application, Client
from kassay.model.workers import Cluster, Worker
from kassay.properties.minimise import minimise
from kassay.properties.partitions import shrinking
from kassay.properties.tasks import shrinking as of_tasks
from kassay.properties.tasks.members import shrinking as of_members
from kassay.properties.workers import shrinking as of_workers

SHAPES = {
    "consumer": (shrinking.SHRINKER, Group((), (Member("m0", ()),))),
    "streams": (of_tasks.SHRINKER, Application((), (Client("00000000-0000-0000-0000-000000000001", 1),))),
    "streams-group": (of_members.SHRINKER, StreamsGroup((), (StreamsMember("m0", "p0"),))),
    "connect": (of_workers.SHRINKER, Cluster((), (Worker("w0"),))),
}
"""Family -> its shrinker and the smallest group of all."""
each_shape = pytest.mark.parametrize("name", SHAPES)


def drawn(data, name, most):
    """Draw a group with few members and not many items."""
    shape = family(name).shape
    counts = [*shape.sizes.values()]
    return data.draw(shape.groups().filter(lambda group: counts[0](group) <= most and counts[-1](group) < 40))


@each_shape
@settings(max_examples=share(25, 300), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_every_step_is_smaller_and_legal(name, data):
    shrinker = SHAPES[name][0]
    start, shape = drawn(data, name, 8), family(name).shape
    own, members = shrinker.key(start), next(iter(shape.sizes.values()))
    for at, candidate in enumerate(islice(shrinker.list_steps(start), 600)):
        assert members(candidate)
        assert shrinker.key(candidate) < own
        if at % 8 == 0:
            assert shape.read_group(shape.write_group(candidate)) == candidate


@each_shape
@settings(max_examples=share(5, 50), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_everything_yielded_is_smaller(name, data):
    start, key = drawn(data, name, 3), SHAPES[name][0].key
    own = key(start)
    assert all(key(candidate) < own for candidate in islice(family(name).shape.smaller(start), 20_000))


@each_shape
def test_one_plain_member_without_anything_is_the_smallest_of_all(name):
    assert list(family(name).shape.smaller(SHAPES[name][1])) == []


@each_shape
@settings(max_examples=share(40, 300), deadline=None)
@given(st.data())
def test_everything_can_be_taken_away(name, data):
    """If everything fails, the smallest group of all is reached, from any start and in few tries."""
    shape = family(name).shape
    found = minimise(data.draw(shape.groups()), lambda _: True, shape.smaller)
    assert (found.group, found.finished) == (SHAPES[name][1], True)
    assert found.tries < 60


@pytest.mark.parametrize("name", ["consumer", "streams"])
def test_the_smallest_are_in_order(name):
    shrinker, least = SHAPES[name]
    found = shrinker.smallest()
    keys = [its for its, _ in found]
    assert keys == sorted(keys)
    assert found[0][1] == least
    assert all(shrinker.key(group)[: len(its)] == its for its, group in found)
    assert name == "streams" or len({group for _, group in found}) == len(keys)


def test_a_large_group_comes_down_in_few_steps():
    members = tuple(Member(f"member-{at}", ("t",)) for at in range(200))
    group = Group((Topic("t", 5_000),), members)
    found = minimise(
        group, lambda g: sum(t.partitions for t in g.topics) >= 7 and len(g.members) >= 3, shrinking.smaller
    )
    assert (len(found.group.members), found.group.topics) == (3, (Topic("t0", 7),))
    assert found.finished


def test_claims_become_sound_where_it_does_not_matter():
    stale = Member("b", (), (TopicPartition("gone", 3), TopicPartition("t", 9)), 7)
    group = Group((Topic("t", 2),), (stale, Member("a", ("t", "gone"))))
    found = minimise(group, lambda g: sum(len(m.owned) for m in g.members) >= 2, shrinking.smaller)
    assert found.group == Group(
        (Topic("t0", 2),), (Member("m0", ("t0",), (TopicPartition("t0", 0), TopicPartition("t0", 1))),)
    )
