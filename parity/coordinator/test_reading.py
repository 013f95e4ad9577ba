"""Metadata of type "consumer" are read as Kafka's coordinators 3.9.2, 4.1.2 and 4.3.1 read them, byte by byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model import TopicPartition
from kassay.reference.group.coordinator.rebalance import PASSED_OVER, READ, STOPS, read_metadata
from kassay.reference.group.messages import UNREADABLE
from kassay.reference.wire.consumer import Subscription, group_by_topic, write_subscription

ONE_TOPIC = "00000001000174"
SEEN = {
    READ: [
        f"0000{ONE_TOPIC}ffffffff", f"0001{ONE_TOPIC}ffffffff00000000", f"0001{ONE_TOPIC}ffffffff", f"0000{ONE_TOPIC}fffffffe",
        f"0001{ONE_TOPIC}ffffffffffffffff", f"0001{ONE_TOPIC}ffffffff00000001", f"0001{ONE_TOPIC}ffffffff0000000100ff",
        f"0002{ONE_TOPIC}ffffffff00000000", f"0003{ONE_TOPIC}ffffffff0000000000000001", f"0009{ONE_TOPIC}ffffffff00000000000000010009aa",
        "0000000000010001ffffffffff", f"0001{ONE_TOPIC}ffffffff00000000aa",
        "ffff00000000ffffffff", f"8000{ONE_TOPIC}ffffffff", f"7fff{ONE_TOPIC}ffffffff",
    ],
    PASSED_OVER: ["", "00", "ffff", "0000", "00000000", f"0000{ONE_TOPIC}", f"ffff{ONE_TOPIC}", "ffff0000"],
    STOPS: [
        "0001ffffffff", "0000ffffffffffffffff", "0000fffffffe", "00007fffffff", "000000000005", "000000000001ffff",
        "000000000001fffe", "000000000001000574", f"0000{ONE_TOPIC}00000005aa", f"0000{ONE_TOPIC}7fffffff",
        "8cad02dca729", "ffffffffffff", "fffe00000001ffff", f"ffff{ONE_TOPIC}00000005aa",
    ],
}  # fmt: skip
"""What became of a join phase -> the metadata, written out, of its only member."""


@pytest.mark.parametrize(("kind", "data"), [(kind, data) for kind, some in SEEN.items() for data in some])
def test_as_kafka_does(kind, data):
    assert read_metadata(bytes.fromhex(data)) == kind


@given(
    st.lists(st.text(max_size=4), max_size=3),
    st.none() | st.binary(max_size=4),
    st.lists(st.builds(TopicPartition, st.text(max_size=3), st.integers(0, 9)), max_size=3),
    st.integers(0, 3),
    st.integers(0, 60),
)
def test_what_a_consumer_writes_is_read_and_what_is_left_of_it_is_judged(
    topics, user_data, owned, version, left
):
    data = write_subscription(Subscription(tuple(topics), user_data, group_by_topic(owned)), version)
    needed = len(write_subscription(Subscription(tuple(topics), user_data), 0))
    assert read_metadata(data) == READ
    assert (read_metadata(data[:left]) == READ) == (left >= min(needed, len(data)))


def test_metadata_that_are_no_bytes_are_read_but_for_what_stands_for_unreadable_ones():
    assert (read_metadata("m"), read_metadata(None), read_metadata(UNREADABLE)) == (READ, READ, STOPS)
