"""consumer/metadata gives what consumer/range gives the group in which the racks stand that its host names tell."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model import Config, Group, Member, Topic
from kassay.model.hosts import locate_racks
from kassay.properties.partitions.measures import cross_rack
from kassay.properties.partitions.strategies import groups
from kassay.reference import ASSIGNORS

METADATA, RANGE = (ASSIGNORS[f"consumer/{name}"].assign for name in ("metadata", "range"))


def by_host(group: Group) -> Group:
    """Take the racks out and let host names tell them."""
    return Group(
        tuple(
            replace(
                topic,
                racks=None,
                hosts=topic.racks
                and tuple(
                    tuple(rack if rack is None else f"h.{rack}" for rack in near) for near in topic.racks
                ),
            )
            for topic in group.topics
        ),
        tuple(
            replace(member, rack=None, user_data=None if member.rack is None else f"h.{member.rack}".encode())
            for member in group.members
        ),
        Config(r"(?s)h\.(.*)"),
    )


def without_empty_racks(group: Group) -> Group:
    """Take out racks that are the empty string, which no host name tells."""
    return replace(
        group,
        topics=tuple(
            replace(t, racks=t.racks and tuple(tuple(rack or None for rack in near) for near in t.racks))
            for t in group.topics
        ),
    )


@given(groups())
def test_it_is_range_with_the_racks_put_in(group):
    group = without_empty_racks(replace(group, config=Config()))
    assert METADATA(by_host(group)) == RANGE(group) == METADATA(group)


@given(groups())
def test_what_is_stated_counts_and_locating_twice_changes_nothing(group):
    found = locate_racks(group)
    assert locate_racks(found) == found
    for before, after in zip(group.members, found.members, strict=True):
        assert not before.rack or before.rack == after.rack
    for before, after in zip(group.topics, found.topics, strict=True):
        assert before.racks is None or before.racks == after.racks


RULE = r"[^.]+\.(?:dc-)?([^.]*)\..*"


@pytest.mark.parametrize(
    ("name", "rack"),
    [
        (b"web-1.rack-a.example.org", "rack-a"),
        (b"web-1.dc-a.example.org", "a"),
        ("wéb.ä.example".encode(), "ä"),
        (b"web-1", None),
        (b"web-1..example", None),
        (b"", None),
        (b"\xff.a.example", None),
        (b"w.a." + b"x" * 300, None),
        (None, None),
    ],
)
def test_a_name_that_does_not_match_tells_no_rack(name, rack):
    group = Group((), (Member("m", (), user_data=name),), Config(RULE))
    assert locate_racks(group).members[0].rack == rack


def test_reads_across_racks_are_counted_by_host_names():
    hosts = (("k0.a.net", "k1.b.net"), ("k1.b.net",), ("elsewhere",))
    group = Group(
        (Topic("t", 3, hosts=hosts),),
        (Member("m", ("t",), user_data=b"w.a.net"),),
        Config(RULE),
    )
    assert cross_rack(group, METADATA(group)) == 1
    assert cross_rack(replace(group, config=Config()), METADATA(group)) == 0


@given(st.binary(max_size=40))
def test_any_user_data_is_read(data):
    group = Group((Topic("t", 1, hosts=(("h.a.b",),)),), (Member("m", ("t",), user_data=data),), Config(RULE))
    assert METADATA(group) == {"m": list(group.topics[0])}
