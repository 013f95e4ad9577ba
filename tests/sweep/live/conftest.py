import pytest
from sweep.sweep_process import GRID


@pytest.fixture(scope="session")
def grid(tmp_path_factory):
    """The grid file of sweeps that run as whole processes."""
    path = tmp_path_factory.mktemp("grid") / "grid.toml"
    path.write_text(GRID)
    return path
