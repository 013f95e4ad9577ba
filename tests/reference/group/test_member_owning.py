"""What a member owns, event by event: what it gives up when, what it loses, what it may commit, and how it leaves."""

import pytest
from conversation import ALL, COOPERATIVE, TOPIC, beating, joining, kinds, stable, syncing

from kassay.errors import InputError
from kassay.model import Topic, TopicPartition
from kassay.reference.group.member import Config, create_member
from kassay.reference.group.member.state import (
    Closed,
    ClusterChanged,
    Commit,
    Committed,
    Lose,
    NotCommitted,
    Own,
    Resumed,
    Revoke,
    Revoked,
    Stalled,
    SubscriptionChanged,
)
from kassay.reference.group.messages import (
    CancelTimer,
    Error,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    OffsetCommit,
    SetTimer,
    SyncGroup,
)
from kassay.reference.group.uses.consumer import SINGLE_WRITER, WRITER, Subscription


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
    with pytest.raises(InputError, match="Leave it out for 'producer'"):
        create_member(SINGLE_WRITER, Config(instance_id="i"), "x", None)
