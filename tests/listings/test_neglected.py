"""A topic with committed offsets but without subscribers stays in the group, and is no violation of an assignor."""

import json

import pytest
from consumers import CONSUMERS
from hypothesis import given
from hypothesis import strategies as st
from listings.listing_layouts import MEMBERS, Cluster, clusters, offsets, topics_4_0, words

from kassay.cli import main
from kassay.families.consumer import CONSUMER
from kassay.listings import read_listings
from kassay.properties.consumer import INVARIANTS

MEMBERS_TEXT = """
GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT
g     m           /h   c         2           t(0,1)
g     n           /h   c         0           -
"""
OFFSETS_TEXT = """
GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID
g     t     0         5              5              0   m           /h   c
g     t     1         5              5              0   m           /h   c
g     u     0         7              9              2   -           -    -
g     u     2         7              9              2   -           -    -
g     w     0         -              9              -   -           -    -
"""


@pytest.mark.parametrize(
    "texts", [[OFFSETS_TEXT], [MEMBERS_TEXT, OFFSETS_TEXT], [OFFSETS_TEXT, MEMBERS_TEXT]]
)
def test_it_is_in_the_group_the_picture_and_the_warnings(texts, tmp_path, capsys):
    files = [tmp_path / f"{number}.txt" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    assert main(["import", *map(str, files), "--format", "pretty"]) == 0
    printed = capsys.readouterr()
    said = "No member owns a partition of topic u, of which u-0, u-2 have committed offsets."
    assert f"check  {said} Here no member is taken to subscribe to it." in printed.err
    assert "to topic t (--subscriptions held)" in printed.err
    assert "topic w" not in printed.err  # nothing was committed there
    assert "no owner" not in printed.err
    (row,) = [line.split() for line in printed.out.splitlines() if line.startswith("(nobody)")]
    assert row == ["(nobody)", "u"]


def test_where_a_topics_listing_says_who_subscribes_it_is_theirs():
    topics = "".join(f"Topic: {name}\tPartitionCount: 4\tConfigs: \n" for name in "tu")
    (listing,) = read_listings([("g", OFFSETS_TEXT + topics)], subscriptions="listed")
    assert {member.topics for member in listing.group.members} == {("t", "u")}
    said = [warning for warning in listing.warnings if "topic u" in warning]
    assert said[0].endswith("u-0, u-2 have committed offsets. Here every member is taken to subscribe to it.")


@given(clusters(ids=words), st.sampled_from(MEMBERS[1:]), st.data())
def test_every_topic_with_offsets_is_kept_and_the_rest_is_as_without(cluster: Cluster, members, data):
    unread = {
        topic: data.draw(st.sets(st.integers(0, len(replicas) - 1)))
        for topic, replicas in cluster.topics.items()
    }
    members_text = "".join(members(name, consumers) for name, consumers in cluster.groups.items())
    plain = read_listings([("g", members_text), ("t", topics_4_0(cluster.topics))])
    rows = [
        f"{name} {topic} {number} 1 1 0 - - -\n"
        for name in cluster.groups
        for topic, numbers in unread.items()
        for number in sorted(numbers)
    ]
    header = offsets("g", ()).strip() + "\n"
    files = [("g", members_text + header + "".join(rows)), ("t", topics_4_0(cluster.topics))]
    for listing, before in zip(read_listings(files), plain, strict=True):
        held = {topic.name for topic in before.group.topics}
        kept = [name for name in cluster.topics if name in held or unread[name]]
        assert [topic.name for topic in listing.group.topics] == kept
        assert listing.group.members == before.group.members
        said = [warning for warning in listing.warnings if "a partition of topic" in warning]
        assert len(said) == len(kept) - len(held)
        rest = [warning for warning in listing.warnings if warning not in said]
        assert [w for w in rest if "the TopicId" not in w] == [
            w for w in before.warnings if "TopicId" not in w
        ]


@pytest.mark.parametrize("name", CONSUMERS)
def test_no_invariant_accuses_an_assignor_of_it(name):
    (listing,) = read_listings([("g", MEMBERS_TEXT + OFFSETS_TEXT)])
    group = CONSUMER.leader_order(listing.group)
    answer = CONSUMERS[name].assign(group)
    expected = [invariant for invariant in INVARIANTS if invariant in CONSUMERS[name].promises]
    assert {"complete", "subscribed"} & set(expected)
    assert not [said for invariant in expected for said in INVARIANTS[invariant](group, answer)]


def test_check_and_optimum_take_such_a_group(tmp_path, capsys):
    (tmp_path / "g.txt").write_text(MEMBERS_TEXT + OFFSETS_TEXT)
    assert main(["import", str(tmp_path / "g.txt")]) == 0
    (tmp_path / "g.json").write_text(capsys.readouterr().out)
    group = str(tmp_path / "g.json")
    assert main(["check", "consumer/sticky", "--group", group, "--json", "-o", str(tmp_path)]) == 0
    told = map(json.loads, capsys.readouterr().out.splitlines())
    assert {record["outcome"] for record in told if record["record"] == "verdict"} == {"kept"}
    assert main(["optimum", "balance,moves", group]) == 0
