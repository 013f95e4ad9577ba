"""A member, event by event: what each error in each phase makes it do."""

import pytest
from conversation import ALL, COOPERATIVE, TOPIC, Conversation, kinds, stable

from kassay.errors import InputError
from kassay.model import Topic, TopicPartition
from kassay.reference.group.events import CancelTimer, NotAnswered, SetTimer
from kassay.reference.group.member import KAFKA, PROPOSAL, Config, new, patience_ms
from kassay.reference.group.member.application import (
    Closed,
    ClusterChanged,
    Commit,
    Committed,
    Failed,
    Lose,
    NotCommitted,
    Own,
    Resumed,
    Revoke,
    Revoked,
    Stalled,
    Started,
    SubscriptionChanged,
)
from kassay.reference.group.messages import (
    Error,
    FindCoordinator,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    OffsetCommit,
    SyncGroup,
)
from kassay.reference.group.uses.consumer import Subscription
from kassay.reference.group.uses.single_writer import SINGLE_WRITER, WRITER

FATAL = (
    Error.FENCED_INSTANCE_ID,
    Error.INCONSISTENT_GROUP_PROTOCOL,
    Error.INVALID_SESSION_TIMEOUT,
    Error.INVALID_GROUP_ID,
    Error.GROUP_MAX_SIZE_REACHED,
    Error.UNKNOWN_SERVER_ERROR,
)
MOVED = (Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE)


def joining(**options):
    talk = Conversation(**options)
    talk.tell(Started())
    talk.answer(FindCoordinator)
    assert talk.member.phase == "Joining"
    return talk


def syncing(**options):
    talk = joining(**options)
    talk.answer(JoinGroup)
    assert talk.member.phase == "Syncing"
    return talk


def beating(**options):
    talk = stable(**options)
    talk.ring("heartbeat")
    return talk


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
def test_who_is_not_in_the_generation_loses_all_and_joins(error, member_id):
    talk = beating()
    effects = talk.answer(Heartbeat, error)
    assert Lose(ALL) in effects
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


def test_eager_members_give_up_all_before_they_join():
    talk = beating()
    effects = talk.answer(Heartbeat, Error.REBALANCE_IN_PROGRESS)
    assert effects[0] == Revoke(ALL)
    assert kinds(effects) == [JoinGroup]


def test_the_application_may_take_its_time_to_give_up_and_to_commit():
    talk = beating(waits_for_revocation=True)
    assert kinds(talk.answer(Heartbeat, Error.REBALANCE_IN_PROGRESS)) == []
    assert (talk.member.phase, talk.member.owned) == ("Revoking", ALL)
    assert kinds(talk.tell(Commit(ALL))) == [OffsetCommit]
    talk.answer(OffsetCommit)
    assert talk.told[-1] == Committed(ALL)
    assert kinds(talk.tell(Revoked(ALL))) == [JoinGroup]
    assert talk.member.owned == ()


def test_cooperative_members_keep_what_they_own_give_up_what_is_not_given_and_join_again():
    talk = beating(use=COOPERATIVE)
    talk.answer(Heartbeat, Error.REBALANCE_IN_PROGRESS)
    assert talk.member.owned == ALL
    assert talk.sent[-1].protocols[0].metadata.claimed == ALL
    talk.answer(JoinGroup)
    given = dict(talk.sent[-1].states)["id-1"]
    effects = talk.answer(SyncGroup, state=type(given)(ALL[:2]))
    assert effects[0] == Revoke(ALL[2:])
    assert kinds(effects) == [JoinGroup]
    assert talk.member.owned == ALL[:2]
    assert talk.sent[-1].protocols[0].metadata.claimed == ALL[:2]


def test_a_cooperative_member_gives_up_at_once_what_it_no_longer_subscribes_to():
    talk = stable(use=COOPERATIVE, cluster=(TOPIC, Topic("u", 1)), subscription=Subscription(pattern=".*"))
    effects = talk.tell(SubscriptionChanged(Subscription(topics=("u",))))
    assert effects[0] == Revoke(ALL)
    assert talk.member.owned == (TopicPartition("u", 0),)


def test_commits_are_of_what_is_owned_in_a_generation_that_stands():
    talk = stable()
    talk.tell(Commit((TopicPartition("x", 0),)))
    assert talk.told[-1].error is Error.ILLEGAL_GENERATION
    talk.tell(Commit(ALL[:1]))
    effects = talk.answer(OffsetCommit, Error.ILLEGAL_GENERATION)
    assert effects[:2] == [NotCommitted(ALL[:1], Error.ILLEGAL_GENERATION), Lose(ALL)]
    talk.tell(Commit(ALL[:1]))
    assert talk.told[-1].error is Error.REBALANCE_IN_PROGRESS


def test_a_commit_that_is_lost_or_refused_for_now_can_be_tried_again():
    talk = stable()
    talk.tell(Commit(ALL))
    talk.lose(OffsetCommit)
    assert talk.told[-1] == NotCommitted(ALL, Error.COORDINATOR_NOT_AVAILABLE)
    talk.tell(Commit(ALL))
    assert talk.told[-1] == NotCommitted(ALL, Error.COORDINATOR_NOT_AVAILABLE)
    talk.settle()
    talk.tell(Commit(ALL))
    assert kinds(talk.answer(OffsetCommit, Error.REBALANCE_IN_PROGRESS)) == [JoinGroup]


@pytest.mark.parametrize("instance", [None, "i"])
def test_a_slow_poller_leaves_and_joins_when_it_polls_again(instance):
    talk = stable(instance_id=instance)
    assert talk.tell(Stalled()) == [SetTimer("poll", 300_000)]
    effects = talk.ring("poll")
    assert kinds(effects) == ([] if instance else [LeaveGroup])
    assert Lose(ALL) in effects
    assert (talk.member.phase, talk.member.member_id) == ("Unjoined", "")
    assert kinds(talk.tell(Resumed())) == [JoinGroup]


def test_an_application_that_does_not_poll_is_called_by_nothing():
    talk = syncing()
    talk.tell(Stalled())
    assert talk.answer(SyncGroup) == []
    talk.ring("heartbeat")
    assert talk.answer(Heartbeat, Error.REBALANCE_IN_PROGRESS) == []
    effects = talk.tell(Resumed())
    assert effects[:3] == [CancelTimer("poll"), Own(ALL), Revoke(ALL)]
    assert kinds(effects) == [JoinGroup]


@pytest.mark.parametrize("instance", [None, "i"])
def test_only_dynamic_members_leave_when_they_are_closed(instance):
    talk = stable(instance_id=instance)
    effects = talk.tell(Closed())
    assert effects[0] == Revoke(ALL)
    assert kinds(effects) == ([] if instance else [LeaveGroup])
    assert talk.member.phase == "Closed"
    assert not talk.timers


def test_a_static_leader_that_comes_back_leaves_the_assignment_as_it_is():
    talk = joining(instance_id="i")
    talk.answer(JoinGroup, skip_assignment=True)
    assert talk.sent[-1].states == ()
    talk.answer(SyncGroup, state=None)
    assert kinds(talk.tell(ClusterChanged((Topic("t", 5),)))) == [JoinGroup]


def test_a_protocol_that_the_member_does_not_support_fails_it():
    talk = joining()
    talk.answer(JoinGroup, protocol="sticky")
    assert talk.told == [Failed(Error.INCONSISTENT_GROUP_PROTOCOL)]


def test_a_single_writer_writes_only_as_long_as_its_coordinator_answers():
    talk = stable(use=SINGLE_WRITER, session_timeout_ms=10_000)
    assert talk.told == [Own(WRITER)]
    first = talk.member.lease
    assert talk.timers["lease", first] == 10_000
    talk.ring("heartbeat")
    talk.answer(Heartbeat)
    assert ("lease", first) not in talk.timers
    talk.ring("heartbeat")
    talk.lose(Heartbeat)
    assert talk.ring(("lease", talk.member.lease)) == [Lose(WRITER)]
    assert talk.member.owned == ()
    talk.settle()
    talk.ring("heartbeat")
    assert Own(WRITER) in talk.answer(Heartbeat)


def test_a_single_writer_is_never_static():
    with pytest.raises(InputError, match="leave it out for 'producer'"):
        new(SINGLE_WRITER, Config(instance_id="i"), "x", None)


def test_answers_to_nothing_change_nothing():
    talk = stable()
    before = talk.member
    assert talk.tell(NotAnswered(("join", 99))) == []
    assert talk.member == before


def test_joingroup_is_waited_for_as_long_as_a_rebalance_may_take():
    talk = stable()
    waits = {type(request): patience_ms(Config(), request) for request in talk.sent}
    assert waits == {FindCoordinator: 30_000, JoinGroup: 305_000, SyncGroup: 30_000}
