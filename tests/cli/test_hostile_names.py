"""Names that turn, hide or command what is printed come out as escapes, in every format and file."""

import io
import json
import xml.etree.ElementTree as ET

import pytest

from kassay.engine.finding import Finding, load_finding
from kassay.families.shape import TextTable
from kassay.model import Group, Member, Topic
from kassay.output import Block, JUnitCase
from kassay.output.block import json_line, one_line
from kassay.output.formats import FORMATS

HOSTILE = "a\x1b[31mb\u202ec\u2028d\x9be\x85f\U000e0001g\x7fh"
COMMANDS = "::error::x ##[error]y\n::stop-commands::z\r##[add-mask]w"
BLOCK = Block(
    HOSTILE,
    HOSTILE + COMMANDS,
    TextTable([HOSTILE], [[HOSTILE + COMMANDS]], HOSTILE),
    [HOSTILE + COMMANDS],
    [{HOSTILE: [HOSTILE]}],
    [JUnitCase(HOSTILE, HOSTILE, "broken", HOSTILE + COMMANDS, HOSTILE + COMMANDS)],
)


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_lets_them_through(name):
    out = io.StringIO()
    FORMATS[name]([BLOCK], out)
    text = out.getvalue()
    assert all(c.isprintable() or c == "\n" for c in text)
    if name == "json":
        assert json.loads(text) == {HOSTILE: [HOSTILE]}
    if name == "junit":
        assert ET.fromstring(text).find("testsuite").get("name") == one_line(HOSTILE)
    if name == "github":
        assert "##[" not in text
        commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
        assert [line[:8] for line in commands] == ["::error ", "::group:", "::endgro"]


def test_a_lone_surrogate_is_valid_json_too():
    assert json.loads(json_line({"where": "caf\udce9.json", "n": 1})) == {"where": "caf\udce9.json", "n": 1}


def test_the_file_of_a_finding_holds_them_as_escapes(tmp_path):
    group = Group((Topic("t", 1),), (Member(HOSTILE, ("t",)),))
    finding = Finding("consumer/range", "consumer", "complete", True, group, None, (HOSTILE,), 0)
    path = finding.save(tmp_path)
    assert all(c.isprintable() or c == "\n" for c in path.read_text())
    assert load_finding(str(path)) == finding


def test_tables_hold_neither_signs_nor_formulas(tmp_path):
    pd = pytest.importorskip("pandas")
    from kassay.reports.tables.table import Table, write_table

    frame = pd.DataFrame(
        {"target": ["=1+2", "+a", "-b", "@c", f"d{HOSTILE}", "\t=e"], "@gap": [-1, 2, 3, 4, 5, 6]}
    )
    write_table(Table("t", HOSTILE, HOSTILE, frame), tmp_path)
    for ending in ("csv", "tex", "md"):
        text = (tmp_path / f"t.{ending}").read_text()
        assert all(c.isprintable() or c == "\n" for c in text), ending
    read = pd.read_csv(tmp_path / "t.csv")
    assert list(read["'@gap"]) == [-1, 2, 3, 4, 5, 6]
    assert list(read["target"]) == ["'=1+2", "'+a", "'-b", "'@c", "d" + one_line(HOSTILE), "'\\t=e"]


def test_the_page_shows_them_as_escapes():
    pytest.importorskip("jinja2")
    from kassay.reports.page.groups.holders import Bars, Row
    from kassay.reports.page.inline import render_page

    page = dict.fromkeys(
        (
            "headline",
            "change",
            "where",
            "command",
            "lead",
            "why",
            "compared",
            "json",
            "price",
            "then",
            "noun",
            "play",
        ),
        HOSTILE,
    )
    lists = dict.fromkeys(("meta", "legend", "drawings", "ask", "heads", "strategies"), ())
    row = Row(HOSTILE, HOSTILE, 1, 2, 3, HOSTILE)
    lists |= {
        "bars": [Bars(HOSTILE, [row], 6, 3, HOSTILE, HOSTILE)],
        "flow": [(HOSTILE,) * 3],
        "better": [(HOSTILE, [], [(HOSTILE,) * 3])],
        "lines": [HOSTILE],
        "changes": True,
        "weighed": {
            "says": HOSTILE,
            "unit": HOSTILE,
            "rows": [(HOSTILE, [], HOSTILE, HOSTILE)],
            "bars": Bars(HOSTILE, [row], 6, 3, HOSTILE, HOSTILE),
            "changes": True,
        },
    }
    measures = (["measure", HOSTILE], [["moves", "1"]])
    page |= lists | {"title": HOSTILE, "assumed": [HOSTILE], "measures": measures, "style": "", "foot": "5 %"}
    text = render_page("group", page)
    assert all(c.isprintable() or c in "\n\t\u00a0" for c in text)
    assert one_line(HOSTILE) in text
