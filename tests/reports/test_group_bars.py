"""The bars, the strategies and the cost of the change on the page of one group agree with answers and with `kassay over-time`."""

import html
import json
import re

import pytest
from printed import json_lines

pytest.importorskip("jinja2", reason="pip install 'kassay[pages]'")

from hypothesis import given
from hypothesis import strategies as st
from reports.test_page import Reader

from kassay.cli import main
from kassay.comparison.measured import (
    compute_holdings,
    compute_loads,
    list_roles,
    measure_answer,
    measure_current_assignment,
)
from kassay.engine.generate import draw_groups
from kassay.families import FAMILIES, family
from kassay.reports.page.groups.holders import ROWS, build_bars, list_moves, short_names
from kassay.targets.reference import open_reference

PARTITIONS = family("consumer").shape
NAMES = st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=40, unique=True)


@given(NAMES, st.randoms(use_true_random=False))
def test_bars_hold_what_is_held(owners, random):
    """Nothing is lost or added by the drawing: what stays and leaves is what is held now, what stays and arrives what is held then."""
    items = [f"t-{n}" for n in range(random.randrange(60))]
    now, then = ({owner: {"": []} for owner in owners} for _ in range(2))
    for whose in (now, then):
        for item in items:
            whose[random.choice(owners)][""].append(item)
    have, get = ({o: {"": tuple(own[""])} for o, own in whose.items()} for whose in (now, then))
    (drawn,) = build_bars(PARTITIONS, have, get)
    assert len(drawn.rows) == min(len(owners), ROWS)
    for row in drawn.rows:
        assert row.now == len(have[row.full][""])
        assert row.then == len(get[row.full][""])
        assert row.stays == len({*have[row.full][""]} & {*get[row.full][""]})
        assert row.stays + row.leaves + row.arrives <= drawn.longest
    assert len({row.name for row in drawn.rows}) == len(drawn.rows)
    moved = sum(len({*get[o][""]} - {*have[o][""]}) for o in owners)
    assert sum(len(what.split(" and ")[0].split(", ")) for _, _, what in list_moves(have, get)) <= moved
    assert (not list_moves(have, get)) == (not moved)


def test_names_are_cut_to_what_differs_and_stay_apart():
    names = [f"order-svc-{n}-3c6da5d7-1111-4222-8333-{n:012}" for n in range(9)]
    assert [*short_names(names).values()] == [f"order-svc-{n}" for n in range(9)]


@pytest.fixture
def page(tmp_path, capsys):
    """Return a function that compares on a group and gives the page and the records."""

    def made(of, group, *more):
        (tmp_path / "group.json").write_text(json.dumps(of.write_group(group)))
        asked = [
            "compare",
            *more,
            "--group",
            str(tmp_path / "group.json"),
            "--html",
            str(tmp_path / "p.html"),
        ]
        assert main([*asked, "--json"]) in (0, 3)
        records = json_lines(capsys)
        return (tmp_path / "p.html").read_text(), records

    return made


def running(name, least=3):
    """Return a small group of a family that holds something: its own answer to a generated one, if that is right."""
    of = family(name)
    assign = open_reference(next(iter(of.settable)))
    for group in draw_groups(of, 60, 3):
        one = measure_answer(assign, of, group)
        now = measure_current_assignment(of, group)
        counts = [count(group) for count in of.shape.sizes.values()]
        if one.legal and now is not None and now.legal and least <= counts[0] <= 8 and counts[-1] >= 3:
            return of, group
    return pytest.skip("no small group is generated that holds something")


@pytest.mark.parametrize("name", FAMILIES)
def test_the_page_of_each_family_begins_with_who_holds_what(name, page):
    of, group = running(name, 2)
    text, records = page(of, group, *of.settable)
    Reader(text)
    now = compute_holdings(of.shape, measure_current_assignment(of, group).assignment)
    heading = html.unescape(re.search("<h1[^>]*>(.*?)(?: <em|</h1>)", text)[1])
    owners = [html.unescape(one) for one in re.findall(r'<li><b title="(.*?)">', text)]
    assert {*now} <= {*owners}
    (advice,) = [record for record in records if record["record"] == "advice"]
    assert heading == advice["says"]
    assert text.count('<span class="tag">take this</span>') == (advice["assignor"] is not None)
    assert text.index('id="change"') < text.index('id="strategies"') < text.index('id="assumed"')
    for line in advice["set"]:
        assert f">{line}</code>" in text
    if advice["assignor"] is not None:
        (given,) = [one for one in records if one.get("target") == advice["assignor"] and one["legal"]]
        if given["rebalances"] == 1:
            then = compute_holdings(of.shape, of.shape.read_answer(given))
            expected = [
                n
                for role in list_roles(now, then)
                for n in compute_loads(then, list(dict.fromkeys(owners)), role)
            ]
            drawn = [int(n.replace(",", "")) for n in re.findall(r"<strong>([\d,]+)</strong>", text)]
            assert sorted(drawn) == sorted(expected)


@pytest.mark.parametrize("name", ["consumer", "connect"])
def test_the_cost_of_a_rolling_restart_is_that_of_over_time(name, page, tmp_path, capsys):
    of, group = running(name, 2)
    text, _ = page(of, group, *of.settable)
    owners = next(iter(of.shape.sizes.values()))(group)
    asked = ["over-time", *of.settable, "--group", str(tmp_path / "group.json"), "--restart", str(owners)]
    main([*asked, "--json"])
    records = json_lines(capsys)
    (best,) = [record for record in records if record["record"] == "over-time"]
    level = best["totals"][0]["name"]
    cells = dict(re.findall(r'<tr[^>]*><th scope="row">([^<]*(?:<wbr>[^<]*)*)<(.*?)</tr>', text, re.DOTALL))
    rows = {label.replace("<wbr>", ""): re.findall(r"<b>(.*?)</b>", row) for label, row in cells.items()}
    for record in records:
        if record["record"] == "played":
            label = record["target"].partition("/")[2]
            shown = "\N{EN DASH}" if record["trouble"] else f"{record['totals'][level]:,}"
            assert rows[label][-1] == shown
