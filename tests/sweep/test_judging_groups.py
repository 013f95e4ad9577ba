import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sweep import wild_targets
from sweep.sweep_runs import GRID, run_of

from kassay.engine.judge import Settled
from kassay.errors import InputError
from kassay.families import family
from kassay.families.convergence import Rest
from kassay.model import AssignorError
from kassay.oracles.errors import UnsolvedError
from kassay.output.redaction import forget_secrets
from kassay.reports.sweep.grid import parse_grid
from kassay.reports.sweep.judge_rows import (
    Judge,
    _classify_answer,
    classify_failure,
    group_of,
    limit_time,
    open_limited,
)
from kassay.reports.sweep.manifest import StopError, iterate_groups, locate_group, stop_in
from kassay.reports.sweep.rows import ANSWERED, COLUMNS, LEGAL, STATUSES, field
from kassay.reports.sweep.sweeping import list_specs
from kassay.targets.target import Target, wrap_failures

CONSUMER = family("consumer")


def judge(run):
    return Judge(run, [open_limited(name, run.family, run.timeout_s, run.memory_mb) for name in run.names])


def rows_of(run, tasks=1):
    mine = judge(run)
    return [
        row
        for wave in range(run.waves)
        for task in range(tasks)
        for at in iterate_groups(run, wave, task, tasks)
        for row in mine.rows(at)
    ]


def compared(row):
    return {name: value for name, value in row.items() if name != "micros"}


def place_of(row):
    return row["id"], row["target"], row["step"]


@pytest.fixture(scope="module")
def rows():
    return rows_of(run_of(GRID))


def test_rows_have_exactly_the_columns(rows):
    assert all(list(row) == [column.name for column in COLUMNS] for row in rows)
    assert {row["status"] for row in rows} <= set(STATUSES)


def test_each_target_answers_each_group(rows, run):
    firsts = [(row["id"], row["target"]) for row in rows if row["step"] == 0]
    assert sorted(firsts) == sorted((id_, target) for id_ in range(run.groups) for target in run.names)


def test_rows_are_those_of_the_engine(rows, run):
    for row in rows[::7]:
        group = group_of(run, row["id"], row["step"], row["target"])
        with open_limited(row["target"], "consumer", 5, 0) as target:
            answer = target.assign(group)
        assert row["invariants_broken"] == [
            name for name, holds in CONSUMER.invariants.items() if any(holds(group, answer))
        ]
        assert row["measures"] == {
            name: measure(group, answer) for name, measure in CONSUMER.measures.items()
        }
        gaps = CONSUMER.oracles.gaps(group, answer)
        assert row["values"] == {field(gap.level): gap.value for gap in gaps}
        assert row["optima"] == {field(gap.level): gap.optimum for gap in gaps}
        assert row["situations"] == [name for name, holds in CONSUMER.situations.items() if holds(group)]
        assert row["size"] == {name: count(group) for name, count in CONSUMER.shape.sizes.items()}


def test_no_whole_answer_is_better_than_the_optimum_of_balance(rows):
    assert all(row["values"]["balance"] >= row["optima"]["balance"] for row in rows if row["status"] in LEGAL)


def test_what_is_only_withheld_is_measured_once_it_is_given():
    of = {"ok": [], "settled": []}
    for row in rows_of(
        run_of(GRID.replace('"consumer/range", "consumer/sticky"', '"consumer/cooperative-sticky"'))
    ):
        of[row["status"]].append(row)
    for row in of["settled"]:
        assert row["invariants_broken"][0] == "complete"
        assert row["proved"]
        assert row["values"]["moves"] > 0
    assert len(of["settled"]) > 9


def withholding(name, then):
    """A target that gives nothing as long as something is owned, and then answers as told."""

    def assign(group):
        return {} if any(member.owned for member in group.members) else then(group)

    soft = wrap_failures(assign)
    return Target(name, "consumer", soft, soft)


def endless(group):
    """Withhold the first partition that anybody owns, and give all others away: each waits in turn."""
    waits = next((p for member in group.members for p in member.owned), None)
    return {name: [p for p in given if p != waits] for name, given in wild_targets.dealt(group).items()}


def test_what_is_withheld_is_asked_for_until_it_is_given():
    run = run_of(
        'targets = ["consumer/range"]\n[[cells]]\nname = "a"\ngroups = 2\nmembers = 3\npartitions = 5\nclaims = "even"\n'
    )
    targets = [
        withholding("gives", wild_targets.dealt),
        withholding("throws", wild_targets.throws),
        withholding("keeps", lambda _: {}),
        Target("endless", "consumer", endless, endless),
    ]
    for at in iterate_groups(run, 0):
        found = {row["target"]: row for row in Judge(run, targets).rows(at)}
        assert {name: (row["status"], row["message"]) for name, row in found.items()} == {
            "gives": ("settled", None),
            "throws": ("illegal", "when asked again: ZeroDivisionError: three is too many"),
            "keeps": ("illegal", None),
            "endless": ("unsettled", None),
        }
        assert {name: row["rebalances"] for name, row in found.items()} == {
            "gives": 2, "throws": None, "keeps": None, "endless": None,
        }  # fmt: skip
        assert found["endless"]["measures"]
        assert found["endless"]["values"] == {}
        group = group_of(run, at.id, 0, "")
        assert found["gives"]["values"]["balance"] == CONSUMER.measures["imbalance"](
            group, wild_targets.dealt(group)
        )
        assert found["gives"]["invariants_broken"][0] == "complete"


def test_rows_are_the_same_however_a_wave_is_cut(rows, run):
    again = rows_of(run, tasks=5)
    assert sorted(map(compared, again), key=place_of) == sorted(map(compared, rows), key=place_of)


def test_samples_are_tried_further(rows):
    assert any(row["laws_broken"] for row in rows)
    assert any(row["rounds"] for row in rows)
    assert any(row["linear_program"] == "agrees" for row in rows)
    for row in rows:
        assert row["step"] == 0 or (row["laws_broken"] is row["rounds"] is row["linear_program"] is None)


def test_timelines_go_on_from_the_targets_own_answers(run):
    row = next(row for row in rows_of(run) if row["step"] == 2 and row["target"] == "consumer/sticky")
    before = group_of(run, row["id"], 1, "consumer/sticky")
    after = group_of(run, row["id"], 2, "consumer/sticky")
    with open_limited("consumer/sticky", "consumer", 5, 0) as sticky:
        given = sticky.assign(before)
    owned = {member.id: set(member.owned) for member in after.members if member.generation}
    assert owned
    assert all(owned[name] <= set(given[name]) for name in owned if name in given)


def test_a_group_the_run_has_not_is_refused(run):
    with pytest.raises(InputError, match="Give 0 to"):
        group_of(run, run.groups, 0, "consumer/range")
    with pytest.raises(InputError, match="has no step 9"):
        group_of(run, 0, 9, "consumer/range")


def wild(name):
    assign = wrap_failures(getattr(wild_targets, name))
    return Target(name, "consumer", limit_time(assign, 0.05), limit_time(assign, 0.05))


def test_one_that_promises_nothing_is_held_to_what_is_expected_of_everybody(monkeypatch):
    """As in a check: the rule is one, so a sweep and its page hold it to the same."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    targets = ["python:wild_targets:loses", "python:wild_targets:dealt"]
    asked = list(list_specs(parse_grid('[[cells]]\nname = "a"\ngroups = 2\n', targets)))
    assert [one.target for one in asked] == targets
    for one in asked:
        assert set(one.promises) == CONSUMER.expected
        assert not one.except_in


def test_a_known_defect_is_known_in_its_row_and_a_failed_run_says_nothing_of_a_law():
    run = run_of(
        'targets = ["consumer/range"]\nsample = { laws = 1 }\n[[cells]]\nname = "a"\ngroups = 6\nmembers = [3, 4]\n'
        "partitions = 5\n"
    )
    excepted = {name: frozenset({"uneven_split"}) for name in ("complete", "crash_free", "settling")}
    targets = [
        replace(wild(name), promises=frozenset(excepted), except_in=excepted) for name in ("loses", "throws")
    ]
    seen = set()
    for row in (row for at in iterate_groups(run, 0) for row in Judge(run, targets).rows(at)):
        uneven = "uneven_split" in row["situations"]
        broken = [*row["invariants_broken"], *row["laws_broken"]]
        assert set(row["known_defects"]) == {name for name in broken if name in excepted and uneven}
        assert ("settling" in row["laws_unjudged"]) == (row["status"] == "refused")
        seen |= set(row["known_defects"])
    assert seen == set(excepted)


def test_what_targets_do_wrong_becomes_a_status():
    run = run_of(
        'targets = ["consumer/range"]\nsample = { laws = 1 }\n[[cells]]\nname = "a"\ngroups = 4\nmembers = [3, 4]\n'
        "partitions = 5\nchurn = 2\n"
    )
    mine = Judge(run, [wild("hangs"), wild("throws"), wild("loses")])
    for at in iterate_groups(run, 0):
        three = run.cells[at.cell].ranges["members"] == (3, 3)
        found = {row["target"]: row for row in mine.rows(at) if row["step"] == 0}
        assert {name: row["status"] for name, row in found.items()} == {
            "hangs": "timeout" if three else "ok",
            "throws": "refused" if three else "ok",
            "loses": "illegal" if three else "ok",
        }
        assert ("crash_free" in found["throws"]["laws_broken"]) == three
        assert found["hangs"]["laws_broken"] == ["crash_free"] or not three
        if three:
            assert found["throws"]["message"] == "ZeroDivisionError: three is too many"
            assert found["throws"]["measures"] == found["loses"]["optima"] == {}
            assert "complete" in found["loses"]["invariants_broken"]
        steps = [row["step"] for row in mine.rows(at) if row["target"] == "throws"]
        assert steps[0] == 0
        assert not three or steps == [0]
        for row in found.values():
            assert bool(row["measures"]) == (row["status"] in ANSWERED)


def test_a_message_in_a_row_shows_no_password_of_the_environment(monkeypatch):
    monkeypatch.setenv("KASSAY_MAVEN_URL", "https://me:hunter2-long@repo.example/maven")

    def assign(_):
        raise AssignorError(f"{'x' * 290} 401 with hunter2-long of https://me:hunter2-long@repo.example")

    run = run_of('targets = ["consumer/range"]\n[[cells]]\nname = "a"\ngroups = 1\n')
    try:
        (row, *_) = Judge(run, [Target("leaks", "consumer", assign, assign)]).rows(
            next(iterate_groups(run, 0))
        )
    finally:
        forget_secrets()
    assert row["status"] == "refused"
    assert "hunter" not in row["message"]
    assert len(row["message"]) == 300


def test_a_timeout_leaves_no_alarm_behind():
    group = group_of(
        run_of('targets=["consumer/range"]\n[[cells]]\nname="a"\ngroups=1\nmembers=3\n'), 0, 0, ""
    )
    with pytest.raises(AssignorError) as late:
        wild("hangs").assign(group)
    assert classify_failure(late.value) == "timeout"
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    time.sleep(0.1)


def with_oracles(**changes):
    return replace(CONSUMER, oracles=replace(CONSUMER.oracles, **changes))


def test_oracles_that_disagree_stop_the_sweep_with_the_group(run):
    mine = judge(run)
    mine.family = with_oracles(programmed=lambda _: {"balance": 0, "moves": 10**6, "cross-rack": 0})
    with pytest.raises(StopError) as stopped:
        [row for at in iterate_groups(run, 0) for row in mine.rows(at)]
    stop = stop_in(f"Spark says: {stopped.value}\n at java.lang.Thread")
    assert stop.kind == "disagreement"
    assert "1000000" in stop.said
    assert CONSUMER.shape.read_group(stop.group).members


WEIGHTS = """
targets = ["consumer/sticky", "consumer/range"]
optima = ["balance", "weighted-balance", "capacity"]
cells = [
  {name = "none", groups = 3, members = "2..3"},
  {name = "weights", groups = 10, members = "2..3", extras = "weights"},
  {name = "capacities", groups = 10, members = "2..3", extras = {capacities = 1, "even weights" = 1}},
]
"""


def test_groups_with_weights_are_compared_in_them_where_something_is_known():
    run = run_of(WEIGHTS)
    unlike = 0
    for row in rows_of(run):
        group = group_of(run, row["id"], row["step"], row["target"])
        weighs = {topic.weights is not None for topic in group.topics if topic.partitions} == {True}
        limited = weighs and any(member.capacity is not None for member in group.members)
        assert row["optima"].keys() == row["values"].keys()
        assert "balance" in row["values"]
        assert weighs or "weighted_balance" not in row["values"]
        assert limited or "capacity" not in row["values"]
        unlike += row["values"].get("weighted_balance", 0) > row["optima"].get("weighted_balance", 0)
    assert unlike > 5


def test_optima_that_are_not_proved_are_not_shown(run):
    def unproved(_):
        raise UnsolvedError("the prices do not prove it")

    mine = judge(run)
    mine.family = with_oracles(optima=unproved)
    rows = list(mine.rows(locate_group(run, 0)))
    assert {row["proved"] for row in rows} == {False}
    assert all(row["optima"] == row["values"] == {} for row in rows)


def test_a_program_that_finds_nothing_is_told(run):
    def unsolved(_):
        raise UnsolvedError("the time was over")

    mine = judge(run)
    mine.family = with_oracles(programmed=unsolved)
    found = {
        row["linear_program"]
        for wave in range(3)
        for at in iterate_groups(run, wave)
        for row in mine.rows(at)
    }
    assert found == {None, "unsolved"}


def test_a_word_of_spark_about_something_else_is_no_stop():
    assert stop_in("kassay-stop {not json}") is None
    assert stop_in("java.io.IOException") is None


def test_what_fails_when_a_legal_answer_is_followed_up_has_failed():
    found = _classify_answer(Settled(Rest("answer", at_rest=False), AssignorError("not twice")))
    assert found == {"status": "refused", "message": "when asked again: not twice"}
