"""The page: that it is whole, needs nothing from elsewhere, and says what the sweep says."""

import json
import re
from collections import Counter
from html.parser import HTMLParser

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from reports.plain_sums import CONSUMER
from reports.sweep_of_loops import group_of, write_sweep

from kassay.engine.finding import load_finding
from kassay.model import AssignorError
from kassay.reports.page.groups.drawn_groups import anchor, find_better, smallest_groups
from kassay.reports.page.report import write_report
from kassay.reports.page.tables import show_table
from kassay.reports.shapes.partitions import PARTITIONS, mark_partitions
from kassay.reports.sweep.manifest import TargetSpec, read_run, write_run
from kassay.reports.tables.gaps import Assumed
from kassay.reports.tables.properties import compute_properties
from kassay.reports.tables.table import Table, read_summaries

VOID = {"meta", "input", "path", "use", "rect", "link", "br", "img", "wbr"}


class Reader(HTMLParser):
    """Collects tags and checks that they are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def read(page):
    return Reader(page.read_text())


def test_the_page_is_whole_and_alone(page, read):
    assert page.stat().st_size < 5_000_000
    ids = Counter(attrs["id"] for _, attrs in read.tags if "id" in attrs)
    assert not [name for name, times in ids.items() if times > 1]
    for tag, attrs in read.tags:
        assert tag not in {"link", "img", "iframe"}
        assert "src" not in attrs
        for key in ("href", "xlink:href"):
            target = attrs.get(key, "#matrix")
            if target.startswith("#"):
                assert target[1:] in ids, target
            else:
                assert (page.parent / target).exists(), target
    assert "@import" not in page.read_text()


def test_everything_has_words_for_who_cannot_see(read):
    pictures = [attrs for tag, attrs in read.tags if tag == "svg"]
    assert len(pictures) > 10
    assert all(attrs.get("aria-label") or attrs.get("aria-hidden") for attrs in pictures)
    assert sum(tag == "figure" for tag, _ in read.tags) == sum(tag == "figcaption" for tag, _ in read.tags)
    assert all(attrs.get("aria-label") for tag, attrs in read.tags if attrs.get("role") == "region")
    assert all("scope" in attrs for tag, attrs in read.tags if tag == "th")


def test_each_broken_cell_leads_to_its_smallest_group(page, read, summaries):
    text = page.read_text()
    frame = compute_properties(summaries)
    links = {
        attrs["href"] for tag, attrs in read.tags if tag == "a" and attrs.get("href", "").startswith("#b")
    }
    broken = frame[(frame["broken"] > 0) | (frame["known"] > 0)]
    assert links == {f"#{anchor(row['target'], row['property'])}" for row in broken.to_dict("records")}
    drawn = 0
    for row in broken[broken["kind"] == "invariant"].to_dict("records"):
        start = text.index(f'<details id="{anchor(row["target"], row["property"])}"')
        part = text[start : text.index("</details>", start)]
        assert f"group {row['smallest']}" in part
        assert "kassay explain groups/" in part
        if "<svg" in part:
            drawn += 1
            assert f"{row['target']} gives" in part
            assert "better: " in part
    assert drawn
    assert 'class="panel"' in text[text.index('id="smallest"') :]


def test_the_page_is_small_enough_to_be_sent(page):
    text = page.read_text()
    assert len(text.encode()) <= 380_000  # of eight assignors in four levels
    more = text[text.index('<section id="more">') :]
    assert 'class="plot"' not in more
    named = re.findall(r'href="((?:figures|tables|groups)/[^"]+)"', more)
    assert len(named) > 20
    assert all((page.parent / name).is_file() for name in named)


def test_saved_groups_break_their_property_when_replayed(page):
    files = sorted((page.parent / "groups").glob("*.json"))
    assert len(files) > 10
    for file in files[:6]:
        finding = load_finding(str(file))
        assert finding.messages
        assert json.loads(file.read_text())["smallest"] is False


def test_what_is_better_keeps_the_property(summaries):
    for row in compute_properties(summaries).query("broken > 0 and kind == 'invariant'").to_dict("records"):
        group = group_of(summaries.run, int(row["smallest"]), int(row["smallest_step"]), row["target"])
        found = find_better(CONSUMER, row["property"], group)
        assert found is not None, row["property"]
        assert not list(CONSUMER.invariants[row["property"]](group, found.assignment))


def test_a_target_that_cannot_be_opened_is_said_so(summaries):
    frame = compute_properties(summaries)
    frame = frame[frame["broken"] > 0].head(1).assign(target="python:no_such_module:assign")
    (one,) = smallest_groups(summaries.run, frame, group_of)
    assert one.finding is None
    assert "it cannot run again here" in one.trouble
    assert "no_such_module" in one.trouble


def test_a_target_that_changed_since_is_said_so(summaries):
    frame = compute_properties(summaries)
    frame = frame[frame["broken"] > 0].head(1)
    kept = frame.assign(property="existing")
    (one,) = smallest_groups(summaries.run, kept, group_of)
    assert one.trouble == "in a second run, it keeps the property on this group"

    def gone(*_):
        raise AssignorError("gone")

    (one,) = smallest_groups(summaries.run, frame, gone)
    assert one.trouble == "it could not run again: gone"


def test_a_picture_marks_every_partition(summaries):
    group = group_of(summaries.run, 9, 1, "consumer/range")
    first = next(iter(group.topics[0]))
    found = mark_partitions(group, {"<b>": [first, first]})
    assert found.at["<b>", first].kind == "wrong"
    assert found.doubled == {first: 2}
    owned = {(member.id, partition) for member in group.members for partition in member.owned}
    assert {key for key, mark in found.at.items() if mark.kind == "gone"} == owned
    assert found.lost == {p for topic in group.topics for p in topic} - {first}
    text = PARTITIONS.html("given", group, {"<b>": [first, first]})
    assert "<b>" not in text
    assert "&lt;b&gt; gets 2" in text
    assert "1 assigned more than once" in text


def test_hostile_names_stand_as_text(tmp_path):
    run = write_sweep(tmp_path, 8, ("consumer/range",), ("balance",))
    hostile = "exec:<script>alert(1)</script> 'x' & $y$"
    write_run(
        tmp_path,
        type(run)(
            **{n: getattr(run, n) for n in run.__struct_fields__} | {"targets": (TargetSpec(hostile, ()),)}
        ),
    )
    told = read_summaries(tmp_path, read_run(tmp_path))
    for name in (
        "statuses",
        "properties",
        "gaps",
        "profile",
        "steps",
        "rounds",
        "costs",
        "racks",
        "proofs",
        "questions",
        "failures",
        "telling",
    ):
        getattr(told, name)["target"] = hostile
    made = write_report(told, tmp_path, tmp_path / "report", Assumed(), group_of)
    text = made.page.read_text()
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
    Reader(text)


def test_tables_sort_by_numbers():
    import pandas as pd

    table = show_table(
        Table("t", "T", "", pd.DataFrame({"name": ["a", "b"], "gap": [1500, None], "yes": [True, False]}))
    )
    assert [[(cell.text, cell.number) for cell in row] for row in table.rows] == [
        [("a", None), ("1,500", 1500.0), ("yes", None)],
        [("b", None), ("-", None), ("no", None)],
    ]
