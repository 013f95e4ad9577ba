"""The judge in Python that people copy: what it needs, what it finds, and what fails a run. `nox -s parity -- fixtures` holds all judges to kassay's."""

import ast
import json
import subprocess
import sys
import unittest
from pathlib import Path

import pytest
from conformance.rows import mutants

from kassay.conformance.fixture_runner import Judge
from kassay.conformance.fixtures import load_form, read_family_fixtures
from kassay.fixtures.kassay_fixtures import Check, FixturesError, Target, cases, checks

FOLDER = Path(__file__).parents[2] / "fixtures"
JUDGE = FOLDER / "kassay_fixtures.py"
OF = load_form("consumer")
FEW = ("forgets_the_last_partition", "believes_everybody", "hands_over_at_once", "remembers_its_calls")


def few(path, count=40):
    data = json.loads((FOLDER / "consumer.json").read_text())
    path.write_text(json.dumps({**data, "count": count, "cases": data["cases"][:count]}))
    return str(path)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return few(tmp_path_factory.mktemp("few") / "consumer.json")


def told(assign):
    return lambda group: OF.write_answer(assign(OF.read_group(group)))


def test_needs_the_standard_library_alone():
    imported = set()
    for node in ast.walk(ast.parse(JUDGE.read_text(), feature_version=(3, 9))):
        if isinstance(node, ast.Import):
            imported |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert imported
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


@pytest.mark.parametrize(
    "row", [row for row in mutants("consumer") if row.title in FEW], ids=lambda row: row.title
)
def test_finds_what_kassay_finds(row, file):
    declared = row.declared
    judge = Judge(OF, row.affected, declared)
    ours = {
        f"{case.id}/{check}": bool(wrong)
        for case in read_family_fixtures("consumer").cases[:40]
        if "time_limit" not in case.needs
        for check, wrong in judge.judge(case).items()
    }
    target = Target(
        row.title, told(row.affected), declared.aims, tuple(OF.needs), declared.limits, declared.cooperative
    )
    theirs = {one.name: bool(one.wrong) for one in checks(target, file) if "/" in one.name}
    assert theirs == ours
    assert any(ours.values())


def nothing(_group):
    return {}


def wrongs(found):
    return [(one.name, one.wrong) for one in found if one.wrong]


def test_known_failures_pass_and_a_line_too_many_fails(tmp_path, file):
    known = tmp_path / "known.txt"
    failing = [one.name.replace("/", " ") for one in checks(Target("mine", nothing), file) if one.wrong]
    assert failing
    known.write_text("# all\n" + "".join(f"mine {line}\n" for line in failing) + "other consumer-0001 x\n")
    target = Target("mine", nothing, known=str(known))
    assert wrongs(checks(target, file)) == []
    known.write_text(
        known.read_text() + "mine consumer-0001 answers\nmine consumer-0001 none\n~mine consumer-0001 no\n"
    )
    (passes, _), (unknown, lines) = wrongs(checks(target, file))
    assert (passes, unknown) == ("consumer-0001/answers", "all known failures were checked")
    assert "mine consumer-0001 none" in lines
    assert "mine consumer-0001 no'" not in lines
    known.write_text("mine consumer-0001\n")
    with pytest.raises(FixturesError, match=r"known.txt, line 1: write ASSIGNOR CASE CHECK"):
        checks(target, file)


def test_a_run_that_checks_nothing_fails(tmp_path):
    target = Target("mine", nothing)
    path = tmp_path / "consumer.json"
    data = json.loads((FOLDER / "consumer.json").read_text())
    one = next(case for case in data["cases"] if case["needs"])
    path.write_text(json.dumps({**data, "count": 1, "cases": [one]}))
    assert wrongs(checks(target, str(path))) == [("something was checked", "can meets the needs of no case")]


def test_an_answer_that_does_not_come_fails_in_time(tmp_path):
    target = Target("mine", lambda _: __import__("time").sleep(2), patience=0.05)
    found = checks(target, few(tmp_path / "consumer.json", 1))
    assert found[0].wrong.endswith("no answer within 0.05 s")
    with pytest.raises(AssertionError, match="consumer-0001/answers: "):
        found[0].hold()
    with pytest.raises(unittest.SkipTest):
        Check("x", skipped="needs racks").hold()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data.update(format=9), "format: is 9; this judge reads 1: take file and judge of one tag"),
        (lambda data: data.update(count=9), "count: is 9, but there are 2 cases. Take the whole file"),
        (lambda data: data["cases"][1].pop("owners"), "consumer-0002: owners: is missing"),
        (lambda data: data["cases"][1]["should"].pop("loads"), "consumer-0002: should: loads: is missing"),
        (
            lambda data: data["cases"][1]["group"]["topics"][0].update(partitions=True),
            "consumer-0002: group: topics: [0]: partitions: is true, which is no number. Take the file of the tag again",
        ),
        (lambda data: data["cases"][1].update(twin=[1]), "consumer-0002: twin: is [1], which is no object or null"),
    ],
)  # fmt: skip
def test_a_malformed_file_is_refused_by_file_case_and_field(tmp_path, change, says):
    path = tmp_path / "consumer.json"
    data = json.loads(Path(few(path, 2)).read_text())
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(FixturesError) as refused:
        cases(str(path))
    assert str(refused.value).startswith(f"{path}: {says}")


def test_an_adapter_runs_under_pytest_in_a_folder_of_its_own(tmp_path):
    for name in ("kassay_fixtures.py", "consumer.json"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    few(tmp_path / "consumer.json", 3)
    (tmp_path / "test_mine.py").write_text(
        "import kassay_fixtures, pytest, sys\n"
        "CHECKS = kassay_fixtures.checks(kassay_fixtures.Target('mine', lambda group: {}))\n"
        "@pytest.mark.parametrize('check', CHECKS, ids=str)\n"
        "def test_mine(check):\n"
        "    check.hold()\n"
        "def test_alone():\n"
        "    assert 'kassay' not in sys.modules\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:kassay",
        "-q",
        "-rf",
        ".",
    ]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stderr
    assert "FAILED test_mine.py::test_mine[consumer-0001/complete]" in ran.stdout
    assert "FAILED test_mine.py::test_alone" not in ran.stdout
