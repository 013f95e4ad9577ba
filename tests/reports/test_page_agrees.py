"""What the page, its tables, its figures and `--json` say of the same share is the same to the last digit."""

import csv
import json
import re
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from reports.test_page import Reader
from said import WIDTH, too_wide, words_that_are_out

import kassay
from kassay.cli import main
from kassay.comparison.headline import label_targets_uniquely
from kassay.families.consumer import CONSUMER
from kassay.families.consumer import QUESTIONS as EVERY
from kassay.families.family import TOGETHER
from kassay.reports.figures.style import cut_label
from kassay.reports.page import report
from kassay.reports.tables.table import format_share
from kassay.reports.tables.verdicts import compute_answers, select_criteria

QUESTIONS = [*(each for each in EVERY if not each.level or each.level in CONSUMER.oracles.levels), TOGETHER]
"""Those of a sweep whose grid names no levels of weights."""
STUDIES = {"fair", "metadata", "per-topic", "redundant", "optimal", "optimal-cooperative"}
CRITERIA = {
    "balance": "even",
    "minimal moves": "sticky",
    "rack locality": "near",
    "topic balance": "spread",
    "all criteria": "together",
}
"""Criterion in the headline -> its question."""
PACKAGE = Path(kassay.__file__).parent


@pytest.fixture(scope="module")
def text(page):
    return page.read_text().replace("\u00a0", " ")


@pytest.fixture(scope="module")
def found(summaries):
    """Return (question, label) -> row of the answers."""
    known = label_targets_uniquely(summaries.run.names)
    return {
        (row["question"], known[row["target"]]): row for row in compute_answers(summaries).to_dict("records")
    }


def part(text, start, end):
    return text[text.index(start) :].partition(end)[0]


def matrix_of(text):
    """Return (question, label) -> (share, what stands under it), of the page's matrix."""
    table = part(text, '<table class="matrix stacks">', "</table>")
    shown = {question.shown: question.name for question in QUESTIONS}
    questions = [shown[name] for name in re.findall('<th scope="col"[^>]*><b>(.*?)</b>', table)]
    cells = {}
    for row in re.findall(r"<tr[^>]*><th scope=\"row\"[^>]*>.*?</tr>", table, re.DOTALL):
        label = re.sub(
            "<svg.*?</svg>|<small>.*?</small>|<wbr>", "", row.partition("</th>")[0], flags=re.DOTALL
        )
        told = re.findall(r"<td[^>]*><b>(.*?)</b><small>(.*?)</small>", row)
        for question, (of_all, under) in zip(questions, told, strict=True):
            cells[question, re.sub("<[^>]*>", "", label)] = (of_all, re.sub("<[^>]*>", "", under))
    return cells


def test_the_matrix_is_the_table(text, found):
    cells = matrix_of(text)
    assert cells.keys() == found.keys()
    for key, row in found.items():
        of_all, under = cells[key]
        right, of = int(row["right"]), int(row["of"])
        assert of_all == format_share(right / of), key
        number = int(re.search(r"\d[\d,]*", under)[0].replace(",", ""))
        fails = under.startswith("fails on")
        assert number == (of - right if fails else right), key
        assert fails == (key[0] == "safe" and right < of)
        most = max(
            each["right"] for (name, label), each in found.items() if name == key[0] and label not in STUDIES
        )
        leads = 0 < right == most < of and not fails and key[1] not in STUDIES
        assert ("best" in under) == leads, key


def test_studies_are_in_the_matrix_and_in_no_headline(text, found):
    table = part(text, '<table class="matrix stacks">', "</table>").replace("<wbr>", "")
    hidden = re.findall(r'<tr class="study"><th scope="row"[^>]*>.*?</svg>(.*?)<', table, re.DOTALL)
    labels = {label for _, label in found}
    assert set(hidden) == labels & STUDIES
    assert 'id="studies"' in text
    title = re.search("<h1[^>]*>(.*?)</h1>", text)[1]
    assert not any(re.search(rf"(?<![\w-]){study}(?![\w-])", title) for study in STUDIES)
    assert "<b>few moves</b>" in table
    assert "<b>sticky</b>" not in table


def test_the_headline_is_of_the_matrix(text, found, written):
    title = re.search("<h1[^>]*>(.*?)</h1>", text)[1]
    assert title == written.sentences[0]
    shares = {format_share(row["right"] / row["of"]) for row in found.values()}
    said = re.findall(r"(?:^|\. )([\w, -]+?) (?:is|are) best for ([^.]*(?:\.\d[^.]*)*)\.", title)
    assert said
    for who, criteria in said:
        for criterion, of_all in re.findall(r"([\w ]+?) \((?:both |all )?(\d[\d.]* %)", criteria):
            question = CRITERIA[criterion.removeprefix(" and").strip()]
            assert of_all in shares
            for label in re.split(", | and ", who):
                row = found[question, label]
                assert format_share(row["right"] / row["of"]) == of_all


def test_the_terminal_says_the_same_at_80_columns(found, written, sweep, monkeypatch, capsys):
    monkeypatch.setattr(report, "write_report", lambda *_, **__: written)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    assert main(["report", str(sweep)]) == 0
    text = capsys.readouterr().out
    assert too_wide(text.splitlines()) == []
    assert words_that_are_out(text.splitlines()) == []
    assert " ".join(text.partition("\n\n")[0].split()) == written.sentences[0]
    rows = {}
    for line in text.splitlines():
        label, *shares = re.split(r"\s{2,}", line.strip())
        if len(shares) == len(QUESTIONS):
            rows.setdefault(label, shares)
    assert set(rows) >= {label for _, label in found}
    for n, question in enumerate(QUESTIONS):
        for label in {label for _, label in found}:
            row = found[question.name, label]
            assert rows[label][n] == format_share(row["right"] / row["of"])
    assert f"  {written.page}\n" in text


def test_files_and_json_are_the_table(found, written, summaries, sweep, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(report, "write_report", lambda *_, **__: written)
    assert main(["report", str(sweep), "--json", "-o", str(tmp_path)]) == 0
    (record,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert record["sentences"] == list(written.sentences)
    with (written.page.parent / "tables" / "questions.csv").open() as file:
        listed = list(csv.DictReader(file))
    known = label_targets_uniquely(summaries.run.names)
    verdicts = {row["target"]: row for row in record["verdicts"]}
    assert len(listed) == len(record["questions"]) == len(found)
    for line, row in zip(listed, record["questions"], strict=True):
        expected = found[row["question"], known[row["target"]]]
        assert (row["right"], row["of"]) == (expected["right"], expected["of"])
        assert row["share"] == row["right"] / row["of"] == float(line["share"])
        assert verdicts[row["target"]][row["question"]] == row["share"]
        assert (int(line["right"]), int(line["of"])) == (row["right"], row["of"])
        assert line["greatest gap"] == ("" if row["greatest gap"] is None else str(row["greatest gap"]))


def test_labels_of_the_figures_are_the_shares_of_the_matrix(text, found, summaries):
    """The distance figures, as they stand in the page: of each level, the share at the optimum beside each name."""
    for question in [each for each in select_criteria(summaries.run) if each.level]:
        figure = part(
            text,
            f'aria-label="Share of {found[question.name, "range"]["of"]:,} {question.of.says} by distance to the optimum in '
            f"{'spread excess' if question.level == 'topic-spread' else 'partitions'}",
            "</svg>",
        )
        words = [word.strip() for word in Reader(f"<svg {figure}</svg>").words]
        for label in label_targets_uniquely(summaries.run.names).values():
            row = found[question.name, label]
            assert f"{cut_label(label)} {format_share(row['right'] / row['of'])}" in words, (
                question.name,
                label,
            )


def test_what_pages_are_made_of_is_packed():
    packed = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    globs = packed["tool"]["setuptools"]["package-data"]["kassay"]
    held = {path for each in globs for path in PACKAGE.glob(each)}
    parts = [*(PACKAGE / "reports/page").rglob("*.*"), *(PACKAGE / "reports/shapes").rglob("*.*")]
    needed = {path for path in parts if path.suffix in {".html", ".css", ".js"}}
    assert len(needed) > 5
    assert needed <= held
