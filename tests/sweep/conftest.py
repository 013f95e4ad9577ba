import pytest
from sweep.sweep_runs import GRID, run_of

from kassay.reports.sweep.grid import grid_of


@pytest.fixture
def grid():
    return grid_of(GRID)


@pytest.fixture
def run():
    return run_of(GRID)
