import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kassay.errors import InputError
from kassay.families import family
from kassay.model import AssignorError
from kassay.reports.sweep.grid import parse_grid
from kassay.reports.sweep.judge_rows import classify_failure, open_limited
from kassay.reports.sweep.manifest import draw_timeline
from kassay.targets import confining

SCRIPT = [sys.executable, str(Path(confining.__file__)), "RLIMIT_AS"]


def test_memory_is_limited():
    taking = [sys.executable, "-c", "bytes(2**30)"]
    assert subprocess.run([*SCRIPT, "0", *taking], check=False).returncode == 0
    done = subprocess.run([*SCRIPT, "500", *taking], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "MemoryError"


def test_what_cannot_be_started_is_told():
    done = subprocess.run([*SCRIPT, "0", "nosuchprogram"], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "nosuchprogram: cannot be started (No such file or directory). Check the command\n"


@pytest.mark.skipif(sys.platform != "linux", reason="needs prctl")
def test_it_ends_with_the_process_that_asked_for_it():
    asking = f"import subprocess, time; p = subprocess.Popen({[*SCRIPT, '0', 'sleep', '60']}); print(p.pid, flush=True); "
    with subprocess.Popen([sys.executable, "-c", asking + "time.sleep(60)"], stdout=subprocess.PIPE) as asker:
        child = int(asker.stdout.readline())
        deadline = time.monotonic() + 20
        while Path(f"/proc/{child}/comm").read_text() != "sleep\n" and time.monotonic() < deadline:
            time.sleep(0.02)
        asker.kill()
    while time.monotonic() < deadline:
        try:
            os.kill(child, signal.SIGCONT)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    pytest.fail("it lives on")


def test_a_target_that_takes_too_much_is_told_by_its_status(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    cells = parse_grid(
        'targets = ["consumer/range"]\n[[cells]]\nname = "a"\ngroups = 1\nmembers = [3, 4]\n'
    ).cells
    three, four = (draw_timeline(family("consumer"), cell, 1).start for cell in cells)
    with open_limited("python:wild_targets:hogs", "consumer", 20.0, 3000) as target:
        assert target.assign(four)
        with pytest.raises(AssignorError) as failure:
            target.assign(three)
        assert classify_failure(failure.value) == "memory"
        assert target.assign(four)


@pytest.mark.parametrize("command", ["nosuchprogram --json", '"a b', ""])
def test_a_command_that_is_none_is_wrong_input(command):
    with pytest.raises(InputError):
        open_limited(f"exec:{command}", "consumer", 5.0, 1000)
