"""Record what Kafka's own assignors answer, so that tests without Java can hold the references against it.

    python parity/classes/recorder/record.py [--write] [PATTERN...]

asks again for ../answers/*.json, one per behaviour: of each answer a few hex digits of its hash, the same from the
first and the last release that behave so; and in hash_maps.jsonl the orders in which Java iterates over sets of strings,
in priority_queues.jsonl the heaps of its priority queues.
Exit status 1 names a file that would be another one; --write writes it.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from classes.differ.counterparts import COUNTERPARTS, Counterpart, one_identity_hash
from classes.recorder import hash_maps, priority_queues
from classes.recorder.answers import ANSWERS, SEED, Recorded, hash_of_answer, hash_of_groups, kept, number

from kassay.targets import Options
from kassay.targets.java import open_kafka

SCRIPTS = 60


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("patterns", nargs="*", default=["*"], metavar="PATTERN", help="of references")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    one_identity_hash()
    status = 0
    for name, text in _files(options.patterns):
        status |= not kept(ANSWERS / name, text, check=not options.write)
    return status


def _files(patterns: list[str]) -> Iterator[tuple[str, str]]:
    for held in COUNTERPARTS:
        # record_streams.py records what Streams' classes answer
        if held.family != "streams" and any(fnmatchcase(held.name, pattern) for pattern in patterns):
            yield f"{held.file_name}.json", _recorded(held).text()
    scripts = islice(hash_maps.scripts(1), SCRIPTS)
    lines = (
        json.dumps(asdict(one) | {"order": hash_maps.javas_order(one)}, separators=(",", ":"))
        for one in scripts
    )
    yield "hash_maps.jsonl", "".join(f"{line}\n" for line in lines)
    lines = (
        json.dumps(asdict(one) | {"heap": priority_queues.javas_heaps(one)[-1]}, separators=(",", ":"))
        for one in islice(priority_queues.scripts(1), SCRIPTS)
    )
    yield "priority_queues.jsonl", "".join(f"{line}\n" for line in lines)


def _recorded(held: Counterpart) -> Recorded:
    groups = list(islice(held.stream(SEED), number(held.reference, held.kind)))
    every = []
    for one in held.classes:
        with open_kafka(one, one.partition(":")[2], Options(timeout_s=20.0)) as target:
            every.append([hash_of_answer(answer, held.family) for answer in target.answers(groups)])
    if every[0] != every[-1]:
        different = next(
            n for n, pair in enumerate(zip(every[0], every[-1], strict=True)) if len(set(pair)) > 1
        )
        raise SystemExit(f"{' and '.join(held.classes)} differ on group {different} of seed {SEED}")
    return Recorded(held.reference, held.classes, SEED, hash_of_groups(groups, held.family), every[0])


if __name__ == "__main__":
    sys.exit(main())
