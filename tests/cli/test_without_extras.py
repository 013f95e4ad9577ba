"""Commands that need no extra run without them: no module of an optional package is imported.

OR-tools needs pandas, so pandas is always there.
"""

import subprocess
import sys

import pytest

OPTIONAL = (
    "confluent_kafka", "cryptography", "jinja2", "javaproperties", "kafka", "kio", "matplotlib", "numba", "pyarrow",
    "pyspark", "scipy", "shtab",
)  # fmt: skip
COMMANDS = [
    ["list", "--all"],
    ["assign", "consumer/sticky", "-"],
    ["check", "consumer/range", "--examples", "20", "--no-replay"],
    ["compare", "consumer/range", "consumer/sticky", "--group", "-"],
    ["optimum", "balance,moves", "-"],
    ["frontier", "group.json"],
    ["worst", "consumer/range", "--measure", "balance", "--tries", "20"],
    ["what-if", "consumer/sticky", "--group", "-", "--join", "1"],
    ["over-time", "consumer/sticky", "--group", "-", "--restart", "2"],
    ["simulate", "--schedules", "5"],
    ["fixtures", "run", "consumer/range"],
]
GIVEN = '{"topics": [{"name": "t", "partitions": 4}], "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t"]}]}'


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_command_runs_without_extras(command, tmp_path):
    missing = f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL!r}))"
    code = f"{missing}; from kassay.cli import main; sys.exit(main({command!r}))"
    (tmp_path / "group.json").write_text(GIVEN)
    ran = subprocess.run(
        [sys.executable, "-c", code], input=GIVEN, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ran.returncode in (0, 1), ran.stderr[-2000:]
    assert "Traceback" not in ran.stderr
