"""Holdings and owners: what is complete and legal, and whose claims stand, wherever it is asked."""

from hypothesis import given, settings
from mutants.tiny import any_assignment, any_choices, legal_assignment, tiny_group
from whole import share

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.partitions.encoding import encode_group, encode_owners
from kassay.oracles.partitions.optima import compute_optima
from kassay.oracles.partitions.question import parse_question
from kassay.properties.consumer import INVARIANTS, LEGAL
from kassay.properties.partitions.owners import complete_and_legal, owners, partition_counts, subscribers
from kassay.properties.partitions.strategies import groups


@settings(max_examples=share(60, 300), deadline=None)
@given(any_choices())
def test_complete_and_legal_is_what_the_invariants_and_the_oracles_say(choices):
    group = tiny_group(choices)
    assignment = (any_assignment if choices.chance(30) else legal_assignment)(choices, group)
    legal = complete_and_legal(group, assignment)
    (case,) = encode_group(group, parse_question("balance,moves,cross-rack"))
    assert bool(compute_optima(group).gaps(assignment)) == legal
    assert (encode_owners(case, assignment) is not None) == legal
    ids = {member.id for member in group.members}
    strangers = any(given for name, given in assignment.items() if name not in ids)
    sentences = [said for name in LEGAL for said in INVARIANTS[name](group, assignment)]
    assert legal == (not sentences and not strangers)


def test_what_a_stranger_or_a_second_one_is_given_is_not_legal():
    t0, t1 = TopicPartition("t", 0), TopicPartition("t", 1)
    group = Group((Topic("t", 2), Topic("unread", 1)), (Member("a", ("t",)), Member("b", ("t",))))
    assert complete_and_legal(group, {"a": [t0], "b": [t1]})
    assert complete_and_legal(group, {"a": [t1, t0]})
    for wrong in (
        {"a": [t0]},
        {"a": [t0, t1], "b": [t1]},
        {"a": [t0, t1, t1]},
        {"a": [t0], "stranger": [t1]},
        {"a": [t0, t1, TopicPartition("unread", 0)]},
    ):
        assert not complete_and_legal(group, wrong)


@settings(max_examples=share(40, 200), deadline=None)
@given(groups())
def test_the_oracles_see_the_owners_that_stand(group):
    """For each subscribed partition: leaving all of its owners costs a move, staying with any saves it."""
    (case,) = encode_group(group, parse_question("balance,moves"))
    problem, standing = case.problem, owners(group)
    counts, readers = partition_counts(group), subscribers(group)
    for item in range(problem.items):
        (partition,) = case.partitions(item)
        claim = problem.claim_of[item]
        begin, end = problem.claim_start[claim], problem.claim_start[claim + 1]
        seen = [case.members[owner] for owner in problem.claim_member[begin:end]]
        assert seen == standing.get(partition, [])
    lost = [p for p in standing if p.partition < counts.get(p.topic, 0) and not readers[p.topic]]
    assert case.lost == {"moves": len(lost)}
