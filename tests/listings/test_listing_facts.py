"""Facts of a listing in addition to the group: by member, in the JSON of an import, and group by group if one is faulty."""

import json
from pathlib import Path

import pytest
from listings.headers import OLD
from listings.test_pasted import FILES, FOLDER

from kassay.cli import main
from kassay.errors import InputError
from kassay.files.reading import read_groups_of_any_family, read_listed_groups
from kassay.listings.listed_groups import ListingFacts


def read(tmp_path, text, **details):
    (tmp_path / "g.txt").write_text(text)
    return read_listed_groups([str(tmp_path / "g.txt")], **details)


def test_members_have_their_client_ids_and_hosts():
    (pay,) = read_listed_groups([str(FOLDER / "K1-static-restart.txt")])
    assert set(pay.facts.client_ids.values()) == {"pay"}
    assert sorted(pay.facts.hosts.values()) == ["/10.0.0.1", "/10.0.0.2", "/10.0.0.3"]
    assert set(pay.facts.hosts) == {member.id for member in pay.value.members}
    assert sorted(member.instance_id for member in pay.value.members) == ["pod-0", "pod-1", "pod-2"]


@pytest.mark.parametrize(
    "name", [name for name in FILES if not name.startswith(("A7", "d-", "D", "f-", "n-", "j-kafkajs-error", "r-rpk-summary-", "s-", "x-cut", "x-k8s"))]
)  # fmt: skip
def test_an_import_keeps_them(name, tmp_path, capsys):
    assert main(["import", str(FOLDER / name)]) == 0
    (tmp_path / "g.json").write_text(capsys.readouterr().out)
    kept = read_listed_groups([str(tmp_path / "g.json")])
    listed = read_listed_groups([str(FOLDER / name)])
    assert [(one.facts, one.value, one.in_use, one.wanted, one.family) for one in kept] == [
        (one.facts, one.value, one.in_use, one.wanted, one.family) for one in listed
    ]


@pytest.mark.parametrize(
    ("facts", "said"),
    [({"stat": "Empty"}, "facts: there is no field `stat`"), ({"lag": "7"}, "facts.lag"), ({"hosts": {"m": 1}}, "facts.hosts")],
)  # fmt: skip
def test_wrong_facts_are_refused(tmp_path, facts, said):
    (tmp_path / "g.json").write_text(json.dumps({"topics": [], "members": [], "listed": {"facts": facts}}))
    with pytest.raises(InputError, match=r"g.json: listed: ") as refused:
        read_listed_groups([str(tmp_path / "g.json")])
    assert said in str(refused.value)


def test_a_faulty_group_hides_no_other(tmp_path, capsys):
    reads = read_listed_groups([str(FOLDER / "f-fault.txt")])
    assert [(read.where, read.value is None) for read in reads] == [
        ("good", False), ("bad", True), ("cut", True), ("other", True), ("fine", False),
    ]  # fmt: skip
    assert reads[1].facts == ListingFacts(problem=reads[1].problem)
    _, others = read_groups_of_any_family([str(FOLDER / "f-fault.txt")], "consumer")
    assert [one.where for one in others] == ["good", "fine"]
    assert sum("is left out." in said for said in others[0].warnings) == 3
    assert main(["import", str(FOLDER / "f-fault.txt")]) == 0
    printed = capsys.readouterr()
    assert [json.loads(line)["name"] for line in printed.out.splitlines()] == ["good", "fine"]
    assert printed.err.count("left out: ") == 3
    assert main(["import", str(FOLDER / "f-fault.txt"), "--consumer-group", "cut"]) == 2
    assert "f-fault.txt:6: the row ends before LAG. Give the whole row" in capsys.readouterr().err
    with pytest.raises(InputError, match=r"g.txt:2: #PARTITIONS is 'x'. Give the row"):
        read(tmp_path, OLD + "g m /h c x t(0)\n")


def test_a_fault_in_json_hides_no_other(tmp_path):
    good = {
        "name": "good",
        "topics": [{"name": "t", "partitions": 1}],
        "members": [{"id": "m", "topics": ["t"]}],
    }
    bad = {"name": "bad", "topics": 1, "members": []}
    foreign = {"name": "foreign", "family": "os:system", "topics": [], "members": []}
    (tmp_path / "g.json").write_text("\n".join(map(json.dumps, (good, bad, foreign))))
    reads = read_listed_groups([str(tmp_path / "g.json")])
    assert [(read.where, bool(read.problem)) for read in reads] == [
        ("good", False),
        ("bad", True),
        ("foreign", True),
    ]
    assert "there is no 'os:system'" in reads[2].problem


def test_groups_are_chosen_by_name():
    path = str(FOLDER / "N2.txt")
    assert [one.where for one in read_listed_groups([path], consumer_group="audit")] == ["audit"]
    with pytest.raises(
        InputError,
        match=r"--consumer-group adit: there is no group of that name. Name one of: billing, audit, mail",
    ):
        read_listed_groups([path], consumer_group="adit")


def test_subscriptions_are_read_both_ways():
    path = str(FOLDER / "J5-spring-disjoint.txt")
    (every,) = read_listed_groups([path])
    (held,) = read_listed_groups([path], subscriptions="held")
    assert {member.topics for member in every.value.members} == {("alerts", "orders")}
    assert sorted(member.topics for member in held.value.members) == [(), (), ("alerts",), ("orders",)]


def test_clients_that_tell_subscriptions_are_believed():
    (app,) = read_listed_groups([str(FOLDER / "j-kafkajs.json")])
    assert [member.topics for member in app.value.members] == [("orders", "pay"), ("orders",)]
    assert not [said for said in app.warnings if "subscribe" in said]
    (app,) = read_listed_groups([str(FOLDER / "j-confluent-go.json")])
    assert [said for said in app.warnings if "both members subscribe to both topics" in said]


def test_groups_of_several_families_are_told_one_by_one():
    reads = read_listed_groups(
        [
            str(FOLDER / name)
            for name in (
                "H1-share-400.txt",
                "k-4.1-kip848.txt",
                "D1-connect-clumped.json",
                "E1-single-member.txt",
            )
        ]
    )
    assert [read.family for read in reads] == ["share", "broker", "connect", "consumer"]


def test_owners_are_missed_in_words():
    def said(name):
        (read,) = read_listed_groups([str(FOLDER / name)])
        return [one for one in read.warnings if "no owner" in one]

    (grown,) = said("L2-grown-topic.txt")
    assert grown == (
        "Partitions 16 to 27 of t have no owner (12 of 28). Most likely the topic has grown since the last rebalance: members notice "
        "after metadata.max.age.ms (5 minutes by default), and the next rebalance assigns them. Or the listing is incomplete."
    )
    assert said("z-0.10.0.txt")[0].startswith(
        "Partition 2 of invoices has no owner (1 of 3). Most likely the topic has grown"
    )
    assert said("A3-rebalancing.txt") == []


def test_a_member_that_rpk_counts_and_does_not_print():
    (pay,) = read_listed_groups([str(FOLDER / "r-rpk-one-idle.txt")])
    assert {member.id: len(member.owned) for member in pay.value.members} == {"rpk-1": 1, "(not listed 1)": 0}
    assert [
        said
        for said in pay.warnings
        if said.endswith("1 member owns no partition, and rpk does not print its id.")
    ]


def test_an_application_that_cannot_be_read_hides_no_other(tmp_path):
    text = (FOLDER / "E3-streams-listing.txt").read_text()
    row = "app-l2m plain /10.0.0.3 plain 0 -\n"
    other = OLD + "g m /h c 1 t(0)\n"
    consumers, streams = read(tmp_path, text + row + "\n" + other)
    assert streams.value is None
    assert "plain" in streams.problem
    assert consumers.problem == ""


def test_classic_members_listed_by_kafka_4_have_no_target_and_are_not_reconciling():
    listing = Path(__file__).parent / "kafka-4.3" / "members.txt"
    facts = {read.where: read.facts for read in read_listed_groups([str(listing)])}
    assert {name: one.target_reached for name, one in facts.items()} == {
        "assay-broker": True,
        "assay-native": None,
        "assay-static": None,
    }
