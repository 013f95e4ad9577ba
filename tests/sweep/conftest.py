import pytest
from sweep.sweep_runs import GRID, run_of

from kassay.reports.sweep.grid import parse_grid


@pytest.fixture
def grid():
    return parse_grid(GRID)


@pytest.fixture
def run():
    return run_of(GRID)
