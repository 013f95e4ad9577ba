"""The references answer as Kafka's own classes, the newest and the oldest that behave alike, to the last list."""

import pytest
from held import PAIRS, SOURCES

from kassay.differential import Course, Pair, run
from kassay.families import family
from kassay.targets import Options, open_target
from kassay.targets.java.opening import open_kafka

pytestmark = pytest.mark.usefixtures("java")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("java", "reference"), PAIRS)
def test_equal_on_thousands_of_groups(java, reference, source):
    options = Options(timeout_s=20.0)
    with open_kafka(java, java.partition(":")[2], options) as one, open_target(reference, options) as other:
        course = Course(java, reference, seed=0)
        pair = Pair(one, other, family("consumer"))
        assert list(run(pair, course, 3_000, source=SOURCES[source](0))) == []
        assert course.groups >= 3_000
