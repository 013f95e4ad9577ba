"""Java's hashes and orders, against what a Java machine answered (parity/classes/recorder/record.py) and its documentation."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model import TopicPartition
from kassay.reference.java.hash_map import HashTable, computed_order, hash_order
from kassay.reference.java.strings import int32, string_hash, string_order, topic_partition_hash

SCRIPTS = (
    (Path(__file__).parents[2] / "parity" / "classes" / "answers" / "hash_maps.jsonl")
    .read_text()
    .splitlines()
)


@pytest.mark.parametrize(
    ("text", "hash_"),
    [
        ("", 0),
        ("a", 97),
        ("Aa", 2112),
        ("BB", 2112),
        ("polygenelubricants", -(2**31)),
        ("\U0001f600", 1772899),
    ],
)
def test_string_hash(text: str, hash_: int) -> None:
    assert string_hash(text) == hash_


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_string_hash_by_its_definition(text: str) -> None:
    units = text.encode("utf-16-be")
    pairs = [256 * high + low for high, low in zip(units[::2], units[1::2], strict=True)]
    assert string_hash(text) == int32(sum(unit * 31 ** (len(pairs) - 1 - n) for n, unit in enumerate(pairs)))


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_string_order_is_that_of_utf_16(one: str, other: str) -> None:
    assert (string_order(one) < string_order(other)) == (one.encode("utf-16-be") < other.encode("utf-16-be"))


def test_topic_partition_hash() -> None:
    assert topic_partition_hash(TopicPartition("Aa", 0)) == 961 + 2112
    assert topic_partition_hash(TopicPartition("", 2**31 - 1)) == int32(31 * (31 + 2**31 - 1))


@pytest.mark.parametrize("line", SCRIPTS)
def test_hash_maps(line: str) -> None:
    script = json.loads(line)
    table = HashTable(string_hash, script["capacity"], string_order)
    for step in script["steps"]:
        {"+": table.add, "?": table.compute_if_absent, "-": table.remove}[step[0]](step[1:])
    assert list(table) == script["order"]


def test_five_topics() -> None:
    """Observed in Kafka, where RangeAssignor hands out topics in this order."""
    topics = ["alpha", "m", "topic-10", "topic-2", "zeta"]
    assert hash_order(topics, string_hash) == ["zeta", "alpha", "topic-2", "m", "topic-10"]


@given(st.lists(st.text()), st.lists(st.text()))
def test_a_table_holds_what_a_set_holds(added: list[str], removed: list[str]) -> None:
    table = HashTable(string_hash, order_of=string_order)
    for key in added:
        table.add(key)
    for key in removed:
        table.remove(key)
    left = set(added) - set(removed)
    assert sorted(table) == sorted(left)
    assert len(table) == len(left)
    assert all((key in table) == (key in left) for key in added)


@given(st.lists(st.integers(0, 10_000), unique=True, max_size=8))
def test_few_keys_iterate_by_slot_and_then_as_added(numbers: list[int]) -> None:
    """So few can neither fill the table nor overfill a slot."""
    assert hash_order(numbers, lambda number: number) == sorted(numbers, key=lambda number: number % 16)


@given(st.lists(st.integers(0, 400), max_size=60), st.integers(1, 64))
def test_the_order_without_a_table_is_that_of_one(numbers: list[int], capacity: int) -> None:
    """Numbers are their own hashes here, so that many share a slot; some keys are put again."""
    table: HashTable[int] = HashTable(hash, capacity, hash)
    for number in numbers:
        table.compute_if_absent(number)
    assert computed_order(numbers, hash, capacity, hash) == list(table)
