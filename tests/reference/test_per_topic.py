"""consumer/per-topic keeps joined topics together, and gives the others as the strategy that the configuration names."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kassay.model import Assignment, AssignorError, Config, Group, Member, Topic
from kassay.model.config import OTHERS
from kassay.model.joins import find_joins
from kassay.properties.partitions.invariants import co_partitioned
from kassay.properties.partitions.owners import topic_loads
from kassay.properties.partitions.rounds import Assign
from kassay.properties.partitions.strategies import groups
from kassay.reference import ASSIGNORS
from kassay.reference.consumer import per_topic

PER_TOPIC = ASSIGNORS["consumer/per-topic"].assign


def joining(group: Group, other: str) -> Group:
    """Join a group's first two topics, of equal size."""
    first, second, *others = group.topics
    topics = (first, replace(second, partitions=first.partitions, racks=first.racks, hosts=None), *others)
    return replace(group, topics=topics, config=Config(None, ((first.name, second.name),), other))


def answer_of(assign: Assign, group: Group) -> Assignment | str:
    try:
        return assign(group)
    except AssignorError as error:
        return str(error)


def test_every_strategy_that_may_be_named_is_there():
    assert tuple(per_topic.OTHERS) == OTHERS
    assert all(per_topic.OTHERS[name] is ASSIGNORS[name].assign for name in OTHERS)


@given(groups().filter(lambda group: len(group.topics) > 1), st.sampled_from(OTHERS))
def test_joined_topics_stay_together_and_the_others_are_as_if_alone(group, other):
    group = joining(group, other)
    (join,) = find_joins(group) or (None,)
    assume(join is not None and join.wrong is None)
    others = replace(group, topics=tuple(t for t in group.topics if t.name not in join.names))
    alone = answer_of(ASSIGNORS[other].assign, others)
    answer = answer_of(PER_TOPIC, group)
    if isinstance(alone, str) or isinstance(answer, str):
        assert alone == answer
        return
    assert not list(co_partitioned(group, answer))
    for member, given_alone in alone.items():
        assert [p for p in answer[member] if p.topic not in join.names] == list(given_alone)
    loads = topic_loads(group, answer)[join.names[0]]
    shares = [loads[reader] for reader in join.readers]
    assert max(shares) - min(shares) <= 1
    assert sum(shares) == join.topics[0].partitions


def test_a_topic_that_is_missing_or_read_by_nobody_joins_nothing():
    members = (Member("a", ("t", "gone")), Member("b", ("t",)))
    group = Group((Topic("t", 2), Topic("u", 5)), members, Config(joined_topics=(("t", "u", "gone"),)))
    assert {name: len(own) for name, own in PER_TOPIC(group).items()} == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("topics", "subscriptions", "wrong"),
    [
        ((2, 3), ("tu",), "t and u are joined, but have 2 and 3 partitions"),
        ((2, 2), ("t", "u"), "t and u are joined, but no member subscribes to all of them"),
    ],
)
def test_what_cannot_be_joined_fails(topics, subscriptions, wrong):
    group = Group(
        tuple(Topic(name, count) for name, count in zip("tu", topics, strict=True)),
        tuple(Member(f"m{n}", tuple(read)) for n, read in enumerate(subscriptions)),
        Config(joined_topics=(("t", "u"),)),
    )
    with pytest.raises(AssignorError, match=wrong):
        PER_TOPIC(group)
