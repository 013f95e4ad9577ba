"""The reports for Kafka's developers: each finding of Kafka's classes has one, and the page shows the files that were verified."""

import re

import pytest
from upstream.patches import FILE_IN_PATCH, HERE, MEASURED, MODULES, Report, read_reports
from upstream_reports import VIEWS, list_covered, read_own_bugs

from kassay.families.assignors import ASSIGNORS
from kassay.protocol.simulation.known_defects import DEFECTS, KAFKA
from kassay.targets.java.releases import KAFKA as CLASSES

PAGES = HERE.parents[1] / "docs" / "upstream"
REPORTS = read_reports()
OWN = ("kafka-clients ", "kafka-streams ", "kafka-group-coordinator ", "connect-runtime ")


@pytest.mark.parametrize("part", VIEWS)
def test_the_pages_are_made_of_the_files(part):
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES.glob("*.md"))
    shown = re.search(rf"<!-- generated: {part} -->\n(.*?)<!-- end -->", text, re.DOTALL)
    assert shown, part
    assert shown[1] == VIEWS[part](), f"run `python docs/scripts/generate.py {part} --write`"


def test_each_finding_of_kafka_s_classes_is_covered_once():
    own = {name for name, bug in read_own_bugs().items() if bug.library.startswith(OWN)}
    assert list_covered() == own
    named = [name for report in REPORTS for name in report.facts["findings"]]
    assert len(named) == len(set(named))


def test_each_known_defect_of_the_newest_coordinator_is_covered():
    named = {name for report in REPORTS for name in report.facts.get("known", ())}
    newest = {one.name for one in DEFECTS if KAFKA[-1] in one.coordinators}
    assert named == newest


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_a_report_has_a_measured_patch_or_the_reason_for_none(report):
    facts = report.facts
    assert facts["assignors"] == [name for name in facts["assignors"] if name in ASSIGNORS]
    assert bool(report.patch) == ("risk" in facts) != ("no_patch" in facts)
    measured = report.measured
    tests = report.test.read_text(encoding="utf-8").count("@Test") if report.test else 0
    assert measured.get("tests", 0) == tests
    if not report.patch:
        return
    assert tests
    assert {*measured["compared"]} == {*facts["assignors"]}
    assert all(one["worse"] == 0 for one in measured["compared"].values())
    module = MODULES[CLASSES[facts["assignors"][0]].artifact]
    assert all(
        file.startswith(f"{module}/src/main/java/")
        for file in FILE_IN_PATCH.findall(report.patch.read_text())
    )


def test_the_numbers_of_the_reports_are_their_order():
    assert [report.facts["number"] for report in REPORTS] == [*range(1, len(REPORTS) + 1)]


def test_the_proposed_change_moves_no_more_and_dominates_less():
    rows = Report(HERE / "kip-topic-balance").measured["rows"]
    assert rows, MEASURED
    for row in rows:
        assert row["proposed"]["moves"] == row["released"]["moves"]
        assert row["proposed"]["dominated"] <= row["released"]["dominated"]
