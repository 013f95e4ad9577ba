"""A machine that raises, does not return or never comes to rest is a finding with its schedule, and the search for findings ends."""

import pytest
from msgspec.structs import replace
from simulation.catching import apply_mutant, honest
from simulation.changes import change_coordinator_step, change_load, change_member_step
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.errors import InputError
from kassay.output.block import KEPT, NOT_EXERCISED
from kassay.protocol.simulation import campaign, step_limits
from kassay.protocol.simulation.campaign import (
    MOST_ENDLESS,
    Runner,
    draw_schedule,
    find_counterexamples,
    list_fitting_faults,
    run_campaign,
)
from kassay.protocol.simulation.exhaustive import explore
from kassay.protocol.simulation.group import build_verdicts, list_unexercised
from kassay.protocol.simulation.schedule import Fault, Schedule
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    Asked,
    Error,
    Heartbeat,
    HeartbeatResponse,
    JoinGroupResponse,
    LeaveGroup,
    Refused,
    Reply,
    SetTimer,
    Step,
)


@change_coordinator_step
def raises_at_a_leave(step, coordinator, event):
    """The coordinator raises an exception if a member leaves."""
    if type(event) is Asked and type(event.request) is LeaveGroup:
        raise KeyError("no such\nmember")
    return step(coordinator, event)


@change_coordinator_step
def raises_at_a_refusal(step, coordinator, event):
    """The coordinator raises an exception without a text if the log refuses a batch."""
    if type(event) is Refused:
        raise AssertionError
    return step(coordinator, event)


@change_member_step
def raises_at_a_rebalance(step, member, event):
    """A member raises an exception if a heartbeat informs it of a rebalance."""
    if type(event) is Answered and event.response.error is Error.REBALANCE_IN_PROGRESS:
        raise RecursionError
    return step(member, event)


@change_load
def raises_at_a_failover(load, log, first_id):
    """A new coordinator raises an exception if it reads a group."""
    if log:
        raise IndexError
    return load(log, first_id)


@change_coordinator_step
def timers_without_end(step, coordinator, event):
    """A timer ends at once and is set again."""
    if event == Alarm("again") or (type(event) is Asked and type(event.request) is LeaveGroup):
        return Step(coordinator, (SetTimer("again", 0),))
    return step(coordinator, event)


@change_member_step
def heartbeats_without_end(step, member, event):
    """A member sends its next heartbeat as soon as one is answered."""
    done = step(member, event)
    if type(event) is Answered and type(event.response) is HeartbeatResponse:
        return Step(done.state, (*done.effects, SetTimer("heartbeat", 0)))
    return done


@change_coordinator_step
def answers_twice(step, coordinator, event):
    """Each heartbeat is answered twice."""
    done = step(coordinator, event)
    beats = type(event) is Asked and type(event.request) is Heartbeat
    return Step(done.state, done.effects * 2) if beats else done


@change_coordinator_step
def answers_another_request(step, coordinator, event):
    """A heartbeat gets the response to a JoinGroup."""
    if type(event) is Asked and type(event.request) is Heartbeat:
        return Step(coordinator, (Reply(event.token, JoinGroupResponse()),))
    return step(coordinator, event)


LEAVES, MOVES = (Fault(20_000, "leave"),), (Fault(20_000, "failover"),)
FAILING = (
    (raises_at_a_leave, LEAVES, "machines_do_not_fail", "the coordinator raises KeyError at Asked: 'no such\\nmember'"),
    (raises_at_a_refusal, (Fault(20_000, "refused-write"), Fault(20_001, "commit")), "machines_do_not_fail", "the coordinator raises AssertionError at Refused"),
    (raises_at_a_rebalance, LEAVES, "machines_do_not_fail", "a member raises RecursionError at Answered"),
    (raises_at_a_failover, MOVES, "machines_do_not_fail", "a new coordinator raises IndexError"),
    (timers_without_end, LEAVES, "runs_end", "the group handles 2,401 events within 10 s and does not come to an end"),
    (heartbeats_without_end, (), "runs_end", "the group handles 2,401 events within 10 s and does not come to an end"),
    (answers_twice, (), "requests_answered", "a HeartbeatResponse answers no open request"),
    (answers_another_request, (), "requests_answered", "a Heartbeat gets a JoinGroupResponse"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("mutate", "faults", "invariant", "sentence"), FAILING, ids=lambda one: getattr(one, "__name__", "")
)
def test_a_failing_machine_is_a_finding_with_its_schedule(mutate, faults, invariant, sentence):
    runner, schedule = Runner(apply_mutant(Mutant(mutate, ()))), Schedule(KAFKA, faults)
    for trace in (False, True):
        assert dict(runner.run(schedule, trace=trace).breaches)[invariant] == sentence
    assert invariant not in dict(Runner(honest).run(schedule).breaches)


@pytest.mark.parametrize("mutate", [one[0] for one in FAILING], ids=lambda one: one.__name__)
def test_a_failing_machine_is_found_and_shrunk_by_drawing(mutate):
    runner, kinds = Runner(apply_mutant(Mutant(mutate, ()))), list_fitting_faults(KAFKA, None)
    drawn = ((number, draw_schedule(KAFKA, kinds, 0, number)) for number in range(60))
    ran, whole = run_campaign(runner.run, drawn, lambda _: None)
    invariant = next(one[2] for one in FAILING if one[0] is mutate)
    assert whole
    assert (invariant, ()) in ran.first
    findings, _ = find_counterexamples(ran, runner.run)
    least = next(one for one in findings if one.invariant == invariant)
    assert least.minimised
    assert len(least.schedule.faults) <= 2


@pytest.mark.parametrize("mutate", [raises_at_a_leave, raises_at_a_failover], ids=lambda one: one.__name__)
def test_an_exploration_finds_a_failing_machine(mutate):
    machines = apply_mutant(Mutant(mutate, ()))(KAFKA)
    explored = explore(KAFKA, machines, depth=4, kinds=("leave", "coordinator-crash"))
    assert "machines_do_not_fail" in {name for name, *_ in explored.breaches}
    assert explored.whole


def test_a_step_that_does_not_return_is_a_finding_and_soon_ends_the_campaign(monkeypatch):
    @change_coordinator_step
    def loops(step, coordinator, event):
        while type(event) is Asked and type(event.request) is LeaveGroup:
            try:
                sum(range(100))
            except Exception:  # noqa: BLE001 - a machine may swallow every exception
                continue
        return step(coordinator, event)

    monkeypatch.setattr(step_limits, "STEP_S", 0.02)
    monkeypatch.setattr(campaign, "ENDLESS_S", 0.5)
    runner = Runner(apply_mutant(Mutant(loops, ())))
    drawn = ((number, draw_schedule(KAFKA, ["leave"], 0, number)) for number in range(60))
    ran, whole = run_campaign(runner.run, drawn, lambda _: None)
    assert whole
    assert ran.endless == MOST_ENDLESS
    assert ran.ran < 60
    least = find_counterexamples(ran, runner.run)[0][0]
    assert least.invariant == "runs_end"
    assert least.sentence == "a step of the coordinator at Asked does not come to an end"


def test_wrong_input_of_an_assignor_is_no_finding():
    def assign(*_):
        raise InputError("targets: none. Give one.")

    machines = honest(KAFKA)
    failing = replace(machines, step_member=assign)
    with pytest.raises(InputError):
        Runner(lambda _: failing).run(Schedule(KAFKA))


OF_WRITERS = {"single_writer", "one_writer_at_a_time"}
OF_STATIC = {"static_restarts_are_quiet", "replaced_process_is_fenced", "static_members_do_not_leave"}


@pytest.mark.parametrize(
    ("setting", "without"), [(KAFKA, OF_WRITERS | OF_STATIC), (replace(KAFKA, static=True), OF_WRITERS)]
)
def test_an_invariant_that_no_event_exercises_is_not_kept(setting, without):
    runner = Runner(honest)
    leaves = Schedule(setting, (Fault(9_000, "leave", 1, 500), Fault(20_000, "crash", 0, 500)))
    ran = run_campaign(runner.run, [(0, leaves)], lambda _: None)[0]
    ran.exercised = runner.exercised
    assert {*list_unexercised(ran.exercised)} >= without
    outcomes = {one.property: one.outcome for one in build_verdicts(ran, [], "mine", None)}
    assert {name for name, outcome in outcomes.items() if outcome == KEPT} == {*ran.exercised}
    assert {name for name, outcome in outcomes.items() if outcome == NOT_EXERCISED} >= without
    assert {*outcomes.values()} == {KEPT, NOT_EXERCISED}


def test_a_run_without_events_exercises_no_step():
    runner = Runner(honest)
    assert not runner.exercised
    runner.run(Schedule(KAFKA))
    assert runner.exercised["leader_hears_of_all"] >= 1
    assert "leaving_ends_membership" not in runner.exercised
