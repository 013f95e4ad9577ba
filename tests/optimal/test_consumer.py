"""consumer/optimal: best in every level, the same answer however it is asked, and settled in one round, or two where cooperative."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from second_opinions.every_assignment import exhaust
from second_opinions.optimum_by_program import optimum_by_program
from whole import share

from kassay.errors import InputError
from kassay.families.consumer import CONSUMER
from kassay.families.optimal.consumer import ORDERS, assign, best_owners
from kassay.families.optimal.consumer.cooperative import assign as assign_cooperatively
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import write_assignment, write_group
from kassay.oracles.assignment.flow import exact
from kassay.oracles.errors import TooLargeError, UnsolvedError
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.properties.partitions.invariants import (
    complete,
    cooperative,
    exclusive,
    existing,
    subscribed,
)
from kassay.properties.partitions.owners import owners
from kassay.properties.partitions.rounds import apply_assignment, settle
from kassay.properties.partitions.strategies import groups

usual = settings(deadline=None, max_examples=share(30, 1000))


def held(assignment):
    return {member: frozenset(given) for member, given in assignment.items()}


@usual
@given(order=st.sampled_from(ORDERS), group=groups())
def test_no_assignment_is_better_in_any_level(order, group):
    """Counted out where there are few assignments, by a linear program elsewhere."""
    choices = 1
    for topic in group.topics:
        readers = sum(topic.name in member.topics for member in group.members)
        choices *= max(1, readers) ** topic.partitions
    answer, asked = assign(group, order), parse_question(order)
    best = exhaust(group, asked)[1] if choices <= 1000 else optimum_by_program(order, group).assignment
    assert remeasure(group, answer, asked) == remeasure(group, best, asked)
    for invariant in (complete, exclusive, subscribed, existing):
        assert not list(invariant(group, answer))


def shuffled(group, r):
    def any_order(some):
        return tuple(r.sample(some, len(some)))

    members = [replace(m, topics=any_order(m.topics), owned=any_order(m.owned)) for m in group.members]
    return Group(any_order(group.topics), any_order(members), group.config)


@usual
@given(order=st.sampled_from(ORDERS), group=groups(), seed=st.integers(0, 2**32))
def test_who_is_given_what_does_not_depend_on_any_order(order, group, seed):
    other = shuffled(group, Random(seed))
    for is_cooperative in (False, True):
        answer, theirs = (assign(each, order, cooperative=is_cooperative) for each in (group, other))
        assert theirs == answer  # down to the order of the partitions
        assert list(theirs) == [member.id for member in other.members]


ASKING = """
import json, sys
from kassay.model.partitions_json import read_group, write_assignment
from kassay.families.optimal import ASSIGNORS
assign = ASSIGNORS["consumer/optimal"].assign
print(json.dumps([write_assignment(assign(read_group(group))) for group in json.load(sys.stdin)]))
"""


def large(partitions=2_000, members=60):
    """Too large to be solved class by class: with mixed subscriptions, racks, and claims by another order."""
    r = Random(1)
    topics = tuple(
        Topic(f"t{n}", partitions // 8, tuple(tuple(r.sample("abc", 2)) for _ in range(partitions // 8)))
        for n in range(8)
    )
    known = [
        Member(f"m{n}", tuple(r.sample([t.name for t in topics], r.randint(1, 8))), rack=r.choice("abc"))
        for n in range(members)
    ]
    group = Group(topics, tuple(known))
    return apply_assignment(group, assign(group, ORDERS[1]))


def test_neither_the_process_nor_its_hash_seed_matters():
    group = large()
    asked = [
        replace(group, members=group.members[1:]),
        Group((Topic("t", 5),), tuple(Member(m, ("t",)) for m in "cab")),
    ]
    expected = json.dumps([write_assignment(assign(each)) for each in asked])
    text = json.dumps([write_group(each) for each in asked])
    for seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", ASKING],
            input=text, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert ran.stdout.strip() == expected


@usual
@given(order=st.sampled_from(ORDERS), group=groups())
def test_its_answer_fed_back_is_the_only_optimum(order, group):
    """So whoever leads next, with whatever rule for ties, answers the same."""
    answer = assign(group, order)
    following = apply_assignment(group, answer)
    assert held(assign(following, order)) == held(answer)
    swapped = {member.id: f"{len(group.members) - n:03}" for n, member in enumerate(following.members)}
    renamed = replace(
        following, members=tuple(replace(m, id=swapped[m.id], instance_id=None) for m in following.members)
    )
    assert held(assign(renamed, order)) == {swapped[m]: given for m, given in held(answer).items()}


@usual
@given(group=groups())
def test_cooperative_rounds(group):
    """The first withholds just what leaves its owners, the second gives it out, and nothing changes from then on."""
    first, target = assign_cooperatively(group), held(assign(group))
    standing = owners(group)
    withheld = {
        member: {p for p in given if p in standing and member not in standing[p]}
        for member, given in target.items()
    }
    assert held(first) == {member: given - withheld[member] for member, given in target.items()}
    assert not list(cooperative(group, first))
    rejoined = apply_assignment(group, first)
    second = assign_cooperatively(rejoined)
    assert not list(complete(group, second))
    assert all(held(first)[member] <= given for member, given in held(second).items())
    asked = parse_question("balance,cross-rack")
    assert remeasure(group, second, asked) == remeasure(group, assign(group), asked)
    settled = settle(assign_cooperatively, group)
    assert settled.rounds == 1 + any(withheld.values())
    assert held(settled.assignment) == held(second)


@usual
@given(group=groups())
def test_moves_first_keeps_moves_optimal_everywhere(group):
    assert not list(CONSUMER.laws["moves_optimal"](partial(assign, order=ORDERS[1]), group))


def test_of_two_owners_one_may_keep_what_both_claim():
    t = Topic("t", 2)
    members = (
        Member("a", ("t",), (TopicPartition("t", 0),), 1),
        Member("b", ("t",), (TopicPartition("t", 0),), 1),
    )
    assert assign_cooperatively(Group((t,), members)) == {
        "a": (TopicPartition("t", 0),),
        "b": (TopicPartition("t", 1),),
    }


def test_topics_are_dealt_in_turn():
    """A second member is given half of each topic, not the first topics as a whole (KAFKA-16277), wherever replicas are."""
    near = (("a", "b"), ("b", "c"), ("c",))
    topics = tuple(Topic(f"t{n}", 4, (racks,) * 4) for n, racks in enumerate(near))
    names = tuple(topic.name for topic in topics)
    alone = Group(topics, (Member("m", names, rack="a"),))
    owning = apply_assignment(alone, assign(alone))
    joined = replace(owning, members=(*owning.members, Member("n", names, rack="a")))
    for given_ in assign(joined).values():
        assert [sum(p.topic == name for p in given_) for name in names] == [2, 2, 2]


@pytest.mark.parametrize(
    "failure", [TooLargeError("numbers leave 64 bits"), UnsolvedError("the solver is missing")]
)
def test_what_is_not_proved_is_not_given(monkeypatch, failure):
    def fail(*_, **__):
        raise failure

    monkeypatch.setattr(best_owners, "solve", fail)
    with pytest.raises(AssignorError, match=f"no optimum is proved: {failure}"):
        assign(Group((Topic("t", 1),), (Member("m", ("t",)),)))


def test_prices_that_prove_nothing_are_an_error(monkeypatch):
    def wrong(problem, levels, **_):
        best = exact.solve(problem, levels)
        return replace(best, owners=best.owners * 0)

    monkeypatch.setattr(best_owners, "solve", wrong)
    with pytest.raises(AssignorError, match="no optimum is proved: prices prove"):
        assign(Group((Topic("t", 2),), (Member("m", ("t",)), Member("n", ("t",)))))


@usual
@given(group=groups())
def test_a_tie_is_broken_in_the_same_way_whatever_profiles_no_member_can_tell(group):
    """Replicas in racks without members change nothing."""
    assume(all(member.rack is None for member in group.members))
    bare = replace(group, topics=tuple(replace(topic, racks=None) for topic in group.topics))
    assert assign(group) == assign(bare)


@pytest.mark.parametrize("order", ["moves", "co-partition", "copies=2,balance,moves,cross-rack"])
def test_other_orders_are_refused(order):
    with pytest.raises(InputError, match=f"order: there is no '{order}'. Give 'balance,cross-rack,moves' or"):
        assign(Group((), ()), order)
