"""Make fixtures/wire.json of the recorded vectors: bytes that Kafka's classes wrote or read, and what they say.

    python parity/wire/fixtures.py [--write]

Without ``--write`` it only checks that the file is fresh. Chosen are the messages whose fields have names, of each version what is written and read to the
same value, and what Kafka refuses to read; each once, and none of more than MOST bytes. What is chosen is read again by kassay's own codec.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from wire.cases import CASES
from wire.record import VECTORS

from kassay.conformance.fixtures import VERSION
from kassay.errors import InputError
from kassay.reference.wire import MalformedError

FILE = Path(__file__).parents[2] / "fixtures" / "wire.json"
MOST = 200
MESSAGES = (
    "ConsumerProtocolSubscription", "ConsumerProtocolAssignment", "JoinGroupRequestData", "JoinGroupResponseData",
    "SyncGroupRequestData", "SyncGroupResponseData", "SubscriptionInfoData",
)  # fmt: skip


def read(message: str, version: int, data: bytes) -> Any:
    """Read bytes with kassay's codec, as JSON; None where it refuses them."""
    case = CASES[message]
    assert case.read is not None
    try:
        return json.loads(json.dumps(case.seen(case.read(data, version), version)))
    except (MalformedError, InputError):
        return None


def cases() -> Iterator[dict[str, Any]]:
    """Yield the chosen vectors."""
    number = 0
    for message in MESSAGES:
        recorded = json.loads((VECTORS / f"{message}.json").read_text())
        seen: set[tuple[int, str]] = set()
        for way in ("written", "read"):
            for each in recorded[way]:
                if each["bytes"] is None:
                    continue  # a value that Kafka refuses to write
                key = each["version"], each["bytes"]
                value = each["value"]
                kept = read(message, each["version"], bytes.fromhex(each["bytes"])) == value
                if key in seen or len(each["bytes"]) > 2 * MOST or not kept:
                    continue
                seen.add(key)
                number += 1
                yield {
                    "id": f"wire-{number:04}", "message": message.removesuffix("Data"), "version": each["version"], "bytes": each["bytes"],
                    "value": value, "written": way == "written", "source": recorded["source"],
                }  # fmt: skip


def text() -> str:
    """Write the file, a case a line."""
    every = list(cases())
    head = json.dumps({"format": 1, "version": VERSION, "count": len(every)})
    return f'{head[:-1]}, "cases": [\n' + ",\n".join(map(json.dumps, every)) + "\n]}\n"


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the file, not only check it")
    fresh = text()
    if parser.parse_args().write:
        FILE.write_text(fresh)
        return 0
    stale = not FILE.exists() or FILE.read_text() != fresh
    print(f"{FILE}: {'is stale; run with --write' if stale else 'is fresh'}")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
