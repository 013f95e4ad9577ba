"""How a coordinator answers each request in each state: every entry of the table, for the proposal and for Kafka."""

import pytest
from error_table import REQUESTS, STATES, answers
from msgspec.structs import replace

from kassay.reference.group.behaviour import PROPOSAL, RELEASES, UNPERSISTED, kafka
from kassay.reference.group.coordinator import GroupWritten, load, step
from kassay.reference.group.coordinator.state import WrittenMember
from kassay.reference.group.messages import (
    Asked,
    Error,
    FindCoordinator,
    JoinGroup,
    Protocol,
    Reply,
    SyncGroup,
    Write,
    Written,
)

ABBREVIATED = {
    "-": "NONE",
    "park": "parked",
    "id": "MEMBER_ID_REQUIRED",
    "unk": "UNKNOWN_MEMBER_ID",
    "gen": "ILLEGAL_GENERATION",
    "reb": "REBALANCE_IN_PROGRESS",
    "pro": "INCONSISTENT_GROUP_PROTOCOL",
    "load": "COORDINATOR_LOAD_IN_PROGRESS",
    "not": "NOT_COORDINATOR",
}
# elsewhere, Initialize, Down, Stable without members, Stable, Joining, AwaitSync
SAME = {
    "JoinGroup of an unknown id": "not load unk unk unk unk unk",
    "SyncGroup of a member": "not load unk unk - reb park",
    "SyncGroup of the leader": "not load unk unk - reb -",
    "SyncGroup of another generation": "not load unk unk gen gen gen",
    "SyncGroup of an unknown id": "not load unk unk unk unk unk",
    "LeaveGroup of a member": "not load unk unk - - -",
    "LeaveGroup of an unknown id": "not load unk unk unk unk unk",
    "OffsetCommit of a member": "not load gen unk - - reb",
    "OffsetCommit of another generation": "not load gen unk gen gen gen",
    "OffsetCommit of an unknown id": "not load gen unk unk unk unk",
    "OffsetCommit outside the group": "not load - - unk unk unk",
}
OF_PROPOSAL = SAME | {
    "JoinGroup of a new member": "not load - - park park park",
    "JoinGroup of a member, unchanged": "not load unk unk park - park",
    "JoinGroup of a member, other metadata": "not load unk unk park - park",
    "JoinGroup of the leader": "not load unk unk park park park",
    "JoinGroup without a common protocol": "not load - - pro pro pro",
    "Heartbeat of a member": "not load unk unk - reb reb",
    "Heartbeat of another generation": "not load unk unk gen gen gen",
    "Heartbeat of an unknown id": "not load unk unk unk unk unk",
}
OF_KAFKA = SAME | {
    "JoinGroup of a new member": "not load id id id id id",
    "JoinGroup of a member, unchanged": "not load unk unk - - -",
    "JoinGroup of a member, other metadata": "not load unk unk park - park",
    "JoinGroup of the leader": "not load unk unk park park -",
    "JoinGroup without a common protocol": "not load id id pro pro pro",
    "Heartbeat of a member": "not - unk unk - reb -",
    "Heartbeat of another generation": "not - unk unk gen gen gen",
    "Heartbeat of an unknown id": "not - unk unk unk unk unk",
}
EXPECTED = {
    PROPOSAL: OF_PROPOSAL,
    UNPERSISTED: OF_PROPOSAL,
    **{kafka(release): OF_KAFKA for release in RELEASES},
}


@pytest.mark.parametrize("behaviour", EXPECTED, ids=lambda behaviour: behaviour.name)
@pytest.mark.parametrize("name", REQUESTS)
def test_each_request_is_answered_as_expected_in_each_state(behaviour, name):
    expected = [ABBREVIATED[short] for short in EXPECTED[behaviour][name].split()]
    assert answers(behaviour, name) == dict(zip(STATES, expected, strict=True))


def test_every_error_of_the_table_is_one_that_there_is():
    assert set(ABBREVIATED.values()) - {"parked"} <= {error.name for error in Error}


JOIN = JoinGroup(protocols=(Protocol("range", "m"),), known_id_required=False)


def after(behaviour, *events, records=()):
    """Return a coordinator after some events, with its log committing at once, and the answers by token."""
    begun = load(behaviour, records)
    coordinator, replies, waiting = begun.state, {}, list(events)
    while waiting:
        done = step(behaviour, coordinator, waiting.pop(0))
        coordinator = done.state
        replies |= {effect.token: effect.response for effect in done.effects if isinstance(effect, Reply)}
        waiting[:0] = [Written(effect.batch) for effect in done.effects if isinstance(effect, Write)]
    return coordinator, replies


@pytest.mark.parametrize(
    ("session_ms", "error"), [(5_999, True), (6_000, False), (1_800_000, False), (1_800_001, True)]
)
def test_session_timeouts_have_limits(session_ms, error):
    _, replies = after(PROPOSAL, Asked(1, replace(JOIN, session_timeout_ms=session_ms)))
    assert (replies[1].error is Error.INVALID_SESSION_TIMEOUT) == error


def test_an_error_of_the_leader_reaches_a_member_that_synchronises_later():
    members = [Asked(1, JOIN), Asked(2, JOIN), Asked(3, replace(JOIN, member_id="client-0"))]
    failing = SyncGroup(generation=2, member_id="client-0", error=Error.ASSIGNMENT_FAILED)
    late = [Asked(5, SyncGroup(generation=2, member_id="client-1"))]
    coordinator, replies = after(PROPOSAL, *members, Asked(4, failing), *late)
    assert replies[4].error is replies[5].error is Error.ASSIGNMENT_FAILED
    coordinator, replies = after(
        PROPOSAL,
        *members, Asked(4, failing), Asked(6, replace(JOIN, member_id="client-1")), Asked(7, replace(JOIN, member_id="client-0")),
        Asked(8, SyncGroup(generation=2, member_id="client-1")),
    )  # fmt: skip
    assert coordinator.generation == 3
    assert replies[8].error is Error.ILLEGAL_GENERATION


def test_a_group_that_is_too_large_when_it_is_loaded_rebalances():
    written = [WrittenMember(f"m{n}", None, "client", 10_000, 20_000, "m", None) for n in range(3)]
    records = [GroupWritten(4, "consumer", "range", "m0", tuple(written))]
    small = replace(kafka("4.4.0"), group_max_size=2)
    assert load(small, records).state.state == "Joining"
    assert load(kafka("4.4.0"), records).state.state == "Stable"


def test_what_a_coordinator_is_not_asked_or_does_not_wait_for_is_an_error_of_who_runs_it():
    coordinator = load(PROPOSAL, []).state
    with pytest.raises(TypeError, match="FindCoordinator is not for a coordinator"):
        step(PROPOSAL, coordinator, Asked(1, FindCoordinator()))
    with pytest.raises(ValueError, match="batch 7 is not being written"):
        step(PROPOSAL, coordinator, Written(7))
