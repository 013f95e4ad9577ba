"""`kassay over-time`: totals beside the optimum of the whole, ratios, bounds, and what it refuses."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from printed import json_lines

from kassay.cli import main
from kassay.families import family
from kassay.oracles.assignment import sequence_optimum as over

GROUP = {
    "name": "shop",
    "topics": [{"name": "a", "partitions": 5}, {"name": "b", "partitions": 2}],
    "members": [{"id": f"m{n}", "topics": ["a", "b"] if n else ["a"]} for n in range(3)],
}
STICKY = ["consumer/sticky", "consumer/cooperative-sticky"]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "group.json"
    file.write_text(json.dumps(GROUP))
    return str(file)


def test_totals_stand_beside_the_optimum_with_their_ratio(path, capsys):
    assert main(["over-time", *STICKY, "--group", path, "--restart", "3", "--json"]) == 0
    best, *rows = map(json.loads, capsys.readouterr().out.splitlines())
    assert best["rebalances"] == 7
    assert [total["proved"] for total in best["totals"]] == [True, True]
    assert [row["target"] for row in rows] == STICKY
    least = best["totals"][0]["value"]
    assert least > 0
    for row in rows:
        assert Fraction(row["ratios"]["moves"]) == Fraction(row["totals"]["moves"], least) >= 1


def test_people_see_a_sentence_and_a_row_for_each_assignor_that_can_be_set(path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    asked = ["over-time", "--group", path, "--scale-out", "2"]
    assert main([*asked, "--json"]) == 0
    best, *rows = map(json.loads, capsys.readouterr().out.splitlines())
    assert [row["target"] for row in rows] == [*family("consumer").settable]
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert best["says"] in " ".join(lines)
    assert best["says"].startswith("shop: adding 2 members one by one moves ")
    assert " and 13 with roundrobin." in best["says"]
    assert f"The minimum with balanced loads is {best['totals'][0]['value']} (proven)." in best["says"]
    shown = {line.split()[0]: line.split() for line in lines if line}
    for row in rows:
        cells = shown[row["target"].removeprefix("consumer/")]
        assert cells[1] == str(row["totals"]["moves"])
        assert cells[-1] == str(row["rounds"])
        assert ("never" in cells) == (not row["uneven"])
    assert not any("racks" in line for line in lines)  # none are known
    assert all(len(line) <= 80 for line in lines if path not in line)


def test_the_spread_of_topics_is_asked_at_each_rebalance(path, capsys):
    question = ["--restart", "3", "--question", "balance,topic-spread,moves"]
    assert main(["over-time", *STICKY, "--group", path, *question]) == 0
    said = capsys.readouterr().out
    assert "The minimum with balanced loads and minimal spread excess is" in " ".join(said.split())
    assert next(line for line in said.splitlines() if line.startswith("optimum")).split()[3] == "0"


def test_a_restart_says_what_is_assumed_of_it(path, capsys):
    assert main(["over-time", *STICKY, "--group", path, "--restart", "3"]) == 0
    said = capsys.readouterr().out
    assert "a rolling restart of 3 members moves" in said
    assert "Assumed: members come back under new ids. Static members" in said
    assert said.endswith("Exit status 0.\n")


def test_a_bound_is_shown_as_a_bound(path, capsys, monkeypatch):
    monkeypatch.setattr(over, "PAIRS", 0)
    asked = ["over-time", STICKY[0], "--group", path, "--restart", "1"]
    assert main([*asked, "--json"]) == 3
    best = json.loads(capsys.readouterr().out.splitlines()[0])
    assert [total["value"] for total in best["totals"]] == [None, None]
    assert main(asked) == 3
    said = capsys.readouterr().out
    assert "Exit status 3: a minimum is not proven, or an assignor failed." in said


def test_a_target_that_does_not_come_through_has_no_totals(path, capsys):
    assert main(["over-time", "consumer/redundant", "--group", path, "--restart", "1"]) == 3
    said = capsys.readouterr().out
    assert "every assignor fails" in said
    assert "redundant: rebalance 1 gets a wrong answer, which breaks exclusive" in said


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("moves", "'moves' is not asked over time. Ask balance,moves,cross-rack"),
        ("balance,moves,topic-spread", "; topic-spread is asked at each rebalance, directly behind balance, and is not summed up"),
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_asked_over_time_is_refused(question, says, path, capsys):
    assert main(["over-time", STICKY[0], "--group", path, "--restart", "1", "--question", question]) == 2
    assert says in capsys.readouterr().err


CLUSTER = "examples/connect/cluster.json"


def test_workers_that_are_back_in_time_get_what_they_ran(capsys, tmp_path):
    """KIP-415: what is lost waits for scheduled.rebalance.max.delay.ms, and goes to who comes back; eager rounds share all out twice."""
    asked = ["over-time", "--group", CLUSTER, "--bounce", "2"]
    assert main([*asked, "--json"]) == 0
    printed = capsys.readouterr().out
    best, *rows = map(json.loads, printed.splitlines())
    moved = {row["target"]: row["totals"]["moves"] for row in rows}
    assert (
        best["totals"][0]["value"] == moved["connect/incremental-cooperative"] == 0 < moved["connect/eager"]
    )
    assert len(best["assignments"]) == 3  # at the start, while they are away, when they are back
    assert sum(len(work["tasks"]) for work in best["assignments"][1]["assignment"].values()) < 9
    (tmp_path / "answers.jsonl").write_text(printed)
    assert main([*asked, "--verify", str(tmp_path / "answers.jsonl")]) == 0


@pytest.mark.parametrize(
    ("group", "asked", "happened"),
    [
        (CLUSTER, ["--restart", "2"], ["at the start", "w0 leaves", "joined-00000 joins", "w1 leaves"]),
        (CLUSTER, ["--bounce", "2"], ["w0, w1 leave, joined-00000, joined-00001 join"]),
        ("examples/groups/kminion-104.members.txt", ["--scale-out", "2"], ["joined-00001 joins"]),
    ],
)
def test_a_page_shows_each_rebalance(group, asked, happened, capsys, tmp_path):
    pytest.importorskip("jinja2", reason="pip install 'kassay[pages]'")
    file = tmp_path / "page.html"
    assert main(["over-time", "--group", group, *asked, "--json", "--html", str(file)]) == 0
    records = json_lines(capsys)
    says = records[0]["says"]
    assert records[-1] == {"record": "page", "page": str(file), "says": says}
    page = file.read_text()
    assert says in page
    for words in happened:
        assert words in page
    for row in (each for each in records if each["record"] == "played"):
        assert f"<b>{row['totals']['moves']}</b>" in page
    best = next(each for each in records if each["record"] == "over-time")
    assert page.count('data-head="optimum"') == best["rebalances"]
    assert "<built-in" not in page


def test_a_page_is_of_one_group(path, tmp_path, capsys):
    page = tmp_path / "page.html"
    asked = ["over-time", "--group", path, "--group", path, "--restart", "1", "--html", str(page)]
    assert main(asked) == 2
    assert "shows one group, and there are 2" in capsys.readouterr().err
    assert not page.exists()


def test_where_no_sequence_is_found_in_time_an_even_assignor_is_the_upper_end(path, capsys):
    asked = ["over-time", "consumer/sticky", "--group", path, "--restart", "2", "--time-limit", "0.000001"]
    assert main([*asked, "--json"]) == 3
    best, row = map(json.loads, capsys.readouterr().out.splitlines())
    assert best["assignments"] == []
    least = f"between {best['totals'][0]['least']} and {row['totals']['moves']}."
    assert f"The minimum with balanced loads is {least}" in best["says"]
    crowded = [
        {"name": "a", "partitions": 3},
        {"name": "b", "partitions": 3},
    ]  # range gives partitions of both to the first member
    members = [{"id": f"m{n}", "topics": ["a", "b"]} for n in range(2)]
    Path(path).write_text(json.dumps({"topics": crowded, "members": members}))
    assert main([asked[0], "consumer/range", *asked[2:]]) == 3
    assert "The minimum with balanced loads is at least 0." in " ".join(capsys.readouterr().out.split())
