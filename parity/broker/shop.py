"""Two applications of Kafka Streams, shop and audit, in one process (Shop.java)."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster import HERE, LOGGER, RELEASE, Cluster

from kassay.targets.maven.java_programs import compile_sources, find_java, resolve_class_path
from kassay.targets.maven.repository import Coordinate

STREAMS = Coordinate("org.apache.kafka", "kafka-streams", RELEASE)
COMPILED_AGAINST = [
    STREAMS,
    Coordinate("org.apache.kafka", "kafka-clients", RELEASE),
    Coordinate("org.slf4j", "slf4j-api", LOGGER.version),
]
TOPICS = {"shop.orders": 4, "shop.users": 6, "shop.payments": 6, "shop.clicks": 4}


@contextmanager
def shop(cluster: Cluster, folder: Path, protocol: str) -> Iterator[str]:
    """Start the applications; a line for each active task with its thread and what it reads, as they say themselves.

    With the protocol ``streams`` (KIP-1071) their names begin with it.
    """
    if not TOPICS.keys() <= cluster.admin.list_topics(timeout=10).topics.keys():
        cluster.create(TOPICS)
    classes = compile_sources([HERE / "Shop.java"], COMPILED_AGAINST)
    command = find_java().command(
        [classes, *resolve_class_path([STREAMS, LOGGER])], "-Xmx512m", "kassay.Shop"
    )
    with (
        (folder / f"shop-{protocol}.log").open("wb") as log,
        subprocess.Popen(
            [*command, cluster.address, str(folder / "state"), protocol],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            yield "".join(iter(process.stdout.readline, "settled\n"))
        finally:
            process.kill()
