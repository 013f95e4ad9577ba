"""Measures agree with their definitions, counted out."""

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from mutants.honest import by_topic, cooperative
from mutants.tiny import any_assignment, any_choices, tiny_group
from whole import share

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.consumer import MEASURES, RUN_MEASURES
from kassay.properties.partitions.extras import add_weights
from kassay.properties.partitions.rounds import ROUNDS, apply_assignment


def loads_of(group, assignment):
    counts = {topic.name: topic.partitions for topic in group.topics}
    loads = []
    for member in group.members:
        if any(counts.get(name) for name in member.topics):
            given = set(assignment.get(member.id, ()))
            loads.append(
                sum(
                    TopicPartition(name, n) in given
                    for name in set(member.topics)
                    for n in range(counts.get(name, 0))
                )
            )
    return loads


@settings(max_examples=share(100, 500), deadline=None)
@given(any_choices())
def test_norms_of_the_loads(choices):
    group = tiny_group(choices)
    assignment = any_assignment(choices, group)
    loads = loads_of(group, assignment) or [0]
    measured = {name: measure(group, assignment) for name, measure in MEASURES.items()}
    assert measured["imbalance"] == max(abs(one - other) for one in loads for other in loads)
    assert measured["greatest_load"] == max(loads)
    assert measured["square_imbalance"] == sum(load**2 for load in loads)
    share = next(share for share in range(100) if share * len(loads) >= sum(loads))
    assert measured["excess"] == sum(load - share for load in loads if load > share)
    assert measured["idle_members"] == loads_of(group, assignment).count(0)


@settings(max_examples=share(100, 500), deadline=None)
@given(any_choices())
def test_spread_of_the_topics(choices):
    group = tiny_group(choices)
    assignment = any_assignment(choices, group)
    spread = 0
    for topic in group.topics:
        held = [
            sum(partition in assignment.get(member.id, ()) for partition in topic)
            for member in group.members
            if topic.name in member.topics
        ]
        spread = max(spread, max(held, default=0) - min(held, default=0))
    assert MEASURES["topic_spread"](group, assignment) == spread


@settings(max_examples=share(100, 500), deadline=None)
@given(any_choices())
def test_moves_and_kept(choices):
    group = tiny_group(choices)
    assignment = any_assignment(choices, group)
    moves = kept = 0
    for partition in (partition for topic in group.topics for partition in topic):
        claims = {
            m.id: -1 if m.generation is None else m.generation for m in group.members if partition in m.owned
        }
        owners = [member for member, generation in claims.items() if generation == max(claims.values())]
        stays = any(partition in assignment.get(owner, ()) for owner in owners)
        kept += bool(owners and stays)
        moves += bool(owners and not stays)
    assert MEASURES["moves"](group, assignment) == moves
    assert MEASURES["kept"](group, assignment) == kept


@settings(max_examples=share(100, 500), deadline=None)
@given(any_choices())
def test_cross_rack(choices):
    group = tiny_group(choices, racks=True)
    assignment = any_assignment(choices, group)
    crossing = 0
    for member in group.members:
        for topic in group.topics:
            for number, near in enumerate(topic.racks or ()):
                held = TopicPartition(topic.name, number) in assignment.get(member.id, ())
                if held and topic.name in member.topics and member.rack and {*near} - {None}:
                    crossing += member.rack not in near
    assert MEASURES["cross_rack"](group, assignment) == crossing


@settings(max_examples=share(60, 300), deadline=None)
@given(any_choices(), st.integers(0, 2**20))
def test_the_weight_of_what_moves(choices, seed):
    group = tiny_group(choices)
    assignment = any_assignment(choices, group)
    assert MEASURES["moved_weight"](group, assignment) == 0
    alike = replace(group, topics=tuple(replace(t, weights=(3,) * t.partitions) for t in group.topics))
    assert MEASURES["moved_weight"](alike, assignment) == 3 * MEASURES["moves"](group, assignment)
    unlike = add_weights(Random(seed), group, "few values")
    one_by_one = 0
    for topic in group.topics:
        for n in range(topic.partitions):
            alone = replace(topic, weights=tuple(int(n == own) for own in range(topic.partitions)))
            only = replace(group, topics=tuple(alone if t is topic else t for t in group.topics))
            weight = next(t for t in unlike.topics if t.name == topic.name).weights[n]
            one_by_one += weight * MEASURES["moved_weight"](only, assignment)
    assert MEASURES["moved_weight"](unlike, assignment) == one_by_one


def test_cross_rack_leaves_out_what_is_unknown():
    near = (("a", None), (None,), (), ("",), ("b",))
    group = Group((Topic("t", 5, near),), (Member("m", ("t",), rack="a"), Member("n", ("t",), rack="")))
    everything = [TopicPartition("t", number) for number in range(5)]
    assert MEASURES["cross_rack"](group, {"m": everything}) == 2
    assert MEASURES["cross_rack"](group, {"n": everything}) == 0


def test_rounds():
    t = Topic("t", 2)
    group = Group((t,), (Member("m0", ("t",), tuple(t), 1), Member("m1", ("t",))))
    assert RUN_MEASURES["rounds"](by_topic, group) == 1
    assert RUN_MEASURES["rounds"](cooperative, group) == 2
    assert RUN_MEASURES["rounds"](cooperative, apply_assignment(group, {"m0": [*t][:1], "m1": [*t][1:]})) == 1

    def fickle(group):
        return {f"m{(group.members[0].generation or 0) % 2}": list(t)}

    assert RUN_MEASURES["rounds"](fickle, group) == ROUNDS + 1
