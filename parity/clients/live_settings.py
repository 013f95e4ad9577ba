"""The clients in Java, Go, Rust and JavaScript do with the printed lines what the data say, at kassay's own coordinator."""

from collections.abc import Callable

import pytest
from client_settings.real_clients import Command, check, list_strategies, record_client
from clients.data_pipelines import write_benthos, write_filebeat
from clients.native_node import CONFLUENT, NODE_RDKAFKA, write_native_node
from clients.programs import (
    FRANZ_GO,
    HERE,
    KAFKA_GO,
    KAFKAJS,
    LIBRDKAFKA_GO,
    PLATFORMATIC,
    SARAMA,
    write_go,
    write_java,
    write_node,
    write_rust,
    write_spring,
)
from clients.toolchains import skip_without_tools

from kassay.comparison.client_settings import detect_clients
from kassay.targets.java.releases import find_newest

RELEASES = ("2.8.2", "3.9.2", find_newest("kafka-clients").version)
"""Releases of Kafka's consumer: before the default has two names, and after."""
MADE: dict[str, Callable[[], Command]] = {
    "spring": write_spring,
    "franz-go": lambda: write_go(FRANZ_GO),
    "sarama": lambda: write_go(SARAMA),
    "kafka-go": lambda: write_go(KAFKA_GO),
    "confluent-kafka-go": lambda: write_go(LIBRDKAFKA_GO, HERE / "librdkafka_go"),
    "rust-rdkafka": write_rust,
    "kafkajs": lambda: write_node(KAFKAJS),
    "platformatic": lambda: write_node(PLATFORMATIC),
    "node-rdkafka": lambda: write_native_node(NODE_RDKAFKA, "node-rdkafka"),
    "confluent-kafka-javascript": lambda: write_native_node(CONFLUENT, "confluent-kafka-javascript"),
    "redpanda-connect": lambda: write_benthos("kafka_franz"),
    "benthos": lambda: write_benthos("kafka"),
    "filebeat": lambda: write_filebeat,
}
SHOWN: dict[str, tuple[str, ...]] = {
    "platformatic": (),
    "confluent-kafka-go": ("librdkafka",),
    "rust-rdkafka": ("librdkafka",),
    "node-rdkafka": ("librdkafka",),
    "confluent-kafka-javascript": ("librdkafka",),
    "spring": ("java",),
}
"""The client that the default CLIENT-ID shows, if it is another one, or none."""


@pytest.mark.parametrize("client", MADE)
def test_members_offer_what_the_printed_lines_name_and_are_taken_or_refused(client):
    skip_without_tools(client)
    found = record_client(client, MADE[client]())
    check(client, found)
    only = "" if len(list_strategies(client)) > 1 else list_strategies(client)[0]
    for client_id in found.client_ids:
        group = client_id.removeprefix("consumer-").rpartition("-")[0] if client == "spring" else "g"
        detected = detect_clients(group, {"m": client_id}, ["m"], only)
        assert detected.clients == SHOWN.get(client, (client,)), client_id


@pytest.mark.parametrize("release", RELEASES)
def test_java_does_so_in_each_release(release):
    found = record_client("java", write_java(release))
    check("java", found, release)
    for client_id in found.client_ids:
        group, _, number = client_id.removeprefix("consumer-").rpartition("-")
        assert number.isdigit()
        assert detect_clients(group, {"m": client_id}, ["m"]).clients == ("java",)
