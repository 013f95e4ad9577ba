"""What Kafka's own tools print of running applications of Kafka Streams is imported as those applications."""

import asyncio
from collections.abc import Iterator

import pytest
from listings.streams_run import APPLICATIONS, STATED, hold, hold_against_itself
from shop import shop

from kassay.listings.applications import Details, read_applications
from kassay.protocol.client.cluster_connection import OPEN
from kassay.protocol.client.cluster_queries import take
from kassay.protocol.server.addresses import parse_address


@pytest.fixture(scope="module")
def tasks(cluster, folder) -> Iterator[str]:
    """Start the applications; what they say that they run."""
    with shop(cluster, folder, "classic") as said:
        yield said


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


@pytest.mark.parametrize("name", APPLICATIONS)
def test_a_cluster_tells_an_application_as_it_is(name, cluster, tasks):
    servers = [parse_address("--bootstrap-server", each) for each in cluster.address.split(",")]
    taken = asyncio.run(take(servers, OPEN, [name]))
    (users,) = (one for one in taken.reading.topics if one.startswith(f"{name}-shop.users-STATE-STORE-"))
    stated = [one.format(users=users) for one in STATED]
    (found,) = read_applications([], Details(subtopologies=stated), name, taken)
    hold(found, tasks, name)
    assert all(topic.racks for topic in found.application.topics)
