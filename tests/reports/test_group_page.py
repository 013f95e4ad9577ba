"""The page of one group and the table beside it, as `kassay compare --group` writes them, also of what goes wrong."""

import json
import re
from dataclasses import replace

import pytest

pytest.importorskip("jinja2", reason="pip install 'kassay[reports]'")

from reports.plain_sums import CONSUMER
from reports.test_page import Reader

from kassay.cli import main
from kassay.comparison.measured import Measured, measure_answer, measure_current_assignment
from kassay.families import family
from kassay.model import Group, Member, Topic
from kassay.reports.page.groups.one_group import describe_problem
from kassay.targets import Options, open_target

KMINION = "examples/groups/kminion-104.members.txt"
KAFKAS = ["consumer/range", "consumer/sticky"]
HOSTILE = "<script>alert(1)</script>&'\""
CODE = """
def throws(group):
    raise ValueError("<b>no</b>")

def loses(group):
    return {member.id: [] for member in group.members}
"""


def group(*owned, members=("a", "b"), topics=("t", 4)):
    """Return a group of one topic whose members own so many partitions each, in order."""
    topic = Topic(*topics)
    parts = list(topic)
    claims = [tuple(parts[sum(owned[:n]) :][:number]) for n, number in enumerate(owned)]
    return Group(
        (topic,),
        tuple(Member(name, (topic.name,), claim) for name, claim in zip(members, claims, strict=True)),
    )


@pytest.fixture
def told(tmp_path, capsys, monkeypatch):
    """Return a function that compares targets on a group and gives status, page or None, records and what was said."""
    (tmp_path / "theirs.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def run(targets, of, *more, page="page.html"):
        if isinstance(of, Group):
            (tmp_path / "group.json").write_text(json.dumps(CONSUMER.write_group(of)))
            of = str(tmp_path / "group.json")
        out = tmp_path / page
        status = main(["compare", *targets, "--group", of, "--html", str(out), "--json", *more])
        printed = capsys.readouterr()
        records = [json.loads(line) for line in printed.out.splitlines()]
        return status, out.read_text() if out.is_file() else None, records, printed.err

    return run


def drawn(page):
    """Return title -> (level -> value, trouble) of what is drawn."""
    found = {}
    for title, rest in re.findall(
        r'<span class="step">\d+</span>(.*?)(?:<p|</figcaption>)(.*?)</figure>', page, re.DOTALL
    ):
        scores = re.findall(r"<dt[^>]*>(.*?)</dt><dd><b>(.*?)</b>", rest)
        trouble = re.search(r'class="trouble">(.*?)</p>', rest)
        found[title] = (dict(scores), trouble and trouble[1])
    return found


def test_the_page_of_a_listing_holds_the_group_that_was_measured(told):
    status, page, records, err = told(KAFKAS, KMINION)
    assert status == 0, err
    Reader(page)
    inside = json.loads(re.search(r'id="group-json">(.*?)</script>', page, re.DOTALL)[1])
    read = CONSUMER.shape.read_group({k: v for k, v in inside.items() if k != "family"})
    assert CONSUMER.write_group(read) == inside
    assert inside["family"] == "consumer"
    assert len(read.members) == 5
    now = measure_current_assignment(CONSUMER, read)
    (of_now,) = [record for record in records if record["record"] == "present"]
    assert of_now["measures"] == now.measures
    assert now.measures == {name: each(read, now.assignment) for name, each in CONSUMER.measures.items()}
    rows = dict(re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', page[page.index('id="measures"') :]))
    for n, name in enumerate(KAFKAS, 1):
        again = measure_answer(open_target(name, Options()), CONSUMER, read)
        (record,) = [record for record in records if record.get("target") == name]
        assert record["measures"] == again.measures
        for measure, value in again.measures.items():
            cells = re.findall("<td[^>]*>(.*?)</td>", rows[measure])
            assert cells[n] == f"{value:,}", measure
            if measure in now.measures:
                assert cells[0] == f"{now.measures[measure]:,}"
    best = CONSUMER.oracles.optimum(",".join(CONSUMER.oracles.levels), read, None)
    assert drawn(page)["The best possible"][0] == {
        CONSUMER.level(level.name).head: f"{level.value:,}" for level in best.levels
    }
    (record,) = [record for record in records if record["record"] == "page"]
    assert re.search(f"<h1>{re.escape(record['sentences'][0])}(?: <em>[^<]*</em>)?</h1>", page)


def test_no_page_of_two_groups_or_none(tmp_path, capsys):
    out, file = tmp_path / "page.html", tmp_path / "group.json"
    file.write_text(json.dumps(CONSUMER.write_group(group(2, 2))))
    for groups, number in (([], 0), (["--group", str(file), "--group", str(file)], 2)):
        assert main(["compare", *KAFKAS, *groups, "--html", str(out)]) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert f"--html {out}: shows one group, and there are {number}. Give one with --group FILE" in err
    assert not out.exists()


def test_a_page_of_a_sweep_is_refused(tmp_path, capsys):
    out = tmp_path / "page.html"
    assert main(["compare", *KAFKAS, "--sweep", str(tmp_path), "--html", str(out)]) == 2
    assert "--html" in capsys.readouterr().err
    assert not out.exists()


def test_a_page_that_cannot_be_written_is_one_sentence(told, tmp_path):
    (tmp_path / "a").write_text("a file")
    status, page, _, err = told(KAFKAS, KMINION, page="a/page.html")
    assert (status, page) == (2, None)
    assert err.splitlines()[-1].startswith("kassay: ")
    assert "a/page.html" in err.splitlines()[-1]
    (tmp_path / "folder").mkdir()
    assert told(KAFKAS, KMINION, page="folder")[0] == 2


def test_hostile_names_stand_as_text(told):
    of = group(1, 3, members=(HOSTILE, "b"), topics=(HOSTILE, 4))
    status, page, _, _ = told(KAFKAS, of)
    assert status == 0
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 4
    Reader(page)
    inside = json.loads(re.search(r'id="group-json">(.*?)</script>', page, re.DOTALL)[1])
    assert inside == CONSUMER.write_group(CONSUMER.leader_order(of))


def test_what_throws_and_what_loses_is_shown_as_such(told):
    status, page, _, _ = told(["python:theirs:throws", "python:theirs:loses"], group(4, 0))
    assert status == 3
    found = drawn(page)
    assert "It returns no assignment: " in found["theirs:throws"][1]
    assert "&lt;b&gt;no&lt;/b&gt;" in found["theirs:throws"][1]
    assert set(found["theirs:throws"][0].values()) == {"-"}
    assert "range is Kafka&#39;s default: change nothing if no other one was set." in page
    assert found["theirs:loses"][1].startswith("It is incorrect. Complete: ")
    assert "<h1>group.json: 1 of 2 members has no partition. Balanced is 2." in page


@pytest.mark.parametrize(
    ("targets", "of", "said"),
    [
        (KAFKAS, group(2, 2), "Change nothing: the current assignment is optimal."),
        (KAFKAS, group(4, 0), "range is Kafka's default: change nothing if no other one was set. Otherwise set range on both members. cooperative-sticky, roundrobin and sticky are equally good."),
        (["consumer/fair"], group(0, 0), "range is Kafka's default: change nothing"),
        (["consumer/roundrobin"], group(1, 1, 1, members="cba", topics=("t", 3)), "Change nothing"),
        (["consumer/roundrobin"], group(2, 1, 1, members="cba"), "Change nothing"),
        (["consumer/roundrobin"], group(0, 2, 3, members="abc", topics=("t", 5)), "Set cooperative-sticky on all 3 members. sticky is equally good, but it stops all members at each rebalance."),
        (["python:theirs:loses"], group(4, 0), "range is Kafka's default: change nothing"),
    ],
)  # fmt: skip
def test_what_to_change_follows_from_the_gaps(told, targets, of, said):
    _, page, records, _ = told(targets, of)
    (record,) = [record for record in records if record["record"] == "page"]
    assert record["sentences"][1].startswith(said)
    assert record["sentences"][1].replace("'", "&#39;") in page
    (told,) = [record for record in records if record["record"] == "advice"]
    assert [told["says"], told["advice"], *told["set"], *filter(None, [told["price"]])] == record["sentences"]


def test_without_claims_there_is_no_now(told):
    _, page, records, _ = told(KAFKAS, group(0, 0))
    assert "Now" not in drawn(page)
    assert not [record for record in records if record["record"] == "present"]
    _, page, records, _ = told(KAFKAS, group(1, 0))
    assert "Now" in drawn(page)
    (record,) = [record for record in records if record["record"] == "present"]
    assert not record["legal"]
    assert drawn(page)["Now"][1].startswith("It is incorrect.")


def test_the_table_shows_what_is_measured(tmp_path, capsys):
    of = group(3, 1)
    (tmp_path / "g.json").write_text(json.dumps(CONSUMER.write_group(of)))
    assert main(["compare", *KAFKAS, "--group", str(tmp_path / "g.json"), "--format", "markdown"]) == 0
    lines = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("|")
    ]
    at = next(n for n, line in enumerate(lines) if line[0] == "strategy")
    assert lines[at] == [
        "strategy",
        "max load",
        "min load",
        "moves (4 owned)",
        "moves in a rolling restart of 2 members",
    ]
    rows = {line[0]: line[1:] for line in lines[at + 2 :]}
    for name in KAFKAS:
        one = measure_answer(open_target(name, Options()), CONSUMER, CONSUMER.leader_order(of))
        loads = [len(parts) for parts in one.settled.values()]
        expected = [max(loads), min(loads), one.measures["moves"]]
        assert rows[name.partition("/")[2]][:3] == [str(number) for number in expected]
    best = CONSUMER.oracles.optimum("balance,cross-rack,moves", of, None)
    assert rows["optimum"][:3] == ["2", "2", str(best.values["moves"])]
    restart = CONSUMER.oracles.over_time
    timeline = restart.kinds["restart"](CONSUMER.leader_order(of), 2)
    least = restart.optimum(restart.questions[0], timeline, None).totals[0]
    assert rows["optimum"][3] == str(least.least)
    pictured = {line[0]: line for line in lines[2:at]}
    assert [pictured[name][1] for name in "ab"] == ["3", "1"]
    assert pictured["a"][2] == "██░"
    assert pictured["b"][2] == "█▓"


@pytest.mark.parametrize(
    ("of_family", "why"),
    [
        ("streams", "It first warms up tasks at their new owners. This is its answer in rebalance 3."),
        ("consumer", "It first waits for revocations. This is its answer in rebalance 3."),
        ("connect", "It first waits for revocations. This is its answer in rebalance 3."),
    ],
)
def test_why_an_answer_is_not_the_first_is_told_of_each_family(of_family, why):
    later = Measured("a", {}, {}, rebalances=3)
    assert describe_problem(family(of_family), later) == why
    assert (
        describe_problem(family(of_family), later, still=True)
        == describe_problem(family(of_family), replace(later, rebalances=1))
        == ""
    )
