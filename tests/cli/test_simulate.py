"""`kassay simulate`: verdicts, smallest schedules, files that replay, and what it refuses."""

import json
import os
import re
from pathlib import Path

import pytest

from kassay.cli import main
from kassay.simulation.machines import BEHAVIOURS
from kassay.simulation.search import campaign

FEW = ["simulate", "--schedules", "60"]


def records(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def loses_the_last(group):
    """A wrong assignor: it forgets the last partition of each topic."""
    first, *others = group.members
    kept = [partition for topic in group.topics for partition in [*topic][:-1]]
    return {first.id: kept, **{member.id: [] for member in others}}


def test_a_group_keeps_its_promises_and_says_how_much_was_tried(capsys):
    assert main([*FEW, "--faults", "crash,leave", "--coordinator", "kafka@4.4.0", "--json"]) == 0
    *verdicts, tried = records(capsys)
    assert {one["outcome"] for one in verdicts if one["record"] == "verdict"} == {"kept"}
    assert (tried["schedules"], tried["whole"], tried["failures"]) == (60, True, [])


def test_a_wrong_assignor_is_caught_with_files_that_replay(tmp_path, capsys, monkeypatch):
    spec = "python:cli.test_simulate:loses_the_last"
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join((str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")))
    )
    assert main([*FEW, "--target", spec, "-o", str(tmp_path), "--json"]) == 1
    found = [one for one in records(capsys) if one["record"] == "schedule"]
    (lost,) = [one for one in found if one["invariant"] == "legal_target_assignment" and not one["known"]]
    assert lost["schedule"]["schedule"]["setting"]["members"] == 1
    assert "faults" not in lost["schedule"]["schedule"] or not lost["schedule"]["schedule"]["faults"]
    files = [
        one
        for one in tmp_path.glob("schedule-*.json")
        if json.loads(one.read_text())["breaks"] == lost["invariant"]
    ]
    assert files[0].with_suffix(".svg").read_text().startswith("<svg")
    assert main(["simulate", "--replay", str(files[0])]) == 2
    assert "--trust" in capsys.readouterr().err
    assert main(["simulate", "--replay", str(files[0]), "--trust"]) == 1
    assert "nobody owns t0-0 in a stable group" in capsys.readouterr().out
    assert main(["simulate", "--replay", str(files[0]), "--assignor", "consumer/range"]) == 0


def test_a_page_shows_the_verdicts_and_each_schedule_with_its_diagram(tmp_path, capsys):
    page = tmp_path / "page.html"
    line = [*FEW, "--coordinator", "unpersisted", "--faults", "coordinator-crash", "--json"]
    assert main([*line, "--html", str(page)]) == 0
    found = [one for one in records(capsys) if one["record"] == "schedule"]
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg xmlns") == len(found) > 0
    assert "broke as is known in 60 schedules" in text
    schedule = re.search(r'id="schedule-json-1">(.*?)</script>', text)
    assert schedule is not None
    assert json.loads(schedule[1]) == found[0]["schedule"]
    (saved := tmp_path / "schedule.json").write_text(schedule[1], encoding="utf-8")
    assert main(["simulate", "--replay", str(saved), "--html", str(page)]) == 0
    assert found[0]["invariant"] in page.read_text(encoding="utf-8")


def test_a_known_defect_counts_with_strict_only(capsys):
    line = [*FEW, "--coordinator", "unpersisted", "--faults", "coordinator-crash", "--json"]
    assert main(line) == 0
    outcomes = {one["property"]: one["outcome"] for one in records(capsys) if one["record"] == "verdict"}
    assert outcomes["one_leader"] == "known defect"
    assert main([*line, "--strict"]) == 1


def test_an_interrupt_keeps_what_was_found(capsys, monkeypatch):
    def interrupted(self, number, schedule, outcome):
        if number == 20:
            raise KeyboardInterrupt
        add(self, number, schedule, outcome)

    add = campaign.Campaign.add
    monkeypatch.setattr(campaign.Campaign, "add", interrupted)
    assert main([*FEW, "--faults", "crash", "--json"]) == 130
    tried = records(capsys)[-1]
    assert (tried["schedules"], tried["whole"]) == (20, False)


def test_all_that_can_happen_is_visited(capsys):
    assert main(["simulate", "--exhaustive", "5", "--json"]) == 0
    *verdicts, explored = records(capsys)
    assert {one["outcome"] for one in verdicts} == {"kept"}
    assert (explored["states"], explored["whole"]) == ([1, 3, 6, 11, 20, 39], True)


@pytest.mark.parametrize("use", ["connect", "streams", "single-writer"])
def test_other_uses_are_simulated(use, capsys):
    assert main(["simulate", use, "--schedules", "20", "--coordinator", "kafka@4.4.0"]) == 0
    assert f"in a group of the use {use}" in capsys.readouterr().out


@pytest.mark.parametrize("coordinator", BEHAVIOURS)
def test_the_help_names_every_coordinator_there_is(coordinator, capsys):
    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    assert coordinator in capsys.readouterr().out
    assert main([*FEW[:1], "--schedules", "3", "--coordinator", coordinator]) == 0


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["konsumer"], "USE: there is no 'konsumer'; known are consumer"),
        (["--faults", "crush"], "--faults: there is no 'crush'"),
        (["single-writer", "--faults", "grow"], "does not fit the use single-writer"),
        (["--coordinator", "kafka@0.9"], "--coordinator: there is no 'kafka@0.9'"),
        (["--members", "0"], "--members: Expected `int` >= 1"),
        (["--members", "51"], "--members: Expected `int` <= 50"),
        (["--partitions", "2,x"], "--partitions 2,x: give whole numbers"),
        (["--partitions", "0"], "--partitions[0]: Expected `int` >= 1"),
        (["connect", "--target", "consumer/range"], "connect assigns by itself"),
        (
            ["--assignor", "streams/sticky"],
            "is of the streams family; the use consumer takes an assignor of the consumer family",
        ),
        (["single-writer", "--static"], "instance_id"),
        (["--exhaustive", "3", "--members", "4"], "give at most 3 --members"),
        (["--replay", "nothing.json"], "cannot be read"),
        (["--replay", "nothing.json", "--faults", "crash"], "leave out faults"),
    ],
)
def test_wrong_input_is_one_sentence(more, says, capsys):
    assert main(["simulate", *more]) == 2
    out = capsys.readouterr()
    assert says in out.err
    assert out.err.count("\n") == 1
    assert not out.out
