"""Real consumers of librdkafka, each polled by a thread of this process."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer

SETTINGS = {
    "heartbeat.interval.ms": 200,
    "session.timeout.ms": 20_000,
    "enable.auto.commit": False,
}


class NativeMembers:
    """The consumers; `held` has what they hold by client id."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._running: dict[str, tuple[threading.Event, threading.Thread]] = {}
        self.held: dict[str, set[tuple[str, int]]] = {}

    def start(
        self, client: str, group: str, strategy: str, topics: Sequence[str], rack: str | None, **more: str
    ) -> None:
        """Start a consumer."""
        config = {
            **SETTINGS,
            "bootstrap.servers": self._address,
            "group.id": group,
            "client.id": client,
            "client.rack": rack or "",
            "partition.assignment.strategy": strategy,
            **more,
        }
        stopped = threading.Event()
        work = (client, config, list(topics), stopped)
        thread = threading.Thread(target=self._run, args=work, daemon=True)
        self._running[client] = stopped, thread
        thread.start()

    def _run(self, client: str, config: dict[str, Any], topics: list[str], stopped: threading.Event) -> None:
        consumer = Consumer(config)  # to be asked by this thread alone
        consumer.subscribe(topics)
        while not stopped.is_set():
            consumer.poll(0.05)
            self.held[client] = {(one.topic, one.partition) for one in consumer.assignment()}
        consumer.close()
        del self.held[client]

    def stop(self, client: str) -> None:
        """Have a consumer leave its group, and wait until it has."""
        stopped, thread = self._running.pop(client)
        stopped.set()
        thread.join(30)
        assert not thread.is_alive(), f"{client} does not leave"

    def stop_all(self) -> None:
        """Have all consumers leave."""
        for client in [*self._running]:
            self.stop(client)


@contextmanager
def native_members(address: str) -> Iterator[NativeMembers]:
    """Have a place for consumers, which all leave at its end."""
    members = NativeMembers(address)
    try:
        yield members
    finally:
        members.stop_all()
