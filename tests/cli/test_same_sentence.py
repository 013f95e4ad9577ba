"""The sentence that an answer begins with is the same in every format: terminal, Markdown, GitHub, JUnit and JSON."""

import json
import re
from xml.etree import ElementTree

import pytest

from kassay.cli import main

GROUP = {
    "topics": [{"name": "t", "partitions": 4}],
    "members": [
        {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1], ["t", 2]]},
        {"id": "b", "topics": ["t"]},
    ],
}
JUDGING = {
    "kept": ["check", "consumer/range", "--examples", "5"],
    "known": ["check", "consumer/sticky", "--examples", "40"],
    "broken": ["check", "consumer/range", "--promise", "balanced", "--examples", "20"],
    "several": [
        "check",
        "consumer/range",
        "consumer/fair",
        "--promise",
        "balanced",
        "--examples",
        "20",
        "-j",
        "1",
    ],
}
TELLING = {
    "compare": ["compare", "--group", "group.json"],
    "optimum": ["optimum", "balance,moves", "group.json"],
    "frontier": ["frontier", "group.json"],
    "over-time": ["over-time", "--group", "group.json", "--restart", "2"],
}


@pytest.mark.parametrize("line", [*JUDGING.values(), *TELLING.values()], ids=[*JUDGING, *TELLING])
def test_what_is_said_first_is_said_everywhere(line, tmp_path, monkeypatch, capsys):
    (tmp_path / "group.json").write_text(json.dumps(GROUP))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def printed(format_):
        main([*line, "--format", format_])
        return capsys.readouterr().out

    says = next(one["says"] for one in map(json.loads, printed("json").splitlines()) if "says" in one)
    pretty = " ".join(printed("pretty").partition("\n\n")[0].split())
    assert re.sub(r"^(PASS|FAIL|INCONCLUSIVE) ", "", pretty) == says
    assert says in re.sub(r"\\(.)", r"\1", printed("markdown")).partition("\n\n")[0]
    assert says in " ".join(printed("github").split())
    if line in JUDGING.values():
        suites = list(ElementTree.fromstring(printed("junit")).iter("testsuite"))
        assert suites
        for suite in suites:
            assert [one.get("value") for one in suite.iter("property") if one.get("name") == "says"] == [says]
