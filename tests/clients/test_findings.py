"""Every finding of docs/findings.md is still one, and the page says what the files say."""

import re
from importlib.metadata import version

import findings
import pytest

from kassay.engine.judge import violations
from kassay.families import family
from kassay.targets import Options, open_target

ALL = list(findings.findings())
PYTHON = [(entry, one) for entry, one in ALL if one.target.startswith("python:")]


def test_the_pages_are_fresh():
    known = {path: path.read_text() for path in (findings.PAGE, *findings.OF_LIBRARIES.glob("*.md"))}
    assert known == findings.pages()


def test_the_table_has_every_finding():
    parts = findings.PAGE.read_text().partition("## On the wire")[0].split("\n## ")[1:]
    rows = [
        (part.partition("\n")[0], promise)
        for part in parts
        for promise in re.findall(r"^\| \[.+#\S+\) \| (\w+) \|$", part, re.MULTILINE)
    ]
    listed = [(entry["library"], one.property) for entry, one in ALL]
    assert sorted(rows) == sorted(
        [*listed, (findings.STREAMS_LIBRARY, "deterministic"), (findings.LIBRDKAFKA, "joined_evenly")]
    )


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
    listed = sorted(entry["file"] for entry, _ in ALL)
    assert listed == sorted(path.name for path in findings.FOLDER.glob("*.json"))
    assert {finding.given for _, finding in ALL} == {""}, "groups are found in the repository alone"


@pytest.mark.parametrize(("entry", "finding"), PYTHON, ids=[entry["file"] for entry, _ in PYTHON])
def test_the_newest_python_clients_break_what_they_are_said_to(entry, finding):
    library, _, release = entry["library"].partition(" ")
    if version(library) != release:
        pytest.skip(f"{library} {version(library)} is installed, not {release}")
    forms = family(finding.family)
    with open_target(finding.target, Options()) as target:
        said = violations(forms, finding.property, finding.group, target.assign, target)
    assert said[:1] == finding.messages[:1]
