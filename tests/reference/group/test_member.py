"""A member, event by event: what each error in each phase makes it do, also where an answer comes when it is no longer what it was when it asked."""

import pytest
from conversation import ALL, beating, joining, kinds, stable, syncing

from kassay.reference.group.member import KAFKA, PROPOSAL, Config, patience_ms
from kassay.reference.group.member.state import (
    Closed,
    Failed,
    Lose,
    Own,
    Resumed,
    Stalled,
    SubscriptionChanged,
)
from kassay.reference.group.messages import (
    Error,
    FindCoordinator,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    NotAnswered,
    SetTimer,
    SyncGroup,
)
from kassay.reference.group.uses.consumer import SINGLE_WRITER, Subscription

FATAL = (
    Error.FENCED_INSTANCE_ID,
    Error.INCONSISTENT_GROUP_PROTOCOL,
    Error.INVALID_SESSION_TIMEOUT,
    Error.INVALID_GROUP_ID,
    Error.GROUP_MAX_SIZE_REACHED,
    Error.UNKNOWN_SERVER_ERROR,
)
MOVED = (Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE)


def test_a_member_finds_its_coordinator_joins_synchronises_and_owns():
    talk = stable()
    assert [type(request) for request in talk.sent] == [FindCoordinator, JoinGroup, SyncGroup]
    assert talk.told == [Own(ALL)]
    assert (talk.member.generation, talk.member.protocol, talk.member.is_leader) == (1, "range", True)


def test_a_new_member_joins_again_with_the_id_it_is_given():
    talk = joining()
    assert kinds(talk.answer(JoinGroup, Error.MEMBER_ID_REQUIRED, member_id="given")) == [JoinGroup]
    assert talk.sent[-1].member_id == "given"


@pytest.mark.parametrize("error", FATAL)
@pytest.mark.parametrize(("before", "request_"), [(joining, JoinGroup), (syncing, SyncGroup)])
def test_what_cannot_be_mended_is_told_to_the_application(before, request_, error):
    talk = before()
    talk.answer(request_, error)
    assert (talk.member.phase, talk.told) == ("Failed", [Failed(error)])
    left = kinds(talk.tell(Closed()))
    assert left == ([LeaveGroup] if before is syncing and error is not Error.FENCED_INSTANCE_ID else [])


@pytest.mark.parametrize("error", MOVED)
@pytest.mark.parametrize(("before", "request_"), [(joining, JoinGroup), (syncing, SyncGroup)])
def test_a_coordinator_that_moved_is_found_anew_after_a_while(before, request_, error):
    talk = before()
    assert SetTimer("retry", 100) in talk.answer(request_, error)
    assert kinds(talk.ring("retry")) == [FindCoordinator]
    assert kinds(talk.answer(FindCoordinator)) == [JoinGroup]


def test_waits_grow_up_to_their_limit_and_begin_anew_after_success():
    talk = joining()
    waits = []
    for _ in range(6):
        talk.answer(JoinGroup, Error.COORDINATOR_LOAD_IN_PROGRESS)
        waits.append(talk.timers["retry"])
        talk.ring("retry")
    assert waits == [100, 200, 400, 800, 1000, 1000]
    talk.answer(JoinGroup)
    talk.answer(SyncGroup, Error.NOT_COORDINATOR)
    assert talk.timers["retry"] == 100


def test_lost_requests_are_sent_again():
    talk = joining()
    talk.lose(JoinGroup)
    assert kinds(talk.ring("retry")) == [FindCoordinator]
    talk.lose(FindCoordinator)
    assert kinds(talk.ring("retry")) == [FindCoordinator]
    assert talk.settle().member.phase == "Stable"


@pytest.mark.parametrize(("manner", "next_request"), [(KAFKA, JoinGroup), (PROPOSAL, SyncGroup)])
def test_after_a_failover_the_proposal_sends_syncgroup_again_and_kafka_joins(manner, next_request):
    talk = syncing(manner=manner)
    first = talk.sent[-1]
    talk.answer(SyncGroup, Error.NOT_COORDINATOR)
    talk.ring("retry")
    assert kinds(talk.answer(FindCoordinator)) == [next_request]
    assert (talk.sent[-1] == first) == (manner is PROPOSAL)


@pytest.mark.parametrize(
    ("error", "member_id"), [(Error.UNKNOWN_MEMBER_ID, ""), (Error.ILLEGAL_GENERATION, "id-1")]
)
@pytest.mark.parametrize(("before", "request_"), [(beating, Heartbeat), (syncing, SyncGroup)])
def test_who_is_not_in_the_generation_loses_all_and_joins(before, request_, error, member_id):
    talk = before()
    effects = talk.answer(request_, error)
    assert (Lose(ALL) in effects) == (before is beating)
    assert kinds(effects) == [JoinGroup]
    assert talk.sent[-1].member_id == member_id
    assert (talk.member.owned, talk.member.generation) == ((), -1)


def test_a_fenced_member_fails_and_does_not_leave_for_the_one_that_took_its_place():
    talk = beating(instance_id="i")
    assert talk.answer(Heartbeat, Error.FENCED_INSTANCE_ID)[-1] == Failed(Error.FENCED_INSTANCE_ID)
    assert Lose(ALL) in talk.told
    assert kinds(talk.tell(Closed())) == []


def test_an_answer_about_an_earlier_generation_is_passed_over():
    talk = beating()
    token = talk.open_request(Heartbeat)
    talk.tell(SubscriptionChanged(Subscription(topics=("t", "u"))))
    talk.answer(JoinGroup)
    talk.answer(SyncGroup)
    assert token in talk.open
    talk.answer(Heartbeat, Error.ILLEGAL_GENERATION)
    assert (talk.member.phase, talk.member.generation) == ("Stable", 2)


def test_a_protocol_that_the_member_does_not_support_fails_it():
    talk = joining()
    talk.answer(JoinGroup, protocol="sticky")
    assert talk.told == [Failed(Error.INCONSISTENT_GROUP_PROTOCOL)]


def test_answers_to_nothing_change_nothing():
    talk = stable()
    before = talk.member
    assert talk.tell(NotAnswered(("join", 99))) == []
    assert talk.member == before


def test_joingroup_is_waited_for_as_long_as_a_rebalance_and_a_heartbeat_no_longer_than_the_session():
    talk = beating()
    waits = {type(request): patience_ms(Config(), request) for request in talk.sent}
    assert waits == {FindCoordinator: 30_000, JoinGroup: 305_000, SyncGroup: 30_000, Heartbeat: 30_000}
    assert patience_ms(Config(session_timeout_ms=10_000), talk.sent[-1]) == 10_000


@pytest.mark.parametrize("error", MOVED)
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
