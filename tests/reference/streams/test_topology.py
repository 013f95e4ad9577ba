"""What tasks and counts of partitions promise, on drawn topologies; and each way in which topics do not fit together."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model import TopicPartition
from kassay.model.tasks import TaskId
from kassay.reference.streams.topology import (
    Changelogs,
    RepartitionTopic,
    Subtopology,
    TopologyError,
    UnknownCountError,
    changelog_groups,
    enforce,
    map_changelogs,
    missing_sources,
    repartition_counts,
    source_groups,
    stateful_tasks,
    task_count,
    topic_counts,
)

FEW = settings(max_examples=40)
NAMES = ("a", "b", "c", "d")
COUNTS = st.fixed_dictionaries({name: st.integers(1, 4) for name in NAMES})
SOURCES = st.lists(st.sampled_from(NAMES), min_size=1, unique=True).map(tuple)
SUBTOPOLOGIES = st.lists(st.tuples(SOURCES, st.lists(st.sampled_from("xy"), unique=True)), max_size=3).map(
    lambda drawn: [
        Subtopology(number, sources, changelogs=tuple(changelogs))
        for number, (sources, changelogs) in enumerate(drawn)
    ]
)
REPARTITION = st.builds(
    lambda partitions, enforced: (partitions, enforced and partitions is not None),
    st.none() | st.integers(1, 3),
    st.booleans(),
)


@FEW
@given(SUBTOPOLOGIES, COUNTS)
def test_each_subtopology_reads_each_partition_once(
    subtopologies: list[Subtopology], counts: dict[str, int]
) -> None:
    groups = source_groups(subtopologies, counts)
    for each in subtopologies:
        read = [
            partition for task, its in groups.items() if task.subtopology == each.number for partition in its
        ]
        every = [TopicPartition(topic, number) for topic in each.sources for number in range(counts[topic])]
        assert sorted(read) == sorted(every)
    assert list(groups) == sorted(groups)
    assert all(partition.partition == task.partition for task, its in groups.items() for partition in its)
    assert all(groups.values())


@FEW
@given(SUBTOPOLOGIES, COUNTS)
def test_a_task_is_stateful_where_its_subtopology_has_changelogs(
    subtopologies: list[Subtopology], counts: dict[str, int]
) -> None:
    groups = changelog_groups(subtopologies, counts)
    assert list(groups) == list(source_groups(subtopologies, counts))
    of = {each.number: each for each in subtopologies}
    assert stateful_tasks(groups) == {task for task in groups if of[task.subtopology].changelogs}
    assert all(len(its) == len(of[task.subtopology].changelogs) for task, its in groups.items())


@FEW
@given(COUNTS, st.dictionaries(st.sampled_from("abcdxy"), REPARTITION), st.sets(st.sampled_from("abcdxy")))
def test_topics_read_together_have_equal_counts(
    counts: dict[str, int], drawn: dict[str, tuple[int | None, bool]], group: set[str]
) -> None:
    before = {name: RepartitionTopic(name, *each) for name, each in drawn.items()}
    try:
        after = enforce(group, before, counts)
    except (TopologyError, UnknownCountError):
        return
    assert len({after[name].partitions if name in after else counts[name] for name in group}) <= 1
    assert all(after[name] == topic for name, topic in before.items() if name not in group or topic.enforced)
    assert list(after) == list(before)
    assert enforce(group, after, counts) == after


@FEW
@given(COUNTS, st.lists(st.tuples(SOURCES, st.booleans()), min_size=1, max_size=4))
def test_a_chain_of_repartition_topics_has_the_largest_count_that_comes_in(
    counts: dict[str, int], stages: list[tuple[tuple[str, ...], bool]]
) -> None:
    subtopologies = []
    for number, (sources, _) in enumerate(stages):
        own = tuple(RepartitionTopic(f"r{number}") for _ in range(number > 0))
        reads = (*sources, *(topic.name for topic in own))
        subtopologies.append(Subtopology(number, reads, own, sinks=(f"r{number + 1}",)))
    most = 0
    topics = repartition_counts(subtopologies, counts)
    for number, (sources, _) in enumerate(stages[:-1]):
        most = max(most, *(counts[name] for name in sources))
        assert topics[f"r{number + 1}"].partitions == most


def test_a_count_may_need_a_later_subtopology() -> None:
    last = Subtopology(0, ("r2",), (RepartitionTopic("r2"),))
    middle = Subtopology(1, ("r1",), (RepartitionTopic("r1"),), sinks=("r2",))
    first = Subtopology(2, ("a",), sinks=("r1",))
    assert topic_counts([last, middle, first], [], {"a": 5}) == {"a": 5, "r2": 5, "r1": 5}


def test_the_order_of_subtopologies_may_decide_a_count() -> None:
    """Where Kafka's hash set shows first the one that reads an uncounted topic beside others, the others alone count."""
    merging = Subtopology(1, ("a", "r1"), (RepartitionTopic("r1"),), sinks=("r2",))
    last = Subtopology(2, ("r2",), (RepartitionTopic("r2"),))
    first = Subtopology(0, ("b",), sinks=("r1",))
    counts = {"a": 2, "b": 5}
    assert topic_counts([first, merging, last], [], counts)["r2"] == 5
    assert topic_counts([last, merging, first], [], counts)["r2"] == 2


def test_setup_counts_and_then_evens_out() -> None:
    reading = Subtopology(1, ("r1", "c"), (RepartitionTopic("r1"),))
    writing = Subtopology(0, ("a",), sinks=("r1",))
    assert topic_counts([writing, reading], [{"r1", "c"}], {"a": 2, "c": 7})["r1"] == 7


@pytest.mark.parametrize(
    ("group", "topics", "error"),
    [
        (("a", "b"), (), TopologyError),
        (("a", "r"), (RepartitionTopic("r", 9, enforced=True),), TopologyError),
        (
            ("r", "s"),
            (RepartitionTopic("r", 1, enforced=True), RepartitionTopic("s", 2, enforced=True)),
            TopologyError,
        ),
        (("a", "gone"), (), UnknownCountError),
        (("r",), (RepartitionTopic("r"),), UnknownCountError),
    ],
)
def test_topics_that_do_not_fit_together(
    group: tuple[str, ...], topics: tuple[RepartitionTopic, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        enforce(group, {topic.name: topic for topic in topics}, {"a": 2, "b": 3})


@pytest.mark.parametrize(
    ("group", "topics", "counted"),
    [
        ((), {}, {}),
        (("r", "s"), {"r": (2, False), "s": (3, False)}, {"r": 3, "s": 3}),
        (("r", "s"), {"r": (2, True), "s": (3, False)}, {"r": 2, "s": 2}),
        (("a", "r"), {"r": (None, False), "s": (3, False)}, {"r": 4, "s": 3}),
    ],
)
def test_which_count_a_group_gets(
    group: tuple[str, ...], topics: dict[str, tuple[int | None, bool]], counted: dict[str, int]
) -> None:
    after = enforce(group, {name: RepartitionTopic(name, *each) for name, each in topics.items()}, {"a": 4})
    assert {name: topic.partitions for name, topic in after.items()} == counted


def test_topics_that_are_not_there() -> None:
    one = Subtopology(0, ("a", "gone"))
    assert missing_sources([one], {"a": 1}) == {0: {"gone"}}
    for refused in (lambda: task_count(one, {"a": 1}), lambda: topic_counts([one], [], {"a": 1})):
        with pytest.raises(UnknownCountError, match="gone"):
            refused()
    alone = Subtopology(0, ("r",), (RepartitionTopic("r"),))
    with pytest.raises(UnknownCountError, match="nothing says"):
        topic_counts([alone], [], {})
    with pytest.raises(UnknownCountError, match="gone"):
        repartition_counts([Subtopology(0, ("gone", "r"), alone.repartition, sinks=("r",))], {})


def test_a_subtopology_without_sources_has_no_tasks() -> None:
    assert source_groups([Subtopology(0, ())], {}) == {}
    assert list(source_groups([Subtopology(3, ("a",))], {"a": 2})) == [TaskId(3, 0), TaskId(3, 1)]


def test_what_is_refused_when_it_is_made() -> None:
    with pytest.raises(ValueError, match=r"^partitions: topic 'r' has 0"):
        RepartitionTopic("r", 0)
    with pytest.raises(ValueError, match=r"^enforced: topic 'r' has no count"):
        RepartitionTopic("r", enforced=True)
    with pytest.raises(ValueError, match=r"^repartition: subtopology 0 does not read 'r'"):
        Subtopology(0, (), (RepartitionTopic("r"),))


@FEW
@given(SUBTOPOLOGIES, COUNTS)
def test_each_task_with_state_has_a_partition_of_each_changelog_that_is_made(
    subtopologies: list[Subtopology], counts: dict[str, int]
) -> None:
    apart = [
        replace(each, changelogs=(*(f"{each.number}{topic}" for topic in each.changelogs), each.sources[0]))
        for each in subtopologies
    ]
    made = map_changelogs(apart, counts)
    assert made.sources == {each.sources[0] for each in apart}
    wanted = {partition for its in changelog_groups(apart, counts).values() for partition in its}
    assert {TopicPartition(topic, n) for topic, count in made.own.items() for n in range(count)} == {
        partition for partition in wanted if partition.topic not in made.sources
    }


def test_a_subtopology_that_reads_nothing_makes_no_changelogs() -> None:
    made = map_changelogs([Subtopology(0, (), changelogs=("state",))], {})
    assert made == Changelogs({}, frozenset())
