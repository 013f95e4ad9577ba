"""Every finding is still one, and findings.toml, docs/results/findings.md, README and the files agree."""

from importlib.metadata import version

import findings
import pytest
from bug_records import FINDINGS, read_bugs

from kassay.engine.judge import find_violations
from kassay.families import family
from kassay.targets import Options, open_target

ALL = list(findings.load_findings())
PYTHON = [(entry, one) for entry, one in ALL if one.target.startswith("python:")]


def test_page_readme_and_files_agree_with_the_list():
    stale = [path.name for path, text in findings.write_views().items() if path.read_text() != text]
    assert not stale, f"run `{findings.COMMAND}`"
    titles = {entry.file: entry.title for entry, _ in ALL}
    assert {entry.file: one.title.removesuffix(".") for entry, one in ALL} == titles


def test_the_page_has_every_finding_with_its_fields():
    text = findings.PAGE.read_text()
    entries = [entry for kind in read_bugs(FINDINGS).values() for entry in kind]
    assert text.count("\n### ") == len(entries) > 80
    for entry in entries:
        assert f". {entry.title}\n" in text


def test_user_data_of_kafka_python_begin_with_a_version():
    metadata = pytest.importorskip("kafka.protocol.consumer.metadata")
    sticky = pytest.importorskip("kafka.coordinator.assignors.sticky.sticky_assignor")
    joining = sticky.StickyPartitionAssignor()
    last = metadata.ConsumerProtocolAssignment(0, [("t", [0])], b"")
    joining.on_assignment(metadata.ConsumerProtocolAssignment.decode(last.encode()), 7)
    claims = joining.metadata(["t"]).user_data.encode()
    one_topic = b"\0\0\0\1" + b"\0\1t" + b"\0\0\0\1" + b"\0\0\0\0"  # StickyAssignor's schema begins with this
    assert claims == b"\0\1" + one_topic + b"\0\0\0\7"


def test_every_file_is_listed_once():
    listed = sorted(entry.file for entry, _ in ALL)
    assert listed == sorted(path.name for path in findings.FOLDER.glob("*.json"))
    assert {finding.given for _, finding in ALL} == {""}, "groups are found in the repository alone"


@pytest.mark.parametrize(("entry", "finding"), PYTHON, ids=[entry.file for entry, _ in PYTHON])
def test_the_newest_python_clients_break_what_they_are_said_to(entry, finding):
    library, _, release = entry.library.partition(" ")
    if version(library) != release:
        pytest.skip(f"{library} {version(library)} is installed, not {release}")
    forms = family(finding.family)
    with open_target(finding.target, Options()) as target:
        said = find_violations(forms, finding.property, finding.group, target.assign, target)
    assert said[:1] == finding.messages[:1]
