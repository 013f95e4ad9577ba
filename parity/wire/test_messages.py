"""What the messages are: the proposal's bytes, versions old and new, and what cannot be read or written."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from struct import pack
from uuid import UUID

import pytest

import kassay.reference.wire
from kassay.errors import InputError
from kassay.model import Member, TopicPartition
from kassay.reference.wire import (
    MalformedError,
    connect,
    consumer,
    group,
    streams,
)
from kassay.reference.wire.consumer import Subscription, TopicPartitions

OWNS = Subscription(("t",), b"u", (TopicPartitions("t", (0, 2)),), 7, "r")


@pytest.mark.parametrize(
    "name", [module.name for module in pkgutil.iter_modules(kassay.reference.wire.__path__)]
)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"kassay.reference.wire.{name}")
    assert not doctest.testmod(module).failed


def test_the_page_s_example(capsys) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "protocol.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (block,) = [one for one in blocks if "MalformedError" in one]
    exec(compile(block, "wire.md", "exec"), {})
    assert f"# {capsys.readouterr().out}" in block


def text(of: str) -> bytes:
    return pack(">h", len(of)) + of.encode()


def data(of: bytes) -> bytes:
    return pack(">i", len(of)) + of


def test_version_0_is_that_of_the_proposal() -> None:
    protocols = pack(">i", 2) + text("range") + data(b"a") + text("sticky") + data(b"b")
    asked = text("g") + pack(">i", 30_000) + text("") + text("consumer") + protocols
    value = group.JOIN_GROUP_REQUEST.read(asked, group.PROPOSED)
    assert value.protocols == (group.Protocol("range", b"a"), group.Protocol("sticky", b"b"))
    assert group.JOIN_GROUP_REQUEST.write(value, group.PROPOSED) == asked
    answer = (
        pack(">hi", 0, 4) + text("range") + text("l") + text("l") + pack(">i", 1) + text("l") + data(b"a")
    )
    joined = group.JoinGroupResponse(
        generation_id=4,
        protocol_name="range",
        leader="l",
        member_id="l",
        members=(group.JoinedMember("l", None, b"a"),),
    )
    assert group.JOIN_GROUP_RESPONSE.write(joined, group.PROPOSED) == answer
    state = group.SyncGroupRequest("g", 4, "l", assignments=(group.MemberState("l", b"s"),))
    syncing = text("g") + pack(">i", 4) + text("l") + pack(">i", 1) + text("l") + data(b"s")
    assert group.SYNC_GROUP_REQUEST.write(state, group.PROPOSED) == syncing
    assert group.SYNC_GROUP_RESPONSE.read(pack(">h", 27) + data(b""), group.PROPOSED).error_code == 27
    subscribed = pack(">hi", 0, 1) + text("t") + data(b"u")
    assert consumer.write_subscription(OWNS, 0) == subscribed
    given = pack(">hi", 0, 1) + text("t") + pack(">iii", 2, 0, 2) + data(b"u")
    assert consumer.write_assignment(consumer.Assignment(OWNS.owned_partitions, b"u"), 0) == given


@pytest.mark.parametrize(
    ("version", "lost"),
    [(0, {"owned_partitions": (), "generation_id": -1, "rack_id": None}), (1, {"generation_id": -1, "rack_id": None}),
     (2, {"rack_id": None}), (3, {})],
)  # fmt: skip
def test_each_version_of_a_subscription_adds_a_field_and_the_rack_comes_last(
    version: int, lost: dict
) -> None:
    read = consumer.read_subscription(consumer.write_subscription(OWNS, version))
    assert {name: getattr(read, name) for name in lost} == lost
    assert all(
        getattr(read, name) == getattr(OWNS, name) for name in OWNS.__struct_fields__ if name not in lost
    )


@pytest.mark.parametrize("version", [4, 100, 2**15 - 1])
def test_newer_consumers_are_read_as_the_newest_known(version: int) -> None:
    newer = pack(">h", version) + consumer.write_subscription(OWNS)[2:] + b"what is new"
    assert consumer.read_subscription(newer) == OWNS
    given = consumer.Assignment(OWNS.owned_partitions)
    assert (
        consumer.read_assignment(pack(">h", version) + consumer.write_assignment(given)[2:] + b"new") == given
    )


def test_of_newer_streams_subscriptions_only_versions_are_read_and_newer_assignments_are_refused() -> None:
    probing = streams.read_subscription(pack(">ii", 12, 13) + b"what is new")
    assert (probing.version, probing.latest_supported_version) == (12, 13)
    with pytest.raises(MalformedError, match=r"^version: 12 is newer than 11"):
        streams.read_assignment(pack(">ii", 12, 13))


def test_newer_workers_are_read_as_sessioned_ones() -> None:
    state = connect.WorkerState(
        connect.SESSIONED, "u", 3, connect.Assignment(connect.SESSIONED, assignment=())
    )
    newer = connect.read_metadata(pack(">h", 9) + connect.write_metadata(state)[2:])
    assert (newer.version, newer.url, newer.allocation) == (9, "u", state.allocation)


@pytest.mark.parametrize(
    ("read", "given", "said"),
    [
        (consumer.read_subscription, b"\0", "version: 2 bytes are wanted and 1 remain, from byte 0 on"),
        (consumer.read_subscription, b"\xff\xff", "version: -1 was never one, from byte 0 on"),
        (consumer.read_subscription, b"\0\0\0\0\0\1\0\5abc", "topics[0]: 5 bytes are wanted and 3 remain, from byte 8 on"),
        (consumer.read_assignment, b"\0\0\0\0\0\1\xff\xff\0\0\0\0", "assigned_partitions[0].topic: its length is -1, from byte 6 on"),
        (consumer.read_assignment, b"\0\0\x7f\xff\xff\xff", "assigned_partitions: 2147483647 elements are more than 1000000, from byte 6 on"),
        (connect.read_assignment, b"\0\1\0\0", "leader: 2 bytes are wanted and 0 remain, from byte 4 on"),
        (connect.read_metadata, b"\0\1\0\0" + bytes(8) + b"\0\0\0\1\0", "allocation.version: 2 bytes are wanted and 1 remain, from byte 0 on"),
        (streams.read_subscription, pack(">ii", 12, -1), "version: is 12, and a newest supported one is missing, from byte 0 on"),
        (streams.read_assignment, pack(">iiii", 3, 3, 0, -1), "standby_tasks: its length is -1, from byte 12 on"),
        (streams.read_assignment, b"\0\0\0\5" + bytes(16) + b"\0\0\0\1\0\0\0\0\0\0\0\0\0\1" + bytes(12),
         "topics: none has the number 0, from byte 46 on"),
        (lambda given: group.SYNC_GROUP_RESPONSE.read(given, 4), bytes(6) + b"\1\1\5\6", "tagged fields: 6 bytes are wanted and 0 remain, from byte 10 on"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_named_with_its_place(read, given: bytes, said: str) -> None:
    with pytest.raises(MalformedError) as wrong:
        read(given)
    assert str(wrong.value) == said


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda: consumer.write_subscription(OWNS, 4), "version: is 4. Give 0 to 3"),
        (lambda: consumer.write_subscription(Subscription(("t", "ä" * 16_384))), "topics[1]: takes 32768 bytes. Give at most 32767"),
        (lambda: consumer.write_subscription(Subscription(generation_id=2**31)), "generation_id: is 2147483648. Give -2147483648 to 2147483647"),
        (lambda: consumer.write_subscription(Subscription(("\ud800",))), "topics[0]: '\\ud800' has half a surrogate pair. Give whole characters"),
        (lambda: group.JOIN_GROUP_REQUEST.write(group.JoinGroupRequest(group_instance_id="i"), 4),
         "group_instance_id: version 4 has no such field. Leave it out"),
        (lambda: group.JOIN_GROUP_RESPONSE.write(group.JoinGroupResponse(protocol_name=None), 6),
         "protocol_name: is None, which version 6 cannot encode. Give a value"),
        (lambda: connect.write_metadata(connect.WorkerState(3)), "version: is 3. Give 0 to 2"),
        (lambda: connect.write_assignment(connect.Assignment(0, assignment=(), delay=5)), "delay: version 0 has no such field. Leave it out"),
        (lambda: streams.write_subscription(streams.SubscriptionInfo(5, 4, UUID(int=1))), "version: is 5, and the newest supported one 4"),
        (lambda: streams.write_assignment(streams.AssignmentInfo(0)), "version: is 0. Give 1 to 11"),
        (lambda: streams.write_assignment(streams.AssignmentInfo(9, active_tasks=(streams.Task(0, 0, "n"),))),
         "active_tasks[0].topology: version 9 has no such field. Leave it out"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_named(write, said: str) -> None:
    with pytest.raises(InputError) as wrong:
        write()
    assert str(wrong.value) == said


def test_members_become_subscriptions_and_back() -> None:
    member = Member(
        "m", ("b", "a"), (TopicPartition("b", 1), TopicPartition("a", 3), TopicPartition("b", 0)), 4, "i", "r"
    )
    sent = consumer.build_subscription(member, b"u")
    assert sent == Subscription(
        ("a", "b"), b"u", (TopicPartitions("a", (3,)), TopicPartitions("b", (0, 1))), 4, "r"
    )
    back = consumer.build_member("m", sent, "i")
    assert (back.topics, set(back.owned), back.generation, back.rack) == (
        ("a", "b"),
        set(member.owned),
        4,
        "r",
    )
    unknown = consumer.build_member("m", Subscription(("t",), rack_id=""))
    assert (unknown.generation, unknown.rack) == (None, None)
    with pytest.raises(ValueError, match="twice"):
        consumer.build_member("m", Subscription(owned_partitions=(TopicPartitions("t", (1, 1)),)))
