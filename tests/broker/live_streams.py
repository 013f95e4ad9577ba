"""What Kafka's own tools print of running applications of Kafka Streams is imported as those applications."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import LOGGER, RELEASE
from listings.streams_run import APPLICATIONS, hold_against_itself

from kassay.maven.compiling import compiled
from kassay.maven.coordinate import Coordinate
from kassay.maven.machine import find_java
from kassay.maven.resolving import resolved

STREAMS = Coordinate("org.apache.kafka", "kafka-streams", RELEASE)
COMPILED_AGAINST = [
    STREAMS,
    Coordinate("org.apache.kafka", "kafka-clients", RELEASE),
    Coordinate("org.slf4j", "slf4j-api", LOGGER.version),
]
TOPICS = {"shop.orders": 4, "shop.users": 6, "shop.payments": 6, "shop.clicks": 4}


@pytest.fixture(scope="module")
def tasks(cluster, folder) -> Iterator[str]:
    """Start the applications; a line for each active task with its thread and what it reads, as they say themselves."""
    cluster.create(TOPICS)
    classes = compiled([Path(__file__).parent / "Shop.java"], COMPILED_AGAINST)
    command = find_java().command([classes, *resolved([STREAMS, LOGGER])], "-Xmx512m", "kassay.Shop")
    with (
        (folder / "shop.log").open("wb") as log,
        subprocess.Popen(
            [*command, cluster.address, str(folder / "state"), "classic"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        yield "".join(iter(process.stdout.readline, "settled\n"))
        process.kill()


@pytest.fixture(scope="module")
def printed(cluster, tasks, tmp_path_factory) -> dict[str, str]:
    """Have the tools print, also into a folder, for tests/listings/kafka-4.3."""
    of_groups = ["consumer.group.ConsumerGroupCommand", "--describe", "--group", "shop", "--group", "audit"]
    printed = {
        "tasks": tasks,
        "members": cluster.tool(*of_groups, "--members", "--verbose"),
        "offsets": cluster.tool(*of_groups),
        "topics": cluster.tool("TopicCommand", "--describe", "--topic", r"(shop|audit)[.-].*"),
        "end-offsets": cluster.tool("GetOffsetShell", "--topic-partitions", "(shop|audit)-.*-changelog"),
    }
    folder = tmp_path_factory.mktemp("listings")
    for name, text in printed.items():
        (folder / f"streams-{name}.txt").write_text(text)
    return printed


@pytest.mark.parametrize("of_members", ["members", "offsets"])
@pytest.mark.parametrize("name", APPLICATIONS)
def test_an_application_is_imported_as_it_is(name, of_members, printed):
    hold_against_itself(printed, of_members, name)
