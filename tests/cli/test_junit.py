"""JUnit XML: a case for each target and property, with all that is to be said of it; only of commands that judge."""

import contextlib
import json
import shlex
from xml.etree import ElementTree

import pytest

from kassay.cli import main


def junit(arguments, capsys):
    status = main([*arguments, "--format", "junit"])
    return status, ElementTree.fromstring(capsys.readouterr().out)


def test_one_case_for_each_target_and_property_whose_body_replays(tmp_path, capsys):
    line = f"check consumer/range consumer/fair --promise *balanced --examples 20 -j 1 -o {tmp_path}"
    status, document = junit(line.split(), capsys)
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
    line = f"check exec:true consumer/range --promise complete --examples 30 -j 1 -o {tmp_path}"
    status, document = junit(line.split(), capsys)
    assert status == 3
    results = {
        (case.get("classname"), tuple(child.tag for child in case)) for case in document.iter("testcase")
    }
    assert results == {("exec:true", ("error",)), ("consumer/range", ())}


@pytest.fixture(scope="module")
def finding(tmp_path_factory):
    """The file of a promise that range breaks."""
    folder = tmp_path_factory.mktemp("finding")
    main(["check", "consumer/range", "--promise", "balanced", "--examples", "120", "-o", str(folder)])
    (file,) = folder.glob("finding-*.json")
    return str(file)


def test_explain_is_one_case_whichever_option_asks_for_it(finding, capsys):
    assert main(["explain", finding, "--as", "junit"]) == 1
    printed = capsys.readouterr().out
    assert main(["explain", finding, "--format", "junit"]) == 1
    assert printed == capsys.readouterr().out
    document = ElementTree.fromstring(printed)
    (case,) = document.iter("testcase")
    assert (case.get("classname"), case.get("name")) == ("consumer/range", "balanced")
    assert case.find("failure").text.startswith("balanced: The loads are balanced as far")


def test_explain_as_a_test_for_pytest_fails_as_long_as_the_finding_holds(finding, capsys):
    for target, holds in (("consumer/range", False), ("consumer/fair", True)):
        assert main(["explain", finding, "--as", "pytest", "--target", target]) == 0
        made = {}
        exec(compile(capsys.readouterr().out, "test_finding.py", "exec"), made)
        with contextlib.nullcontext() if holds else pytest.raises(AssertionError, match="balanced: broken"):
            made["test_balanced"]()
