"""Findings as tests in other languages: what is asserted, what is refused, and names that no language may misread."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.cli import main
from kassay.engine.finding import Finding, load_finding
from kassay.exported_tests import LANGUAGES, go, java, javascript, rust
from kassay.exported_tests.evidence import collect_evidence
from kassay.exported_tests.layout import Job, show
from kassay.families import family
from kassay.model import Group, Member, Topic
from kassay.targets import Options, open_target

FINDINGS = Path(__file__).parents[2] / "examples" / "findings"
ODD = 'a"b\\u0041\\$x`${y}\n\té \u202e🦀'
LOSES = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "kassay" in request:
        print('{"assignors": [{"name": "lo\\\\"st", "family": "consumer"}], "language": "python", "version": "1"}')
    else:
        given = {one["id"]: [] for one in request["group"]["members"]}
        print(json.dumps({"seq": request["seq"], "assignment": given}))
    sys.stdout.flush()
"""
"""A program that assigns nothing."""


@pytest.fixture
def job(tmp_path):
    """The finding of a program that loses all partitions of a topic with an odd name."""
    program = tmp_path / "loses.py"
    program.write_text(LOSES)
    target = f"exec:{sys.executable} {program}"
    group = Group((Topic(ODD, 2),), (Member(ODD, (ODD,)), Member("m1", (ODD,))))
    finding = Finding(target, "consumer", "complete", True, group, None, ("lost",), 0)
    of = family("consumer")
    with open_target(target, Options()) as opened:
        return Job(finding, target, of, collect_evidence(finding, opened, of), opened.offered)


def test_every_lost_partition_is_asserted(job):
    assert [(each.relation, each.bound, each.counts[0].items) for each in job.evidence.checks] == [
        (">=", 1, (f"{ODD}-0",)),
        (">=", 1, (f"{ODD}-1",)),
    ]


@pytest.mark.parametrize("module", [go, javascript, rust])
def test_odd_names_stay_in_their_literals(module, job):
    written = module.write(job)
    assert "\u202e" not in "\n".join(line for line in written.splitlines() if line.startswith("//"))
    assert all(
        module.write_text(item) in written for check in job.evidence.checks for item in check.counts[0].items
    )
    assert "@" not in written.replace(job.target, "")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_literals_of_java_and_javascript_read_back(name):
    assert json.loads(java.write_text(name)) == name == json.loads(javascript.write_text(name))
    assert show(name).isprintable()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_literals_of_rust_are_printable_ascii(name):
    literal = rust.write_text(name)
    assert literal.isascii()
    assert literal.isprintable()
    assert "\\" not in literal.replace("\\\\", "").replace('\\"', "").replace("\\u{", "").replace(
        "\\n", ""
    ).replace("\\r", "").replace("\\t", "")


@pytest.mark.parametrize(
    "name", ["kafka-python-sticky-stranger", "aiokafka-range-repeated", "aiokafka-sticky-late"]
)
def test_the_test_for_pytest_fails_by_its_assertion_without_kassay(name, capsys):
    file = str(FINDINGS / f"{name}.json")
    assert main(["explain", file, "--as", "pytest", "--trust"]) == 0
    source = capsys.readouterr().out
    assert "kassay." not in source
    code = compile(source, "test.py", "exec")
    names: dict[str, object] = {"__name__": "test"}
    exec(code, names)
    (test,) = (each for each in names if each.startswith("test_"))
    with pytest.raises(AssertionError) as failed:
        names[test]()
    message = load_finding(file, trust=True).messages[0]
    assert message in str(failed.value.args[0])


@pytest.mark.parametrize(
    ("name", "language", "fitting"),
    [
        ("kafka-clients-sticky-racks", "go", "--as pytest or --as java"),
        ("franz-go-sticky-three", "java", "--as pytest or --as go or --as js or --as rust"),
        ("kafka-python-sticky-late", "rust", "--as pytest"),
    ],
)
def test_a_language_that_cannot_call_the_library_is_refused(name, language, fitting, capsys):
    assert main(["explain", str(FINDINGS / f"{name}.json"), "--as", language, "--trust"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"kassay: --as {language}: a test in ")
    assert said.endswith(f"Give {fitting}.")


def test_code_runs_only_with_trust(capsys):
    assert main(["explain", str(FINDINGS / "franz-go-sticky-three.json"), "--as", "go"]) == 2
    assert "--trust --as go" in capsys.readouterr().err


def test_a_target_that_keeps_the_promise_gets_no_test(tmp_path, capsys):
    keeps = tmp_path / "keeps.py"
    keeps.write_text(
        LOSES.replace('given = {one["id"]: [] for', 'given = {one["id"]: [["t0", 0], ["t0", 1]][:2] for')
    )
    target = f"exec:{sys.executable} {keeps}"
    file = str(FINDINGS / "aiokafka-range-repeated.json")
    assert main(["explain", file, "--as", "js", "--target", target]) == 2
    assert "keeps complete on this group" in capsys.readouterr().err


def test_the_languages_are_the_choices_of_the_option():
    run = subprocess.run(
        [sys.executable, "-m", "kassay", "explain", "--help"], capture_output=True, text=True, check=True
    )
    assert ",".join(LANGUAGES) in run.stdout
