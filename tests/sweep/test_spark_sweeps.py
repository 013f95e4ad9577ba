"""Small sweeps on a local Spark, for which Java and the extra `reports` must be there."""

import json

import pytest

pytest.importorskip("pyspark", reason="pip install 'kassay[reports]'")

from sweep.spark_rows import adjacent, digest, table_of
from sweep.sweep_runs import GRID, run_of

from kassay.cli import main
from kassay.errors import InputError
from kassay.reports.sweep.judge_rows import Judge, open_limited
from kassay.reports.sweep.manifest import iterate_groups, wave_folder, write_run
from kassay.reports.sweep.spark.jobs import create_jobs
from kassay.reports.sweep.spark.session import open_session
from kassay.reports.sweep.sweeping import sweep_waves


@pytest.fixture(scope="module")
def spark():
    with open_session("local[2]") as opened_session:
        yield opened_session


def swept(spark, folder, run, tasks):
    folder.mkdir(exist_ok=True)
    write_run(folder, run)
    return [wave for wave, _ in sweep_waves(spark, create_jobs(spark), folder, run, tasks, lambda _: None)]


def test_rows_are_the_same_for_3_and_7_tasks_and_without_spark(spark, tmp_path):
    run = run_of(GRID)
    for tasks in (3, 7):
        assert sorted(swept(spark, tmp_path / str(tasks), run, tasks)) == [0, 1, 2]
    assert len({digest(tmp_path / str(tasks)) for tasks in (3, 7)}) == 1
    assert adjacent(tmp_path / "7")
    judge = Judge(run, [open_limited(name, "consumer", 5, 0) for name in run.names])
    alone = [row for wave in range(run.waves) for at in iterate_groups(run, wave) for row in judge.rows(at)]
    table = table_of(tmp_path / "3")
    assert table.num_rows == len(alone)
    key = lambda row: (row["id"], row["target"], row["step"])  # noqa: E731
    for row, found in zip(sorted(alone, key=key), table.to_pylist(), strict=True):
        for name in (
            "seed",
            "status",
            "invariants_broken",
            "laws_broken",
            "rounds",
            "linear_program",
            "measures",
        ):
            assert found[name] == row[name]
        assert {level: value for level, value in found["values"].items() if value is not None} == row[
            "values"
        ]


def test_only_what_is_missing_is_judged_again(spark, tmp_path):
    run = run_of(GRID)
    swept(spark, tmp_path, run, 4)
    whole = digest(tmp_path)
    kept = wave_folder(tmp_path, run, 0) / "_SUCCESS"
    before = kept.stat().st_mtime_ns
    (wave_folder(tmp_path, run, 2) / "_SUCCESS").unlink()
    assert swept(spark, tmp_path, run, 6) == [2]
    assert digest(tmp_path) == whole
    assert kept.stat().st_mtime_ns == before
    assert swept(spark, tmp_path, run, 6) == []


def test_a_group_that_cannot_be_drawn_stops_the_sweep_with_a_sentence(spark, tmp_path):
    run = run_of('targets = ["consumer/range"]\n[[cells]]\nname = "a"\ngroups = 9\nsituations = ["racks"]\n')
    with pytest.raises(InputError, match="cell 'a': none of 1000 groups is in the situations racks"):
        swept(spark, tmp_path, run, 2)


def test_the_command_sweeps_sums_up_and_says_where(spark, tmp_path, capsys):  # noqa: ARG001 - the session is the command's too
    grid = tmp_path / "grid.toml"
    grid.write_text('targets = ["consumer/range"]\n[[cells]]\nname = "a"\ngroups = 12\n')
    assert main(["sweep", str(grid), "-o", str(tmp_path / "out"), "--json"]) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert (told["groups"], told["target"], told["rows"]) == (12, "consumer/range", {"ok": 12})
    assert (tmp_path / "out" / "summary" / "done.json").exists()
    assert table_of(tmp_path / "out").num_rows == 12
