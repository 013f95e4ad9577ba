"""The guard of growth: a row of a benchmark must not grow faster with its size than its record does.

``python benchmarks/guard.py [BENCHMARK...]``; Linux. A row is a name and a size, such as ``optimum moves, 10,000 x 100``. Rows with one name are a
curve, and a curve needs three sizes. Its exponent is the slope of log CPU seconds over log size, by least squares. The guard runs
the command of each record. An exponent may be 0.15 above the exponent of the record. If one is higher, the guard measures again and takes
the least time of each row, because the machine may have been busy. Exit status 1: a curve grows faster, or is missing.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import FOLDER, record

GUARDED = {
    "checking": "checking-speed",
    "end_to_end": "end-to-end",
    "large": "large-speed",
    "readme": "readme-speed",
}
"""Benchmark -> its record."""
TOLERANCE = 0.15
"""The most by which an exponent may be above the exponent of the record."""
LEAST_SIZES = 3
TIME = "CPU seconds"
"""The first words of each column that is a time."""
ROW = re.compile(r"(?P<name>.*), (?P<size>\d[\d,]*)(?: x [\d,]+)*")

Curves: TypeAlias = dict[str, dict[int, float]]
"""Name of a curve -> size -> CPU seconds."""


def read_curves(figures: Mapping[str, Any]) -> Curves:
    """Return the curves in the figures of a record that have enough sizes."""
    curves: Curves = {}
    for table, rows in figures.items():
        for row, columns in rows.items():
            found = ROW.fullmatch(row)
            for column, value in columns.items() if found else ():
                if column.startswith(TIME) and not isinstance(value, str):
                    name = f"{table}: {found['name']}, {column}"
                    curves.setdefault(name, {})[int(found["size"].replace(",", ""))] = value
    return {name: curve for name, curve in curves.items() if len(curve) >= LEAST_SIZES}


def compute_exponent(curve: Mapping[int, float]) -> float:
    """Return the slope of log time over log size, by least squares."""
    points = [(math.log(size), math.log(seconds)) for size, seconds in curve.items()]
    middle, height = (sum(column) / len(points) for column in zip(*points, strict=True))
    over = sum((x - middle) * (y - height) for x, y in points)
    return over / sum((x - middle) ** 2 for x, _ in points)


def list_faster_growth(known: Curves, measured: Curves) -> Iterator[str]:
    """Yield a sentence for each curve of the record that grows faster now, or that was not measured at its sizes."""
    for name, curve in known.items():
        now = {size: measured.get(name, {}).get(size, 0.0) for size in curve}
        missing = [f"{size:,}" for size, seconds in now.items() if seconds <= 0]
        if missing:
            yield f"{name}: was not measured at {', '.join(missing)}. Write the record of the benchmark again."
            continue
        before, after = compute_exponent(curve), compute_exponent(now)
        if after > before + TOLERANCE:
            yield f"{name}: grows as n^{after:.2f}; its record grows as n^{before:.2f}. Find what is no longer linear."


def take_least(one: Curves, other: Curves) -> Curves:
    """Return the least time of each row of two measurements."""
    return {
        name: {size: min(seconds, other.get(name, {}).get(size, seconds)) for size, seconds in curve.items()}
        for name, curve in one.items()
    }


def measure(benchmark: str) -> Curves:
    """Run the command of a record with another folder for its figures; a limit that it misses is no matter of growth."""
    _, *words = record(GUARDED[benchmark]).command.split()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, *words],
            cwd=Path(__file__).parents[1],
            env=os.environ | {FOLDER: folder},
            check=False,
        )
        kept = Path(folder) / f"{GUARDED[benchmark]}.json"
        if not kept.exists():
            raise SystemExit(f"benchmarks/{benchmark}.py: wrote no figures. Run it to see why.")
        return read_curves(json.loads(kept.read_text())["figures"])


def main() -> int:
    """Measure the benchmarks, and print each curve that grows faster."""
    chosen = sys.argv[1:] or [*GUARDED]
    if unknown := [name for name in chosen if name not in GUARDED]:
        raise SystemExit(f"{unknown[0]}: is no guarded benchmark. Name one of {', '.join(GUARDED)}.")
    faster: list[str] = []
    for benchmark in chosen:
        known = read_curves(record(GUARDED[benchmark]).figures)
        if not known:
            raise SystemExit(
                f"{GUARDED[benchmark]}.json: has no curve of {LEAST_SIZES} sizes. Write it again."
            )
        measured = measure(benchmark)
        if [*list_faster_growth(known, measured)]:
            measured = take_least(measured, measure(benchmark))
        faster += list_faster_growth(known, measured)
        print(f"{benchmark}: {len(known)} curves", flush=True)
    for sentence in faster:
        print(sentence)
    return int(bool(faster))


if __name__ == "__main__":
    sys.exit(main())
