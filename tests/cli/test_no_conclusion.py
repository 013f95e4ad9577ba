"""Exit status 3 always comes with its reason, on standard output or error."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from whole import cases

import kassay.cli.commands
from kassay.cli import main

GROUP = '{"family": "consumer", "topics": [{"name": "t", "partitions": 2}], "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t"]}]}'
MISSING = '{"family": "broker", "topics": [{"name": "t", "partitions": 2}], "members": [{"id": "a", "topics": ["nope"]}]}'
EMPTY = """
Consumer group 'g' has no active members.

GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID
g      t      0          5               5               0    -            -     -
"""
CODE = """
def assign(group):
    raise RuntimeError("no licence")

def assign_nothing(group):
    return {"stranger": [("nope", 0)]}
"""
LARGE = {
    "family": "consumer",
    "topics": [{"name": f"t{number}", "partitions": 7 + 5 * (number % 9)} for number in range(30)],
    "members": [
        {"id": f"m{number}", "topics": [f"t{topic}" for topic in range(30) if (topic * number) % 5 < 2]}
        for number in range(40)
    ],
}
VERDICT = {"record": "verdict", "target": "mine", "property": "balanced", "judged": 3, "breaches": 0}
SPEAKER = Path(__file__).parents[1] / "programs" / "speaker.py"
FAILS, NOTHING = "python:fails_always:assign", "python:fails_always:assign_nothing"
CASES = {
    "assign": (f"assign {FAILS} group.json --format pretty", "gave no assignment for 1 of 1 group"),
    "assign, program": ("assign exec:true group.json", "ended with exit status 0"),
    "check": ("check exec:true", "ended with exit status 0"),
    "check, empty": ("check consumer/range --group empty.txt", "no group of --group can be tested"),
    "compare": (f"compare {FAILS} consumer/range --group group.json", "gave no assignment: RuntimeError: no licence"),
    "compare, uniform": ("compare broker/range broker/uniform --examples 10", "broker/uniform gave no assignment: ArrayIndex"),
    "compare, brokers": ("compare broker/range broker/uniform --group missing.json", "non-existent topic"),
    "compare, generated": (f"compare {FAILS} consumer/range --examples 3", "gave no assignment: RuntimeError"),
    "compare, incorrect": (f"compare {NOTHING} consumer/range --examples 3", "no group of 3 has a correct assignment of every"),
    "diff": ("diff before.json after.json", "something is unknown now"),
    "fixtures": (f"fixtures run 'exec:{sys.executable} {SPEAKER} declines_all'", "195 cases were skipped: not today."),
    "optimum": ("optimum balance,topic-spread large.json --time-limit 0.001", "not all of it is proven"),
    "frontier": (f"frontier group.json --target {FAILS}", "a target failed"),
    "over_time": (f"over-time {FAILS} --group group.json --restart 1", "an assignor failed"),
    "what_if": (f"what-if {FAILS} --group group.json --leave a", "a strategy failed"),
}  # fmt: skip
"""A command line with status 3, and words of its reason."""
ELSEWHERE = {"explain", "simulate"}
"""The other commands that can end with status 3: the tests of these commands check its reason, and the test of `explain` is below."""
RETURNS_3 = re.compile(
    r"return 3\b|else 3\b|or 3\b|status = 3\b|exit_status\(|end_without_conclusion\(|_end\(|report_run\("
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name, text in {
        "group.json": GROUP, "missing.json": MISSING, "empty.txt": EMPTY, "fails_always.py": CODE,
        "large.json": json.dumps(LARGE), "before.json": json.dumps(VERDICT | {"outcome": "kept"}),
        "after.json": json.dumps(VERDICT | {"outcome": "skipped"}),
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.parametrize("case", [[*CASES][number] for number in cases(4, len(CASES))])
@pytest.mark.usefixtures("files")
def test_status_3_has_a_reason(case, capsys):
    line, reason = CASES[case]
    assert main(shlex.split(line)) == 3
    said = capsys.readouterr()
    text = " ".join(f"{said.out} {said.err}".split())
    assert reason in text
    assert re.search(r"Exit status 3: \w.+\.|kassay: could not tell: \w", text)


@pytest.mark.usefixtures("files")
def test_a_finding_whose_target_fails_now_has_a_reason(capsys):
    assert main(["check", NOTHING, "--group", "group.json", "-o", "."]) == 1
    finding = next(str(path) for path in Path().glob("finding-*.json"))
    Path("fails_always.py").write_text(
        CODE.replace('return {"stranger": [("nope", 0)]}', 'raise RuntimeError("no licence")')
    )
    capsys.readouterr()
    assert main(["explain", finding, "--trust"]) == 3
    said = capsys.readouterr().out
    assert "no licence" in said
    assert "Exit status 3: the target gave no assignment." in said


def test_each_command_that_can_end_with_status_3_has_a_case():
    folder = Path(kassay.cli.commands.__file__).parent
    ending = {
        path.relative_to(folder).parts[0].removesuffix(".py")
        for path in folder.rglob("*.py")
        if RETURNS_3.search(path.read_text())
    }
    assert ending == {case.partition(",")[0] for case in CASES} | ELSEWHERE
