"""The current assignment of a group: the claims of the highest generation, or none if there are no claims."""

from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share

from kassay.comparison.measured import NOW, measure_current_assignment
from kassay.families import family
from kassay.families.convergence import illegal
from kassay.families.shapes.partitions import PARTITIONS
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.partitions.owners import NO_GENERATION

CONSUMER = family("consumer")
EXAMPLES = share(60, 3_000)
CLAIMS = st.lists(
    st.builds(TopicPartition, st.sampled_from("tu"), st.integers(0, 3)), max_size=4, unique=True
)
CONTRADICTING = st.lists(st.tuples(CLAIMS, st.none() | st.integers(0, 2)), max_size=4).map(
    lambda all_: Group(
        (Topic("t", 3), Topic("u", 2)),
        tuple(Member(f"m{n}", ("t",), tuple(owned), age) for n, (owned, age) in enumerate(all_)),
    )
)


def age(member):
    return NO_GENERATION if member.generation is None else member.generation


@settings(max_examples=EXAMPLES, deadline=None)
@given(PARTITIONS.groups() | CONTRADICTING)
def test_only_claims_of_the_highest_generation_are_kept(group):
    found = PARTITIONS.present(group)
    claims = [(partition, age(member), member.id) for member in group.members for partition in member.owned]
    assert (found is None) == (not claims)
    kept = {
        (name, partition)
        for partition, own, name in claims
        if own == max(other for claimed, other, _ in claims if claimed == partition)
    }
    for name, parts in (found or {}).items():
        assert len(set(parts)) == len(parts)
        assert {(name, partition) for partition in parts} == {each for each in kept if each[0] == name}
    assert found is None or list(found) == [member.id for member in group.members]


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(PARTITIONS.groups() | CONTRADICTING)
def test_it_is_measured_like_an_answer(group):
    now, assignment = measure_current_assignment(CONSUMER, group), PARTITIONS.present(group)
    if assignment is None:
        assert now is None
        return
    assert (now.target, now.assignment, now.settled, now.failure) == (NOW, assignment, assignment, None)
    assert now.measures == {name: measure(group, assignment) for name, measure in CONSUMER.measures.items()}
    assert now.broken == illegal(CONSUMER, group, assignment)
    assert [gap.level for gap in now.gaps] == ([] if now.broken else list(CONSUMER.oracles.levels))
    assert {gap.level: gap.value for gap in now.gaps}.get("moves", 0) == 0
