"""A member to which two things happen at once: an answer that comes when the member is no longer what it was when it asked."""

import pytest
from conversation import ALL, beating, joining, kinds, syncing

from kassay.reference.group.member.application import Resumed, Stalled, SubscriptionChanged
from kassay.reference.group.messages import (
    Error,
    FindCoordinator,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    SyncGroup,
)
from kassay.reference.group.uses.consumer import Subscription
from kassay.reference.group.uses.single_writer import SINGLE_WRITER


@pytest.mark.parametrize("error", [Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE])
def test_a_stable_member_finds_its_coordinator_anew_and_keeps_what_it_owns(error):
    talk = beating()
    assert kinds(talk.answer(Heartbeat, error)) == [FindCoordinator]
    assert talk.answer(FindCoordinator) == []
    assert (talk.member.phase, talk.member.owned) == ("Stable", ALL)


def test_one_heartbeat_is_under_way_at_a_time():
    talk = beating()
    assert kinds(talk.ring("heartbeat")) == []
    talk.answer(Heartbeat)
    assert kinds(talk.ring("heartbeat")) == [Heartbeat]


def test_who_synchronises_is_told_of_a_rebalance_by_that():
    talk = syncing()
    talk.ring("heartbeat")
    assert talk.answer(Heartbeat, Error.REBALANCE_IN_PROGRESS) == []
    talk.answer(SyncGroup)
    assert (talk.member.phase, talk.member.owned) == ("Stable", ALL)


@pytest.mark.parametrize(
    ("error", "member_id"), [(Error.UNKNOWN_MEMBER_ID, ""), (Error.ILLEGAL_GENERATION, "id-1")]
)
def test_who_is_not_in_the_generation_that_it_synchronises_joins_again(error, member_id):
    talk = syncing()
    assert kinds(talk.answer(SyncGroup, error)) == [JoinGroup]
    assert talk.sent[-1].member_id == member_id


def test_a_state_is_not_taken_up_by_who_has_lost_its_place_meanwhile():
    talk = syncing()
    talk.ring("heartbeat")
    talk.answer(Heartbeat, Error.UNKNOWN_MEMBER_ID)
    assert kinds(talk.answer(SyncGroup)) == [JoinGroup]
    assert (talk.told, talk.member.owned) == ([], ())


def test_a_place_is_not_taken_by_who_has_lost_its_id_meanwhile():
    talk = beating()
    talk.tell(SubscriptionChanged(Subscription(topics=("u",))))
    talk.answer(Heartbeat, Error.UNKNOWN_MEMBER_ID)
    assert kinds(talk.answer(JoinGroup)) == []
    assert kinds(talk.ring("retry")) == [JoinGroup]
    assert (talk.sent[-1].member_id, talk.member.generation) == ("", -1)


def test_a_slow_poller_is_given_up_after_the_join_phase_too():
    talk = joining()
    talk.tell(Stalled())
    assert kinds(talk.ring("poll")) == []
    talk.answer(JoinGroup)
    assert kinds(talk.ring("poll")) == [LeaveGroup]
    assert talk.member.phase == "Unjoined"


def test_a_writer_that_polls_again_still_waits_for_its_heartbeat():
    talk = syncing(use=SINGLE_WRITER)
    talk.tell(Stalled())
    assert kinds(talk.answer(SyncGroup)) == [Heartbeat]
    talk.tell(Resumed())
    assert talk.member.owned == ()
    talk.answer(Heartbeat)
    assert talk.member.owned == ("writer",)
