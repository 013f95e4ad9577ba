"""The scoreboard: what is counted from stored runs, what refuses wrong ones, and that the runs in the repository fit the known failures."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.cli import main
from kassay.conformance.fixture_runner import read_known
from kassay.conformance.fixtures import read_family_fixtures
from kassay.conformance.scoreboard import (
    CLIENT_RUNS,
    COLUMNS,
    Judged,
    Part,
    Promise,
    count_rows,
    format_held,
    matrix,
    parse_ranges,
    read_protocol_runs,
    read_stored_runs,
    select_newest,
    write_judged,
    write_ranges,
)
from kassay.errors import InputError

ADAPTERS = Path(__file__).parents[2] / "adapters" / "fixtures"
FIXTURES = read_family_fixtures("consumer")
EVERY = read_stored_runs([CLIENT_RUNS])
RUN = {
    "format": 1, "library": "one", "release": "1.9.0", "language": "Go", "date": "2026-11-24", "command": "go test", "family": "consumer",
    "fixtures": "0.1.0", "runs": 1,
    "assignors": [{"name": "sticky", "kept": {"answers": "1-3,5", "loads": "1-2", "moves": "1"}, "failed": [
        {"case": "consumer-0005", "check": "subscribed", "wrong": "t0-0 is given to m0"}, {"case": "consumer-0003", "check": "loads", "wrong": "uneven"},
    ]}],
}  # fmt: skip


@given(st.sets(st.integers(0, 300)))
def test_ranges_say_the_same_numbers(drawn):
    assert [*parse_ranges(write_ranges(sorted(drawn)))] == sorted(drawn)


def test_a_case_counts_once_in_a_column_and_values_of_a_wrong_answer_do_not(tmp_path):
    (tmp_path / "one.json").write_text(json.dumps(RUN))
    (row,) = count_rows(read_stored_runs([tmp_path]), FIXTURES)
    assert {name: cell.says for name, cell in row.cells.items()} == {
        "right": "3 of 4", "even": "2 of 3", "few moves": "1 of 1", "at rest": "not asked", "near": "not asked", "steady": "not asked",
        "as Kafka": "not asked",
    }  # fmt: skip
    assert not row.right


def test_the_newest_release_is_that_with_the_greatest_number(tmp_path):
    for release in ("1.9.0", "1.10.0", "1.2.0"):
        (tmp_path / f"{release}.json").write_text(json.dumps(RUN | {"release": release}))
    assert [row.run.release for row in select_newest(count_rows(read_stored_runs([tmp_path]), FIXTURES))] == [
        "1.10.0"
    ]


@pytest.mark.parametrize("run", EVERY, ids=lambda run: f"{run.library}-{run.release}")
def test_stored_runs_fail_what_is_known_to_fail(run):
    (file,) = ADAPTERS.rglob(f"known-failures-{run.library}-{run.release}.txt")
    known = read_known(str(file))
    failed = {(one.name, each.case, each.check) for one in run.assignors for each in one.failed}
    assert failed <= known.lines
    assert known.lines - known.flaky <= failed
    assert run.fixtures == FIXTURES.version


def test_each_library_was_run_in_two_releases():
    libraries = [run.library for run in EVERY]
    assert len(set(libraries)) >= 9
    assert {libraries.count(name) for name in libraries} == {2}


def test_every_check_of_a_run_belongs_to_a_column():
    counted = {check for _, checks in COLUMNS.values() for check in checks}
    assert {check for run in EVERY for one in run.assignors for check in one.kept} <= counted


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "format: is 2, but this kassay reads format 1"),
        ({"more": 1}, "more"),
        ({"assignors": [{"name": "a", "kept": {"loads": "1-x"}, "failed": []}]}, "kept: '1-x' is not a number or range up to 999,999. Write 1-3,5."),
        ({"runs": "many"}, "runs"),
    ],
)  # fmt: skip
def test_a_malformed_run_is_named_with_its_field(tmp_path, change, said):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(RUN | change))
    with pytest.raises(InputError) as refused:
        read_stored_runs([path])
    assert str(refused.value).startswith(str(path))
    assert said in str(refused.value)


def test_the_command_says_it_and_refuses_what_it_cannot_use(tmp_path, capsys):
    for name, release in (("a", "1.9.0"), ("b", "1.10.0")):
        (tmp_path / f"{name}.json").write_text(json.dumps(RUN | {"release": release}))
    assert main(["scoreboard", str(tmp_path), "--format", "markdown"]) == 0
    said = capsys.readouterr().out
    assert "0 of 1 assignors of 1 clients" in said
    assert "|   sticky | 3/4 |" in said
    assert "1.9.0" not in said
    (tmp_path / "b.json").write_text(json.dumps(RUN))
    assert main(["scoreboard", str(tmp_path)]) == 2
    assert "one 1.9.0: stands in two of the files" in capsys.readouterr().err
    assert main(["scoreboard", str(tmp_path / "nothing")]) == 2
    assert "nothing" in capsys.readouterr().err


def test_the_page_draws_what_fails(tmp_path):
    (tmp_path / "one.json").write_text(json.dumps(RUN))
    page = tmp_path / "board.html"
    assert main(["scoreboard", str(tmp_path / "one.json"), "--html", str(page)]) == 0
    html = page.read_text()
    assert html.count('class="case"') == 2
    assert "sticky: subscribed: t0-0 is given to m0" in html
    assert 'href="#consumer-0003"' in html


BROKEN = Promise("one_leader", "broken", 2, 8, "generation 3 has two leaders")
JUDGED = Judged(
    1, "coordinator", "mine", "1.0", "2026-11-24", "kassay simulate",
    [Part("", [Promise("owned_in_time", "kept", 0, 8), BROKEN], {"groups a second": "94"}), Part("--old-versions", [Promise("owned_in_time", "not promised", 0, 0)])],
)  # fmt: skip


def test_what_is_judged_is_read_as_it_is_written(tmp_path):
    write_judged(tmp_path, JUDGED)
    assert read_protocol_runs(tmp_path) == [JUDGED]
    counted, names, rows_ = matrix([JUDGED])
    assert (counted, names) == (["groups a second"], ["one_leader"])
    assert [[*map(format_held, promises)] for *_, promises in rows_] == [["6/8"], ["-"]]


@pytest.mark.parametrize(
    ("change", "said"),
    [(('"format": 1', '"format": 2'), "this kassay reads format 1"), (('"date"', '"day"'), "day")],
)
def test_wrong_files_of_what_is_judged_are_told(change, said, tmp_path):
    write_judged(tmp_path, JUDGED)
    (file,) = tmp_path.iterdir()
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(InputError, match=said):
        read_protocol_runs(tmp_path)


def test_the_table_and_the_page_show_what_is_broken_over_the_wire(tmp_path, capsys):
    page = tmp_path / "board.html"
    assert main(["scoreboard", "--json", "--html", str(page)]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    judged = [one for one in records if one["record"] == "judged"]
    assert {one["name"] for one in judged if one["kind"] == "client"} >= {
        "kafka-python",
        "kafka-clients",
        "krafka",
    }
    assert all(one["command"].startswith("nox -s parity -- ") and one["runs"] for one in judged)
    (cooperative,) = (
        one
        for one in judged
        if (one["kind"], one["name"], one["as"]) == ("client", "kafka-python", "cooperative-sticky")
    )
    leaders = {one["name"]: one["measured"] for one in judged if one["kind"] == "leader"}
    assert leaders.keys() == {one["name"] for one in judged if one["kind"] == "client"}
    assert f"<b>{leaders['krafka']['groups a second']}</b>" in page.read_text()
    assert "claims_what_it_was_given" in cooperative["broken"]
    assert "joins with t0-0" in page.read_text()
