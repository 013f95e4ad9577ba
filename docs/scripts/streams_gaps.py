"""How far answers of streams assignors are from the optimum, and how many are left out: a part of grids/streams-million.toml.

    python docs/scripts/streams_gaps.py 100
    python docs/scripts/streams_gaps.py 20 racks

takes the first of each cell, one of 100 as here, or of some cells; they are groups of the whole sweep. Left out are answers without a gap: those that ask for a
probing rebalance, have warm-ups, or lack a standby.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kassay.families import family
from kassay.families.shape import TextTable
from kassay.oracles.answers import Gap
from kassay.oracles.tasks.optima import compute_optima
from kassay.output.block import Block
from kassay.output.formats import write_markdown
from kassay.reports.sweep.grid import read_grid
from kassay.reports.sweep.manifest import draw_timeline, seed_of
from kassay.targets import Options, open_target

GRID = Path(__file__).parents[2] / "grids" / "streams-million.toml"
HEAD = [
    "compared", "answers", "left out", "at the optimum", "below it, less even", "sum of all values", "of all optima", "more",
]  # fmt: skip


@dataclass
class Sums:
    """The sums of the answers in one row."""

    answers: int = 0
    compared: int = 0
    best: int = 0
    below: int = 0
    value: int = 0
    optimum: int = 0

    def add(self, gap: Gap | None) -> None:
        """Add an answer, which has no gap where it is left out."""
        self.answers += 1
        if gap is not None:
            self.compared += 1
            self.best += gap.over == 0
            self.below += gap.over < 0
            self.value += gap.value
            self.optimum += gap.optimum

    def compute_row(self, title: str) -> list[str]:
        """Return the row of a table."""
        of = max(1, self.compared)
        more = f"{100 * self.value / self.optimum - 100:+.0f} %" if self.optimum else "none"
        return [
            title, f"{self.answers:,}", f"{100 * (1 - self.compared / max(1, self.answers)):.0f} %", f"{100 * self.best / of:.1f} %",
            f"{100 * self.below / of:.1f} %", f"{self.value:,}", f"{self.optimum:,}", more,
        ]  # fmt: skip


def find_rows(cell: str, application: Any) -> Iterator[tuple[str, str]]:
    """Yield the levels that an application's answers are compared in, and in which row."""
    yield "moves", "moves"
    if cell == "racks":
        settings = application.settings
        kept = "with standbys" if settings.num_standby_replicas else "no standbys"
        yield "joint", f"joint traffic, racks, {settings.rack_aware_assignment_strategy}, {kept}"


def build_table(every: int, *names: str) -> TextTable:
    """Return the table for every `every`-th group of each cell, or of the named cells."""
    grid = read_grid(GRID)
    of_family, sums = family("streams"), dict[str, Sums]()
    for name in grid.targets:
        target = open_target(name, Options())
        for cell in (cell for cell in grid.cells if not names or cell.name in names):
            for number in range(-(-cell.groups // every)):
                timeline = draw_timeline(of_family, cell, seed_of(grid.seeds[0], cell, number))
                for application in of_family.shape.play(target.assign, timeline):
                    gaps = {
                        gap.level: gap for gap in compute_optima(application).gaps(target.assign(application))
                    }
                    for level, row in find_rows(cell.name, application):
                        title = f"{name.removeprefix('streams/')}, {row}"
                        sums.setdefault(title, Sums()).add(gaps.get(level))
    return TextTable(HEAD, [each.compute_row(title) for title, each in sorted(sums.items())])


if __name__ == "__main__":
    write_markdown([Block(grid=build_table(int(sys.argv[1]), *sys.argv[2:]))], sys.stdout)
