"""The page of a sequence: a row for each rebalance, and in it what each strategy and the best possible move."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from printed import json_lines

pytest.importorskip("jinja2", reason="pip install 'kassay[pages]'")

from kassay.cli import main

CONSUMER = {
    "topics": [{"name": "a", "partitions": 5}, {"name": "b", "partitions": 2}],
    "members": [{"id": f"<m>&{n}", "topics": ["a", "b"]} for n in range(3)],
}
CONNECT = json.loads(Path("examples/connect/cluster.json").read_text())
ASKED = [(CONSUMER, "--restart", 2), (CONSUMER, "--scale-out", 2), (CONNECT, "--restart", 2)]
IDS = ["restart", "scale-out", "connect"]


class Course(HTMLParser):
    """The rows of the table of rebalances: the words of each cell, the first of which is its number of moves."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.inside = [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.inside = ("class", "st course") in attrs
        elif self.inside and tag == "tr":
            self.rows.append([])
        elif self.inside and tag in {"th", "td"}:
            self.rows[-1].append([])

    def handle_data(self, data):
        if self.inside and self.rows and self.rows[-1] and data.strip():
            self.rows[-1][-1].append(data.strip())


def _page(tmp_path, capsys, group, kind, number, *more):
    file, page = tmp_path / "group.json", tmp_path / "page.html"
    file.write_text(json.dumps(group))
    status = main(
        ["over-time", "--group", str(file), kind, str(number), "--json", "--html", str(page), *more]
    )
    records = json_lines(capsys)
    return status, records, page.read_text()


@pytest.mark.parametrize(("group", "kind", "number"), ASKED, ids=IDS)
def test_rebalances_of_the_page_add_up_to_the_totals(group, kind, number, tmp_path, capsys):
    status, records, html = _page(tmp_path, capsys, group, kind, number)
    best, *rows = [one for one in records if one["record"] != "page"]
    head, *steps = Course(html).rows
    assert status == 0
    assert len(steps) == best["rebalances"]
    lanes = {" ".join(cell).replace(" ", ""): n for n, cell in enumerate(head)}
    sums = {row["target"].partition("/")[2]: row["totals"]["moves"] for row in rows}
    sums["optimum"] = next(one["least"] for one in best["totals"] if one["name"] == "moves")
    for name, moves in sums.items():
        assert sum(int(step[lanes[name]][0].replace(",", "")) for step in steps) == moves
    assert any("join" in word for step in steps for word in step[0])
    assert "built-in" not in html


def test_the_page_says_what_the_terminal_says_and_escapes_names(tmp_path, capsys):
    _, records, html = _page(tmp_path, capsys, CONSUMER | {"name": "<shop>"}, "--restart", 2)
    says = records[0]["says"]
    assert says.startswith("<shop>: ")
    assert says.replace("<", "&lt;").replace(">", "&gt;") in html
    assert "<shop>" not in html
    assert "<m>" not in html


def test_of_a_delay_the_page_says_so(tmp_path, capsys):
    _, _, html = _page(tmp_path, capsys, CONNECT, "--restart", 2)
    assert "Workers come back after scheduled.rebalance.max.delay.ms." in html
