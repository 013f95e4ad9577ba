"""A sweep and its report, made once for a file; they need the extra `reports`, and so do the tests that ask for them."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from whole import WHOLE

GROUPS = 60


@pytest.fixture(scope="session", autouse=True)
def _small_pictures():
    """Save PNG files with few points, which takes a third of a report's time; `nox -s whole` draws them as large as they are."""
    if WHOLE or find_spec("matplotlib") is None:
        return
    from kassay.reports.figures import style

    style.DPI = 30


@pytest.fixture(scope="session")
def all_rows():
    """Return the rows of a sweep of sixty groups."""
    from reports.sweep_of_loops import rows_of, run_of

    return tuple(rows_of(run_of(GROUPS)))


@pytest.fixture(scope="session")
def sweep(all_rows, tmp_path_factory) -> Path:
    """Make the folder of this sweep."""
    from reports.sweep_of_loops import write_sweep

    folder = tmp_path_factory.mktemp("sweep")
    write_sweep(folder, GROUPS, rows=list(all_rows))
    return folder


@pytest.fixture(scope="session")
def summaries(sweep):
    from kassay.reports.sweep.manifest import read_run
    from kassay.reports.tables.table import read_summaries

    return read_summaries(sweep, read_run(sweep))


@pytest.fixture(scope="session")
def written(sweep, summaries, tmp_path_factory):
    """Write the report of the sweep, and return what it says of itself."""
    from reports.sweep_of_loops import group_of

    from kassay.reports.page.report import write_report
    from kassay.reports.tables.gaps import Assumed

    return write_report(summaries, sweep, tmp_path_factory.mktemp("report"), Assumed(), group_of)


@pytest.fixture(scope="session")
def page(written) -> Path:
    return written.page


@pytest.fixture
def copy(sweep, tmp_path) -> Path:
    """Copy the folder of this sweep, to be changed."""
    return shutil.copytree(sweep, tmp_path / "sweep")
