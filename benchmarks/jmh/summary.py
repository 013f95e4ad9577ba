"""What the measured points say together."""

import math
from collections.abc import Iterable, Mapping, Sequence

from jmh.points import NAMES, SERVERS
from jmh.rows import Row

MEAN, WORST = 5.0, 20.0
"""The geometric mean and the worst ratio that the reference may have."""

MOST_PARTITIONS = 100_000
"""The mean counts points up to here, the worst ratio all."""

Table = Mapping[str, Mapping[str, float]]
"""What the name of a point has in it -> what all such points say together."""

WORDS = (*NAMES, *SERVERS, "racks", "no-racks", "homogeneous", "heterogeneous", "full", "incremental")


def missed(rows: Sequence[Row]) -> bool:
    """Say whether a target is missed, or answers differ."""
    ratios, small = _ratios(rows), _ratios(_small(rows))
    differ = any("differ" in row.skipped for row in rows)
    return differ or max(ratios, default=0) > WORST or (bool(small) and _mean(small) > MEAN)


def figures(rows: Sequence[Row], words: Sequence[str] = WORDS, items: str = "partitions") -> dict[str, Table]:
    """Return the tables of points up to MOST_PARTITIONS and of more, with a line for those that have one of some words in their names."""
    small = _small(rows)
    parts = {
        f"up to {MOST_PARTITIONS:,} {items}": small,
        f"more {items}": [row for row in rows if row not in small],
    }
    return {title: _table(some, words) for title, some in parts.items() if some}


def markdown(
    rows: Sequence[Row], version: str, words: Sequence[str] = WORDS, items: str = "partitions"
) -> str:
    """Write the tables, the worst points and those that were skipped."""
    skipped: dict[str, list[str]] = {}
    for row in rows:
        if row.ratio is None:
            skipped.setdefault(row.skipped, []).append(row.point)
    worst = sorted((row for row in rows if row.ratio is not None), key=lambda row: -(row.ratio or 0))[:5]
    head = (
        f"CPU seconds of the reference over those of Kafka {version}'s class, by turns on the same groups:\n"
    )
    parts = [head, *(_written(title, table) for title, table in figures(rows, words, items).items())]
    parts += ["Worst: " + "; ".join(row.said() for row in worst) + ".\n"]
    parts += [f"Skipped: {why}: {', '.join(points)}.\n" for why, points in skipped.items()]
    return "\n".join(parts)


def _small(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.partitions <= MOST_PARTITIONS]


def _ratios(rows: Iterable[Row]) -> list[float]:
    return [row.ratio for row in rows if row.ratio is not None]


def _mean(ratios: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def _table(rows: Sequence[Row], words: Sequence[str]) -> Table:
    table = {}
    for word in ("all", *words):
        some = [row for row in rows if word in ("all", *row.point.split("/"))]
        ratios = _ratios(some)
        if ratios:
            table[word] = {
                "points": len(ratios),
                "skipped": len(some) - len(ratios),
                "geometric mean": round(_mean(ratios), 2),
                "least": round(min(ratios), 2 if min(ratios) >= 0.1 else 4),
                "greatest": round(max(ratios), 2),
            }
    return table


def _written(title: str, table: Table) -> str:
    columns = [*next(iter(table.values()))]
    lines = [
        f"| {title} | {' | '.join(columns)} |",
        f"| --- |{' ---: |' * len(columns)}",
        *(f"| {word} | {' | '.join(map(str, line.values()))} |" for word, line in table.items()),
    ]
    return "\n".join(lines) + "\n"
