"""A sweep and its report, made once for a file; they need the extra `reports`, and so do the tests that ask for them."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def sweep(tmp_path_factory) -> Path:
    """Make the folder of a sweep of sixty groups."""
    from report.sweep_of_loops import write_sweep

    folder = tmp_path_factory.mktemp("sweep")
    write_sweep(folder, 60)
    return folder


@pytest.fixture(scope="session")
def summaries(sweep):
    from kassay.reports.sweep.manifest import read_run
    from kassay.reports.tables.summaries import read_summaries

    return read_summaries(sweep, read_run(sweep))


@pytest.fixture(scope="session")
def written(sweep, summaries, tmp_path_factory):
    """Write the report of the sweep, and return what it says of itself."""
    from report.sweep_of_loops import group_of

    from kassay.reports.page.report import write_report
    from kassay.reports.tables.prices import Assumed

    return write_report(summaries, sweep, tmp_path_factory.mktemp("report"), Assumed(), group_of)


@pytest.fixture(scope="session")
def page(written) -> Path:
    return written.page
