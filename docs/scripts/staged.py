"""The generated table of docs/results/old-bugs.md: old faults of the group protocol, each with the smallest schedule that shows it."""

import sys
from pathlib import Path

import msgspec

from kassay.families.shape import TextTable
from kassay.protocol.simulation.schedule import Schedule

sys.path.insert(0, str(Path(__file__).parents[2] / "museum"))

import by_schedule


def list_staged_bugs() -> TextTable:
    """Show each fault, who had it, the invariant that it breaks, and the smallest group and schedule."""
    kept = by_schedule.recorded()
    rows = []
    for one in by_schedule.staged([]):
        schedule = msgspec.convert(kept[one.issue]["schedule"], Schedule)
        rows.append(
            [one.issue, one.affected, one.fixed, one.side, one.about, kept[one.issue]["breaks"], by_schedule.said(schedule)]
        )  # fmt: skip
    head = ["issue", "affected", "fixed", "in", "what goes wrong", "breaks", "smallest group and schedule"]
    return TextTable(head, rows)
