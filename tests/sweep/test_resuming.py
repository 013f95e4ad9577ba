import os
import subprocess
import sys
import time
from dataclasses import replace

import msgspec
import pytest

from kassay.cli import main
from kassay.errors import InputError
from kassay.reports.sweep import folder as folders
from kassay.reports.sweep.folder import (
    Part,
    hash_code,
    lock_folder,
    note_wave,
    noted_parts,
    run_in,
    verify_waves,
)
from kassay.reports.sweep.manifest import (
    FORMAT,
    TargetSpec,
    complete_waves,
    read_run,
    wave_folder,
    wave_rows,
    write_run,
)

ASKED = (TargetSpec("consumer/range", ()), TargetSpec("consumer/sticky", ("complete",)))


def done(folder, run, wave):
    path = wave_folder(folder, run, wave)
    path.mkdir(parents=True)
    (path / "_SUCCESS").touch()
    note_wave(folder, run, wave)


def test_a_run_is_written_once_and_taken_up_again(tmp_path, grid):
    run = run_in(tmp_path, grid, ASKED)
    assert read_run(tmp_path) == run
    assert run_in(tmp_path, grid, ASKED) == run
    assert run.waves == 3
    assert run.groups == 110


def test_complete_are_the_waves_with_success(tmp_path, grid):
    run = run_in(tmp_path, grid, ASKED)
    done(tmp_path, run, 1)
    half = wave_folder(tmp_path, run, 2)
    half.mkdir(parents=True)
    (half / "part-0.parquet").touch()
    assert complete_waves(tmp_path, run) == [1]


def test_the_id_follows_from_grid_and_code(tmp_path, grid, monkeypatch):
    for name in "abcd":
        (tmp_path / name).mkdir()
    first, same = (run_in(tmp_path / name, grid, ASKED).id for name in "ab")
    other_grid = run_in(tmp_path / "c", replace(grid, text=grid.text + "\n"), ASKED).id
    monkeypatch.setattr(folders, "hash_code", lambda _: "other")
    other_code = run_in(tmp_path / "d", grid, ASKED).id
    assert first == same
    assert len({first, other_grid, other_code}) == 3


def test_other_code_is_not_mixed_in(tmp_path, grid, monkeypatch):
    run_in(tmp_path, grid, ASKED)
    monkeypatch.setattr(folders, "hash_code", lambda _: "other")
    with pytest.raises(
        InputError, match=r"mixed code versions: .* or sweep again into another folder with -o"
    ):
        run_in(tmp_path, grid, ASKED)


def test_another_grid_is_not_mixed_in(tmp_path, grid):
    run_in(tmp_path, grid, ASKED)
    with pytest.raises(InputError, match="contains the sweep of another grid"):
        run_in(tmp_path, replace(grid, text="other"), ASKED)


def test_a_foreign_folder_is_not_written_into(tmp_path, grid):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"contains other files than a sweep \(thesis.tex\)"):
        run_in(tmp_path, grid, ASKED)


def test_a_newer_folder_and_one_that_is_none_are_refused(tmp_path, run):
    with pytest.raises(InputError, match=r"is not a sweep, it has no run\.json"):
        read_run(tmp_path)
    write_run(tmp_path, msgspec.structs.replace(run, format=FORMAT + 1))
    with pytest.raises(InputError, match="written by a newer kassay"):
        read_run(tmp_path)
    write_run(tmp_path, msgspec.structs.replace(run, format=FORMAT - 1))
    with pytest.raises(InputError, match=r"written by an older kassay .* Sweep again, into a new folder"):
        read_run(tmp_path)
    for text in ("{}", "[]", "{", f'{{"format": {FORMAT}}}', '{"format": "x"}'):
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(InputError, match=r"not the run\.json of a sweep"):
            read_run(tmp_path)


def test_a_folder_is_held_by_one_sweep(tmp_path):
    with (
        lock_folder(tmp_path),
        pytest.raises(InputError, match=f"process {os.getpid()} on .* sweeps into it"),
        lock_folder(tmp_path),
    ):
        pass
    with lock_folder(tmp_path):
        pass


def test_a_lock_ends_with_its_process(tmp_path):
    holding = (
        "import sys, time; from pathlib import Path; from kassay.reports.sweep.folder import lock_folder\n"
    )
    holding += "with lock_folder(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", holding, tmp_path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline()
        with pytest.raises(InputError, match=f"process {holder.pid}"), lock_folder(tmp_path):
            pass
        holder.kill()
    with lock_folder(tmp_path):
        pass


def test_the_java_machine_of_a_sweep_that_was_killed_is_waited_for(tmp_path):
    holding = "import subprocess, sys, time; from pathlib import Path; from kassay.reports.sweep.folder import lock_folder\n"
    holding += "with lock_folder(Path(sys.argv[1])) as lock:\n    subprocess.Popen(['sleep', '2'], pass_fds=[lock])\n"
    holding += "    print('held', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", holding, tmp_path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline()
        holder.kill()
        holder.wait()
        began = time.monotonic()
        with lock_folder(tmp_path):
            assert time.monotonic() - began > 0.5
        with lock_folder(tmp_path):
            pass


def test_code_is_that_of_kassay_and_of_what_targets_run(tmp_path):
    program = tmp_path / "mine.py"
    program.write_text("1")
    target = f"exec:{sys.executable} {program}"
    before = hash_code(["consumer/range"]), hash_code([target])
    assert before == (hash_code(["consumer/range"]), hash_code([target]))
    program.write_text("2")
    assert hash_code([target]) != before[1]
    assert hash_code(["consumer/range"]) == before[0]


def test_rows_in_a_store_stay_there(tmp_path, grid):
    run = run_in(tmp_path, grid, ASKED, "s3a://bucket/rows")
    assert run.id == run_in(fresh(tmp_path / "here"), grid, ASKED).id
    assert wave_rows(tmp_path, run, 2) == f"s3a://bucket/rows/run={run.id}/wave=00002"
    for other, fix in (("", "Give --rows s3a://bucket/rows"), ("s3a://b/c", "Give --rows s3a://bucket/rows")):
        with pytest.raises(InputError, match=f"the rows are in s3a://bucket/rows. {fix}, or another folder"):
            run_in(tmp_path, grid, ASKED, other)
    with pytest.raises(InputError, match=r"the rows are in the folder. Leave --rows out"):
        run_in(tmp_path / "here", grid, ASKED, "s3a://b/c")


def fresh(folder):
    folder.mkdir()
    return folder


def test_waves_in_a_store_are_complete_with_their_note(tmp_path, grid):
    run = run_in(tmp_path, grid, ASKED, "s3a://bucket/rows")
    wave_folder(tmp_path, run, 1).mkdir(parents=True)
    assert complete_waves(tmp_path, run) == []
    note_wave(tmp_path, run, 1, {"part-0.parquet": Part(7, "0" * 64)})
    assert complete_waves(tmp_path, run) == [1]
    assert noted_parts(tmp_path, run, 1) == {"part-0.parquet": Part(7, "0" * 64)}
    with pytest.raises(InputError, match=rf"Copy run={run.id} from there into .*waves and try again"):
        verify_waves(tmp_path, run)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rows", "build/rows"], "--rows: 'build/rows' is no address of an object store. Give one such as"),
        (["--rows", "s3a:/bucket"], "--rows: 's3a:/bucket' is no address"),
        (
            ["--conf", "fs.s3a.endpoint=x"],
            "--conf: 'fs.s3a.endpoint' with the value 'x' is no setting of Spark's",
        ),
        (
            ["--conf", "spark.executor.memory"],
            "--conf: 'spark.executor.memory' with the value '' is no setting",
        ),
    ],
)
def test_wrong_places_and_settings_are_one_sentence(tmp_path, capsys, options, said):
    assert main(["sweep", "grids/none.toml", "-o", str(tmp_path / "out"), *options]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out" / "run.json").exists()
