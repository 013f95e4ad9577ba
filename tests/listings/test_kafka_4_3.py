"""The output of the tools of Kafka 4.3.1 for four groups on three brokers, from a run of parity/broker/live_listings.py."""

from dataclasses import replace

from listings.headers import FOLDER

from kassay.listings import read_broker_racks, read_listings
from kassay.listings.import_groups import read_listed
from kassay.model import TopicPartition


def file(name):
    return name, (FOLDER / f"{name}.txt").read_text()


def groups(*names):
    racks = read_broker_racks(*file("brokers"))
    listings = read_listings([file(name) for name in names], broker_racks=racks)
    return {listing.name: listing.group for listing in listings}


def test_members():
    found = groups("members", "topics")
    assert list(found) == ["assay-broker", "assay-native", "assay-static"]
    assert [len(group.members) for group in found.values()] == [2, 2, 3]
    assert [member.instance_id for member in found["assay-static"].members] == [
        "instance-1",
        None,
        "instance-2",
    ]
    assert {member.generation for member in found["assay-broker"].members} == {3}
    assert {member.generation for member in found["assay-native"].members} == {None}
    owned = found["assay-static"].members[0].owned
    assert [str(one) for one in owned] == [
        "clicks-0",
        "clicks-3",
        "orders-0",
        "orders-3",
        "orders-6",
        "payments-2",
    ]
    for group in found.values():
        all_of_them = [partition for member in group.members for partition in member.owned]
        assert sorted(all_of_them) == sorted(partition for topic in group.topics for partition in topic)
        assert {topic.name: topic.partitions for topic in group.topics} == {
            "clicks": 6,
            "orders": 7,
            "payments": 5,
        }
        assert {topic.racks[:3] for topic in group.topics} == {(("a", "b"), ("b", "c"), ("c", "a"))}


def test_offsets_tell_the_same_but_for_instances_and_epochs():
    found = groups("offsets", "topics")
    assert found.pop("assay-gone").members == ()
    assert found.keys() == groups("members", "topics").keys()
    for name, group in groups("members", "topics").items():
        members = {
            replace(m, instance_id=None, generation=None, owned=tuple(sorted(m.owned))) for m in group.members
        }
        assert {replace(m, owned=tuple(sorted(m.owned))) for m in found[name].members} == members
        # the table shows no epochs, so that the coordinator's group is not told from others, and needs no ids
        assert found[name].topics == tuple(replace(topic, id=None) for topic in group.topics)


def test_without_the_topics_counts_are_inferred():
    group = groups("members")["assay-static"]
    assert {topic.name: topic.partitions for topic in group.topics} == {
        "clicks": 6,
        "orders": 7,
        "payments": 5,
    }
    assert TopicPartition("orders", 6) in group.members[0].owned


def test_states_list_no_members_also_beside_topics():
    found = read_listed([file("states"), file("topics")], leader=False)
    empty = {one.name for one in found if not one.problem}
    assert {one.facts.state for one in found if one.facts and one.name in empty} == {"Empty"}
    said = [one.problem for one in found if one.name not in empty]
    assert said
    assert all("the table of --state does not list the members. Give" in one for one in said)
