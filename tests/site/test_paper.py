"""The paper has every figure and table of the results, tables keep every cell, and the manifest says what was made from what."""

import io
import json
import sys
from collections import Counter
from dataclasses import replace

import paper
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kept_parts import ROOT
from paper_contents import FIXED, PARTS, Part, find_items, hash_file
from paper_tables import read_numbers, read_tables, write_tables

from kassay.families.shape import TextTable
from kassay.output import Block
from kassay.output.formats import write_markdown
from kassay.reports.tables.table import PLAIN, format_value

CELL = st.text("ab_*`[]|<&\\#~-1,.0", max_size=6).map(lambda text: " ".join(text.split()))
SPEEDS = next(part for part in PARTS if part.name == "speed_of_codecs")


def test_every_figure_and_table_of_the_results_is_in_the_contents():
    listed = Counter(item for part in PARTS for item in part.shows)
    assert set(listed) == set(find_items()), "name it in docs/scripts/paper_contents.py"
    assert set(listed.values()) == {1}
    assert len({part.name for part in PARTS}) == len(PARTS)
    assert all((ROOT / name).exists() for part in PARTS for name in part.inputs)


def test_items_are_parts_and_pictures_that_a_page_has_or_that_stand_in_the_folder(tmp_path):
    results = tmp_path / "docs" / "results"
    (results / "worst").mkdir(parents=True)
    (tmp_path / "README.md").write_text(
        '<img src="docs/hero.svg">\n<!-- generated: told -->\n| a |\n<!-- end -->\n'
    )
    (results / "new.md").write_text(
        "<!-- measured: nox -s new -->\nsaid\n<!-- end -->\n![New](worst/new.svg)\n"
    )
    (results / "worst" / "linked.svg").touch()
    assert find_items(tmp_path) == {
        "told": (paper.Path("README.md"), "| a |\n"),
        "nox -s new": (paper.Path("docs/results/new.md"), "said\n"),
        "docs/hero.svg": (None, ""),
        "docs/results/worst/new.svg": (None, ""),
        "docs/results/worst/linked.svg": (None, ""),
    }


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=4))
@example([("a|b", "1,234.50"), ("-", ""), ("", "7")])
def test_a_table_keeps_every_cell_and_the_digits_of_numbers(rows):
    out = io.StringIO()
    write_markdown([Block("Title", grid=TextTable(["one", "two"], [list(row) for row in rows]))], out)
    ((above, columns, read),) = read_tables(out.getvalue())
    assert (above, columns, read) == ("Title", ["one", "two"], [list(row) for row in rows])
    for cells in zip(*rows, strict=True):
        assert [format_value(cell, PLAIN) for cell in read_numbers(cells)] == list(cells)


def test_tables_of_a_part_are_csv_with_plain_numbers_and_latex(tmp_path):
    write_tables(
        "nox -s speed",
        "Times.\n\n| a_b | n |\n| --- | ---: |\n| x | 1,234.50 |\n| \N{MINUS SIGN}y | |\n",
        "Made by hand",
        tmp_path,
    )
    assert (tmp_path / "speed.csv").read_text() == "a_b,n\nx,1234.50\n\N{MINUS SIGN}y,\n"
    latex = (tmp_path / "speed.tex").read_text()
    assert "\\caption{Times. Made by hand}" in latex
    assert "$-$y &  \\\\" in latex
    assert "\\begin{tabular}{lr}\n\\toprule\na\\_b & n \\\\\n\\midrule\nx & 1,234.50 \\\\" in latex


def test_the_manifest_has_the_hash_of_every_input_and_file_and_what_differs(tmp_path, monkeypatch):
    drawn = Part("drawn", "by hand", lambda _: {"docs/hero.svg": "<svg/>"}, ("docs/hero.svg",))
    assert paper.make_paper([SPEEDS, drawn], tmp_path / "made") == ["docs/hero.svg"]
    made = tmp_path / "made"
    manifest = json.loads((made / "manifest.json").read_text())
    files = {name: of for part in manifest["parts"].values() for name, of in part["files"].items()}
    assert files == {name: hash_file(made / name) for name in paper.list_files(made) if "/" in name}
    stored = manifest["parts"]["speed_of_codecs"]
    record = "docs/results/figures/wire-speed.json"
    assert stored["inputs"] == {record: hash_file(ROOT / record)}
    assert (stored["stored"] != "", stored["differs from the checkout"]) == (True, [])
    assert manifest["parts"]["drawn"]["seed"] == FIXED
    assert manifest["packages"]["pandas"]
    monkeypatch.setattr(paper, "describe_code", dict)
    again = paper.make_paper([SPEEDS], made)  # what the first run made is gone
    assert (again, (made / "docs" / "hero.svg").exists()) == ([], False)


def test_a_text_that_differs_from_its_page_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "describe_code", dict)
    changed = replace(SPEEDS, make=lambda _: {"speed_of_codecs": "| message |\n| --- |\n"})
    assert paper.make_paper([changed], tmp_path) == ["speed_of_codecs"]


def test_files_of_others_stay(tmp_path, monkeypatch, capsys):
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(sys, "argv", ["paper.py", "speed_of_codecs", "--into", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        paper.main()
    assert ended.value.code == 2
    assert "was not made by kassay" in capsys.readouterr().err


def test_other_bytes_of_a_second_run_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "describe_code", dict)
    paper.make_paper([SPEEDS], tmp_path)
    (tmp_path / "docs" / "more.svg").touch()

    def run(command, **_):
        assert paper.make_paper([SPEEDS], paper.Path(command[-1])) == []
        return paper.subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(paper.subprocess, "run", run)
    monkeypatch.setattr(paper, "describe_code", lambda: {"commit": "another"})
    assert paper.compare_second_run(["speed_of_codecs"], tmp_path) == ["docs/more.svg", "manifest.json"]
