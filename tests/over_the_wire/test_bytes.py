"""All bytes are read as a request or refused with a sentence, and a connection has limits of every kind."""

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kio.index import load_response_schema
from kio.serial import entity_reader

from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.protocol.server import client_process as sockets
from kassay.protocol.server.api_messages import (
    SERVED,
    Api,
    Request,
    make_writer,
    read_request,
    write_response,
)
from kassay.protocol.server.broker_responses import respond, show_groups
from kassay.protocol.server.client_process import Reply, Server
from kassay.protocol.server.client_session import (
    BATCH,
    MOST_PARTITIONS,
    add_members_without_topics,
    list_shown_groups,
    sort_topics,
    take_own_names,
)
from kassay.protocol.server.leader_session import LeaderSession, read_format, read_states, write_members
from kassay.protocol.server.rejoin_prompts import PromptChoice
from kassay.protocol.server.topic_pool import TopicPool
from kassay.reference.wire.consumer import (
    Subscription,
    TopicPartitions,
    build_member,
    read_cooperative,
    read_sticky,
    read_subscription,
    write_subscription,
)
from kassay.reference.wire.group import MemberState, Protocol
from kassay.reference.wire.schema import MalformedError

GROUP = Group((Topic("t", 2, racks=(("a", "b"), (None,))), Topic("unread", 1)), (Member("m", ("t", "gone")),))
CLUSTER = show_groups([GROUP], ("t00",))
SERVED_VERSIONS = [
    (api, version) for api, (oldest, newest) in SERVED.items() for version in range(oldest, newest + 1)
]


def header(api, version):
    return api.to_bytes(2) + version.to_bytes(2) + (7).to_bytes(4) + b"\0\1c"


@given(st.binary(max_size=60), st.sampled_from(SERVED_VERSIONS), st.booleans())
@settings(max_examples=1_000)
def test_any_bytes_are_a_request_or_refused(rest, served, whole):
    try:
        request = read_request(rest if whole else header(*served) + rest)
    except MalformedError:
        pass
    else:
        assert (request.api, request.version) in SERVED_VERSIONS or request.api is Api.API_VERSIONS


@pytest.mark.parametrize(("version", "code"), [(3, 0), (9, 35)])
def test_versions_are_told_also_to_who_asks_in_one_that_is_not_known(version, code):
    """KIP-511: the answer is of version 0 then, with UNSUPPORTED_VERSION."""
    request = read_request(header(Api.API_VERSIONS, version) + b"\0\2k\2" + b"1\0")
    written = write_response(request, respond(request, CLUSTER, ("127.0.0.1", 9)))
    assert int.from_bytes(written[:4]) == len(written) - 4
    read = entity_reader(load_response_schema(Api.API_VERSIONS, version if not code else 0))
    told, size = read(written, 8)
    assert size == len(written) - 8
    assert told.error_code.value == code
    assert {(one.api_key, one.min_version, one.max_version) for one in told.api_keys} == {
        (api, *versions) for api, versions in SERVED.items()
    }


@pytest.mark.parametrize("creating", [0, 1])
@pytest.mark.parametrize("array", [b"\0", bytes(4)])
def test_librdkafka_may_write_a_null_array_of_topics_in_four_bytes(array, creating):
    request = read_request(header(Api.METADATA, 9) + b"\0" + array + bytes([creating, 0, 0, 0]))
    assert request.body.topics is None
    assert request.body.allow_auto_topic_creation == bool(creating)


@given(st.integers(0, 9), st.dictionaries(st.text(max_size=3), st.integers(0, 300), max_size=200))
def test_metadata_with_kept_topics_are_the_bytes_of_kio(version, counts):
    topics = tuple(Topic(name, count) for name, count in counts.items())
    cluster = show_groups([Group(topics, (Member("m", tuple(counts)),))], ())
    asked = type("Asked", (), {"topics": None if version else ()})
    parts = respond(Request(Api.METADATA, version, 1, None, asked), cluster, ("127.0.0.1", 9))
    written = parts.write(version)
    kinds = load_response_schema(Api.METADATA, version)
    told, size = entity_reader(kinds)(written, 0)
    assert size == len(written)
    assert {topic.name: len(topic.partitions) for topic in told.topics} == counts
    assert make_writer(Api.METADATA, version, response=True)(told) == written


@pytest.mark.parametrize("version", range(9))
def test_metadata_tell_racks_and_what_members_read(version):
    kinds = load_response_schema(Api.METADATA, version)
    asked = type("Asked", (), {"topics": None if version else ()})
    request = Request(Api.METADATA, version, 1, None, asked)
    written = write_response(request, respond(request, CLUSTER, ("127.0.0.1", 9)))
    told, _ = entity_reader(kinds)(written, 8)
    topics = {topic.name: topic for topic in told.topics}
    assert {name: len(topic.partitions) for name, topic in topics.items()} == {"t": 2}
    if version:
        racks = {broker.node_id: broker.rack for broker in told.brokers}
        first, second = topics["t"].partitions
        assert [racks[n] for n in first.replica_nodes] == ["a", "b"]
        assert [racks[n] for n in second.replica_nodes] == [None]


@pytest.mark.parametrize("whole", [True, False])
def test_a_client_is_told_of_what_it_asks_for_or_of_everything(whole):
    leading, told = LeaderSession(("t00",), PromptChoice()), []
    groups = [Group((Topic(name, 1),), (Member("m", (name,)),)) for name in ("k1.t", "k2.t")]
    leading.show(groups, whole=whole)
    asked = type("Asked", (), {"topics": (type("Named", (), {"name": "k1.t"}),)})
    for _ in range(2):
        leading.take(Request(Api.METADATA, 5, 1, None, asked), Reply(told.append, bool, bool))
    every = ["k1.t", "k2.t", "t00"] if whole else ["k1.t", "t00"]
    read = entity_reader(load_response_schema(Api.METADATA, 5))
    assert [[one.name for one in read(said.write(5), 0)[0].topics] for said in told] == [every, every]


@given(st.lists(st.integers(0, 15_000), min_size=1, max_size=130))
def test_a_client_is_told_of_as_many_groups_as_it_can_read_of(sizes):
    groups = [Group((Topic("t", size),), ()) for size in sizes]
    told = list_shown_groups(groups)
    assert told == groups[: len(told)]
    assert len(told) == 1 or sum(sizes[: len(told)]) <= MOST_PARTITIONS
    assert len(told) in (len(groups), BATCH) or sum(sizes[: len(told) + 1]) > MOST_PARTITIONS


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)
OWNED = st.lists(st.builds(TopicPartition, NAMES, st.integers(0, 9)), unique=True, max_size=4)
MEMBERS = st.builds(
    Member,
    NAMES,
    st.lists(NAMES, max_size=3, unique=True).map(tuple),
    OWNED.map(tuple),
    st.none() | st.integers(0, 99),
    rack=st.none() | NAMES,
)


@given(st.lists(MEMBERS, min_size=1, max_size=4, unique_by=lambda member: member.id), st.integers(0, 3))
def test_members_say_what_the_group_says_of_them(members, version):
    group = Group((), tuple(members))
    writing = read_format(Protocol("sticky", write_subscription(Subscription(("x",)), version)))
    for member, told in zip(members, write_members(group, writing), strict=True):
        assert told.metadata[:2] == version.to_bytes(2)
        said = read_subscription(told.metadata)
        back = build_member(told.member_id, said)
        assert sorted(back.topics) == sorted(member.topics)
        assert set(back.owned) == (set(member.owned) if version >= 1 else set())
        assert back.generation == (member.generation if version >= 2 else None)
        assert back.rack == (member.rack if version >= 3 else None)
        had = {
            (one.topic, n) for one in read_sticky(said.user_data).previous_assignment for n in one.partitions
        }
        assert had == set(member.owned)


def test_user_data_are_the_groups_or_those_of_the_strategy_or_the_clients_own():
    own = write_subscription(Subscription(("x",), b"own"))
    plain, saying = (
        Group((), (Member("m", (), generation=5),)),
        Group((), (Member("m", (), user_data=b"said"),)),
    )

    def said(group, name):
        (told,) = write_members(group, read_format(Protocol(name, own)))
        return read_subscription(told.metadata).user_data

    assert said(saying, "sticky") == b"said"
    assert said(plain, "range") == b"own"
    assert read_cooperative(said(plain, "cooperative-sticky")) == 5


def test_a_client_that_leaves_out_what_it_owns_has_members_that_do():
    """As kafka-go 0.4.51 does in version 1."""
    written = b"\0\1" + write_subscription(Subscription(("x",)), 0)[2:]
    (told,) = write_members(GROUP, read_format(Protocol("range", written)))
    assert told.metadata == b"\0\1\0\0\0\2\0\4gone\0\1t\xff\xff\xff\xff"


@given(st.binary(max_size=40))
def test_any_bytes_are_an_assignment_or_refused(said):
    with suppress(AssignorError):
        read_states([MemberState("m", said)])


@pytest.mark.parametrize("names_of", ["own", "pool"])
def test_topics_with_other_names_are_in_the_same_order_and_get_theirs_back(names_of):
    names = ("z" * 249, "a", "\uff5e", "\U0001f600", "t00")
    group = Group(
        tuple(Topic(name, 2) for name in names), (Member("m", names, (TopicPartition("gone", 1),)),)
    )
    own = tuple(f"t{n:02}" for n in range(20))
    told = take_own_names(group, own) if names_of == "own" else TopicPool().rename(group)
    assert [topic.partitions for topic in told.group.topics] == [2] * 5
    given_ = {"m": [partition for topic in told.group.topics for partition in topic]}
    assert told.restore_names(given_) == {"m": [partition for topic in group.topics for partition in topic]}
    renamed = [topic.name for topic in told.group.topics]
    assert not set(renamed) & {"a", "\uff5e"}
    in_java = ["a", "t00", "z" * 249, "\U0001f600", "\uff5e"]
    assert [names[renamed.index(name)] for name in sorted(renamed)] == in_java
    assert max(map(len, renamed)) <= 249


def talking(talk):
    """Run what talks to a server, on connections that it opens."""

    async def run():
        server = Server(LeaderSession(("t00",), PromptChoice()), 1000)
        host, port = (await server.open()).split(":")
        opened = []

        async def connect():
            reader, writer = await asyncio.open_connection(host, int(port))
            opened.append(writer)
            return reader, writer

        try:
            await asyncio.wait_for(talk(server, connect), 10)
        finally:
            server.close()
            for writer in opened:
                writer.transport.abort()
            await asyncio.sleep(0)

    asyncio.run(run())


async def closed(reader):
    try:
        return not await reader.read()
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("length", [1001, -1, 2**31 - 1])
def test_a_request_that_is_too_long_is_not_read(length):
    async def talk(_, connect):
        reader, writer = await connect()
        writer.write(length.to_bytes(4, signed=True))
        assert await closed(reader)

    talking(talk)


@pytest.mark.parametrize("sent", [b"", b"\0\0\0\x10abc"])
def test_the_idle_and_the_slow_are_hung_up_on(sent, monkeypatch):
    monkeypatch.setattr(sockets, "IDLE_S", 0.05)
    monkeypatch.setattr(sockets, "SLOW_S", 0.05)

    async def talk(server, connect):
        reader, writer = await connect()
        writer.write(sent)
        assert await closed(reader)
        assert not server.connections

    talking(talk)


def test_there_are_no_more_connections_than_there_may_be(monkeypatch):
    monkeypatch.setattr(sockets, "MOST_CONNECTIONS", 2)

    async def talk(server, connect):
        await connect()
        await connect()
        reader, _ = await connect()
        assert await closed(reader)
        assert len(server.connections) == 2

    talking(talk)


def test_requests_are_answered_in_order_and_not_read_ahead_without_end(monkeypatch):
    """One that waits, JoinGroup, stops those behind it, of which few are taken."""
    monkeypatch.setattr(sockets, "_AHEAD", 100)
    versions = header(Api.API_VERSIONS, 0)
    joining = header(Api.JOIN_GROUP, 0) + b"\0\1g" + bytes(4) + b"\0\0" + b"\0\0" + bytes(4)

    async def talk(server, connect):
        _, writer = await connect()
        writer.write(len(joining).to_bytes(4) + joining)
        for _ in range(2000):
            writer.write(len(versions).to_bytes(4) + versions)
        await asyncio.sleep(0.2)
        (connection,) = server.connections
        assert not connection._transport.is_reading()
        assert len(connection._buffer) <= 100 + 2**18

    talking(talk)


@given(st.lists(st.binary(max_size=30), max_size=6))
@settings(max_examples=50, deadline=None)
def test_any_bytes_on_a_socket_end_it_or_are_answered(pieces):
    async def talk(server, connect):
        reader, writer = await connect()
        for piece in pieces:
            writer.write(len(piece).to_bytes(4) + piece)
        writer.write(b"\xff" * 4)
        writer.write_eof()
        await closed(reader)
        assert not server.connections

    talking(talk)


def test_partitions_of_an_assignment_are_those_of_its_bytes():
    body = b"\0\0" + b"\0\0\0\1" + b"\0\1t" + b"\0\0\0\2" + b"\0\0\0\5" + b"\0\0\0\0" + b"\xff\xff\xff\xff"
    assert read_states([MemberState("m", body), MemberState("n", b"")]) == {
        "m": [TopicPartition("t", 5), TopicPartition("t", 0)],
        "n": [],
    }
    assert TopicPartitions("t", (5, 0)).partitions == (5, 0)


def test_a_member_without_topics_may_be_missing_and_no_other_one_may():
    group = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ()), Member("c", ("t",))))
    assert add_members_without_topics(group, {"a": (TopicPartition("t", 0),)}) == {
        "a": (TopicPartition("t", 0),),
        "b": (),
    }
    given = {"a": (), "b": (TopicPartition("t", 0),), "c": ()}
    assert add_members_without_topics(group, given) == given


def test_the_order_of_topics_in_a_message_means_nothing():
    one, other = TopicPartition("t", 1), TopicPartition("t", 0)
    first = {"a": (TopicPartition("u", 2), one, other), "b": ()}
    assert sort_topics(first) == sort_topics({"a": (one, other, TopicPartition("u", 2)), "b": ()})
    assert sort_topics(first)["a"] == (one, other, TopicPartition("u", 2))
    assert sort_topics({"a": (other, one)}) != sort_topics({"a": (one, other)})
    assert sort_topics({"a": (one, one)}) == {"a": (one, one)}
