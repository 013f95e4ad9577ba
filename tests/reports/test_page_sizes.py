"""Pages of sweeps that are unlike most: one target, thirty, one group, no level, nothing but failures."""

import re
from dataclasses import replace

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

import msgspec
import pandas as pd
from reports.sweep_of_loops import LEVELS, group_of, write_sweep
from reports.test_page import Reader
from reports.test_page_agrees import matrix_of

from kassay.families.assignors import ASSIGNORS
from kassay.model import Assignor
from kassay.reports.page import report
from kassay.reports.page import tables as figure
from kassay.reports.page.report import write_report
from kassay.reports.sweep.manifest import TargetSpec, read_run
from kassay.reports.tables.gaps import Assumed
from kassay.reports.tables.headline import describe_verdicts
from kassay.reports.tables.properties import compute_properties
from kassay.reports.tables.table import read_summaries
from kassay.reports.tables.verdicts import build_verdict_table, compute_answers
from kassay.targets import Target
from reports import sweep_of_loops

ONE, TWO = ("consumer/sticky",), ("consumer/range", "consumer/sticky")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Draw neither the figures that are folded away nor those of costs, and no file of any, nor of tables."""
    monkeypatch.setattr(report, "draw_folded_figures", lambda *_: ())
    monkeypatch.setattr(report, "draw_cost_figures", lambda *_: ())
    monkeypatch.setattr(report, "draw_smallest", lambda *_: None)
    monkeypatch.setattr(report, "write_table", lambda *_: None)
    monkeypatch.setattr(figure, "save", lambda ax, _, name: figure.as_svg(ax, name))


@pytest.fixture
def page_of(tmp_path):
    """Return a function that sweeps and reports, and gives the page as text with what the report says of itself."""

    def made(groups, targets, levels=LEVELS):
        write_sweep(tmp_path, groups, targets, levels)
        return written(read_summaries(tmp_path, read_run(tmp_path)), tmp_path)

    return made


def written(summaries, folder):
    made = write_report(summaries, folder, folder / "report", Assumed(), group_of)
    text = made.page.read_text().replace("\u00a0", " ")
    Reader(text)
    links = re.findall('href="#([^"]*)"', text)
    assert set(links) <= set(re.findall(' id="?([^" >]*)', text))
    return made, text


def section(text, name):
    return text[text.index(f'id="{name}"') :].partition("</section>")[0]


def test_one_target_is_beside_nobody(page_of):
    made, text = page_of(12, ONE, ("balance",))
    assert "<title>kassay: 1 consumer assignor on 12 groups</title>" in text
    assert made.sentences[0].startswith("sticky is correct on all 12 groups. Balance: ")
    assert "best" not in "".join(under for _, under in matrix_of(text).values())
    assert "Compared with" not in section(text, "levels")
    assert "answers of sticky to 12 groups" in made.sentences[-1]


def test_one_group_is_enough(page_of):
    made, text = page_of(1, TWO, ("balance",))
    assert "2 consumer assignors on 1 group<" in text
    assert not re.search(r"[^\d,]1 groups[^<>]{0,60}", text)
    assert "the one group" in made.sentences[0]
    assert "to 1 group." in made.sentences[-1]
    assert all(
        under in ("on the one group", "0", "fails on 1", "no such group")
        for _, under in matrix_of(text).values()
    )


def test_without_a_level_there_is_one_question_and_no_optimum(page_of):
    made, text = page_of(12, TWO, ())
    assert {question for question, _ in matrix_of(text)} == {"safe"}
    assert made.sentences[0] == "Both assignors are correct on all 12 groups."
    assert "This run compares no optimum, so the page draws no group for it." in section(text, "picture")
    assert 'id="levels"' not in text


def never(group):
    return {member.id: [] for member in group.members}


def test_where_all_fail_the_page_shows_how(page_of, monkeypatch):
    for name in ("consumer/never", "consumer/nothing"):
        assignor = Assignor(name, never, frozenset({"complete"}), "made for tests")
        monkeypatch.setitem(ASSIGNORS, name, assignor)
        monkeypatch.setitem(sweep_of_loops.KNOWN, name, assignor)
        target = Target(name, sweep_of_loops.CONSUMER, never, never, assignor.promises)
        monkeypatch.setitem(sweep_of_loops.REFERENCES, name, target)
    made, text = page_of(6, ("consumer/never", "consumer/nothing"), ("balance",))
    assert made.sentences[0] == "No assignor is correct on any of the 6 groups."
    assert made.sentences[1].startswith(
        "Broken promise: never leaves a partition without an owner. Broken promise: nothing "
    )
    assert "breaks complete" in section(text, "failures").partition("</table>")[0]
    cells = matrix_of(text)
    assert {under for (question, _), (_, under) in cells.items() if question == "safe"} == {"fails on 6"}
    assert {of_all for of_all, _ in cells.values()} == {"0 %"}
    picture = section(text, "picture")
    assert "One group on which never does not keep complete" in picture
    assert "Therefore this is the smallest group of the run that violates a property" in picture
    assert "No target that can run here has an answer to compare with an optimum." in picture
    assert picture.count('<svg class="panel"') >= 2


def copied(summaries, number, *of):
    """Return the summaries of so many targets under other names, and whose rows each has: those of some targets, or of all, in turn."""
    known = of or summaries.run.names
    names = {f"exec:<i>{n:02}</i>": known[n % len(known)] for n in range(number)}

    def renamed(frame):
        parts = [frame[frame["target"] == name].assign(target=copy) for copy, name in names.items()]
        return pd.concat(parts, ignore_index=True)

    run = msgspec.structs.replace(
        summaries.run,
        targets=tuple(TargetSpec(name, ("crash_free",)) for name in names),
        levels=("balance",),
    )
    frames = {name: renamed(getattr(summaries, name)) for name in type(summaries).__slots__[2:]}
    frames |= {name: frames[name].head(0) for name in ("costs", "profile", "steps", "rounds")}
    frames |= {"gaps": frames["gaps"].query("situation == ''")}
    return replace(summaries, run=run, **frames), names


def test_thirty_targets_have_a_row_each(summaries, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "_compute_effects", lambda *_: {})
    many, names = copied(summaries, 30)
    made, text = written(many, tmp_path)
    cells = matrix_of(text)
    assert len(cells) == 2 * 30
    before = compute_answers(summaries).set_index(["question", "target"])["right"]
    now = compute_answers(many).set_index(["question", "target"])["right"]
    assert all(now[question, name] == before[question, names[name]] for question, name in now.index)
    assert "<i>" not in text
    assert re.match(r"\d+ of 30 assignors are correct on all 60 groups\.", made.sentences[0])
    assert len(made.sentences[0]) < 600
    assert "it cannot run again here" in section(text, "picture").replace("It", "it")


@pytest.mark.parametrize(("failing", "fails", "breaks"), [(4, "1 more assignor fails", "1 more assignor breaks a promise"), (5, "2 more assignors fail", "2 more assignors break promises")])  # fmt: skip
def test_one_more_is_told_of_in_the_singular(summaries, failing, fails, breaks):
    many, _ = copied(summaries, failing, "consumer/fair")
    table = build_verdict_table(many, compute_properties(many), compute_answers(many))
    said = describe_verdicts(many, table, compute_answers(many))
    assert f"{fails} on some groups." in said
    assert f". {breaks}." in said[1]
