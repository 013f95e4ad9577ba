"""What was measured of each point, and the file that keeps it."""

import csv as csv_of_python
import io
from collections.abc import Iterable
from pathlib import Path

import msgspec


class Row(msgspec.Struct, frozen=True):
    """What a point took: CPU seconds of a run, medians over the turns, and the median of the turns' ratios.

    A point that was not measured has None there and says in `skipped` why.
    """

    point: str
    partitions: int
    java_s: float | None = None
    ours_s: float | None = None
    ratio: float | None = None
    skipped: str = ""

    def said(self) -> str:
        """Say it in a line."""
        if self.java_s is None or self.ours_s is None:
            return f"{self.point}: skipped, {self.skipped}"
        return (
            f"{self.point}: {self.java_s * 1000:.3g} ms, {self.ours_s * 1000:.3g} ms, ratio {self.ratio:.2f}"
        )


def read(file: Path) -> list[Row]:
    """Return the rows of a file, none where there is no file yet; a line cut off in writing does not count."""
    if not file.exists():
        return []
    lines = file.read_bytes().splitlines(keepends=True)
    return [msgspec.json.decode(line, type=Row) for line in lines if line.endswith(b"\n")]


def append(file: Path, row: Row) -> None:
    """Add a row."""
    with file.open("ab") as out:
        out.write(msgspec.json.encode(row) + b"\n")


def csv(rows: Iterable[Row]) -> str:
    """Write rows as CSV, with a column for each part of the point's name."""
    out = io.StringIO()
    table = csv_of_python.writer(out, lineterminator="\n")
    kind = ["assignor", "members", "partitions per member", "topics", "racks", "subscriptions", "assignment"]
    table.writerow([*kind, "partitions", "java s", "reference s", "ratio", "skipped"])
    for row in rows:
        assignor, size, topics, *kind = row.point.split("/")
        measured = [row.partitions, row.java_s, row.ours_s, row.ratio, row.skipped]
        table.writerow([assignor, *size.split("x"), topics, *kind, *measured])
    return out.getvalue()
