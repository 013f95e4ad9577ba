"""Pages of one group and of simulated groups need jinja2 alone: neither Spark nor what draws and sums for reports."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[pages]'")

from kassay.cli import main
from kassay.cli import options as needing

KMINION = "examples/groups/kminion-104.members.txt"
HEAVY = ("pandas", "matplotlib", "scipy", "pyspark", "pyarrow", "numba")
WITHOUT = f"""
import sys
sys.modules.update(dict.fromkeys({HEAVY!r}))  # None: as if it were not installed
from kassay.cli import main
sys.exit(main(sys.argv[1:]))
"""
PAGES = {
    "compare": ["compare", "consumer/range", "--group", KMINION],
    "simulate": ["simulate", "consumer", "--schedules", "2"],
    "over-time": ["over-time", "--group", "examples/connect/cluster.json", "--restart", "1"],
}


@pytest.mark.parametrize("command", PAGES)
def test_a_page_is_written_without_what_reports_need(command, tmp_path):
    page = tmp_path / "page.html"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *PAGES[command], "--html", str(page)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert page.is_file(), done.stderr
    assert page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("command", PAGES)
def test_without_jinja2_one_line_says_what_to_install(command, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(needing, "find_spec", lambda name: None if name == "jinja2" else name)
    assert main([*PAGES[command], "--html", str(tmp_path / "page.html")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--html needs jinja2, which is not here. Run: pip install 'kassay[pages]'" in said
    assert not (tmp_path / "page.html").exists()


def test_the_extra_for_pages_is_jinja2_alone():
    extras = tomllib.loads(Path("pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert [one.partition(">")[0] for one in extras["pages"]] == ["jinja2"]
    assert "kassay[pages]" in extras["reports"]
