from pathlib import Path

import pytest
from report.sweep_of_loops import group_of, write_sweep

from kassay.reports.page.report import write_report
from kassay.reports.sweep.run import read_run
from kassay.reports.tables.prices import Assumed
from kassay.reports.tables.summaries import read_summaries


@pytest.fixture(scope="session")
def sweep(tmp_path_factory) -> Path:
    """Make the folder of a sweep of sixty groups."""
    folder = tmp_path_factory.mktemp("sweep")
    write_sweep(folder, 60)
    return folder


@pytest.fixture(scope="session")
def summaries(sweep):
    return read_summaries(sweep, read_run(sweep))


@pytest.fixture(scope="session")
def page(summaries, tmp_path_factory) -> Path:
    """Write the report of the sweep and name its page."""
    return write_report(summaries, tmp_path_factory.mktemp("report"), Assumed(), group_of).page
