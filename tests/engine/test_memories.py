"""Targets that remember earlier groups: a check finds those whose promises fail by that, with the smallest sequence, and no others."""

import random
import sys
from itertools import count, islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole import cases, share, some

from kassay.cli import main
from kassay.engine import lives, memories
from kassay.engine.check import check
from kassay.engine.failures import (
    FailedGroup,
    make_failure,
    read_failed_groups,
    read_failures,
    write_failures,
)
from kassay.engine.finding import Finding, load_finding, merge_findings
from kassay.engine.generate import draw_examples
from kassay.engine.lives import Comparison, list_smaller, play_timeline
from kassay.engine.promises import Promises
from kassay.engine.trial import Trial
from kassay.engine.verdict import Tally, Verdict
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import AssignorError, Group, Member, Topic, TopicPartition
from kassay.model.workers import Cluster, Connector, Worker
from kassay.output.block import BROKEN
from kassay.properties.partitions.strategies import draw_lives
from kassay.properties.partitions.timelines import Join, Leave, Rest, Timeline
from kassay.properties.workers.timelines import Lead, Wait
from kassay.properties.workers.timelines import Leave as WorkerLeaves
from kassay.properties.workers.timelines import Timeline as ClusterTimeline
from kassay.targets import Options, Target, open_target

CONSUMER = family("consumer")
DEAL = ASSIGNORS["consumer/roundrobin"].assign
PROGRAM = Path(__file__).parents[1] / "programs" / "remembering.py"
BREAKS = {
    "coarse_cache": {"complete", "existing", "subscribed", "every_member", "deterministic"},
    "growth": {"crash_free"},
    "instance_ids": {"complete", "every_member", "deterministic"},
    "owners": {"subscribed"},
    "last_group": {"every_member", "deterministic"},
}
HONEST = ("cache", "nothing")
WAYS = [*BREAKS, *HONEST]
PROMISES = [name for name in CONSUMER.properties if name in CONSUMER.expected]


def spec(way):
    return f"exec:{sys.executable} -S {PROGRAM} {way}"


def checked(way, **options):
    with open_target(spec(way), Options()) as target:
        return list(check(target, CONSUMER, wanted=PROMISES, **options))


@pytest.fixture
def _quick(monkeypatch):
    """Stop shrinking early: the test asks for a sequence, not for the smallest one."""
    monkeypatch.setattr(lives, "SHRINK_S", 0.1)
    monkeypatch.setattr(memories, "LONG", 60)
    monkeypatch.setattr(memories, "GROUPS_PER_PROCESS", 15)


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("way", [WAYS[at] for at in cases(1, len(WAYS))])
def test_a_check_finds_what_wrong_memory_breaks_and_accuses_no_honest_program(way, tmp_path, capsys):
    told = checked(way, examples=some(45, 100))
    broken = {one.property for one in told if isinstance(one, Verdict) and one.outcome == BROKEN}
    findings = [one for one in told if isinstance(one, Finding)]
    (tally,) = (one for one in told if isinstance(one, Tally))
    assert tally.rebalances > 10
    if way in HONEST:
        assert broken == set()
        return
    assert BREAKS[way] & broken
    for one in findings:
        assert f"after {len(one.before)} other group" in one.messages[0]
    path = findings[0].save(tmp_path)
    assert load_finding(str(path)).before == findings[0].before
    assert main(["explain", str(path), "--trust"]) == 1
    assert "earlier rebalance" in capsys.readouterr().out
    write_failures(tmp_path / "failures.json", [make_failure(findings[0])])
    (kept,) = read_failures(tmp_path / "failures.json", "failure")
    again = read_failed_groups([kept], spec(way), PROMISES, CONSUMER)
    assert again == [FailedGroup("failure 1", findings[0].group, findings[0].property, findings[0].before)]
    outcomes = {
        one.property: one.outcome for one in checked(way, examples=0, again=again) if isinstance(one, Verdict)
    }
    assert outcomes[findings[0].property] == BROKEN


T0 = TopicPartition("t0", 0)
ONE = Group((Topic("t0", 1),), (Member("a", ("t0",)),))
TWO = Group((Topic("t0", 1),), (Member("a", ("t0",)), Member("b", ("t0",))))


def target_of(make):
    """Return a target whose instances are functions of this process."""
    return Target("it", "consumer", make(), make(), instance=make, anew=lambda _: make())


def compared(make, name="complete"):
    target = target_of(make)
    return Comparison(CONSUMER, target, name, make)


def loses_after(number):
    """Return what makes an instance that loses everything from its n-th call on."""

    def make():
        calls = count(1)
        return lambda group: (
            DEAL(group) if next(calls) < number else {member.id: [] for member in group.members}
        )

    return make


@settings(max_examples=share(15, 100))
@given(st.integers(2, 12), st.lists(st.sampled_from([ONE, TWO]), min_size=11, max_size=16))
def test_the_smallest_sequence_has_as_many_groups_as_it_takes(number, before):
    by = compared(loses_after(number))
    found = by.find_memory(before, TWO)
    assert found is not None
    least = by.shrink(found)
    assert (len(least.before), least.finished) == (number - 1, True)
    assert set(least.before) == {least.group}
    assert CONSUMER.shape.sizes["partitions"](least.group) == 1
    assert by.compare(least.before[1:], least.group) is None


def test_what_a_new_instance_breaks_as_well_is_no_matter_of_memory():
    assert compared(loses_after(1)).find_memory([ONE, TWO], TWO) is None
    assert compared(loses_after(2)).find_memory([], TWO) is None
    assert compared(lambda: DEAL).find_memory([ONE, TWO], TWO) is None


def test_an_assignor_that_is_random_remembers_nothing():
    dice = random.Random(7)

    def roll(group):
        chosen = dice.choice(group.members).id
        return {member.id: [T0] if member.id == chosen else [] for member in group.members}

    by = compared(lambda: roll, "deterministic")
    assert [by.find_memory([ONE], TWO) for _ in range(30)].count(None) > 26


@given(draw_lives())
def test_one_instance_answers_as_long_as_its_member_leads(timeline):
    starts = []

    def start():
        starts.append(DEAL)
        return DEAL

    steps = list(play_timeline(CONSUMER, start, timeline))
    assert len(starts) == 1
    assert [len(step.before) for step in steps] == list(range(len(timeline.events) + 1))
    assert all(step.before == tuple(each.group for each in steps[:at]) for at, step in enumerate(steps))


def test_lives_restart_static_members_under_new_ids():
    back = [
        event.member.instance_id
        for timeline in draw_examples(draw_lives(), 20, 0)
        for event in timeline.events
        if isinstance(event, Join) and event.member.id not in {one.id for one in timeline.start.members}
    ]
    assert sum(instance is not None for instance in back) > 10


def test_a_timeline_ends_with_the_group_that_has_no_answer():
    def fails(group):
        if len(group.members) == 2:
            raise AssignorError("two")
        return DEAL(group)

    timeline = Timeline(ONE, (Join(Member("b", ("t0",))), Rest(), Leave("b")))
    steps = list(play_timeline(CONSUMER, lambda: fails, timeline))
    assert [isinstance(step.outcome, AssignorError) for step in steps] == [False, True]


@given(st.lists(st.sampled_from([ONE, TWO]), min_size=1, max_size=4))
def test_smaller_sequences_are_never_longer_and_equal_groups_stay_equal(before):
    for fewer, group in islice(list_smaller(CONSUMER, tuple(before), TWO), 100):
        assert len(fewer) <= len(before)
        assert (fewer, group) != (tuple(before), TWO)
        if set(before) == {TWO}:
            assert set(fewer) <= {group}


def test_another_member_leads_with_an_instance_of_its_own():
    timeline = Timeline(TWO, (Rest(), Leave("a"), Rest()))
    steps = list(play_timeline(CONSUMER, lambda: DEAL, timeline))
    assert [len(step.before) for step in steps] == [0, 1, 0, 1]
    broker = list(play_timeline(family("broker"), lambda: DEAL, timeline))
    assert [len(step.before) for step in broker] == [0, 1, 2, 3], "a coordinator keeps its instance"


def test_another_worker_leads_with_an_instance_that_remembers_nothing():
    start = Cluster((Connector("c0", 2),), (Worker("w0"), Worker("w1")))
    events = (Wait(0), Lead(), Wait(0), WorkerLeaves("w0"))
    assign = ASSIGNORS["connect/incremental-cooperative"].assign
    steps = list(play_timeline(family("connect"), lambda: assign, ClusterTimeline(start, events)))
    assert [len(step.before) for step in steps] == [0, 1, 0, 1, 0]


def test_promises_that_one_sequence_breaks_share_it(monkeypatch):
    monkeypatch.setattr(lives, "SHRINK_S", 1.0)
    target = target_of(loses_after(3))
    told = list(check(target, CONSUMER, examples=40, wanted=["complete", "balanced"]))
    findings = [one for one in told if isinstance(one, Finding) and one.before]
    assert {one.property for one in findings} == {"complete"}
    promised = Promises(frozenset({"complete", "deterministic"}))
    told = list(check(target, CONSUMER, examples=40, wanted=["complete", "deterministic"], promises=promised))
    stories = merge_findings(one for one in told if isinstance(one, Finding))
    assert [sorted(one.property for one in each) for each in stories] == [["complete", "deterministic"]]


def test_no_more_timelines_are_played_if_the_process_dies_in_two(monkeypatch):
    monkeypatch.setattr(memories, "GROUPS_PER_PROCESS", 5)
    speaker = PROGRAM.with_name("speaker.py")
    with open_target(f"exec:{sys.executable} -S {speaker} exits", Options()) as target:
        trial = Trial(target, CONSUMER, ["crash_free"], Promises(frozenset({"crash_free"})), 0)
        memories.play_lives(trial, 40, 0)
    assert (trial.rebalances, trial.unplayed) == (2, "its process crashed or timed out in 2 timelines")
    assert [cause.property for cause in trial.seen] == ["crash_free"]
