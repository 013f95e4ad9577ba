"""The door of a running cluster that is asked about its groups: what brokers have said comes changed (:mod:`over_the_wire.recorded_cluster`)."""

import asyncio
from contextlib import suppress
from typing import Any

from fuzzing.conversations import change_bytes, record
from fuzzing.door import Door
from fuzzing.still import run
from over_the_wire.recorded_cluster import Recorded

from kassay.errors import InputError
from kassay.listings.import_groups import read_listed
from kassay.protocol.client.cluster_connection import OPEN
from kassay.protocol.client.cluster_queries import take
from kassay.protocol.server.addresses import Place

GROUPS = ("live-static", "live-native", "live-broker", "live-share", "live-gone", "streams-shop")


class _Broker(asyncio.Protocol):
    """A broker that says what was recorded, whichever of them is meant, and ends where nothing was."""

    def __init__(self, recorded: Recorded) -> None:
        self._recorded, self._wire = recorded, None

    def connection_made(self, transport: Any) -> None:
        self._wire = transport

    def data_received(self, data: bytes) -> None:
        assert self._wire is not None
        answer = self._recorded.answer(data[4:])
        if answer is None:
            self._wire.abort()
        else:
            self._wire.write((4 + len(answer)).to_bytes(4) + data[8:12] + answer)


def take_answers() -> Door:
    """The responses of brokers about groups: the result is groups, or a sentence."""
    recorded = Recorded()

    async def ask(name: str) -> None:
        await asyncio.get_running_loop().create_server(lambda: _Broker(recorded), "127.0.0.1", 0)
        with suppress(InputError):
            taken = await take([Place("127.0.0.1", 9)], OPEN, [name])
            read_listed(taken, leader=True)

    def enter(data: bytes) -> None:
        run(ask(GROUPS[data[0] % len(GROUPS) if data else 0]), responses=change_bytes(data[1:]))

    seeds = [bytes((name,)) for name in range(len(GROUPS))]
    seeds += [
        bytes((name,)) + record(0) * at + record(do, b"\0\30\1")
        for name in range(len(GROUPS))
        for at in range(2, 9)
        for do in (2, 3)
    ]
    return Door(enter, tuple(seeds))
