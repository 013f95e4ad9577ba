"""Sweeps that are killed: nothing is lost, nothing doubled. Needs Java and minutes; `nox -s long -- sweep`."""

import os
import signal
import subprocess
import time
from contextlib import suppress

import pytest
from sweep.spark_rows import adjacent, digest, table_of
from sweep.sweep_process import (
    commits,
    descendants,
    finish,
    kill,
    moments,
    start,
    wait_for_commit,
    wait_for_waves,
)

KILLS = 24


@pytest.fixture(scope="module")
def whole(grid, tmp_path_factory):
    """The digest of a sweep that nobody disturbed, its rows, and the seconds it took."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    began = time.monotonic()
    assert finish(grid, folder)[0] == 0
    assert adjacent(folder)
    return digest(folder), table_of(folder).num_rows, time.monotonic() - began


def test_kills_at_any_moment_lose_and_double_nothing(grid, whole, tmp_path):
    """Every third kill is in a commit: a part file is in place, _SUCCESS is not."""
    folder = tmp_path / "out"
    ends, in_commit, kills = 0, 0, 0
    for number, moment in enumerate(moments(5, 5 * KILLS, whole[2] / 2)):
        process = start(grid, folder, "--tasks", str(3 + number % 9))
        if number % 3 == 0:
            wait_for_commit(process, folder)
        else:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=moment)
        alive = process.poll() is None
        kill(process, driver_alone=number % 2 == 0)
        kills += alive
        in_commit += commits(folder)
        if not alive:  # it was done: begin anew, so that there is something to kill
            assert digest(folder) == whole[0]
            ends += 1
            folder = tmp_path / f"out{ends}"
        if kills == KILLS:
            break
    status, _, warned = finish(grid, folder)
    assert status == 0, warned
    assert digest(folder) == whole[0]
    assert table_of(folder).num_rows == whole[1]
    assert adjacent(folder)
    print(f"{kills} kills, {in_commit} of them left a half-committed wave, {ends} sweeps ended between them")
    assert kills == KILLS
    assert in_commit >= 1


def test_a_killed_executor_loses_nothing(grid, whole, tmp_path):
    folder = tmp_path / "out"
    process = start(grid, folder, "--master", "local-cluster[2,1,1024]")
    assert wait_for_waves(process, folder, 1)
    executors = [pid for pid, words in descendants(process.pid) if "CoarseGrainedExecutorBackend" in words]
    assert len(executors) == 2
    os.kill(executors[0], signal.SIGKILL)
    _, warned = process.communicate(timeout=1800)
    assert process.returncode == 0, warned
    assert digest(folder) == whole[0]


def test_a_killed_java_machine_is_one_sentence_and_the_sweep_goes_on_later(grid, whole, tmp_path):
    folder = tmp_path / "out"
    process = start(grid, folder)
    assert wait_for_waves(process, folder, 1)
    for pid in [pid for pid, words in descendants(process.pid) if "SparkSubmit" in words]:
        os.kill(pid, signal.SIGKILL)  # its shell, if there is one, and Java
    _, warned = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "kassay: could not tell: Spark's Java machine crashed or was killed" in warned.splitlines()[-1]
    assert finish(grid, folder)[0] == 0
    assert digest(folder) == whole[0]


def test_an_interrupt_stops_cleanly_and_says_how_to_go_on(grid, whole, tmp_path):
    folder = tmp_path / "out"
    process = start(grid, folder)
    assert wait_for_waves(process, folder, 1)
    started = [pid for pid, _ in descendants(process.pid)]
    os.killpg(process.pid, signal.SIGINT)
    said, warned = process.communicate(timeout=120)
    assert process.returncode == 130
    assert warned.splitlines()[-1] == (
        "kassay: interrupted; complete waves are kept, run the same command again to go on"
    )
    assert "Traceback" not in warned
    assert said == ""
    deadline = time.monotonic() + 60
    while any(_runs(pid) for pid in started) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not any(_runs(pid) for pid in started)
    assert finish(grid, folder)[0] == 0
    assert digest(folder) == whole[0]


def _runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
