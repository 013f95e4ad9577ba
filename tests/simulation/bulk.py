"""Simulate very many schedules on Spark, and count what breaks beyond what is known.

``python tests/simulation/bulk.py [--schedules 1000000] [--rounds 5] [--done 0] [--seed 0] [--write]``

``--write`` keeps the counts for docs/reference/simulation.md. All settings below have the same number of schedules, and each is a task of each round. The
counts are printed after each round, so a stopped run goes on with ``--done ROUNDS``. The exit status is 1 if there is a new violation; then the
first schedule of each is printed as JSON.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
from pyspark.sql import Row

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "scripts"))

from figures import keep, today

from kassay.families.assignors import ASSIGNORS
from kassay.oracles.gc_paused import pause_gc
from kassay.protocol.simulation.campaign import Runner, draw_schedule, list_fitting_faults, run_campaign
from kassay.protocol.simulation.schedule import Schedule, Setting
from kassay.protocol.simulation.steps import make_machines
from kassay.reports.sweep.spark.session import open_session

SETTINGS = [
    Setting(use, coordinator, members, partitions, cooperative=cooperative)
    for coordinator in ("proposal", "unpersisted", "kafka@4.4.0")
    for members, partitions in ((2, (2,)), (3, (2, 2)))
    for use, cooperative in (
        ("consumer", False), ("consumer", True), ("streams", False), ("connect", False), ("single-writer", False),
    )
] + [
    Setting(coordinator="kafka@4.4.0", static=True),
    Setting(coordinator="kafka@4.4.0", members=3, partitions=(2, 2), cooperative=True, static=True),
]  # fmt: skip
ROWS = pa.schema(
    [
        ("setting", pa.int32()),
        ("invariant", pa.string()),
        ("known", pa.string()),
        ("count", pa.int64()),
        ("first", pa.binary()),
    ]
)


def run_many(place: int, seed: int, numbers: range) -> Iterator[dict[str, object]]:
    """Run the schedules of these numbers; yield a row for each breach and one, without invariant, for all that ran."""
    setting = SETTINGS[place]
    runner = Runner(
        lambda one: make_machines(
            one, ASSIGNORS["consumer/cooperative-sticky" if one.cooperative else "consumer/range"].assign
        )
    )
    kinds = list_fitting_faults(setting, None)
    with pause_gc():
        done, whole = run_campaign(
            runner.run, ((n, draw_schedule(setting, kinds, seed, n)) for n in numbers), lambda _: None
        )
    assert whole
    yield {"setting": place, "invariant": "", "known": "", "count": done.ran, "first": b""}
    for (name, known), count in done.broken.items():
        first: Schedule = done.first[name, known][1]
        yield {
            "setting": place, "invariant": name, "known": "+".join(known), "count": count, "first": msgspec.json.encode(first),
        }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--done", type=int, default=0, help="rounds that are not run again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--write", action="store_true", help="keep the counts for docs/reference/simulation.md"
    )
    args = parser.parse_args()
    if args.write and args.done:
        parser.error("--write keeps what a whole run counts: leave out --done")
    tasks, done = args.rounds * len(SETTINGS), args.done * len(SETTINGS)
    each, seed = -(-args.schedules // tasks), args.seed

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                numbers = range(number * each, (number + 1) * each)
                rows = list(run_many(number % len(SETTINGS), seed, numbers))
                yield pa.RecordBatch.from_pylist(rows, ROWS)

    fields = "setting int, invariant string, known string, count bigint, first binary"
    rows, start, unknown, ran, took = [], time.monotonic(), [], 0, 0.0
    with open_session() as spark:
        for number in range(done, tasks, len(SETTINGS)):
            numbers = spark.range(number, number + len(SETTINGS), 1, len(SETTINGS))
            came = numbers.mapInArrow(task, fields).collect()
            rows += came
            took = time.monotonic() - start
            ran = sum(row["count"] for row in rows if not row["invariant"])
            print(f"{ran:,} schedules in {took:,.0f} s: {ran / took:,.0f} a second", flush=True)
            for row in came:
                if row["invariant"] and not row["known"]:
                    unknown.append(row)
                    print(row["invariant"], bytes(row["first"]).decode(), flush=True)
            print(" ", count_breaches(rows), flush=True)
    for place, setting in enumerate(SETTINGS):
        print(setting, count_breaches([row for row in rows if row["setting"] == place]))
    if args.write:
        command = f"python tests/simulation/bulk.py --schedules {args.schedules} --rounds {args.rounds} --seed {args.seed} --write"
        breaches = {
            said: {"breaches": count}
            for said, count in sorted(count_breaches(rows).items(), key=lambda one: -one[1])
        }
        keep(
            "million-schedules",
            command,
            today(),
            {"schedules": ran, "settings": len(SETTINGS), "known to break": breaches},
        )
    return 1 if unknown or ran < each * (tasks - done) else 0


def count_breaches(rows: list[Row]) -> dict[str, int]:
    """Count the breaches by invariant and known defect."""
    counts: dict[str, int] = {}
    for row in rows:
        if row["invariant"]:
            said = f"{row['invariant']} in {row['known'] or 'UNKNOWN'}"
            counts[said] = counts.get(said, 0) + row["count"]
    return dict(sorted(counts.items()))


if __name__ == "__main__":
    raise SystemExit(main())
