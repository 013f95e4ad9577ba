"""The script of CI jobs, with a kassay that only notes how it was called."""

import os
import re
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "ci" / "judge.sh"
FAKE = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$1" in
  report) mkdir -p "$4/tables"; for name in verdicts properties; do echo "$name" > "$4/tables/$name.md"; done ;;
  check) mkdir -p "$RESULTS/findings"; echo checked > "$RESULTS/findings/check.md" ;;
  compare) mkdir -p "$RESULTS/gates"; echo gates > "$RESULTS/gates/compare.md" ;;
esac
eval "exit \\${STATUS_$1:-0}"
"""


@pytest.fixture
def judged(tmp_path):
    """Run the script with exit statuses for the steps and inputs; return its own and the calls."""

    def run(**given: str) -> tuple[int, list[str]]:
        fake = tmp_path / "bin" / "kassay"
        fake.parent.mkdir(exist_ok=True)
        fake.write_text(FAKE)
        fake.chmod(0o755)
        calls = tmp_path / "calls"
        calls.write_text("")
        plain = {
            "PATH": os.environ["PATH"],
            "CALLS": str(calls),
            "TARGET": "consumer/x",
            "RESULTS": str(tmp_path / "r"),
        }
        ran = subprocess.run(
            ["bash", str(SCRIPT)],
            env=plain | {"KASSAY": str(fake.parent)} | given,
            check=False,
            capture_output=True,
            text=True,
        )
        assert not ran.stderr, ran.stderr
        return ran.returncode, calls.read_text().splitlines()

    return run


def test_all_steps_run_and_gates_only_where_asked(judged):
    status, calls = judged()
    assert status == 0
    assert [call.split()[0] for call in calls] == ["check", "sweep", "report"]
    status, calls = judged(NOT_WORSE_THAN="consumer/y", MAX_GAP="balance=0 moves=9")
    assert status == 0
    assert [call.split()[0] for call in calls] == ["check", "sweep", "report", "compare"]
    assert "--not-worse-than consumer/y --max-gap balance=0 --max-gap moves=9" in calls[-1]


@pytest.mark.parametrize(
    ("statuses", "expected", "steps"),
    [
        ({"check": "1"}, 1, 4),
        ({"check": "3"}, 3, 4),
        ({"compare": "1"}, 1, 4),
        ({"check": "3", "compare": "1"}, 1, 4),
        ({"check": "1", "compare": "3"}, 1, 4),
        ({"check": "2"}, 2, 1),
        ({"sweep": "3"}, 3, 2),
    ],
)
def test_the_worst_status_is_the_script_s(judged, statuses, expected, steps):
    status, calls = judged(
        NOT_WORSE_THAN="consumer/y", **{f"STATUS_{step}": status for step, status in statuses.items()}
    )
    assert (status, len(calls)) == (expected, steps)


def test_the_sweep_gets_the_targets(judged):
    _, calls = judged(TARGET='exec:./a "b" c', NOT_WORSE_THAN="consumer/y")
    assert 'quick.toml --target exec:./a "b" c --target consumer/y -o ' in calls[1]


def test_github_gets_annotations_a_summary_and_the_folder(judged, tmp_path):
    summary, output = tmp_path / "summary.md", tmp_path / "output"
    status, calls = judged(
        NOT_WORSE_THAN="consumer/y",
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_OUTPUT=str(output),
    )
    assert status == 0
    assert "--format github --also junit --also markdown" in calls[0]
    assert summary.read_text() == "checked\nverdicts\nproperties\ngates\n"
    assert output.read_text() == f"results={tmp_path / 'r'}\n"


def test_without_a_target_the_settings_are_checked_and_nothing_else(judged, tmp_path):
    summary = tmp_path / "summary.md"
    status, calls = judged(TARGET="", GITHUB_STEP_SUMMARY=str(summary), STATUS_check="1")
    assert (status, len(calls)) == (1, 1)
    assert calls[0].startswith("check --profile ci --format pretty")
    assert summary.read_text() == "checked\n"
    assert judged(TARGET="", PROFILE="deep")[1][0].startswith("check --profile deep ")


def test_promises_baseline_and_strictness_reach_the_check(judged):
    for target, begin in (("consumer/x", "check consumer/x --examples 2000"), ("", "check --profile ci")):
        calls = judged(TARGET=target, PROMISES_OF="consumer/sticky", BASELINE="known.json", STRICT="true")[1]
        assert calls[0].startswith(
            f"{begin} --promises-of consumer/sticky --baseline known.json --strict --format "
        )
        plain = judged(TARGET=target, STRICT="false")[1]
        assert plain[0].startswith(f"{begin} --format ")


def test_each_variable_of_the_script_is_an_input_of_the_action():
    """An input that the action does not pass on would be ignored in silence."""
    action = (SCRIPT.parents[2] / "action.yml").read_text()
    for name in re.findall(r"^# ([A-Z_]+) ", SCRIPT.read_text(), re.MULTILINE):
        if name not in {"KASSAY", "RESULTS"}:
            assert f"{name}: ${{{{ inputs.{name.lower().replace('_', '-')} }}}}" in action, name
