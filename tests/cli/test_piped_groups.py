"""A group from standard input, or from a pipe with a name, in every command that takes one; each may read it more than once."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "groups" / "confluent-kafka-dotnet-1712.members.txt"
COMMANDS = [
    ["compare", "--group", "{}"],
    ["compare", "consumer/range", "consumer/sticky", "--group", "{}", "--json"],
    ["check", "consumer/range", "--group", "{}", "-o", "out"],
    ["what-if", "--group", "{}", "--join", "1"],
    ["over-time", "--group", "{}", "--restart", "2"],
    ["optimum", "balance,moves", "{}"],
    ["frontier", "{}"],
    ["assign", "consumer/range", "{}"],
    ["import", "{}"],
]


def ran(command, folder, given=None):
    """Run kassay; a process has its own standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "kassay", *command], input=given, capture_output=True, text=True, cwd=folder, timeout=120, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_standard_input_is_as_good_as_a_file(command, tmp_path):
    of_file = ran([one.format(EXAMPLE) for one in command], tmp_path)
    status, out, _ = ran([one.format("-") for one in command], tmp_path, EXAMPLE.read_text())
    assert of_file[0] in (0, 1), of_file[2]
    assert status == of_file[0]
    assert out.replace("standard input", "-").count("\n") > 0
    assert len(out.splitlines()) == len(of_file[1].splitlines()) or "--json" not in command


@pytest.mark.parametrize("command", [COMMANDS[0], COMMANDS[3], COMMANDS[8]], ids=lambda command: command[0])
def test_a_pipe_with_a_name_is_read_once_and_used_twice(command, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(EXAMPLE.read_text()), daemon=True)
    writer.start()
    status, out, err = ran([one.format(pipe) for one in command], tmp_path)
    writer.join(10)
    assert (status, "localconsumers" in out + err) == (0, True), err
