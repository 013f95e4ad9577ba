"""The known defects of the references are those of Kafka's own classes."""

import pytest
from classes.differ.counterparts import one_identity_hash
from known_defects import defects

from kassay.engine.judge import violations
from kassay.families import family
from kassay.targets import Options, open_target
from kassay.targets.java.releases import KAFKA

pytestmark = pytest.mark.usefixtures("java")


@pytest.fixture
def _one_identity_hash(monkeypatch):
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "")  # so that what comes now is taken back
    one_identity_hash()


@pytest.mark.usefixtures("_one_identity_hash")
@pytest.mark.parametrize("name", KAFKA)
def test_kafka_has_them_too(name):
    with open_target(f"kafka:{KAFKA[name].versions()[-1]}#{name}", Options()) as target:
        for defect in defects():
            if defect.assignor == name:
                assert violations(
                    family(target.family), defect.property, defect.group, target.assign, target
                ), defect
