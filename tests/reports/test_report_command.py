"""kassay report and kassay compare --sweep as people call them, also wrongly."""

import json
import shutil
import xml.etree.ElementTree as ET

import pytest
from printed import json_lines

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from whole import WHOLE

from kassay.cli import main
from kassay.cli import options as needing
from kassay.errors import InputError
from kassay.reports.page import report
from kassay.reports.sweep import judge_rows as judging
from kassay.reports.sweep.manifest import read_run, wave_folder
from kassay.reports.sweep.rows import field
from kassay.reports.tables.table import has_fresh_summaries
from kassay.targets.maven.repository import open_network
from reports import sweep_of_loops


def errors(capsys):
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1, printed.err
    assert printed.err.startswith("kassay: ")
    return printed.err


@pytest.mark.parametrize("where", [None, "elsewhere"])
def test_report_writes_a_page_and_says_where(where, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(judging, "group_of", sweep_of_loops.group_of)
    if not WHOLE:  # they are drawn where the page is looked at
        monkeypatch.setattr(report, "draw_folded_figures", lambda *_: ())
    folder = tmp_path / "sweep"
    sweep_of_loops.write_sweep(folder, 12, ("consumer/range", "consumer/sticky"), ("cross-rack",))
    into = tmp_path / where if where else folder / "report"
    asked = ["-o", str(into), "--price-per-gb", "0.05"] if where else []
    assert main(["report", str(folder), "--json", *asked]) == 0
    (record,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert record["page"] == str(into / "index.html")
    assert record["verdicts"][0]["safe"] == 1
    assert [row["question"] for row in record["questions"]] == ["safe", "safe", "near", "near"]
    assert f"Assumed: {'0.05' if where else '0.02'} for each GB" in (into / "index.html").read_text()
    assert (folder / "report").exists() == (where is None)
    names = {path.name for path in (into / "tables").iterdir()}
    assert {"verdicts.csv", "gaps-by-situation.md", "prices.tex"} <= names
    assert {path.suffix for path in (into / "figures").iterdir()} == {".svg", ".png"}


def test_summaries_are_fresh_only_of_the_waves_there_are(copy):
    run = read_run(copy)
    assert has_fresh_summaries(copy, run)
    (wave_folder(copy, run, 1) / "_SUCCESS").unlink()
    assert not has_fresh_summaries(copy, run)
    shutil.rmtree(copy / "summary")
    assert not has_fresh_summaries(copy, run)


@pytest.mark.parametrize("command", [["report"], ["compare", "consumer/range", "consumer/sticky", "--sweep"]])
def test_folders_that_are_no_sweeps_are_one_sentence(command, copy, tmp_path, capsys):
    empty = tmp_path / "empty"
    empty.mkdir()
    for folder, said in ((empty, "has no run.json"), (tmp_path / "none", "has no run.json")):
        assert main([*command, str(folder)]) == 2
        assert said in errors(capsys)
    settings = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps(settings | {"format": 99}))
    assert main([*command, str(copy)]) == 2
    assert "newer kassay (format 99)" in errors(capsys)
    (copy / "run.json").write_text(json.dumps(settings | {"format": 3}))
    assert main([*command, str(copy)]) == 2
    assert "older kassay (format 3). Sweep again, into a new folder" in errors(capsys)
    (copy / "run.json").write_text(json.dumps(settings | {"id": "fedc"}))
    assert main([*command, str(copy)]) == 2
    assert "no wave is complete yet" in errors(capsys)


def test_damaged_files_are_one_sentence(copy, capsys):
    (copy / "summary" / "gaps.parquet").write_text("no parquet")
    assert main(["report", str(copy)]) == 2
    assert "gaps.parquet: was changed after it was written" in errors(capsys)
    part = wave_folder(copy, read_run(copy), 0) / "part-00000.parquet"
    part.write_text("no parquet")
    assert main(["compare", "consumer/range", "consumer/sticky", "--sweep", str(copy)]) == 2
    assert "wave=00000" in errors(capsys)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["consumer/nobody"], "'consumer/nobody': is not in the sweep. Use one of consumer/range"),
        (["consumer/range"], "needs another target to compare"),
        (["consumer/range", "--max-gap", "spread=0"], "no level 'spread'. It has balance, moves, cross-rack"),
        (["consumer/range", "--max-gap", "balance"], "is not LEVEL=N"),
        (["consumer/range", "--not-worse-than", "nobody"], "'nobody': is not in the sweep"),
        (
            ["consumer/range", "--not-worse-than", "consumer/range"],
            "needs another target to compare. Name one",
        ),
        (["consumer/range", "--group", "g.json"], "has groups of its own. Leave out --group"),
    ],
)
def test_wrong_questions_are_one_sentence(arguments, said, sweep, capsys):
    assert main(["compare", *arguments, "--sweep", str(sweep)]) == 2
    assert said in errors(capsys)


@pytest.mark.parametrize("command", [["report", "x"], ["compare", "a", "b", "--sweep", "x"]])
def test_what_is_not_installed_is_named(command, capsys, monkeypatch):
    monkeypatch.setattr(needing, "find_spec", lambda name: None if name in {"scipy", "jinja2"} else name)
    assert main(command) == 2
    assert "need scipy, jinja2, which is not here. Run: pip install 'kassay[reports]'" in errors(capsys)


def test_gates_without_a_sweep_are_refused(capsys):
    assert main(["compare", "consumer/range", "--max-gap", "balance=0"]) == 2
    assert "Name its folder with --sweep DIR" in errors(capsys)


GATES = ["compare", "consumer/sticky", "--not-worse-than", "consumer/range"]


def test_gates_set_the_exit_status(sweep, capsys):
    on = ["--sweep", str(sweep), "--json"]
    assert main(["compare", "consumer/sticky", "--not-worse-than", "consumer/cooperative-sticky", *on]) == 0
    capsys.readouterr()
    assert main([*GATES, *on]) == 1
    records = json_lines(capsys)
    effects = {record["name"]: record for record in records if record["record"] == "effect"}
    assert effects["balance"]["verdict"] == "lower"
    assert effects["balance"]["interval"][1] < 0
    assert [name for name, each in effects.items() if each["verdict"] == "higher"] == ["topic-spread"]
    assert main(["compare", "consumer/range", "--not-worse-than", "consumer/sticky", *on]) == 1
    assert main(["compare", "consumer/sticky", "consumer/range", *on]) == 0
    assert main(["compare", "consumer/sticky", "--max-gap", "moves=0", *on]) == 1
    assert main(["compare", "consumer/sticky", "--max-gap", "moves=999", *on]) == 0


def test_nothing_to_compare_is_status_3(tmp_path, capsys):
    run = sweep_of_loops.write_sweep(tmp_path, 4, ("consumer/range", "consumer/fair"), summaries=False)
    nothing = {"values": dict.fromkeys(map(field, run.levels)), "measures": dict.fromkeys(run.measures)}
    nothing["rebalances"] = None
    sweep_of_loops.write_waves(tmp_path, run, [row | nothing for row in sweep_of_loops.rows_of(run)])
    assert main(["compare", "consumer/range", "consumer/fair", "--sweep", str(tmp_path)]) == 3
    assert "not compared" in capsys.readouterr().out
    assert main(["compare", "consumer/range", "--max-gap", "balance=0", "--sweep", str(tmp_path)]) == 3
    assert "no conclusion" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["pretty", "json", "markdown", "junit", "github"])
def test_every_format_tells_the_broken_gate(kind, sweep, tmp_path, capsys):
    arguments = [*GATES, "--max-gap", "moves=0", "--sweep", str(sweep), "--format", kind, "-o", str(tmp_path)]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert ("the greatest gap is" if kind in {"json", "junit"} else "exceeds --max-gap: ") in out
    (file,) = {*tmp_path.iterdir()} - {tmp_path / ".kassay-own"}
    assert file.read_text() == out
    if kind == "junit":
        suite = ET.fromstring(out)
        assert suite.get("failures") == "2"
        names = [
            case.get("name") for case in suite.iter("testcase") if case.get("classname") == "consumer/sticky"
        ]
        assert len(names) == 6
    if kind == "github":
        assert out.count("::error ") == 2


def test_a_repository_without_encryption_is_asked_only_with_allow_http(copy, capsys, monkeypatch):
    def asks(*_, **__):
        raise InputError(f"asks {open_network().url}")

    monkeypatch.setattr(report, "write_report", asks)
    monkeypatch.setenv("KASSAY_MAVEN_URL", "http://far.example")
    monkeypatch.setenv("KASSAY_ALLOW_HTTP", "0")
    assert main(["report", str(copy)]) == 2
    assert "or --allow-http" in errors(capsys)
    assert main(["report", str(copy), "--allow-http"]) == 2
    assert errors(capsys) == "kassay: asks http://far.example.\n"
