"""What a coordinator answers in each of the states that the proposal draws."""

import pytest

from kassay.reference.group.behaviour import PROPOSAL, UNPERSISTED, kafka
from kassay.reference.group.coordinator import LOADING, load, step
from kassay.reference.group.messages import (
    Asked,
    Error,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    LeavingMember,
    OffsetCommit,
    Protocol,
    Reply,
    SyncGroup,
    Written,
)

KAFKA = kafka("4.4.0")
JOIN = JoinGroup(protocols=(Protocol("range", b"a"),), known_id_required=False)


def ask(behaviour, coordinator, *requests):
    """Ask in turn, with a log that commits at once; returns the coordinator and the answers, by number of the request."""
    answers = {}
    for number, request in enumerate(requests):
        waiting = [Asked(number, request)]
        while waiting:
            taken = step(behaviour, coordinator, waiting.pop(0))
            coordinator = taken.state
            for effect in taken.effects:
                if isinstance(effect, Reply):
                    answers[effect.token] = effect.response
                elif hasattr(effect, "batch"):
                    waiting.append(Written(effect.batch))
    return coordinator, answers


def in_state(name):
    """A coordinator of the proposal without persistence in the state, and the id of its first member in generation 1."""
    coordinator, answers = ask(UNPERSISTED, load(UNPERSISTED, ()).state, JOIN)
    member = answers[0].member_id
    if name == "Stable":
        coordinator, _ = ask(
            UNPERSISTED, coordinator, SyncGroup(generation=1, member_id=member, states=((member, b"s"),))
        )
    if name == "Joining":
        coordinator, _ = ask(UNPERSISTED, coordinator, JOIN)
    assert coordinator.state == name
    return coordinator, member


@pytest.mark.parametrize(
    ("behaviour", "heartbeat"), [(PROPOSAL, Error.COORDINATOR_LOAD_IN_PROGRESS), (KAFKA, Error.NONE)]
)
def test_a_coordinator_that_reads_the_log_answers_nothing_else(behaviour, heartbeat):
    beat, sync = Heartbeat(generation=1, member_id="a"), SyncGroup(generation=1, member_id="a")
    commit, leave = OffsetCommit(generation=1, member_id="a"), LeaveGroup(members=(LeavingMember("a"),))
    coordinator, answers = ask(behaviour, LOADING, JOIN, sync, commit, leave, beat)
    assert coordinator == LOADING
    assert [answers[number].error for number in range(5)] == [Error.COORDINATOR_LOAD_IN_PROGRESS] * 4 + [
        heartbeat
    ]


@pytest.mark.parametrize("behaviour", [PROPOSAL, UNPERSISTED, KAFKA])
def test_a_group_that_does_not_exist_knows_nobody(behaviour):
    coordinator = load(behaviour, ()).state
    beat, sync = Heartbeat(generation=1, member_id="a"), SyncGroup(generation=1, member_id="a")
    _, answers = ask(behaviour, coordinator, beat, sync)
    assert coordinator.state == "Down"
    assert {answer.error for answer in answers.values()} == {Error.UNKNOWN_MEMBER_ID}


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ("Stable", Error.NONE),
        ("Joining", Error.REBALANCE_IN_PROGRESS),
        ("AwaitSync", Error.REBALANCE_IN_PROGRESS),
    ],
)
def test_heartbeats_say_whether_the_generation_stands(state, error):
    coordinator, member = in_state(state)
    beats = (Heartbeat(generation=number, member_id=member) for number in (1, 2))
    _, answers = ask(UNPERSISTED, coordinator, *beats, Heartbeat(generation=1, member_id="foreign"))
    assert [answers[number].error for number in range(3)] == [
        error,
        Error.ILLEGAL_GENERATION,
        Error.UNKNOWN_MEMBER_ID,
    ]


def test_syncgroup_in_joining_says_that_a_rebalance_is_in_progress():
    coordinator, member = in_state("Joining")
    _, answers = ask(UNPERSISTED, coordinator, SyncGroup(generation=1, member_id=member))
    assert answers[0].error is Error.REBALANCE_IN_PROGRESS
