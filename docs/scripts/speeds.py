"""The first table of docs/results/speed.md, of the records that benchmarks/side_by_side.py and benchmarks/tasks_and_workers.py keep."""

from figures import record

MEASURED = (
    ("[of clients](#assignors-of-clients)", "speed-clients", "up to 100,000 partitions"),
    ("[of broker and share groups](#server-side-assignors)", "speed-servers", "up to 100,000 partitions"),
    ("[of streams groups](#streams-groups-and-connect)", "speed-tasks", "streams-group, up to 100,000 tasks"),
    ("[of Connect](#streams-groups-and-connect)", "speed-tasks", "connect, up to 100,000 tasks"),
)
"""Reference assignors, the record and the table that all points of theirs are in."""


def write_speeds() -> str:
    """Return the table of ratios of all references to Kafka's classes."""
    lines = [
        "| reference assignors | measured points | geometric mean | greatest |",
        "| --- | --- | ---: | ---: |",
    ]
    for of, name, table in MEASURED:
        line = record(name).figures[table]["all"]
        points = (
            f"{line['points']:,} of {line['points'] + line['skipped']:,}"
            if line["skipped"]
            else f"all {line['points']:,}"
        )
        lines.append(f"| {of} | {points} | {line['geometric mean']:.2f} | {line['greatest']:.2f} |")
    return "\n".join([*lines, ""])
