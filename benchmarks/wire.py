"""How fast the codecs are beside kio's, a library that generates its own from Kafka's schemas: ``python benchmarks/wire.py``.

Needs the package kio. Both sides read and write the same messages by turns, and must agree on them. Measured is CPU time; a ratio
is the median over the turns.
"""

import io
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from kassay.reference.wire import consumer, group

TURNS, TIMES = 9, 2000
OWNED = (
    consumer.TopicPartitions("topic-a", tuple(range(10))),
    consumer.TopicPartitions("topic-b", tuple(range(10))),
)
JOINING = consumer.Subscription(("topic-a", "topic-b"), b"", OWNED, 5, "rack-1")
BYTES = consumer.write_subscription(JOINING)
MEMBERS = tuple(group.JoinedMember(f"consumer-{n}", None, BYTES) for n in range(50))
MESSAGES: dict[str, tuple[Any, int, Any]] = {
    "consumer_protocol_subscription.v3.data:ConsumerProtocolSubscription": (
        consumer.SUBSCRIPTION,
        3,
        JOINING,
    ),
    "join_group.v9.request:JoinGroupRequest": (
        group.JOIN_GROUP_REQUEST,
        9,
        group.JoinGroupRequest(
            "orders", 45_000, 300_000, "m", None, "consumer", (group.Protocol("range", BYTES),), ""
        ),
    ),
    "join_group.v9.response:JoinGroupResponse": (
        group.JOIN_GROUP_RESPONSE,
        9,
        group.JoinGroupResponse(0, 0, 5, "consumer", "range", "m", False, "m", MEMBERS),
    ),
}


def main() -> int:
    """Print of each message its bytes, the microseconds of both sides, and the ratios; exit status 1 where they disagree."""
    print(f"{'message':30} bytes   read us   kio ratio  write us   kio ratio")
    agree = [measured(name, *asked) for name, asked in MESSAGES.items()]
    return int(not all(agree))


def measured(name: str, message: Any, version: int, value: Any) -> bool:
    """Print the row of a message; say whether the two agree."""
    serial, (place, _, kind) = import_module("kio.serial"), name.partition(":")
    theirs = getattr(import_module(f"kio.schema.{place}"), kind)
    data, read, write = (
        message.write(value, version),
        serial.entity_reader(theirs),
        serial.entity_writer(theirs),
    )
    known, end = read(data, 0)
    reading = compared(lambda: message.read(data, version), lambda: read(data, 0))
    writing = compared(lambda: message.write(value, version), lambda: written(write, known))
    print(f"{kind:30} {len(data):5}", *reading, *writing)
    return (message.read(data, version), end, written(write, known)) == (value, len(data), data)


def written(write: Callable[[Any, Any], None], value: Any) -> bytes:
    """Return what kio writes."""
    out = io.BytesIO()
    write(out, value)
    return out.getvalue()


def compared(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[str, str, str]:
    """Return the microseconds of both, and how many times as long as theirs ours takes."""
    turns = [(_timed(ours), _timed(theirs)) for _ in range(TURNS)]
    own, other = (statistics.median(times) * 1e6 for times in zip(*turns, strict=True))
    ratio = statistics.median(one / two for one, two in turns)
    return f"{own:9.1f}", f"{other:5.1f}", f"{ratio:5.1f}"


def _timed(once: Callable[[], object]) -> float:
    start = time.process_time()
    for _ in range(TIMES):
        once()
    return (time.process_time() - start) / TIMES


if __name__ == "__main__":
    sys.exit(main())
