"""KIP-49's FairAssignor on the KIP's example, and against its definition taken word by word."""

from hypothesis import given

from kassay.model import Assignment, Group, Member, Topic, TopicPartition
from kassay.properties.partitions import strategies
from kassay.reference.consumer import fair, roundrobin
from kassay.reference.consumer.range import assign as assign_ranges

# Five topics and four members, in KIP-49 to show what the three strategies do.
EXAMPLE = Group(
    tuple(Topic(f"T{number}", count) for number, count in enumerate((2, 1, 2, 1, 2), start=1)),
    (
        Member("C1", ("T1", "T2", "T3", "T4", "T5")),
        Member("C2", ("T1", "T3", "T5")),
        Member("C3", ("T1", "T3", "T5")),
        Member("C4", ("T1", "T2", "T3", "T4", "T5")),
    ),
)


def shown(assignment: Assignment) -> dict[str, str]:
    return {member: " ".join(map(str, sorted(given))) for member, given in assignment.items()}


def test_the_example_of_the_kip() -> None:
    assert shown(fair.assign(EXAMPLE)) == {
        "C1": "T2-0 T3-0",
        "C2": "T1-0 T3-1",
        "C3": "T1-1 T5-0",
        "C4": "T4-0 T5-1",
    }


def test_the_example_of_the_kip_for_the_other_strategies() -> None:
    assert shown(assign_ranges(EXAMPLE)) == {
        "C1": "T1-0 T2-0 T3-0 T4-0 T5-0",
        "C2": "T1-1 T3-1 T5-1",
        "C3": "",
        "C4": "",
    }
    assert shown(roundrobin.assign(EXAMPLE)) == {
        "C1": "T1-0 T3-0 T5-0",
        "C2": "T1-1 T3-1 T5-1",
        "C3": "",
        "C4": "T2-0 T4-0",
    }


def test_topics_that_tie_may_lack_metadata() -> None:
    group = Group((Topic("a", 1), Topic("b", 0)), (Member("m", ("a", "b", "gone", "gone")),))
    assert shown(fair.assign(group)) == {"m": "a-0"}


def test_instance_ids_do_not_matter() -> None:
    group = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ("t",), instance_id="z")))
    assert shown(fair.assign(group)) == {"a": "t-0", "b": ""}


def word_by_word(group: Group) -> Assignment:
    given: dict[str, list[TopicPartition]] = {member.id: [] for member in group.members}
    members = sorted(given, key=lambda id_: id_.encode("utf-16-be"))
    readers = {t.name: {m.id for m in group.members if t.name in m.topics} for t in group.topics}
    topics = sorted(group.topics, key=lambda topic: topic.name.encode("utf-16-be"))
    topics.sort(key=lambda topic: topic.partitions, reverse=True)
    topics.sort(key=lambda topic: len(readers[topic.name]))
    for topic in topics:
        for partition in topic if readers[topic.name] else ():
            least = min((m for m in members if m in readers[topic.name]), key=lambda m: len(given[m]))
            given[least].append(partition)
    return given


@given(strategies.groups())
def test_the_least_loaded_gets_it(group: Group) -> None:
    assert fair.assign(group) == word_by_word(group)
