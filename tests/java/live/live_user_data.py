"""The references read user data as Kafka's own classes do, well written or not."""

import itertools
import sys
from pathlib import Path

import pytest
from held import one_identity_hash

from kassay.comparison.differential import Comparison, Course, run
from kassay.families import family
from kassay.targets import Options, open_target

sys.path.insert(0, str(Path(__file__).parents[2] / "kafka"))
import random_user_data

pytestmark = pytest.mark.usefixtures("java")


@pytest.mark.parametrize("release", ["3.4.1", "3.5.1", "3.7.0", "4.4.0"])
@pytest.mark.parametrize("name", ["consumer/sticky", "consumer/cooperative-sticky"])
def test_equal_on_three_thousand_groups(name: str, release: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "")  # so that what comes now is taken back
    one_identity_hash()
    options = Options(timeout_s=20.0)
    target = open_target(f"kafka:{release}#{name}", options)
    try:
        comparison = Comparison([target], open_target(f"{name}@{release}", options), family("consumer"))
        course = Course([target.name], f"{name}@{release}", seed=0)

        def chunk(_family: object, _assign: object, number: int) -> list[object]:
            return list(itertools.islice(random_user_data.groups(number), 1_000))

        assert list(run(comparison, course, 3_000, source=chunk)) == []
        assert course.groups >= 3_000 - course.declined
    finally:
        target.close()
