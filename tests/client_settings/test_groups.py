"""Groups with several clients, and the table of all clients."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.comparison.client_settings import (
    build_client_table,
    describe_mixed_group,
    list_settable_strategies,
    read_clients,
)
from kassay.comparison.client_settings.cells import wrap_lines, write_lines
from kassay.comparison.client_settings.changes import KAFKA_STRATEGIES

CLIENTS = read_clients()


@pytest.mark.parametrize(
    ("clients", "wanted"),
    [
        ([], KAFKA_STRATEGIES),
        (["java"], KAFKA_STRATEGIES),
        (["java", "spring", "logstash"], KAFKA_STRATEGIES),
        (["librdkafka"], ("range", "roundrobin", "cooperative-sticky")),
        (["java", "librdkafka"], ("range", "roundrobin", "cooperative-sticky")),
        (["java", "franz-go"], ("range", "roundrobin", "cooperative-sticky")),
        (["kafka-python"], ("range", "sticky", "cooperative-sticky")),
        (["kafka-python", "java"], ("range",)),
        (["aiokafka"], ("range", "roundrobin", "sticky")),
        (["aiokafka", "java"], ("range", "roundrobin")),
        (["kafkajs", "java"], ()),
        (["kafkajs"], ()),
        (["streams"], ()),
        (["redpanda-connect", "java"], ("cooperative-sticky",)),
        (["redpanda-connect", "benthos"], ()),
    ],
)
def test_every_client_of_the_group_has_what_is_advised(clients, wanted):
    assert list_settable_strategies(clients) == wanted


def test_the_oldest_release_decides():
    assert list_settable_strategies(["java"], {"java": "2.3"}) == ("range", "roundrobin", "sticky")
    assert list_settable_strategies(["kafka-python"], {"kafka-python": "2.2.15"}) == ("range", "sticky")


def test_a_mixed_group_is_described():
    said = describe_mixed_group(["librdkafka", "java", "java"])
    assert said[0] == "The group has several clients: Java (kafka-clients) and librdkafka."
    assert "All of them have range, roundrobin and cooperative-sticky" in said[1]
    assert any("all members must be stopped, because of librdkafka." in one for one in said)
    assert describe_mixed_group(["java", "spring"]) == ()
    assert describe_mixed_group(["java", ""]) == ()


@pytest.mark.parametrize(
    ("client", "word"),
    [("kafkajs", "shares no name"), ("kafka-go", "version 1"), ("aiokafka", "Java's default")],
)
def test_a_mixed_group_names_what_breaks_in_it(client, word):
    assert any(word in one for one in describe_mixed_group(["java", client]))


@given(st.lists(st.sampled_from([*CLIENTS]), max_size=4), st.randoms())
def test_the_order_of_clients_changes_nothing(clients, random):
    mixed = [*clients]
    random.shuffle(mixed)
    assert list_settable_strategies(mixed) == list_settable_strategies(clients)
    assert describe_mixed_group(mixed) == describe_mixed_group(clients)


@pytest.mark.parametrize("strategy", KAFKA_STRATEGIES)
def test_the_table_has_every_client_and_fits_a_terminal(strategy):
    rows = build_client_table(strategy, "range")
    assert [row.client for row in rows] == [*CLIENTS]
    for row in rows:
        assert row.has == (strategy in CLIENTS[row.client].settable)
        whole = row.client == "logstash" and len(row.lines[0].split(",")) == 2  # a string cannot be broken
        assert whole or all(len(line) <= 78 for line in (row.title, *row.lines)), row
    assert any(row.lines for row in rows)


def test_a_folded_line_means_the_same():
    java, sink = CLIENTS["java"], CLIENTS["connect-sink"]
    folded = wrap_lines(java, write_lines(java, ["cooperative-sticky"]))
    assert [line.endswith("\\") for line in folded] == [True, False]
    assert folded[0][:-1] + folded[1].strip() == write_lines(java, ["cooperative-sticky"])[0]
    both = write_lines(java, ["roundrobin", "range"])
    assert "".join(line.rstrip("\\").strip() for line in wrap_lines(java, both)) == both[0]
    assert len(wrap_lines(java, both)) == 3
    assert "\\" not in "".join(wrap_lines(sink, write_lines(sink, ["cooperative-sticky"])))
