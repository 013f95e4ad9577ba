"""A cluster of Connect: workers in one process, asked by their REST interface."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from cluster import HERE, LOGGER, RELEASE, free_ports

from kassay.targets.java import SOURCES
from kassay.targets.maven.java_programs import compile_sources, find_java, resolve_class_path
from kassay.targets.maven.repository import Coordinate

RUNTIME, API, CLIENTS = (
    Coordinate("org.apache.kafka", name, RELEASE)
    for name in ("connect-runtime", "connect-api", "kafka-clients")
)
SLF4J_API = Coordinate("org.slf4j", "slf4j-api", LOGGER.version)
PATIENCE_S, QUIET_S = 120.0, 6.0
"""Nothing may change for so long; rounds of rebalancing are not further apart than the delay below."""

PROPERTIES = """\
bootstrap.servers={address}
group.id=assay-connect
listeners=http://127.0.0.1:{port}
rest.advertised.host.name=127.0.0.1
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
config.storage.topic=connect-configs
config.storage.replication.factor=1
offset.storage.topic=connect-offsets
offset.storage.replication.factor=1
offset.storage.partitions=1
status.storage.topic=connect-status
status.storage.replication.factor=1
status.storage.partitions=1
scheduled.rebalance.max.delay.ms=2000
"""


@dataclass(frozen=True)
class Workers:
    """The process, and what of it is needed to start workers, in a folder."""

    address: str
    process: "subprocess.Popen[str]"
    folder: Path

    def start(self) -> int:
        """Start a worker and return the port of its REST interface, once that answers."""
        (port,) = free_ports(1)
        self._file(port).write_text(PROPERTIES.format(address=self.address, port=port))
        self._send(port)
        asked(port, "/connectors")
        return port

    def stop(self, port: int) -> None:
        """Have a worker stop and leave the cluster."""
        self._send(port)

    def rounds(self) -> list[dict[str, Any]]:
        """Return the rounds of rebalancing so far, as the leaders' assignors printed them."""
        lines = (self.folder / "workers.log").read_text(errors="replace").splitlines()
        return [json.loads(line) for line in lines if line.startswith('{"leader":')]

    def _file(self, port: int) -> Path:
        return self.folder / f"worker-{port}.properties"

    def _send(self, port: int) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{self._file(port)}\n")
        self.process.stdin.flush()


def create(port: int, name: str, tasks: int) -> None:
    """Have a cluster run a connector of so many tasks."""
    config = {"connector.class": "kassay.Idle", "tasks.max": str(tasks)}
    asked(port, "/connectors", {"name": name, "config": config})


def asked(port: int, path: str, body: Any = None) -> str:
    """Return what a worker answers, asking again while it rebalances."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(
        f"http://127.0.0.1:{port}{path}", data=data, headers={"Content-Type": "application/json"}
    )
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urlopen(request, timeout=30) as answer:
                return answer.read().decode()
        except (HTTPError, URLError) as failed:
            busy = not isinstance(failed, HTTPError) or failed.code in {404, 409, 500, 503}
            if not busy or time.monotonic() > deadline:
                raise
        time.sleep(0.3)


def settled(port: int, workers: int, tasks: int) -> str:
    """Wait until so many workers run so many tasks and nothing changes for a while; return what is said of the connectors."""
    deadline, since, before = time.monotonic() + PATIENCE_S, time.monotonic(), ""
    while time.monotonic() < deadline:
        said = asked(port, "/connectors?expand=status&expand=info")
        states = [one["status"] for one in json.loads(said).values()]
        running = [part for one in states for part in (one["connector"], *one["tasks"])]
        whole = sum(len(one["tasks"]) for one in states) == tasks and {part["state"] for part in running} == {
            "RUNNING"
        }
        if said != before or not whole or len({part["worker_id"] for part in running}) != workers:
            since, before = time.monotonic(), said
        elif time.monotonic() - since > QUIET_S:
            return said
        time.sleep(0.3)
    raise AssertionError(f"the cluster does not settle: {before}")


@contextmanager
def connect_workers(address: str, folder: Path) -> Iterator[Workers]:
    """Have a process for workers, which ends with this."""
    own = [HERE / f"{name}.java" for name in ("Workers", "Rounds", "Idle")]
    shared = [source for source in SOURCES if source.stem in {"ConnectAnswer", "Json", "RoundClock"}]
    classes = compile_sources([*own, *shared], [RUNTIME, API, CLIENTS, SLF4J_API])
    command = find_java().command([classes, *resolve_class_path([RUNTIME])], "-Xmx512m", "kassay.Workers")
    with (
        (folder / "workers.log").open("wb") as log,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=log, stderr=log, text=True, cwd=folder
        ) as process,
    ):
        try:
            yield Workers(address, process, folder)
        finally:
            process.kill()
