"""Real consumers of kafka-python and aiokafka with OptimalAssignor, each in a thread of this process."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiokafka import AIOKafkaConsumer
from kafka import KafkaConsumer

SETTINGS = {"heartbeat_interval_ms": 200, "session_timeout_ms": 20_000, "enable_auto_commit": False}


class PythonMembers:
    """The consumers; `held` has what they hold by client id, `failures` what they raised."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._running: dict[str, tuple[threading.Event, threading.Thread]] = {}
        self.held: dict[str, set[tuple[str, int]]] = {}
        self.failures: list[BaseException] = []

    def start(self, library: str, client: str, group: str, assignor: Any, topic: str) -> None:
        """Start a consumer of a library."""
        run = {"kafka": self._kafka, "aiokafka": lambda *about: asyncio.run(self._aiokafka(*about))}[library]
        stopped = threading.Event()
        settings = SETTINGS | {
            "bootstrap_servers": self._address.split(","),
            "group_id": group,
            "client_id": client,
            "partition_assignment_strategy": [assignor],
        }

        def work() -> None:
            try:
                run(client, topic, settings, stopped)
            except BaseException as failure:
                self.failures.append(failure)
                raise

        thread = threading.Thread(target=work, daemon=True)
        self._running[client] = stopped, thread
        thread.start()

    def _kafka(self, client: str, topic: str, settings: dict[str, Any], stopped: threading.Event) -> None:
        consumer = KafkaConsumer(topic, **settings)
        while not stopped.is_set():
            consumer.poll(50)
            self.held[client] = {(one.topic, one.partition) for one in consumer.assignment()}
        consumer.close()

    async def _aiokafka(
        self, client: str, topic: str, settings: dict[str, Any], stopped: threading.Event
    ) -> None:
        consumer = AIOKafkaConsumer(topic, **settings)
        await consumer.start()
        while not stopped.is_set():
            await consumer.getmany(timeout_ms=50)
            self.held[client] = {(one.topic, one.partition) for one in consumer.assignment()}
        await consumer.stop()

    def stop_all(self) -> None:
        """Have all consumers leave."""
        for stopped, _ in self._running.values():
            stopped.set()
        for client, (_, thread) in self._running.items():
            thread.join(30)
            assert not thread.is_alive(), f"{client} does not leave"


@contextmanager
def python_members(address: str) -> Iterator[PythonMembers]:
    """Have a place for consumers, which all leave at its end."""
    members = PythonMembers(address)
    try:
        yield members
    finally:
        members.stop_all()
