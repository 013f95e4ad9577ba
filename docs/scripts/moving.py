"""The part of docs/results/kip-848.md on groups that move from the classic protocol to KIP-848: a sweep, and its changes."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kassay.families.shape import TextTable
from kassay.output import Block
from kassay.reports.comparison.gates import compare_migrations
from kassay.reports.page.tables import build_moving_tables
from kassay.reports.sweep.manifest import read_run

GRID = Path(__file__).parents[2] / "grids" / "families.toml"


def build_blocks() -> Iterator[Block]:
    """Sweep the grid, and yield a table for each assignor that a group may have now."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "families"
        subprocess.run([sys.executable, "-m", "kassay", "sweep", str(GRID), "-o", str(folder)], check=True)
        run = read_run(folder)
        found = build_moving_tables(compare_migrations(folder, run), {name: name for name in run.names})
    for table in (table for one in found for table in one.tables):
        rows = [
            [says, of, *(f"{each.means}: {each.says}" for each in changes)]
            for says, of, changes in table.rows
        ]
        columns = ["what", "of", *(f"to {name}" for name in table.to)]
        yield Block(f"From {table.label}", grid=TextTable(columns, rows))
