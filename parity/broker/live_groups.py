"""Groups of real consumers settle on what the reference gives."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from native_members import native_members
from settling import settled
from story import Story

from kassay.model import TopicPartition
from kassay.model.partitions_json import read_group, write_assignment
from kassay.reference import ASSIGNORS

NATIVE = ("range", "roundrobin", "cooperative-sticky")
LED_BY_JAVA = [
    *(Story(strategy, racks, "jjjjj") for strategy in (*NATIVE, "sticky") for racks in (True, False)),
    *(Story(strategy, racks, "jnnjn") for strategy in NATIVE for racks in (True, False)),
]
LED_BY_LIBRDKAFKA = [
    Story(strategy, racks, kinds)
    for kinds in ("nnnnn", "njjnj")
    for strategy in NATIVE
    for racks in (True, False)
]


@pytest.fixture(scope="session")
def scenes(cluster, java):
    """Have all stories played at the same time; they are groups of their own."""
    with native_members(cluster.address) as native, ThreadPoolExecutor(9) as pool:
        played: dict[Story, Future] = {
            story: pool.submit(story.play, java, native) for story in (*LED_BY_JAVA, *LED_BY_LIBRDKAFKA)
        }
        yield lambda story: played[story].result()
        assert not java.failures


def sets(assignment):
    return {member: frozenset(partitions) for member, partitions in assignment.items()}


def assign(story, group):
    return ASSIGNORS[f"consumer/{story.strategy}"].assign(group)


def in_any_order(group):
    return {replace(m, topics=tuple(sorted(m.topics)), owned=(), generation=None) for m in group.members}


@pytest.fixture
def native(cluster):
    with native_members(cluster.address) as members:
        yield members


@pytest.mark.parametrize("story", LED_BY_JAVA, ids=str)
def test_a_java_leader_answers_as_the_reference(story, scenes):
    for scene in scenes(story):
        assert {run["assignor"] for run in scene.runs} == {story.strategy}
        for run in scene.runs:
            assert write_assignment(assign(story, read_group(run["group"]))) == run["assignment"]


@pytest.mark.parametrize("story", LED_BY_JAVA, ids=str)
def test_and_the_group_settles_on_it(story, scenes):
    for scene in scenes(story):
        last = read_group(scene.runs[-1]["group"])
        assert in_any_order(last) == in_any_order(scene.group)
        assert set(last.topics) == set(scene.group.topics)
        assert sets(assign(story, last)) == scene.given()


@pytest.mark.parametrize("story", LED_BY_LIBRDKAFKA, ids=str)
def test_a_librdkafka_leader_has_the_group_settle_on_it_too(story, scenes):
    """Which partitions cooperative-sticky moves is librdkafka's own choice: only loads are the reference's."""
    for scene in scenes(story):
        assert not scene.runs, "a Java member led"
        expected = sets(assign(story, scene.group))
        if story.strategy == "cooperative-sticky":
            while (now := sets(assign(story, claimed(scene.group, expected)))) != expected:
                expected = now
            assert loads(scene.given()) == loads(expected)
            assert frozenset().union(*scene.given().values()) == frozenset().union(*expected.values())
        else:
            assert scene.given() == expected


@pytest.mark.parametrize(
    ("leader", "kept"),
    [
        ("java", [("pair", 0)]),
        ("java", [("pair", 0), ("twin", 0)]),
        ("native", [("pair", 1)]),
        ("native", [("twin", 0), ("twin", 1)]),
    ],
)
def test_of_equals_kafka_gives_up_the_last_and_librdkafka_the_first(java, native, leader, kept):
    """A finding: librdkafka 2.16.0 gives a whole topic to a member that joins (docs/results/findings.md)."""
    topics = ["pair", "twin"][: len(kept)]
    group, members = f"equals-{leader}-{len(kept)}", {"java": java, "native": native}[leader]
    clients = set()
    for client in (f"{group}-a", f"{group}-b"):
        members.start(client, group, "cooperative-sticky", topics, None)
        clients.add(client)
        now = settled(java, group, clients, lambda: java.held | native.held)
    for client in clients:
        members.stop(client)
    owned = {TopicPartition(*partition) for partition in kept}
    others = {TopicPartition(topic, number) for topic in topics for number in range(2)} - owned
    assert now.given == {f"{group}-a": owned, f"{group}-b": others}


def claimed(group, given):
    members = [replace(m, owned=tuple(sorted(given[m.id])), generation=99) for m in group.members]
    return replace(group, members=tuple(members))


def loads(given):
    return sorted(map(len, given.values()))
