"""Real Java consumers, all in one process, whose assignors print what they are asked and answer."""

import json
import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kassay.targets.java import SOURCES, complete_spec, find_newest_kafka
from kassay.targets.maven.java_programs import compile_sources, find_java

HERE = Path(__file__).with_name("java")
CLASSES = {
    "range": "Range",
    "roundrobin": "RoundRobin",
    "sticky": "Sticky",
    "cooperative-sticky": "CooperativeSticky",
}
SETTINGS = {
    "enable.auto.commit": "false",
    "allow.auto.create.topics": "false",
    "auto.offset.reset": "earliest",
}
CLASSIC = {"group.protocol": "classic", "heartbeat.interval.ms": "200", "session.timeout.ms": "20000"}


class JavaMembers:
    """The process; `runs` has by group id what the leaders' assignors printed, `held` by client id what consumers hold,
    `generations` in which generation (for the new protocol: member epoch), and `sharing` the clients in share groups, which are not
    told."""

    def __init__(self, address: str, process: "subprocess.Popen[str]") -> None:
        self._address, self._process = address, process
        self._changed = threading.Condition()
        self._gone: set[str] = set()
        self._described: dict[str, dict[str, Any]] = {}
        self.runs: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        self.held: dict[str, set[tuple[str, int]]] = {}
        self.generations: dict[str, int] = {}
        self.sharing: set[str] = set()
        self.failures: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def start(
        self, client: str, group: str, strategy: str, topics: Sequence[str], rack: str | None, **more: str
    ) -> None:
        """Start a consumer; where the strategy is ``broker/NAME``, the coordinator assigns (KIP-848)."""
        if strategy.startswith("broker/"):
            protocol = {
                "group.protocol": "consumer",
                "group.remote.assignor": strategy.removeprefix("broker/"),
            }
        else:
            protocol = CLASSIC | {"partition.assignment.strategy": f"kassay.Logged${CLASSES[strategy]}"}
        config = {
            **SETTINGS,
            **protocol,
            "bootstrap.servers": self._address,
            "group.id": group,
            "client.id": client,
            "client.rack": rack or "",
            **more,
        }
        self._send({"start": client, "topics": list(topics), "config": config})

    def share(self, client: str, group: str, topics: Sequence[str]) -> None:
        """Start a member of a share group (KIP-932)."""
        config = {"bootstrap.servers": self._address, "group.id": group, "client.id": client}
        self._send({"start": client, "topics": list(topics), "config": config, "share": True})

    def stop(self, client: str) -> None:
        """Have a consumer leave its group, and wait until it has."""
        self._send({"stop": client})
        with self._changed:
            assert self._changed.wait_for(lambda: client in self._gone, timeout=30), (
                f"{client} does not leave"
            )
        self.held.pop(client, None)

    def described(self, group: str, kind: str = "describe") -> dict[str, Any]:
        """Return what the coordinator says of a group; of a share group with the kind ``describe-share``."""
        self._send({kind: group})
        with self._changed:
            assert self._changed.wait_for(lambda: group in self._described, timeout=60), "no answer"
            return self._described.pop(group)

    def _send(self, asked: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with self._changed:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            with self._changed:
                if "group_id" in said:
                    self.runs[said["group_id"]].append(said)
                elif "client" in said:
                    self.held[said["client"]] = {(topic, number) for topic, number in said["held"]}
                    self.generations[said["client"]] = said["generation"]
                elif "described" in said:
                    self._described[said["described"]] = said
                elif "shares" in said:
                    self.sharing.add(said["shares"])
                elif "left" in said:
                    self._gone.add(said["left"])
                else:
                    self.failures.append(line)
                self._changed.notify_all()


@contextmanager
def java_members(address: str, log: Path) -> Iterator[JavaMembers]:
    """Run a process for consumers of the newest Kafka."""
    shared = [source for source in SOURCES if source.stem in {"Given", "Json", "Thrown"}]
    classes = compile_sources([HERE / "Members.java", HERE / "Logged.java", *shared], [find_newest_kafka()])
    command = find_java().command([classes, *complete_spec([])], "-Xmx512m", "kassay.Members", address)
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            yield JavaMembers(address, process)
        finally:
            process.kill()
