"""The references of all releases answer as Kafka's own classes, to the last list."""

import pytest
from held import HELD, SOURCES, Held, one_identity_hash

from kassay.differential import Comparison, Course, run
from kassay.families import family
from kassay.targets import Options, open_target
from kassay.targets.java.opening import open_kafka

pytestmark = pytest.mark.usefixtures("java")


@pytest.fixture(autouse=True)
def _one_identity_hash(monkeypatch):
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "")  # so that what comes now is taken back
    one_identity_hash()


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("held", HELD, ids=lambda held: held.file_name)
def test_equal_on_a_thousand_groups(held: Held, source: str):
    options = Options(timeout_s=20.0)
    targets = [open_kafka(one, one.partition(":")[2], options) for one in held.classes]
    try:
        course = Course(list(held.classes), held.reference, seed=0)
        comparison = Comparison(targets, open_target(held.reference, options), family("consumer"))
        assert list(run(comparison, course, 1_000, source=SOURCES[source](0))) == []
        assert course.groups >= 1_000
    finally:
        for target in targets:
            target.close()
