"""The known defects of the references are those of Kafka's own classes."""

import pytest
from known_defects import defects

from kassay.engine.judge import find_violations
from kassay.families import family
from kassay.targets import Options, open_target
from kassay.targets.java.releases import KAFKA

pytestmark = pytest.mark.usefixtures("java")


@pytest.mark.usefixtures("one_hash")
@pytest.mark.parametrize("name", KAFKA)
def test_kafka_has_them_too(name):
    with open_target(f"kafka:{KAFKA[name].versions()[-1]}#{name}", Options()) as target:
        for defect in defects():
            if defect.assignor == name:
                assert find_violations(
                    family(target.family), defect.property, defect.group, target.assign, target
                ), defect
