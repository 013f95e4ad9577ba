"""What Kafka's own tools print of running groups is imported as those groups."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from native_members import native_members
from settling import settled, unlisted
from story import SAME, topic

from kassay.cli import main
from kassay.model import Group, Member
from kassay.model.partitions_json import read_group
from kassay.reference import ASSIGNORS

RACKS = {f"assay-static-{letter}": letter for letter in "abc"}
STATIC = {"assay-static-a": "instance-1", "assay-static-b": "instance-2"}


@pytest.fixture(scope="module")
def groups(cluster, java):
    """Start four groups: with static members, of librdkafka, of the new protocol, and one that has lost its members."""
    with native_members(cluster.address) as native:
        for client, rack in RACKS.items():
            instance = {"group.instance.id": STATIC[client]} if client in STATIC else {}
            java.start(client, "assay-static", "cooperative-sticky", SAME, rack, **instance)
        for client in ("assay-native-a", "assay-native-b"):
            native.start(client, "assay-native", "roundrobin", SAME, None)
        for client in ("assay-broker-a", "assay-broker-b"):
            java.start(client, "assay-broker", "broker/uniform", SAME, None)
        java.start("assay-gone-a", "assay-gone", "range", SAME, None, **{"enable.auto.commit": "true"})
        found = {}
        for group, letters in {"static": "abc", "native": "ab", "broker": "ab", "gone": "a"}.items():
            clients = [f"assay-{group}-{letter}" for letter in letters]
            found[f"assay-{group}"] = settled(
                java, f"assay-{group}", clients, lambda: java.held | native.held
            )
        java.stop("assay-gone-a")
        yield found
        for client in [client for client in java.held if client.startswith("assay-")]:
            java.stop(client)


@pytest.fixture(scope="module")
def listings(cluster, groups, tmp_path_factory) -> Path:
    """Have the tools print, into a folder."""
    folder = tmp_path_factory.mktemp("listings")
    of_groups = ["consumer.group.ConsumerGroupCommand", "--describe"]
    for name in groups:
        of_groups += ["--group", name]
    printed = {
        "members": cluster.tool(*of_groups, "--members", "--verbose"),
        "offsets": cluster.tool(*of_groups),
        "offsets-verbose": cluster.tool(*of_groups, "--offsets", "--verbose"),
        "state": cluster.tool(*of_groups, "--state"),
        "topics": cluster.tool("TopicCommand", "--describe"),
        "racks": cluster.tool("BrokerApiVersionsCommand"),
    }
    for name, text in printed.items():
        (folder / name).write_text(text)
    (folder / "member-racks").write_text("".join(f"{client} {rack}\n" for client, rack in RACKS.items()))
    return folder


def imported(capsys, *arguments):
    """Run the command and return its exit status, its groups by name, and what it says on standard error."""
    status = main(["import", *map(str, arguments)])
    out, err = capsys.readouterr()
    records = [json.loads(line) for line in out.splitlines()]
    return status, {record.pop("name"): read_group(unlisted(record)) for record in records}, err


def in_order(group):
    """Sort all that the tools print in no particular order; ids of topics are told for the coordinator's assignors alone."""
    members = [
        replace(m, topics=tuple(sorted(m.topics)), owned=tuple(sorted(m.owned)))
        for m in sorted(group.members, key=lambda member: member.id)
    ]
    topics = sorted((replace(one, id=None) for one in group.topics), key=lambda one: one.name)
    return Group(tuple(topics), tuple(members))


def expected(settled, racks=None, instances=None, generation=None):
    """Return a group as it is: three topics, to which all members subscribe."""
    members = [
        Member(
            settled.ids[client],
            SAME,
            tuple(given),
            generation,
            (instances or {}).get(client),
            (racks or {}).get(client),
        )
        for client, given in settled.given.items()
    ]
    return in_order(Group(tuple(map(topic, SAME)), tuple(members)))


def test_members_with_all_that_is_known(capsys, groups, listings, java):
    tables = ("--racks", listings / "racks", "--member-racks", listings / "member-racks")
    status, found, _ = imported(capsys, listings / "members", listings / "topics", *tables)
    assert status == 0
    assert set(found) == {"assay-static", "assay-native", "assay-broker"}
    epoch = java.generations["assay-broker-a"]
    assert all(one.id for one in found["assay-broker"].topics)
    assert in_order(found["assay-static"]) == expected(groups["assay-static"], RACKS, STATIC)
    assert in_order(found["assay-native"]) == expected(groups["assay-native"])
    assert in_order(found["assay-broker"]) == expected(groups["assay-broker"], generation=epoch)


@pytest.mark.parametrize("table", ["offsets", "offsets-verbose"])
def test_offsets(capsys, groups, listings, table):
    """This table shows neither instance ids nor epochs."""
    status, found, _ = imported(capsys, listings / table, listings / "topics", "--racks", listings / "racks")
    assert status == 0
    for name in ("assay-static", "assay-native", "assay-broker"):
        assert in_order(found[name]) == expected(groups[name])
    assert found["assay-gone"].members == ()


def test_a_table_of_states_is_refused(capsys, listings):
    status, found, err = imported(capsys, listings / "state", listings / "topics")
    assert (status, found) == (2, {})
    assert "the table of --state does not list the members" in err


def test_the_imported_group_is_settled(capsys, groups, listings):
    """What the reference gives the group that was imported is what it has already."""
    tables = ("--racks", listings / "racks", "--member-racks", listings / "member-racks")
    _, found, _ = imported(capsys, listings / "members", listings / "topics", *tables)
    for name, assignor in (("assay-static", "cooperative-sticky"), ("assay-native", "roundrobin")):
        given = ASSIGNORS[f"consumer/{assignor}"].assign(found[name])
        assert {m: frozenset(some) for m, some in given.items()} == groups[name].by_member()
