"""The cluster and the consumers that the tests share."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:  # pytest reads this file in every run, also where librdkafka is not installed
    from cluster import Cluster
    from java_members import JavaMembers


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("kafka")


@pytest.fixture(scope="session")
def cluster(folder) -> "Iterator[Cluster]":
    from cluster import running
    from story import TOPICS

    with running(folder) as started:
        started.create(TOPICS)
        yield started


@pytest.fixture(scope="session")
def java(cluster, folder) -> "Iterator[JavaMembers]":
    from java_members import java_members

    with java_members(cluster.address, folder / "members.log") as members:
        yield members


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Show what the brokers and the Java consumers logged beside a failure."""
    report = yield
    if report.failed and "folder" in item.funcargs:
        for log in sorted(item.funcargs["folder"].glob("*.log")):
            report.sections.append((log.name, log.read_text(errors="replace")[-3000:]))
    return report
