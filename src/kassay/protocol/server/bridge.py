"""The adapter protocol around a client: ``python -m kassay.protocol.server.bridge START_S TIMEOUT_S DATA_MB REQUEST_MB COMMAND...``.

The process answers one JSON line at a time, as every adapter does. It starts the client, and makes it the leader of one group after another.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from itertools import groupby
from operator import itemgetter
from typing import Any, BinaryIO

import msgspec

from kassay import __version__
from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.model import AssignorError
from kassay.protocol.server.client_session import BATCH, Answer, Bounds, Client

FAMILY = family("consumer")
_LONGEST_LINE = 2**30


def _encode(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, TargetGoneError):
        return {"gone": str(answer)}
    if isinstance(answer, SkippedError):
        return {"skipped": str(answer)}
    if isinstance(answer, AssignorError):
        return {"error": str(answer), "died": isinstance(answer, DiedError)}
    return FAMILY.shape.write_answer(answer)


async def _wait_for_requests(requests: asyncio.Queue[Any]) -> list[Any]:
    """Return all waiting requests, at least one; [] at the end of the input."""
    found = [await requests.get()]
    while found[-1] is not None and not requests.empty():
        found.append(requests.get_nowait())
    if found[-1] is None and len(found) > 1:
        await requests.put(found.pop())
    return [] if found[0] is None else found


async def _answer_requests(waiting: list[Any], client: Client) -> AsyncIterator[dict[str, Any]]:
    for protocol, some in groupby(waiting, key=itemgetter("assignor")):
        asked = [*some]
        for each in asked:
            if "ahead" in each:
                client.expect([FAMILY.shape.read_group(group) for group in each["ahead"]])
        groups = [FAMILY.shape.read_group(each["group"]) for each in asked]
        numbers = iter(each["seq"] for each in asked)
        async for answer in client.answers(groups, protocol):
            yield {"seq": next(numbers)} | _encode(answer)


async def serve(answers: BinaryIO, client: Client) -> None:
    """Answer the requests on standard input until its end."""
    lines = asyncio.StreamReader(limit=_LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    requests: asyncio.Queue[Any] = asyncio.Queue(BATCH)

    async def read_ahead() -> None:
        # Some clients get several groups at a time.
        while line := await lines.readline():
            await requests.put(msgspec.json.decode(line))
        await requests.put(None)

    def write(answer: dict[str, Any]) -> None:
        answers.write(msgspec.json.encode(answer) + b"\n")
        answers.flush()

    reading = asyncio.ensure_future(read_ahead())
    try:
        await requests.get()  # the first line asks for the assignors
        offered = []
        try:
            protocols = await client.protocols()
        except DiedError as died:
            write({"gone": str(died)})
            return
        for protocol in protocols:
            expected = FAMILY.expected
            if "cooperative" in protocol:
                expected = expected - {"complete"} | {"cooperative", "settling"}
            offered.append({"name": protocol, "family": FAMILY.name, "promises": sorted(expected)})
        write({"assignors": offered, "language": "any", "version": __version__})
        while waiting := await _wait_for_requests(requests):
            async for said in _answer_requests(waiting, client):
                write(said)
    finally:
        reading.cancel()
        await client.end()


def main() -> None:
    """Serve on the process's own standard input and output."""
    start_s, timeout_s, data_mb, request_mb, *command = sys.argv[1:]
    bounds = Bounds(float(start_s), float(timeout_s), int(data_mb), int(request_mb))
    asyncio.run(serve(sys.stdout.buffer, Client(command, bounds)))


if __name__ == "__main__":
    main()
