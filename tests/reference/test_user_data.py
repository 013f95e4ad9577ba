"""User data as the sticky assignors read them: version 1, else version 0, else nothing; held against Kafka by the live tests."""

from dataclasses import replace
from struct import pack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.errors import SkippedError
from kassay.model import INT32_MAX, Group, Member, Topic, TopicPartition
from kassay.properties.partitions.strategies import groups
from kassay.reference import ASSIGNORS
from kassay.reference.consumer.metadata import MemberData, read_cooperative_data, read_sticky_data
from kassay.reference.releases import build_release

T0, T1, U2 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("ü", 2)
STICKY, COOPERATIVE = ASSIGNORS["consumer/sticky"], ASSIGNORS["consumer/cooperative-sticky"]


def written(claims, generation=None):
    """Write StickyAssignor's user data of version 0, or of version 1 with a generation: an entry for each claim."""
    names = [(claim.topic.encode(), claim.partition) for claim in claims]
    entries = b"".join(pack(">h", len(name)) + name + pack(">ii", 1, number) for name, number in names)
    return pack(">i", len(names)) + entries + (b"" if generation is None else pack(">i", generation))


WHOLE = written([T0, U2, T1], 7)
NOTHING = ((), None)


@pytest.mark.parametrize(
    ("data", "claims", "generation"),
    [
        (WHOLE, (T0, U2, T1), 7),
        (WHOLE + b"more", (T0, U2, T1), 7),
        (WHOLE[:-4], (T0, U2, T1), None),
        (WHOLE[:-1], (T0, U2, T1), None),
        (written([T0, T0, TopicPartition("t", -1)], -3), (T0, T0, TopicPartition("t", -1)), -3),
        (written([], INT32_MAX), (), INT32_MAX),
        (written([]), (), None),
        (written([TopicPartition("t", 1)]).replace(b"t", b"\xff"), (TopicPartition("\ufffd", 1),), None),
        (b"", *NOTHING),
        (b"host.rack.example", *NOTHING),
        (WHOLE[:-5], *NOTHING),
        (pack(">i", -1), *NOTHING),
        (pack(">i", 2**30), *NOTHING),
        (pack(">ih", 1, -1) + bytes(8), *NOTHING),
        (pack(">ih", 1, 1) + b"t" + pack(">i", -1) + bytes(8), *NOTHING),
        (pack(">ih", 1, 1) + b"t" + pack(">i", 2**30) + bytes(8), *NOTHING),
        (pack(">ih", 1, 1) + b"t" + pack(">ii", 2, 0), *NOTHING),
    ],
)
def test_what_sticky_reads(data, claims, generation):
    member = Member("m", ("t",), (TopicPartition("t", 9),), 3, user_data=data)
    told = read_sticky_data(member)
    assert (tuple(told.partitions), told.generation) == (claims, generation)


@pytest.mark.parametrize(
    ("generation", "data", "read"),
    [
        (5, pack(">i", 9), 5),
        (None, pack(">i", 9), 9),
        (None, pack(">i", -9) + b"more", -9),
        (None, b"abc", None),
        (None, None, None),
    ],
)
def test_cooperative_sticky_reads_a_generation_where_the_subscription_has_none(generation, data, read):
    assert read_cooperative_data(Member("m", ("t",), (T1,), generation, user_data=data)) == MemberData(
        (T1,), read
    )


@settings(deadline=None)
@given(groups())
def test_what_a_member_would_send_makes_no_difference(group):
    """Nothing is left out by the way in which user data are written here: of equal claims the answers are equal."""
    group = replace(group, members=tuple(replace(m, user_data=None) for m in group.members))
    told = replace(
        group,
        members=tuple(
            replace(m, user_data=written(m.owned, m.generation)) if m.owned or m.generation is not None else m
            for m in group.members
        ),
    )
    assert _answer(STICKY.assign, told) == _answer(STICKY.assign, group)


@settings(deadline=None)
@given(groups(), st.binary(max_size=60))
def test_any_bytes_are_read(group, data):
    """Bytes that cannot be read claim nothing: the answer is that of members without claims, or of what they happen to say."""
    members = tuple(replace(m, user_data=data) for m in group.members)
    told = read_sticky_data(members[0])
    answer = _answer(STICKY.assign, replace(group, members=members))
    if told == MemberData((), None):
        bare = tuple(replace(m, user_data=None, owned=(), generation=None) for m in members)
        assert answer == _answer(STICKY.assign, replace(group, members=bare))


def _answer(assign, group):
    try:
        return assign(group)
    except Exception as error:  # noqa: BLE001 - compared, whatever it is
        return repr(error)


def test_the_other_claimants_generation_is_that_of_its_subscription():
    """A claim of generation 2 wins against one whose subscription says 1, though its user data say 3."""
    first = Member("a", ("t",), (), 1, user_data=written([T0], 3))
    second = Member("b", ("t",), (), 2, user_data=written([T0], 2))
    assert STICKY.assign(Group((Topic("t", 2),), (first, second))) == {"a": [T1], "b": [T0]}
    assert STICKY.assign(Group((Topic("t", 2),), (replace(first, generation=3), second))) == {
        "a": [T0],
        "b": [T1],
    }


@pytest.mark.parametrize("name", ["consumer/sticky", "consumer/cooperative-sticky"])
@pytest.mark.parametrize(
    ("release", "known"), [("2.4.1", False), ("3.4.0", False), ("3.4.1", True), ("4.4.0", True)]
)
def test_releases_of_which_it_is_not_known_decline(name, release, known):
    group = Group((Topic("t", 1),), (Member("m", ("t",), user_data=b""),))
    assign = build_release(ASSIGNORS[name], release).assign
    if known:
        assert assign(group) == {"m": [T0]}
        return
    with pytest.raises(SkippedError, match=r"known of Kafka 3\.4\.1 and later"):
        assign(group)
