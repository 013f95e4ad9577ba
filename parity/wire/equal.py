"""Hold the codecs against Kafka's own: the same bytes of random values, and the same values of random bytes, most of them spoiled.

    python parity/wire/equal.py [--cases N] [--seed N] [--write] [MESSAGE...]

asks Kafka's classes about 100,000 values and 100,000 byte strings of each message by default. Exit status 1: some case is answered
differently; the first few are printed as JSON. Both refusing counts as equal, and is counted. ``--write`` keeps the counts for docs/explanation/equality.md.
"""

import argparse
import random
import struct
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "scripts"))
from figures import keep, today
from wire.cases import CASES, Case
from wire.java import NEWEST, answers, open_java
from wire.values import spoiled

from kassay.errors import InputError
from kassay.reference.wire import MalformedError
from kassay.reference.wire.schema import MOST_ELEMENTS, MOST_TAGS, varint
from kassay.targets.conversation import Conversation

REFUSED = "refused"
BOTH, DIFFERS, NULL = "both refuse", "differ", "only Kafka takes topic null"
SAID = {
    "consumer": "a member's subscription, by `subscription_of`",
    "leader": "a member's assignment, by `assignment_of`",
    "sticky": "StickyAssignor's user data",
    "sticky assignor": "the same, by `previous_assignment_of`",
    "cooperative": "CooperativeStickyAssignor's",
    "SubscriptionInfoData": "SubscriptionInfo",
    "streams assignment": "AssignmentInfo",
    "connect assignment": "a worker's assignment",
    "connect leader": "the same, by `work_of` and `revoked_of`",
    "connect metadata": "a worker's metadata",
}
"""What the page calls a message that has no name of its own in Kafka."""
CHUNK, SHOWN = 1000, 5
"""How many cases are made at a time, and how many of those that differ are shown of each message and way."""


@dataclass(frozen=True)
class Asked:
    """What Kafka's class is asked, what the codec answers, and the bytes it wrote or read."""

    question: list[Any]
    ours: Any
    data: bytes

    def agrees(self, answer: Any) -> bool:
        """Tell whether Kafka's class answers the same."""
        if isinstance(answer, dict) and REFUSED in answer:
            return bool(self.ours == REFUSED)
        return bool(self.ours == answer)


def writings(name: str, case: Case, rng: random.Random) -> Iterator[Asked]:
    """Write random values, without end."""
    while True:
        version = rng.choice(case.versions)
        value = case.make(rng, version)
        data = b""
        try:
            data = case.write(value, version)
            ours = data.hex()
        except InputError:
            ours = REFUSED
        yield Asked(["write", name, version, case.asked(value)], ours, data)


def readings(name: str, case: Case, rng: random.Random) -> Iterator[Asked]:
    """Read what was written, mostly spoiled, without end."""
    assert case.read is not None
    for written in writings(name, case, rng):
        data = written.data if rng.random() < 0.2 else spoiled(rng, written.data)
        version = rng.choice(case.versions) if rng.random() < 0.1 else written.question[2]
        yield _reading(name, version, data)


def limits() -> Iterator[Asked]:
    """Read as many elements, and tagged fields, as kafka-clients reads since 4.4.0, and one more."""
    for more in (0, 1):
        topics = struct.pack(">hi", 0, MOST_ELEMENTS + more) + bytes(2 * (MOST_ELEMENTS + more) + 4)
        yield _reading("ConsumerProtocolSubscription", 0, topics)
        tags = varint(MOST_TAGS + more) + b"\x05\0" * (MOST_TAGS + more)
        yield _reading("SyncGroupResponseData", 4, bytes(6) + b"\x01" + tags)


def _reading(name: str, version: int, data: bytes) -> Asked:
    return Asked(["read", name, version, data.hex()], _seen(CASES[name], data, version), data)


def _seen(case: Case, data: bytes, version: int) -> Any:
    assert case.read is not None
    try:
        return case.seen(case.read(data, version), version)
    except MalformedError:
        return REFUSED


def held(java: Conversation, asked: Iterator[Asked], count: int) -> Counter[str]:
    """Hold so many cases against Kafka: print some of those that differ, and count all by what came of them."""
    counted: Counter[str] = Counter()
    for start in range(0, count, CHUNK):
        cases = list(islice(asked, min(CHUNK, count - start)))
        for case, answer in zip(cases, answers(java, [case.question for case in cases]), strict=True):
            verdict = _verdict(case, answer)
            counted.update(["cases", verdict])
            if verdict == DIFFERS and counted[DIFFERS] <= SHOWN:
                shown = {"asked": case.question, "kafka": answer, "ours": case.ours}
                print(msgspec.json.encode(shown).decode(), flush=True)
    return counted


def _verdict(case: Asked, answer: Any) -> str:
    if case.agrees(answer):
        return BOTH if case.ours == REFUSED else "equal"
    return NULL if case.ours == REFUSED and names_no_topic(answer) else DIFFERS


def names_no_topic(answer: Any) -> bool:
    """Tell whether an AssignmentInfo has a partition whose topic its dictionary lacks: Kafka takes null, the codec refuses it."""
    if not isinstance(answer, dict):
        return False
    by_host = (answer.get(name, {}) for name in ("partitionsByHost", "standbyPartitionsByHost"))
    return any(None in partitions for hosts in by_host for partitions in hosts.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "patterns", nargs="*", default=["*"], metavar="MESSAGE", help=f"of {', '.join(CASES)}"
    )
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="keep the counts of all messages")
    asked = parser.parse_args(arguments)
    with closing(open_java(NEWEST)) as java:
        counted = held(java, limits(), 4)
    print(f"limits: {dict(counted)}", flush=True)
    total = Counter(counted)
    messages: dict[str, dict[str, int]] = {}
    for name, case in CASES.items():
        if not any(fnmatchcase(name, pattern) for pattern in asked.patterns):
            continue
        row = messages[SAID.get(name, name)] = {}
        with closing(open_java(case.release)) as java:
            for way, words in (
                ((writings, "written"), (readings, "read")) if case.read else ((writings, "written"),)
            ):
                rng = random.Random(f"{name} {way.__name__} {asked.seed}")
                counted = held(java, way(name, case, rng), asked.cases)
                total += counted
                row[f"{words}: {BOTH}"] = counted[BOTH]
                print(f"{name}, {way.__name__}: {dict(counted)}", flush=True)
    if asked.write and len(messages) == len(CASES):
        found = {"cases of each message and way": asked.cases, NULL: total[NULL], DIFFERS: total[DIFFERS]}
        keep("wire-parity", "nox -s parity -- wire --write", today(), {**found, "messages": messages})
    return int(total[DIFFERS] > 0)


if __name__ == "__main__":
    sys.exit(main())
