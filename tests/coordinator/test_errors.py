"""How a coordinator answers each request in each state: every entry of the table, for the proposal and for Kafka."""

import pytest
from error_table import REQUESTS, STATES, answers

from kassay.reference.group.behaviour import PROPOSAL, RELEASES, UNPERSISTED, kafka
from kassay.reference.group.messages import Error

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
