"""How fast the codecs are beside kio's, a library that generates its own from Kafka's schemas: ``python benchmarks/wire.py [--write]``.

Needs the package kio. ``--write`` keeps the figures for docs/results/speed.md. Both sides read and write the same messages by turns, and must agree on them. Measured is CPU time; a ratio
is the median over the turns.
"""

import io
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import keep, today

from kassay.reference.wire import consumer, group

TURNS, TIMES = 9, 2000
OWNED = (
    consumer.TopicPartitions("topic-a", tuple(range(10))),
    consumer.TopicPartitions("topic-b", tuple(range(10))),
)
JOINING = consumer.Subscription(("topic-a", "topic-b"), b"", OWNED, 5, "rack-1")
BYTES = consumer.write_subscription(JOINING)
MEMBERS = tuple(group.JoinedMember(f"consumer-{n}", None, BYTES) for n in range(50))
MESSAGES: dict[str, tuple[str, Any, int, Any]] = {
    "ConsumerProtocolSubscription 3": (
        "consumer_protocol_subscription.v3.data:ConsumerProtocolSubscription",
        consumer.SUBSCRIPTION,
        3,
        JOINING,
    ),
    "JoinGroupRequest 9": (
        "join_group.v9.request:JoinGroupRequest",
        group.JOIN_GROUP_REQUEST,
        9,
        group.JoinGroupRequest(
            "orders", 45_000, 300_000, "m", None, "consumer", (group.Protocol("range", BYTES),), ""
        ),
    ),
    f"JoinGroupResponse 9, {len(MEMBERS)} members": (
        "join_group.v9.response:JoinGroupResponse",
        group.JOIN_GROUP_RESPONSE,
        9,
        group.JoinGroupResponse(0, 0, 5, "consumer", "range", "m", False, "m", MEMBERS),
    ),
}
"""Message -> the module and class of kio's, ours, its version, and a value."""


def main() -> None:
    """Print and keep the figures of each message."""
    rows = {}
    for words, asked in MESSAGES.items():
        rows[words] = measured(*asked)
        print(words, rows[words])
    if "--write" in sys.argv:
        keep("wire-speed", "nox -s bench -- wire --write", today(), {"messages": rows})


def measured(name: str, message: Any, version: int, value: Any) -> dict[str, float]:
    """Return the bytes of a message, the microseconds of both sides and how many times as long ours takes; exits where the two disagree."""
    serial, (place, _, kind) = import_module("kio.serial"), name.partition(":")
    theirs = getattr(import_module(f"kio.schema.{place}"), kind)
    data, read, write = (
        message.write(value, version),
        serial.entity_reader(theirs),
        serial.entity_writer(theirs),
    )
    known, end = read(data, 0)
    if (message.read(data, version), end, written(write, known)) != (value, len(data), data):
        raise SystemExit(f"{kind}: kio reads or writes other bytes")
    return {
        "bytes": len(data),
        **compared("read", lambda: message.read(data, version), lambda: read(data, 0)),
        **compared("write", lambda: message.write(value, version), lambda: written(write, known)),
    }


def written(write: Callable[[Any, Any], None], value: Any) -> bytes:
    """Return what kio writes."""
    out = io.BytesIO()
    write(out, value)
    return out.getvalue()


def compared(what: str, ours: Callable[[], object], theirs: Callable[[], object]) -> dict[str, float]:
    """Return the microseconds of both, and how many times as long as theirs ours takes."""
    turns = [(_timed(ours), _timed(theirs)) for _ in range(TURNS)]
    own, other = (statistics.median(times) * 1e6 for times in zip(*turns, strict=True))
    ratio = statistics.median(one / two for one, two in turns)
    return {
        f"{what}, µs": round(own, 1),
        f"kio {what}s, µs": round(other, 1),
        f"{what}, ratio": round(ratio, 2),
    }


def _timed(once: Callable[[], object]) -> float:
    start = time.process_time()
    for _ in range(TIMES):
        once()
    return (time.process_time() - start) / TIMES


if __name__ == "__main__":
    main()
