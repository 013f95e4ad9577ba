"""Hold reference/java against the Java machine itself."""

import itertools
from decimal import Decimal

import jpype
import pytest
from classes.recorder import hash_maps, priority_queues
from classes.recorder.machine import start_java
from hypothesis import given
from hypothesis import strategies as st

from kassay.model import TopicPartition
from kassay.reference.java.hash_map import HashTable
from kassay.reference.java.priority_queue import PriorityQueue
from kassay.reference.java.strings import string_hash, string_order, topic_partition_hash

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.fixture(scope="session", autouse=True)
def _java() -> None:
    start_java()


@given(TEXT)
def test_string_hash(text: str) -> None:
    assert string_hash(text) == jpype.JString(text).hashCode()


@given(TEXT, TEXT)
def test_string_order(one: str, other: str) -> None:
    compared = jpype.JString(one).compareTo(other)
    assert (string_order(one) < string_order(other)) == (compared < 0)
    assert (string_order(one) == string_order(other)) == (compared == 0)


@given(TEXT, st.integers(0, 2**31 - 1))
def test_topic_partition_hash(topic: str, number: int) -> None:
    java = jpype.JClass("org.apache.kafka.common.TopicPartition")(topic, number)
    assert topic_partition_hash(TopicPartition(topic, number)) == java.hashCode()


@pytest.mark.parametrize("seed", range(10))
def test_hash_maps(seed: int) -> None:
    for script in itertools.islice(hash_maps.scripts(seed), 200):
        table = HashTable(string_hash, script.capacity, string_order)
        for step in script.steps:
            {"+": table.add, "?": table.compute_if_absent, "-": table.remove}[step[0]](step[1:])
        assert list(table) == hash_maps.javas_order(script), script


@pytest.mark.parametrize("seed", range(10))
def test_priority_queues(seed: int) -> None:
    for script in itertools.islice(priority_queues.scripts(seed), 200):
        queue = PriorityQueue(Decimal, script.first)
        heaps = [" ".join(queue)]
        for step in script.steps:
            if step == "!":
                if queue:
                    queue.poll()
            else:
                {"+": queue.offer, "-": queue.remove}[step[0]](step[1:])
            heaps.append(" ".join(queue))
        assert heaps == priority_queues.javas_heaps(script), script
