"""JUnit XML: a case for each target and property, with all that is to be said of it; only of commands that judge."""

import contextlib
import json
import shlex
from xml.etree import ElementTree

import pytest

from kassay.cli import main

GROUP = {
    "topics": [{"name": "t", "partitions": 2}],
    "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t"]}],
}


def junit(arguments, capsys):
    status = main([*arguments, "--format", "junit"])
    return status, ElementTree.fromstring(capsys.readouterr().out)


def test_one_case_for_each_target_and_property_whose_body_replays(tmp_path, capsys):
    status, document = junit(
        [
            "check",
            "consumer/range",
            "consumer/fair",
            "--promise",
            "*balanced",
            "--examples",
            "20",
            "-o",
            str(tmp_path),
        ],
        capsys,
    )
    assert status == 1
    assert [suite.get("name") for suite in document.iter("testsuite")] == ["consumer/range", "consumer/fair"]
    cases = [(case.get("classname"), case.get("name")) for case in document.iter("testcase")]
    properties = ("balanced", "locally_balanced", "topic_balanced")
    assert cases == [(target, name) for target in ("consumer/range", "consumer/fair") for name in properties]
    failures = list(document.iter("failure"))
    assert len(failures) == int(document.get("failures")) > 1
    for failure in failures:
        said, group, _, replay = failure.text.rsplit("\n", 3)
        assert failure.get("type") == "broken"
        assert failure.get("message").startswith("broken: ")
        assert "holds" in said
        assert json.loads(group.partition("JSON:")[2] or said.partition("JSON:")[2])
        command = shlex.split(replay.partition("replay: ")[2].partition("(")[0])
        assert main(command[1:]) == 1
        capsys.readouterr()


def test_what_could_not_be_told_is_an_error_and_what_is_kept_has_no_result(tmp_path, capsys):
    status, document = junit(
        [
            "check",
            "exec:true",
            "consumer/range",
            "--promise",
            "complete",
            "--examples",
            "30",
            "-o",
            str(tmp_path),
        ],
        capsys,
    )
    assert status == 3
    results = {
        (case.get("classname"), tuple(child.tag for child in case)) for case in document.iter("testcase")
    }
    assert results == {("exec:true", ("error",)), ("consumer/range", ())}


def test_explain_is_one_case(tmp_path, capsys):
    main(["check", "consumer/range", "--promise", "balanced", "--examples", "120", "-o", str(tmp_path)])
    (file,) = tmp_path.glob("finding-*.json")
    capsys.readouterr()
    status, document = junit(["explain", str(file)], capsys)
    assert status == 1
    (case,) = document.iter("testcase")
    assert (case.get("classname"), case.get("name")) == ("consumer/range", "balanced")
    assert case.find("failure").text.startswith("balanced: The loads are as even")


def test_explain_as_a_test_for_pytest_fails_as_long_as_the_finding_holds(tmp_path, capsys):
    main(["check", "consumer/range", "--promise", "balanced", "--examples", "120", "-o", str(tmp_path)])
    (file,) = tmp_path.glob("finding-*.json")
    capsys.readouterr()
    for target, holds in (("consumer/range", False), ("consumer/fair", True)):
        assert main(["explain", str(file), "--as", "pytest", "--target", target]) == 0
        made = {}
        exec(compile(capsys.readouterr().out, "test_finding.py", "exec"), made)
        with contextlib.nullcontext() if holds else pytest.raises(AssertionError, match="balanced: broken"):
            made["test_balanced"]()


def test_explain_as_junit_is_its_format(tmp_path, capsys):
    main(["check", "consumer/range", "--promise", "balanced", "--examples", "120", "-o", str(tmp_path)])
    (file,) = map(str, tmp_path.glob("finding-*.json"))
    capsys.readouterr()
    assert main(["explain", file, "--as", "junit"]) == 1
    out = capsys.readouterr().out
    assert main(["explain", file, "--format", "junit"]) == 1
    assert out == capsys.readouterr().out


@pytest.mark.parametrize("command", ["list", "assign", "import", "worst", "compare"])
def test_commands_that_judge_nothing_refuse_it(command, tmp_path, capsys):
    file = tmp_path / "group.json"
    file.write_text(json.dumps(GROUP))
    arguments = {
        "list": [],
        "assign": ["consumer/range", str(file)],
        "import": [str(file)],
        "worst": ["consumer/range", "--measure", "balance"],
        "compare": ["consumer/range", "--group", str(file)],
    }
    assert main([command, *arguments[command], "--format", "junit"]) == 2
    said = capsys.readouterr()
    assert "--format junit: " in said.err
    assert not said.out
