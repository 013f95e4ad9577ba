"""The newest kafka-clients still break what docs/results/findings.md says they break."""

import findings
import pytest

from kassay.cli import main
from kassay.engine.judge import find_violations
from kassay.families import family
from kassay.targets import Options, open_target

pytestmark = pytest.mark.usefixtures("java")

KAFKA = [one for _, one in findings.load_findings() if one.target.startswith("kafka:")]


@pytest.mark.parametrize("finding", KAFKA, ids=lambda one: f"{one.property} {one.file_name()}")
def test_kafka_breaks_what_it_is_said_to(finding):
    forms = family(finding.family)
    with open_target(finding.target, Options()) as target:
        said = find_violations(forms, finding.property, finding.group, target.assign, target)
    assert [findings.shorten(one) for one in said[:1]] == [
        findings.shorten(one) for one in finding.messages[:1]
    ]


def test_the_public_sticky_assignor_of_tasks_answers_equal_applications_differently(tmp_path, capsys):
    target = "kafka:4.3.1#streams/sticky"
    assert (
        main(["check", target, "--property", "deterministic", "--examples", "200", "-o", str(tmp_path)]) == 1
    )
    assert f"{target} breaks deterministic" in capsys.readouterr().out
