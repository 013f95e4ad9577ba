"""The programs that build and run the members of each client; a test without them is skipped."""

import shutil

import pytest

from kassay.sentences import join_names

GO, NODE = ("go",), ("node", "npm")
TOOLS = {
    "java": (),
    "spring": ("mvn",),
    "franz-go": GO,
    "sarama": GO,
    "kafka-go": GO,
    "confluent-kafka-go": (*GO, "cc"),
    "rust-rdkafka": ("cargo", "cc"),
    "kafkajs": NODE,
    "platformatic": NODE,
    "node-rdkafka": (*NODE, "make", "c++", "curl-config"),
    "confluent-kafka-javascript": (*NODE, "make", "c++", "curl-config"),
    "redpanda-connect": GO,
    "benthos": GO,
    "filebeat": GO,
}
"""The programs that must be installed, by the client; curl-config comes with the headers of libcurl. kassay itself looks for Java."""


def skip_without_tools(client: str) -> None:
    """Skip the test if a program that its client needs is not installed."""
    missing = [tool for tool in TOOLS[client] if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{client} needs {join_names(missing)}: not installed")
