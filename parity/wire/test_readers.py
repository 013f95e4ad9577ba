"""No bytes make a reader do anything but return a value or raise MalformedError, with no more memory than they could fill."""

import random
import tracemalloc
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from whole import cases, share
from wire.cases import CASES
from wire.values import spoiled

from kassay.errors import InputError
from kassay.model import TopicPartition
from kassay.reference.wire import MalformedError, connect, consumer, group
from kassay.reference.wire import consumer as sticky
from kassay.reference.wire.schema import MOST_TAGS, varint

READ = sorted(name for name, case in CASES.items() if case.read)
TOLERANT = {"sticky", "cooperative"}
"""User data that cannot be read count as none."""
EXAMPLES = settings(max_examples=share(100, 4_000))
SEEDS = st.randoms(use_true_random=False)


def written(name: str, rng: random.Random) -> tuple[bytes, int]:
    """Make bytes of a message, with their version."""
    of = CASES[name]
    while True:
        version = rng.choice(of.versions)
        with suppress(InputError):
            return of.write(of.make(rng, version), version), version


def read(name: str, data: bytes, version: int) -> Any:
    """Return what is read, and the error where the bytes are malformed."""
    try:
        return CASES[name].read(data, version)
    except MalformedError as wrong:
        return wrong


@EXAMPLES
@given(st.sampled_from(READ), SEEDS)
def test_what_is_read_is_written_again(name: str, rng: random.Random) -> None:
    case, (data, version) = CASES[name], written(name, rng)
    value = case.read(data, version)
    assert case.write(value, version) == data
    assert case.read(case.write(value, version), version) == value


@EXAMPLES
@given(st.sampled_from(sorted(CASES)), SEEDS)
def test_the_newest_version_keeps_all(name: str, rng: random.Random) -> None:
    case = CASES[name]
    assume(name.startswith(("Consumer", "Join", "Sync", "sticky", "connect")) and case.read)
    value = case.make(rng, case.versions[-1])
    try:
        data = case.write(value, case.versions[-1])
    except InputError:
        assume(False)
    assert case.read(data, case.versions[-1]) == value


@EXAMPLES
@given(st.sampled_from([name for name in READ if name not in TOLERANT]), SEEDS)
def test_nothing_cut_off_is_read_except_the_ends_of_connect(name: str, rng: random.Random) -> None:
    case, (data, version) = CASES[name], written(name, rng)
    whole = case.read(data, version)
    for end in {rng.randrange(len(data)) for _ in range(8)}:
        value = read(name, data[:end], version)
        if isinstance(value, MalformedError):
            continue
        assert name.startswith("connect")
        assert version
        differ = {
            field for field in value.__struct_fields__ if getattr(value, field) != getattr(whole, field)
        }
        usual = {"assignment": None, "revoked": None, "delay": 0, "allocation": None}
        assert differ <= usual.keys()
        assert all(getattr(value, field) == usual[field] for field in differ)


@EXAMPLES
@given(st.sampled_from(READ), st.binary(max_size=200), SEEDS)
def test_random_bytes_raise_nothing_else(name: str, noise: bytes, rng: random.Random) -> None:
    data, version = written(name, rng)
    for hostile in (noise, data[:6] + noise, spoiled(rng, data)):
        value = read(name, hostile, version)
        if isinstance(value, MalformedError):
            assert name not in TOLERANT
            assert 0 <= value.at <= len(hostile)


@pytest.mark.parametrize("name", READ)
def test_no_length_reserves_memory(name: str) -> None:
    rng = random.Random(name)
    for _ in cases(20, 3000):
        data, version = written(name, rng)
        at = rng.randint(0, len(data))
        hostile = data[:at] + _pick(rng) + data[at + 4 :]
        tracemalloc.start()
        read(name, hostile, version)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100 * len(hostile) + 20_000, (hostile.hex(), version)


def _pick(rng: random.Random) -> bytes:
    return rng.choice((b"\x7f\xff\xff\xff", b"\x00\xff\xff\xff", b"\x7f\xff", b"\xff\xff\xff\xff\x07"))


@EXAMPLES
@given(SEEDS, st.integers(0, 40))
def test_sticky_user_data_are_read_as_version_1_then_0_then_as_nothing(rng: random.Random, lost: int) -> None:
    data, version = written("sticky", rng)
    whole = sticky.read_sticky(data)
    cut = data[: max(0, len(data) - lost)]
    value = sticky.read_sticky(cut)
    if not lost or not cut:
        assert value == (whole if cut else sticky.PreviousAssignment())
    elif version and lost <= 4:
        assert value == msgspec.structs.replace(whole, generation=None)
    else:
        assert value == sticky.PreviousAssignment(generation=-1)


def test_text_that_is_no_utf_8_is_replaced_as_java_does() -> None:
    data = b"\0\0\0\0\0\1\0\7t\xed\xa0\x80\xc0\x80t\xff\xff\xff\xff"
    assert consumer.read_subscription(data).topics == ("t\ufffd\ufffd\ufffdt",)


def test_an_eager_worker_is_read_by_an_incremental_leader() -> None:
    joining = connect.write_metadata(connect.WorkerState(connect.EAGER, "u", 3))
    assert connect.read_metadata(joining) == connect.read_metadata(joining, eager=True)
    assert connect.read_metadata(joining).allocation is None


def test_a_length_beyond_31_bits_is_no_null() -> None:
    nullable = bytes(6) + b"\x80\x80\x80\x80\x08" + bytes(10)
    with pytest.raises(MalformedError, match=r"^protocol_type: "):
        group.SYNC_GROUP_RESPONSE.read(nullable, 5)


@pytest.mark.parametrize("more", [0, 1])
def test_as_many_tagged_fields_are_read_as_by_kafka(more: int) -> None:
    answer = bytes(6) + b"\x01" + varint(MOST_TAGS + more) + b"\x05\0" * (MOST_TAGS + more)
    value = read("SyncGroupResponseData", answer, 4)
    assert isinstance(value, MalformedError) == bool(more)


@pytest.mark.parametrize(
    ("again", "order"),
    [
        ([], [10, 8, 9, 2, 3, 0, 1, 6, 7, 11, 4, 12, 5]),
        ([TopicPartition("orders-0", 1)], [8, 9, 10, 2, 3, 0, 1, 6, 7, 11, 4, 12, 5]),
    ],
)
def test_topics_of_a_sticky_member_stand_as_in_a_hash_map_that_grows_when_asked_again(again, order) -> None:
    owned = [TopicPartition(f"orders-{n}", 0) for n in range(13)]
    had = sticky.build_previous_assignment(owned + again, 3).previous_assignment
    assert [topic.topic for topic in had] == [f"orders-{n}" for n in order]  # kafka-clients 4.4.0 said so
