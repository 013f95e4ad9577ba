"""The reader reads the output of all printers back."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from listings.listing_layouts import (
    MEMBERS,
    TOPICS,
    Cluster,
    Consumer,
    clusters,
    members_2_4,
    members_2018,
    offsets,
    topic_id,
    topics_0_10,
    topics_4_0,
    words,
)

from kassay.listings import read_listings
from kassay.model import Group, Member, Topic


def expected(
    cluster: Cluster, consumers: tuple[Consumer, ...], static: bool, epochs: bool, ids: bool = True
) -> Group:
    """Return the group that is printed; where the coordinator assigns, ids of topics are read."""
    names = [t for t in cluster.topics if any(p.topic == t for c in consumers for p in c.held)]
    ids = ids and epochs and any(c.epoch for c in consumers)
    topics = tuple(
        Topic(name, len(cluster.topics[name]), id=topic_id(name) if ids else None) for name in names
    )
    members = tuple(
        Member(
            id=c.id,
            topics=tuple(names),
            owned=c.held,
            generation=(c.epoch or None) if epochs else None,
            instance_id=c.instance_id or None if static else None,
        )
        for c in consumers
    )
    return Group(topics, members)


@given(clusters(), st.sampled_from(MEMBERS), st.sampled_from(TOPICS), st.booleans())
def test_members_in_every_layout(
    cluster: Cluster, members: Callable[..., str], topics: Callable[..., str], topics_first: bool
) -> None:
    files = [("g.txt", "".join(members(name, consumers) for name, consumers in cluster.groups.items()))]
    if members is members_2018:
        files = [(name, members(name, consumers)) for name, consumers in cluster.groups.items()]
    files.insert(0 if topics_first else len(files), ("t.txt", topics(cluster.topics)))
    listings = read_listings(files)
    new = "4_0" in members.__name__
    assert [listing.name for listing in listings] == list(cluster.groups)
    for listing, consumers in zip(listings, cluster.groups.values(), strict=True):
        ids = topics is not topics_0_10
        assert listing.group == expected(cluster, consumers, members is not members_2018, new, ids)
        assert listing.family == ("broker" if new and consumers[0].epoch else "consumer")


@given(clusters(), st.sampled_from(TOPICS))
def test_offsets(cluster: Cluster, topics: Callable[..., str]) -> None:
    text = "".join(offsets(name, consumers) for name, consumers in cluster.groups.items())
    listings = read_listings([("all.txt", topics(cluster.topics) + text)])
    for listing, consumers in zip(listings, cluster.groups.values(), strict=True):
        read = {member.id: member for member in listing.group.members}
        wanted = expected(cluster, consumers, static=False, epochs=False)
        assert listing.group.topics == wanted.topics
        assert read == {member.id: member for member in wanted.members}


@given(clusters(ids=words), st.sampled_from(MEMBERS[1:]), st.sampled_from([" ", "  ", "\t", " \t "]))
def test_rows_that_do_not_line_up(cluster: Cluster, members: Callable[..., str], gap: str) -> None:
    text = "".join(members(name, consumers) for name, consumers in cluster.groups.items())
    text = re.sub(r"(?<!,) +", lambda _: gap, text)
    listings = read_listings([("g.txt", topics_4_0(cluster.topics)), ("h.txt", text)])
    for listing, consumers in zip(listings, cluster.groups.values(), strict=True):
        assert listing.group == expected(cluster, consumers, True, members is not members_2_4)


@given(clusters(), st.sampled_from(MEMBERS[1:]))
def test_noise_around_the_tables_changes_nothing(cluster: Cluster, members: Callable[..., str]) -> None:
    noise = (
        "Picked up JAVA_TOOL_OPTIONS: -Xmx1g\n"
        "[2024-08-13 00:12:27,203] WARN [AdminClient clientId=adminclient-1] The API is not supported\n"
        "$ bin/kafka-consumer-groups.sh --bootstrap-server localhost:9092 --describe --all-groups\n"
        "WARNING: Due to limitations in metric names, topics with a period could collide.\n\n```\n"
    )
    tables = [members(name, consumers) for name, consumers in cluster.groups.items()]
    topics = topics_4_0(cluster.topics)
    quiet = read_listings([("g", "".join(tables) + topics)])
    loud = read_listings([("g", (noise + noise.join(tables) + noise + topics + noise).replace("\n", "\r\n"))])
    assert [(listing.name, listing.group) for listing in quiet] == [(x.name, x.group) for x in loud]


@given(
    clusters(),
    st.sampled_from(MEMBERS[1:]),
    st.dictionaries(st.integers(0, 5), st.sampled_from(["a", "b", None])),
)
def test_racks_of_replicas_in_their_order(
    cluster: Cluster, members: Callable[..., str], racks: dict[int, str | None]
) -> None:
    text = "".join(members(name, consumers) for name, consumers in cluster.groups.items())
    for listing in read_listings([("g", text), ("t", topics_4_0(cluster.topics))], broker_racks=racks):
        for topic in listing.group.topics:
            replicas = cluster.topics[topic.name]
            assert topic.racks == tuple(
                tuple(racks.get(broker) for broker in brokers) for brokers in replicas
            )
        used = {
            b for topic in listing.group.topics for brokers in cluster.topics[topic.name] for b in brokers
        }
        said = [
            warning for warning in listing.warnings if "the table of broker racks does not have" in warning
        ]
        assert len(said) == (1 if used - set(racks) else 0)


@given(clusters(), st.sampled_from(MEMBERS[1:]))
def test_without_a_topics_listing_the_highest_number_counts(
    cluster: Cluster, members: Callable[..., str]
) -> None:
    text = "".join(members(name, consumers) for name, consumers in cluster.groups.items())
    held = [p for consumers in cluster.groups.values() for c in consumers for p in c.held]
    for listing in read_listings([("g", text)]):
        for topic in listing.group.topics:
            assert topic.partitions == 1 + max(p.partition for p in held if p.topic == topic.name)
        assert any("(highest number listed)" in w for w in listing.warnings) == bool(listing.group.topics)


@pytest.mark.parametrize("subscriptions", ["all", "held", "listed"])
@given(cluster=clusters())
def test_subscriptions(subscriptions: str, cluster: Cluster) -> None:
    files = [
        ("g", "".join(members_2_4(*group) for group in cluster.groups.items())),
        ("t", topics_4_0(cluster.topics)),
    ]
    for listing in read_listings(files, subscriptions=subscriptions):  # type: ignore[arg-type]
        held = {m.id: {p.topic for p in m.owned} for m in listing.group.members}
        everything = set().union(*held.values())
        for member in listing.group.members:
            wanted = {"all": everything, "held": held[member.id], "listed": set(cluster.topics)}[
                subscriptions
            ]
            assert member.topics == tuple(name for name in cluster.topics if name in wanted)
        shown = {topic.name for topic in listing.group.topics}
        assert shown == (set(cluster.topics) if subscriptions == "listed" else everything)
