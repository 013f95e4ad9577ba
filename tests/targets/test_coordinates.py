"""Coordinates, and the list of pinned jars."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import InputError
from kassay.targets.java import INTERFACES, SLF4J_API, SLF4J_NOP, find_newest_kafka
from kassay.targets.maven.java_programs import ECJ, RESOLVER
from kassay.targets.maven.repository import FILE, Coordinate, compute_digests, list_versions

PART = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", fullmatch=True)


@given(PART, PART, PART)
def test_what_is_written_is_read_again(group, artifact, version):
    coordinate = Coordinate(group, artifact, version)
    assert Coordinate.parse(str(coordinate)) == coordinate


def test_where_the_jar_is():
    path = "org/apache/kafka/kafka-clients/4.4.0/kafka-clients-4.4.0.jar"
    assert Coordinate.parse("org.apache.kafka:kafka-clients:4.4.0").path == path


@pytest.mark.parametrize(
    "text", ["", "a", "a:b", "a:b:", ":b:c", "a:b:c:d", "a:b:../c", "a/b:c:d", "a:b: c", "a:b:c\n"]
)
def test_what_is_no_coordinate(text):
    with pytest.raises(InputError, match=r"is no coordinate. Write GROUP:ARTIFACT:VERSION"):
        Coordinate.parse(text)


def test_every_line_pins_one_jar():
    lines = FILE.read_text().splitlines()
    assert len(lines) == len(compute_digests())
    assert lines == sorted(lines, key=lambda line: line.partition("  ")[2])
    for line in lines:
        assert re.fullmatch(r"[0-9a-f]{64}  [\w.+/-]+\.jar", line)


@pytest.mark.parametrize(
    "coordinate", [ECJ, *RESOLVER, SLF4J_API, SLF4J_NOP, *INTERFACES, find_newest_kafka()], ids=str
)
def test_every_jar_that_kassay_names_is_pinned(coordinate):
    assert coordinate.path in compute_digests()


def test_versions_are_sorted_as_numbers():
    known = list_versions("org.apache.kafka", "kafka-clients")
    assert known[0] == "2.2.0"
    assert known.index("2.8.2") < known.index("3.0.2") < known.index("4.0.2")
    assert known[-1] == find_newest_kafka().version
