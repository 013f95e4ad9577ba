"""`kassay simulate`: verdicts, smallest schedules, files that replay, and what it refuses."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from printed import json_lines
from whole import WHOLE

from kassay.cli import main
from kassay.protocol.simulation import campaign
from kassay.protocol.simulation.schedule import SCENARIOS
from kassay.protocol.simulation.steps import BEHAVIOURS, NEWEST
from kassay.reference.consumer.range import assign as plain

TESTS = str(Path(__file__).parents[1])
FEW = ["simulate", "--schedules", "60"]


def loses_the_last(group):
    """A wrong assignor: it forgets the last partition of each topic."""
    first, *others = group.members
    kept = [partition for topic in group.topics for partition in [*topic][:-1]]
    return {first.id: kept, **{member.id: [] for member in others}}


def test_a_group_keeps_its_promises_and_says_how_much_was_tried(capsys):
    assert main([*FEW, "--faults", "crash,leave", "--coordinator", "kafka@4.4.0", "--json"]) == 0
    *verdicts, tried = json_lines(capsys)
    outcomes = {one["property"]: one["outcome"] for one in verdicts if one["record"] == "verdict"}
    unexercised = [name for name, count in tried["exercised"].items() if not count]
    assert {name for name, outcome in outcomes.items() if outcome != "kept"} == {*unexercised}
    assert unexercised == tried["never_exercised"]
    assert {outcomes[name] for name in unexercised} == {"not exercised"}
    assert tried["schedules"] > 60  # those that are known run first
    assert (tried["whole"], tried["never_struck"]) == (True, [])
    runs = f"{tried['schedules']} runs of 2 members with consumer/range and Kafka 4.4.0"
    assert verdicts[0]["says"] == f"{runs} show no defect."
    assert sum(tried["faults"].values()) > 60


def gives_to_a_stranger(group):
    """A wrong assignor: its answer also names an id outside the group."""
    return {**plain(group), "stranger": []}


def test_an_answer_that_names_an_id_outside_the_group_is_caught(capsys, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", TESTS, prepend=os.pathsep)
    spec = "python:cli.test_simulate:gives_to_a_stranger"
    assert main([*FEW, "--target", spec, "--faults", "leave"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "breaks every_member in" in said
    assert "the result names stranger, which is no member" in said
    assert 'Promise "every_member"' in said


def test_a_wrong_assignor_is_caught_with_files_that_replay(tmp_path, capsys, monkeypatch):
    spec = "python:cli.test_simulate:loses_the_last"
    monkeypatch.setenv("PYTHONPATH", TESTS, prepend=os.pathsep)
    assert main([*FEW, "--target", spec, "-o", str(tmp_path), "--json"]) == 1
    found = [one for one in json_lines(capsys) if one["record"] == "schedule"]
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
    said = capsys.readouterr().out
    assert said.startswith("FAIL  python:cli.test_simulate:loses_the_last breaks complete in 1 of 1 group")
    assert "No member owns t0-0 in a stable group." in said.replace("nobody owns", "Nobody owns")
    assert said.endswith("Exit status 1: a promise is broken.\n")
    assert main(["simulate", "--replay", str(files[0]), "--target", "consumer/range"]) == 0


CALLS = [0]


def raises(_group):
    """A wrong assignor: it fails whenever it is asked."""
    raise ValueError("no")


def dies_every_fifth_time(group):
    """A wrong assignor: its process ends at every fifth call."""
    CALLS[0] += 1
    if CALLS[0] % 5 == 0:
        os._exit(3)
    return plain(group)


def raises_every_fifth_time(group):
    """A wrong assignor: it fails at every fifth call."""
    CALLS[0] += 1
    if CALLS[0] % 5 == 0:
        raise RuntimeError("the fifth")
    return plain(group)


def assigns_at_random(group):
    """A wrong assignor: the same group is given another answer each time."""
    CALLS[0] += 1
    return {member.id: given for member, given in zip(group.members, turned(group, CALLS[0]), strict=True)}


def turned(group, by):
    """Return what the members are given by range, each what another one would be."""
    given = [plain(group)[member.id] for member in group.members]
    return given[by % len(given) :] + given[: by % len(given)]


def gives_to_nobody(group):
    """A wrong assignor: all goes to a member that does not exist."""
    every = [partition for topic in group.topics for partition in topic]
    return {**{member.id: [] for member in group.members}, "nobody": every}


@pytest.mark.parametrize(
    ("wrong", "promise"),
    [
        (raises, "crash_free"),
        (raises_every_fifth_time, "crash_free"),
        *[(dies_every_fifth_time, "crash_free")] * WHOLE,
        (assigns_at_random, "deterministic"),
        (gives_to_nobody, "complete"),
    ],
)
def test_what_an_assignor_breaks_by_itself_is_status_1_and_told(wrong, promise, capsys, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", TESTS, prepend=os.pathsep)
    spec = f"python:cli.test_simulate:{wrong.__name__}"
    assert main(["simulate", "--schedules", "5", "--faults", "crash", "--target", spec]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"FAIL  {spec} breaks {promise} in ")
    assert f'Promise "{promise}":' in said
    assert wrong is not raises or "every partition was assigned again" not in said
    assert f"kassay check {spec}" in said
    assert said.endswith("Exit status 1: a promise is broken.\n")


def test_the_default_is_the_newest_kafka_and_a_study_says_that_it_is_one(capsys):
    assert main([*FEW, "--faults", "crash"]) == 0
    assert capsys.readouterr().out.startswith("PASS  ")
    assert NEWEST == "kafka@4.4.0"
    assert main([*FEW, "--faults", "racks", "--coordinator", "proposal"]) == 0
    assert capsys.readouterr().out.startswith(
        "PASS  Research protocol, not in any broker (--coordinator proposal)."
    )


def test_one_cause_is_one_story_and_all_tells_every_message(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    line = ["simulate", "--schedules", "200", "--faults", "crash,failover"]
    assert main(line) == 0
    few = capsys.readouterr().out
    assert few.count("Smallest run") == 1
    said = " ".join(few.split())
    assert "(generations_grow, one_leader)" in said or "(one_leader, generations_grow)" in said
    assert few.count("<- here") == 1
    assert "no partition had two owners" in said
    assert max(map(len, few.splitlines())) <= 80
    assert main([*line, "--all"]) == 0
    every = capsys.readouterr().out
    assert "-> broker 0: JoinGroup of a new member: own" in every
    assert "Injected faults: crash" in every


def test_a_page_shows_the_verdicts_and_each_schedule_with_its_diagram(tmp_path, capsys):
    page = tmp_path / "page.html"
    line = [*FEW, "--coordinator", "unpersisted", "--faults", "coordinator-crash", "--json"]
    assert main([*line, "--html", str(page)]) == 0
    found = [one for one in json_lines(capsys) if one["record"] == "schedule"]
    text = page.read_text(encoding="utf-8")
    causes = {tuple(one["known"]) for one in found}  # each is told once
    assert text.count("<svg xmlns") == len(causes) > 0
    assert re.search(r"<h1[^>]*>[^<]*[\d,]+ runs of [^<]* show no new defect", text)
    schedule = re.search(r'id="schedule-json-1">(.*?)</script>', text)
    assert schedule is not None
    assert json.loads(schedule[1]) in [one["schedule"] for one in found]
    (saved := tmp_path / "schedule.json").write_text(schedule[1], encoding="utf-8")
    assert main(["simulate", "--replay", str(saved), "--html", str(page)]) == 0
    assert any(one["invariant"] in page.read_text(encoding="utf-8") for one in found)


def test_a_known_defect_counts_with_strict_only(capsys):
    line = [*FEW, "--coordinator", "unpersisted", "--faults", "coordinator-crash", "--json"]
    assert main(line) == 0
    outcomes = {one["property"]: one["outcome"] for one in json_lines(capsys) if one["record"] == "verdict"}
    assert outcomes["one_leader"] == "known defect"
    assert main([*line, "--strict"]) == 1


def test_two_processes_of_one_instance_id_are_drawn_and_counted(capsys):
    assert main([*FEW, "--json"]) == 0
    tried = json_lines(capsys)[-1]
    assert tried["faults"]["twin"] > 0
    assert main(["simulate", "--schedules", "60", "--static", "--faults", "twin", "--all"]) == 0
    assert re.search(r"Injected faults: twin \d+", capsys.readouterr().out)


def test_a_fault_that_never_struck_is_told(capsys):
    assert main(["simulate", "--schedules", "1", "--faults", "racks,delay,unreadable,loss,slow-log"]) == 0
    assert re.search(r"Never injected: [-a-z, ]+\. Try more --schedules\.", capsys.readouterr().out)


def test_an_interrupt_keeps_what_was_found(capsys, monkeypatch):
    def interrupted(self, number, schedule, outcome):
        if number == 20:
            raise KeyboardInterrupt
        add(self, number, schedule, outcome)

    add = campaign.Campaign.add
    monkeypatch.setattr(campaign.Campaign, "add", interrupted)
    assert main([*FEW, "--faults", "crash", "--json"]) == 130
    tried = json_lines(capsys)[-1]
    assert (tried["schedules"] >= 20, tried["whole"]) == (True, False)


@pytest.mark.parametrize("more", [["--schedules", "1000000"], ["--exhaustive", "30"]])
def test_ctrl_c_ends_within_two_seconds_and_keeps_what_was_found(more):
    line = [sys.executable, "-m", "kassay", "simulate", "--faults", "coordinator-crash", "--json", *more]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        time.sleep(STARTED_S * busy())
        struck = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        took = time.monotonic() - struck
    said = [json.loads(line) for line in out.splitlines()]
    assert took < 2 * busy()
    assert process.returncode == 130
    assert said[-1]["whole"] is False
    assert {one["outcome"] for one in said if one.get("property") == "generations_grow"} == {"known defect"}


STARTED_S = 2.5
"""How long the command has time to start and to find something, on a machine that does nothing else."""


def busy():
    """Return how many times as long everything takes on this machine at the moment."""
    return min(8.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


def test_runs_that_the_time_limit_leaves_are_counted_and_end_in_no_conclusion(capsys):
    assert main([*FEW, "--time-limit", "0.000001", "--json"]) == 3
    *verdicts, tried = json_lines(capsys)
    assert tried["schedules"] == 0 < 40 < tried["left"]
    assert {one["outcome"] for one in verdicts if one["record"] == "verdict"} == {"skipped"}
    assert main([*FEW, "--time-limit", "600", "--faults", "leave", "--json"]) == 0
    assert json_lines(capsys)[-1]["left"] == 0


def test_the_time_limit_is_the_reason_in_the_last_line(capsys, monkeypatch):
    clock = count(time.monotonic())  # a second passes with each run
    monkeypatch.setattr(campaign, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert main([*FEW, "--time-limit", "50", "--faults", "leave"]) == 3
    said = " ".join(capsys.readouterr().out.split())
    left = re.search(
        r"Exit status 3: no conclusion: (\d+) of (\d+) runs are left, because the time limit of 50 s", said
    )
    assert left is not None
    assert 0 < int(left[1]) < int(left[2])
    assert said.startswith("INCONCLUSIVE")


def test_an_exploration_ends_in_the_time_limit(capsys):
    assert main(["simulate", "--exhaustive", "5", "--time-limit", "0.000001"]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "not all states were visited: the time limit of 1e-06 s is over" in said


def test_all_that_can_happen_is_visited(capsys):
    assert main(["simulate", "--exhaustive", "5", "--json"]) == 0
    *verdicts, explored = json_lines(capsys)
    assert {one["outcome"] for one in verdicts} == {"kept", "not exercised"}
    assert "eventually_converges" in {one["property"] for one in verdicts if one["outcome"] == "kept"}
    assert (explored["states"], explored["whole"]) == ([1, 5, 11, 24, 44, 87], True)
    groups = {(one["state"], one["members"]): one["states"] for one in explored["groups"]}
    assert groups["Stable", 2] > 10
    assert sum(groups.values()) == sum(explored["states"])
    assert main(["simulate", "--exhaustive", "3", "--faults", "leave"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "with one fault (leave)" in said
    assert re.search(r"state of the group 0 members 1 member 2 members .*Stable \d+ \d+ \d+", said)


@pytest.mark.parametrize("use", ["connect", "streams", "single-writer"])
def test_other_uses_are_simulated(use, capsys):
    assert main(["simulate", use, "--schedules", "20", "--coordinator", "kafka@4.4.0"]) == 0
    said = capsys.readouterr().out
    assert ("consumer/" if use == "streams" else f"under {use}") in said
    assert said.endswith("Exit status 0: no promise is broken.\n\n") or "only known defects" in said


@pytest.mark.parametrize("coordinator", BEHAVIOURS)
def test_the_help_names_every_coordinator_there_is(coordinator, capsys):
    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    assert coordinator in capsys.readouterr().out
    assert main([*FEW[:1], "--schedules", "3", "--coordinator", coordinator]) == 0


@pytest.mark.parametrize(
    ("saved", "says"),
    [
        ({"format": 2}, "format: is 2, known is 1. Write the schedule again"),
        ({}, "a field is missing. Add `format`"),
        ({"format": 1, "schedule": {"setting": {"use": "consumers"}}}, "use: there is no 'consumers'"),
        ({"format": 1, "schedule": {"setting": {"coordinator": "kafka@5"}}}, "there is no 'kafka@5'"),
        (
            {"format": 1, "schedule": {"setting": {}, "faults": [{"at": 1, "kind": "x"}]}},
            "faults[0].kind: there is no 'x'",
        ),
    ],
)
def test_a_schedule_of_another_version_is_refused_in_one_sentence(saved, says, tmp_path, capsys):
    file = tmp_path / "schedule.json"
    file.write_text(json.dumps({"kassay": "0.0", "schedule": {"setting": {}}, **saved}))
    assert main(["simulate", "--replay", str(file)]) == 2
    out = capsys.readouterr()
    assert says in out.err
    assert out.err.startswith(f"kassay: {file}")
    assert out.err.count("\n") == 1
    assert not out.out


def test_a_scenario_plays_by_its_name_and_is_drawn_as_on_its_page(tmp_path, capsys):
    files = ["-o", str(tmp_path), "--html", str(tmp_path / "run.html")]
    assert main(["simulate", "--scenario", "topic-grows", "--coordinator", "proposal", *files]) == 0
    said = capsys.readouterr().out
    assert "the leader synchronises again, in the same generation (4a)" in " ".join(said.split())
    assert "topic-grows: 2 members, 3 partitions, 1 fault" in said
    (picture,) = tmp_path.glob("*.svg")
    page = Path(__file__).parents[2] / "docs" / "results" / "group" / "topic-grows-proposal.svg"
    drawn, there = (re.sub("<title>.*</title>", "", one.read_text()) for one in (picture, page))
    assert drawn == there
    assert "topic 0 gets one more partition" in (tmp_path / "run.html").read_text()
    (file,) = tmp_path.glob("*.json")
    assert main(["simulate", "--replay", str(file)]) == 0


def test_scenarios_are_listed(capsys):
    assert main(["simulate", "--scenario", "--json"]) == 0
    assert {one["name"] for one in json_lines(capsys)} == {*SCENARIOS}


def test_a_program_that_there_is_not_is_refused_with_its_field(tmp_path, capsys):
    file = tmp_path / "schedule.json"
    fault = {"at": 1, "kind": "redeploy", "much": 10}
    file.write_text(json.dumps({"format": 1, "kassay": "1", "schedule": {"setting": {}, "faults": [fault]}}))
    assert main(["simulate", "--replay", str(file)]) == 2
    assert "schedule.faults[0].much: is 10. Give a program of consumer from 0 to 9" in capsys.readouterr().err
