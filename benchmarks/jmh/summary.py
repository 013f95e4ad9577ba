"""What the measured points say together."""

import math
from collections.abc import Iterable, Sequence

from jmh.points import NAMES, SERVERS
from jmh.rows import Row

MEAN, WORST = 5.0, 20.0
"""The geometric mean and the worst ratio that the reference may have."""

MOST_PARTITIONS = 100_000
"""The mean counts points up to here, the worst ratio all."""

WORDS = (*NAMES, *SERVERS, "racks", "no-racks", "homogeneous", "heterogeneous", "full", "incremental")


def missed(rows: Sequence[Row]) -> bool:
    """Say whether a target is missed, or answers differ."""
    ratios, small = _ratios(rows), _ratios(_small(rows))
    differ = any("differ" in row.skipped for row in rows)
    return differ or max(ratios, default=0) > WORST or (bool(small) and _mean(small) > MEAN)


def markdown(
    rows: Sequence[Row], version: str, words: Sequence[str] = WORDS, items: str = "partitions"
) -> str:
    """Write the summary, with a line for the points that have one of some words in their names."""
    small = _small(rows)
    skipped: dict[str, list[str]] = {}
    for row in rows:
        if row.ratio is None:
            skipped.setdefault(row.skipped, []).append(row.point)
    worst = sorted((row for row in rows if row.ratio is not None), key=lambda row: -(row.ratio or 0))[:5]
    head = (
        f"CPU seconds of the reference over those of Kafka {version}'s class, by turns on the same groups:\n"
    )
    parts = [
        head,
        _table(f"up to {MOST_PARTITIONS:,} {items}", small, words),
        _table("more", [row for row in rows if row not in small], words),
        "Worst: " + "; ".join(row.said() for row in worst) + ".\n",
    ]
    parts += [f"Skipped: {why}: {', '.join(points)}.\n" for why, points in skipped.items()]
    return "\n".join(filter(None, parts))


def _small(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.partitions <= MOST_PARTITIONS]


def _ratios(rows: Iterable[Row]) -> list[float]:
    return [row.ratio for row in rows if row.ratio is not None]


def _mean(ratios: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def _table(title: str, rows: Sequence[Row], words: Sequence[str]) -> str:
    if not rows:
        return ""
    lines = [
        f"| {title} | points | skipped | geometric mean | least | greatest |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for word in ("all", *words):
        some = [row for row in rows if word in ("all", *row.point.split("/"))]
        ratios = _ratios(some)
        if ratios:
            figures = f"{_mean(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f}"
            lines.append(f"| {word} | {len(ratios)} | {len(some) - len(ratios)} | {figures} |")
    return "\n".join(lines) + "\n"
