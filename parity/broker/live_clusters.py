"""What a running cluster says of its groups is imported as those groups, with what no tool prints; nothing of it is changed."""

import json
import re
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from live_listings import expected, in_order
from native_members import native_members
from over_the_wire.certified import PASSWORD
from over_the_wire.recorded_cluster import save
from overheard import overhearing
from settling import settled
from shop import shop
from story import OTHER, SAME, TOPICS

from kassay.cli import main
from kassay.families import family
from kassay.model.partitions_json import read_group
from kassay.protocol.client.cluster_connection import READ
from kassay.reference import ASSIGNORS

RACKS = {f"live-static-{letter}": letter for letter in "abc"}
STATIC = {"live-static-a": "live-1", "live-static-b": "live-2"}
NAMES = ("live-static", "live-native", "live-broker", "live-share", "live-gone", "streams-shop")


@pytest.fixture(scope="module")
def groups(cluster, java, folder):
    """Start a group of each kind; what they hold, by group."""
    with native_members(cluster.address) as native, shop(cluster, folder, "streams"):
        for client, rack in RACKS.items():
            instance = {"group.instance.id": STATIC[client]} if client in STATIC else {}
            java.start(client, "live-static", "cooperative-sticky", SAME, rack, **instance)
        for letter in "ab":
            native.start(f"live-native-{letter}", "live-native", "roundrobin", SAME, None)
            topics, rack = (OTHER, "a") if letter == "b" else (SAME, None)
            java.start(f"live-broker-{letter}", "live-broker", "broker/uniform", topics, rack)
            java.share(f"live-share-{letter}", "live-share", SAME)
        java.start("live-gone-a", "live-gone", "range", SAME, None, **{"enable.auto.commit": "true"})
        found = {}
        clients = {
            "live-static": [*RACKS],
            **{
                f"live-{name}": [f"live-{name}-a", f"live-{name}-b"] for name in ("native", "broker", "share")
            },
            "live-gone": ["live-gone-a"],
        }
        for group, own in clients.items():
            held = None if group == "live-share" else lambda: java.held | native.held
            found[group] = settled(java, group, own, held)
        java.stop("live-gone-a")
        yield found
        for client in [client for own in clients.values() for client in own if client in java.held]:
            java.stop(client)


@pytest.fixture(scope="module")
def heard(cluster, groups, tmp_path_factory):
    """Overhear what kassay asks of these groups, for tests/over_the_wire/kafka-4.3.1.jsonl, too."""
    assert groups
    with overhearing(cluster.address) as heard:
        yield heard
        save(tmp_path_factory.mktemp("heard") / "kafka-4.3.1.jsonl", heard.ports, heard.exchanges)


def imported(capsys, heard, *arguments):
    """Run the command; its exit status, its records by group, and what it says on standard error."""
    status = main(["import", "--bootstrap-server", heard.address, *arguments])
    out, err = capsys.readouterr()
    return status, {record["name"]: record for record in map(json.loads, out.splitlines())}, err


@pytest.fixture
def all_of_them(heard, capsys):
    status, found, err = imported(capsys, heard, *(word for name in NAMES for word in ("--group", name)))
    assert status == 0, err
    return found, err


def of(record):
    return read_group({key: value for key, value in record.items() if key not in {"name", "listed"}})


def test_consumers_with_all_that_is_known(all_of_them, groups, java):
    found, err = all_of_them
    assert in_order(of(found["live-static"])) == expected(groups["live-static"], RACKS, STATIC)
    assert in_order(of(found["live-native"])) == expected(groups["live-native"])
    broker = of(found["live-broker"])
    assert {member.rack for member in broker.members} == {None, "a"}
    assert {frozenset(member.topics) for member in broker.members} == {frozenset(SAME), frozenset(OTHER)}
    assert {member.generation for member in broker.members} == {java.generations["live-broker-a"]}
    assert {member.id: {*member.owned} for member in broker.members} == {
        name: {*some} for name, some in groups["live-broker"].by_member().items()
    }
    assert all(topic.id and topic.racks for topic in broker.topics)
    assert found["live-broker"]["listed"]["in_use"] == "broker/uniform"
    assert found["live-static"]["listed"]["in_use"] == "consumer/cooperative-sticky"
    assert "taken to" not in err, err
    assert "live-gone: 0 members" in err
    assert "the group is Empty: no member is in it" in err


def test_share_groups_and_such_as_are_empty(all_of_them, groups):
    found, _ = all_of_them
    share = of(found["live-share"])
    assert found["live-share"]["family"] == "share"
    assert {member.id: {*member.owned} for member in share.members} == {
        name: {*some} for name, some in groups["live-share"].by_member().items()
    }
    assert {frozenset(member.topics) for member in share.members} == {frozenset(SAME)}
    assert of(found["live-gone"]).members == ()
    progress = found["live-gone"]["listed"]["progress"]
    assert {name: len(some) for name, some in progress.items()} == {name: TOPICS[name] for name in SAME}
    assert all(end - committed == 0 for some in progress.values() for committed, end in some)


def test_streams_groups_with_their_topology(all_of_them):
    found, _ = all_of_them
    record = found["streams-shop"]
    assert record["family"] == "streams-group"
    assert [(one["partitions"], bool(one.get("stateful"))) for one in record["subtopologies"]] == [
        (4, False), (4, True), (6, True), (4, False),
    ]  # fmt: skip
    assert record["config"]["num.standby.replicas"] == 1
    shape = family("streams-group").shape
    group = shape.read_group({key: value for key, value in record.items() if key not in {"name", "listed"}})
    assert shape.same(ASSIGNORS["streams-group/sticky"].assign(group), shape.present(group))


def test_all_groups(heard, capsys):
    status, found, err = imported(capsys, heard, "--all")
    assert status == 0, err
    assert {*NAMES} <= {*found}


@pytest.mark.parametrize("name", NAMES[:4])
def test_a_running_group_is_compared(name, heard, capsys):
    status = main(["compare", "--bootstrap-server", heard.address, "--group", name])
    out, err = capsys.readouterr()
    assert status == 0, err
    assert out.startswith(f"{name}: ")


@pytest.mark.parametrize("name", NAMES)
def test_a_group_by_itself(name, heard, capsys):
    status, found, err = imported(capsys, heard, "--group", name)
    assert (status, [*found]) == (0, [name]), err


def test_nobody_is_in_a_group(heard, capsys):
    assert main(["compare", "--bootstrap-server", heard.address, "--group", "live-gone"]) == 2
    assert "no member is in group 'live-gone'" in capsys.readouterr().err


def reader(cluster):
    """Make a user of SCRAM who may describe one group and its topics."""
    scram = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    (made,) = cluster.admin.alter_user_scram_credentials(
        [UserScramCredentialUpsertion("reader", scram, b"right")]
    ).values()
    made.result()
    kinds = {ResourceType.GROUP: ("live-static",), ResourceType.TOPIC: SAME}
    allowed = [
        AclBinding(kind, name, ResourcePatternType.LITERAL, "User:reader", "*", AclOperation.DESCRIBE, AclPermissionType.ALLOW)
        for kind, names in kinds.items()
        for name in names
    ]  # fmt: skip
    for done in cluster.admin.create_acls(allowed).values():
        done.result()


LOGIN = 'org.apache.kafka.common.security.{}LoginModule required username="{}" password="{}";'


def access(cluster, tmp_path, mechanism="SCRAM-SHA-512", user="reader", password="right"):
    module = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
    path = tmp_path / "client.properties"
    path.write_text(
        f"security.protocol=SASL_SSL\nssl.truststore.location={cluster.certified}/trust.p12\nssl.truststore.password={PASSWORD}\n"
        f"sasl.mechanism={mechanism}\nsasl.jaas.config={LOGIN.format(module, user, password)}\n"
    )
    return "--command-config", str(path)


def test_behind_tls_and_sasl(cluster, groups, tmp_path, capsys):
    reader(cluster)
    line = ("import", "--bootstrap-server", cluster.secure, "--group")
    assert main([*line, "live-static", *access(cluster, tmp_path)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert in_order(of(record)) == expected(groups["live-static"], RACKS, STATIC)
    for name, how, says in (
        ("live-native", {}, "group 'live-native': this user may not describe it"),
        ("live-static", {"mechanism": "PLAIN", "user": "stranger"}, "group 'live-static': this user may not"),
        ("live-static", {"password": "wrong"}, "kassay: 127.0.0.1:"),
        ("live-static", {"password": "wrong"}, ": does not let reader in (Authentication failed"),
    ):
        assert main([*line, name, *access(cluster, tmp_path, **how)]) == 2
        assert says in capsys.readouterr().err
    bearer = "oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub"
    _, path = access(cluster, tmp_path, mechanism="OAUTHBEARER")
    for user, status in (("reader", 0), ("stranger", 2)):
        text = re.sub(
            "sasl.jaas.config=.*",
            f'sasl.jaas.config=org.apache.kafka.common.security.{bearer}="{user}";',
            Path(path).read_text(),
        )
        Path(path).write_text(text)
        assert main([*line, "live-static", "--command-config", path]) == status
        said = capsys.readouterr()
        assert (
            (json.loads(said.out) == record) if status == 0 else ("this user may not describe it" in said.err)
        )
    assert main([*line, "live-static"]) == 2
    assert (
        "it answers in TLS, and was not spoken to in TLS; does security.protocol" in capsys.readouterr().err
    )


def test_an_unknown_group_is_named(heard, capsys):
    status, found, err = imported(capsys, heard, "--group", "live-statik")
    assert (status, found) == (2, {})
    assert "there is no group 'live-statik'" in err


def test_nothing_but_what_only_reads_was_asked(heard):
    """The last one: all that the tests above have asked."""
    asked = heard.asked()
    assert {*asked} <= {*map(int, READ)}
    assert asked.total() > 50
