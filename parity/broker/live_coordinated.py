"""Groups that the coordinator assigns, of consumers (KIP-848) and of share consumers (KIP-932), settle on what the reference gives."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import TopicCollection
from settling import Settled, settled, unlisted
from story import OTHER, SAME, TOPICS

from kassay.cli import main
from kassay.model import Group, TopicPartition
from kassay.model.partitions_json import read_assignment, read_group
from kassay.reference import ASSIGNORS

ASSIGNED = ("broker/uniform", "broker/range", "share/simple")
CHANGES = [("a", True), ("b", True), ("c", True), ("d", True), ("b", False), ("e", True)]
"""Which member joins or leaves, one after the other; e reads other topics."""


@dataclass(frozen=True)
class Asked:
    """What an assignor in the broker printed: the group as it was asked about, topics by their ids, and its answer."""

    group: Group
    answer: dict[str, frozenset[TopicPartition]]


@dataclass(frozen=True)
class Played:
    """How a group settled after each change and what its assignor was asked for that, and what the tools printed at last."""

    assignor: str
    scenes: list[tuple[Settled, list[Asked]]]
    listing: str


@pytest.fixture(scope="module")
def names(cluster) -> dict[str, str]:
    """Return the topics' names by id."""
    described = cluster.admin.describe_topics(TopicCollection([*TOPICS]))
    return {
        str(done.result().topic_id).translate({ord("+"): "-", ord("/"): "_"}): name
        for name, done in described.items()
    }


def asked(log: Path, ids: set[str]) -> Iterator[Asked]:
    """Yield what was asked of the groups of just these members, oldest first."""
    for line in log.read_text(errors="replace").splitlines():
        if line.startswith('{"coordinated":'):
            said: dict[str, Any] = json.loads(line)
            if {member["id"] for member in said["group"]["members"]} == ids:
                yield Asked(read_group(said["group"]), sets(read_assignment(said["assignment"])))


def sets(assignment):
    return {member: frozenset(partitions) for member, partitions in assignment.items()}


@pytest.fixture(scope="module", params=ASSIGNED)
def played(request, cluster, java, folder) -> Played:
    """Play the changes with one assignor."""
    assignor, scenes = request.param, []
    group = f"coordinated-{assignor.replace('/', '-')}"
    shares = assignor.startswith("share/")
    clients: list[str] = []
    for letter, joins in CHANGES:
        client = f"{group}-{letter}"
        if not joins:
            java.stop(client)
            clients.remove(client)
        else:
            topics = OTHER if letter == "e" else SAME
            clients.append(client)
            if shares:
                java.share(client, group, topics)
            else:
                java.start(client, group, assignor, topics, None)
        now = settled(java, group, clients, None if shares else lambda: java.held)
        scenes.append((now, [*asked(folder / "brokers.log", set(now.ids.values()))]))
    tool = f"consumer.group.{'Share' if shares else 'Consumer'}GroupCommand"
    listing = cluster.tool(tool, "--describe", "--group", group, "--members", "--verbose")
    for client in clients:
        java.stop(client)
    assert not java.failures
    return Played(assignor, scenes, listing + cluster.tool("TopicCommand", "--describe"))


def test_the_reference_answers_as_the_coordinator(played):
    for _, runs in played.scenes:
        assert runs
        for run in runs:
            assert sets(ASSIGNORS[played.assignor].assign(run.group)) == run.answer


def test_and_the_group_settles_on_it(played, names):
    for now, runs in played.scenes:
        given = {
            member: frozenset(TopicPartition(names[one.topic], one.partition) for one in some)
            for member, some in runs[-1].answer.items()
        }
        assert now.by_member() == given


def test_what_the_tools_print_of_it_is_imported_as_it_is(played, names, tmp_path, capsys):
    (tmp_path / "listing.txt").write_text(played.listing)
    assert main(["import", str(tmp_path / "listing.txt")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["family"] == played.assignor.partition("/")[0]
    assert {topic["id"]: topic["name"] for topic in record["topics"]}.items() <= names.items()
    group, (now, runs) = read_group(unlisted(record)), played.scenes[-1]
    assert {member.id: frozenset(member.owned) for member in group.members} == now.by_member()
    sizes = {names[topic.name]: topic.partitions for topic in runs[-1].group.topics}
    assert {topic.name: topic.partitions for topic in group.topics} == sizes
