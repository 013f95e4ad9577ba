from kassay.reports.sweep.folder import create_run
from kassay.reports.sweep.grid import parse_grid
from kassay.reports.sweep.manifest import TargetSpec

GRID = """
targets = ["consumer/range", "consumer/sticky"]
wave = 40
sample = { laws = 8, rounds = 8, programs = 8 }

[[cells]]
name = "running"
groups = 90
members = "1..5"
racks = "0..2"
claims = { even = 1, newcomers = 1, uneven = 1 }

[[cells]]
name = "changing"
groups = 10
members = ["2..3", "4..6"]
claims = "even"
churn = "0..3"
"""


def run_of(text):
    grid = parse_grid(text)
    return create_run(grid, tuple(TargetSpec(target, ()) for target in grid.targets), "code")
