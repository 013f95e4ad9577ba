"""Clients take the printed lines for KIP-848, send ConsumerGroupHeartbeat, and refuse the settings that must be removed."""

from collections.abc import Callable

import pytest
from client_settings.kip848_members import check_move, drop_heartbeat, record_move
from client_settings.real_clients import Command
from clients.native_node import CONFLUENT, NODE_RDKAFKA, write_native_node
from clients.programs import (
    HERE,
    LIBRDKAFKA_GO,
    PLATFORMATIC,
    PROPERTIES,
    RUST_RDKAFKA,
    SPRING,
    write_go,
    write_java,
    write_node,
    write_rust,
    write_spring,
)
from clients.toolchains import skip_without_tools

from kassay.comparison.client_settings import read_clients
from kassay.comparison.client_settings.cells import is_before
from kassay.targets.java.releases import find_newest

RELEASES = ("3.7.2", "3.9.2", "4.0.2", find_newest("kafka-clients").version)
"""Releases of Kafka's consumer: two with an early version of the protocol, and the first and the newest one with all of it."""
MADE: dict[str, Callable[[], Command]] = {
    "spring": lambda: write_spring(drop_heartbeat(SPRING), "4.0.2"),
    "confluent-kafka-go": lambda: write_go(drop_heartbeat(LIBRDKAFKA_GO), HERE / "librdkafka_go"),
    "rust-rdkafka": lambda: write_rust(drop_heartbeat(RUST_RDKAFKA)),
    "node-rdkafka": lambda: write_native_node(drop_heartbeat(NODE_RDKAFKA), "node-rdkafka"),
    "confluent-kafka-javascript": lambda: write_native_node(
        drop_heartbeat(CONFLUENT), "confluent-kafka-javascript"
    ),
    "platformatic": lambda: write_node(drop_heartbeat(PLATFORMATIC)),
}


@pytest.mark.parametrize("client", MADE)
def test_clients_take_the_lines_and_refuse_or_ignore_what_must_be_removed(client):
    skip_without_tools(client)
    check_move(client, record_move(client, MADE[client]()), not read_clients()[client].kip848.ignores)


@pytest.mark.parametrize("release", RELEASES)
def test_java_refuses_what_must_be_removed_from_its_first_whole_release_on(release):
    whole = not is_before(release, read_clients()["java"].kip848.since)
    check_move("java", record_move("java", write_java(release, drop_heartbeat(PROPERTIES))), whole)
