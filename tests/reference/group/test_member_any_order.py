"""A member, whatever happens in whatever order: never an exception, nothing owned outside a generation, and always back in time."""

import hypothesis.strategies as st
from conversation import COOPERATIVE, EAGER, RESPONSES, SUBSCRIPTION, TOPIC, Conversation
from hypothesis import given, settings
from whole import share

from kassay.model import Topic
from kassay.reference.group.member import KAFKA, PROPOSAL
from kassay.reference.group.member.state import (
    Closed,
    ClusterChanged,
    Commit,
    Own,
    Resumed,
    Revoke,
    Revoked,
    Stalled,
    Started,
    SubscriptionChanged,
)
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    Error,
    FindCoordinator,
    JoinGroup,
    LeaveGroup,
    NotAnswered,
    SyncGroup,
)
from kassay.reference.group.uses.consumer import SINGLE_WRITER, Subscription

ERRORS = (*[Error.NONE] * 8, *Error)
CLUSTERS = ((TOPIC,), (Topic("t", 6),), (TOPIC, Topic("u", 2)), ())
SUBSCRIPTIONS = (SUBSCRIPTION, Subscription(topics=("t", "u")), Subscription(pattern="u|t"))
APPLICATION = (Stalled(), Resumed(), Started(), "commit", "gave up", "cluster", "subscription", "closed")


def talks():
    """Conversations with members of all sorts."""
    return st.builds(
        lambda use, waits, manner, instance: Conversation(
            use=use,
            subscription=SUBSCRIPTION,
            waits_for_revocation=waits,
            manner=manner,
            instance_id=instance if use.static else None,
        ),
        st.sampled_from([EAGER, COOPERATIVE, SINGLE_WRITER]),
        st.booleans(),
        st.sampled_from([KAFKA, PROPOSAL]),
        st.sampled_from([None, "i"]),
    )


def happen(talk, draw, closes):
    """Let one thing happen, any that can."""
    choices = ["application", "late", *["open"] * 6 * bool(talk.open), *["timer"] * 3 * bool(talk.timers)]
    what = draw(st.sampled_from(choices))
    if what == "open":
        token = draw(st.sampled_from([*talk.open]))
        kind = type(talk.open[token])
        error = draw(st.sampled_from(ERRORS))
        if draw(st.integers(0, 5)) == 0:
            talk.lose(kind)
        elif error is Error.MEMBER_ID_REQUIRED and kind is JoinGroup:
            talk.answer(kind, error, member_id="id-given")
        else:
            talk.answer(kind, error)
    elif what == "timer":
        talk.ring(draw(st.sampled_from([*talk.timers])))
    elif what == "late":
        kind = draw(st.sampled_from([*RESPONSES.values()]))
        stale = ("join", -1)
        talk.tell(
            draw(st.sampled_from([NotAnswered(stale), Answered(stale, kind()), Alarm(("lease", stale))]))
        )
    else:
        tell(talk, draw(st.sampled_from(APPLICATION[: len(APPLICATION) - (not closes)])), draw)


def tell(talk, event, draw):
    """Let the application tell something."""
    member = talk.member
    if event == "commit":
        event = Commit(draw(st.sampled_from([member.owned, member.had])))
    elif event == "gave up":
        if member.revoking and member.phase == "Revoking":
            talk.works_on -= {*member.revoking}
        event = Revoked(member.revoking)
    elif event == "cluster":
        event = ClusterChanged(draw(st.sampled_from(CLUSTERS)))
    elif event == "subscription":
        event = SubscriptionChanged(draw(st.sampled_from(SUBSCRIPTIONS)))
    elif event == "closed":
        event = Closed()
    talk.tell(event)


ONE_AT_A_TIME = (FindCoordinator, JoinGroup, SyncGroup)


def judge(before, talk, sent, told):
    """Hold a member against what is true of every one."""
    member = talk.member
    assert talk.works_on == {*member.owned}
    assert len(member.owned) == len({*member.owned})
    if member.generation < 0:
        assert not member.owned
    if member.phase in ("New", "Unjoined", "Failed", "Closed"):
        assert member.generation == -1
    if member.use.leased:
        assert not member.owned or member.lease is not None
    kept = before.member_id == member.member_id and member.generation >= 0
    assert not kept or member.generation >= before.generation
    for request in talk.sent[sent:]:
        named(request)
        if type(request) is JoinGroup and member.phase == "Joining":
            assert member.use.cooperative or not member.owned
            if member.use is COOPERATIVE:
                assert request.protocols[0].metadata.claimed == member.owned
    assert sum(type(request) in ONE_AT_A_TIME for request in talk.open.values()) <= 1
    if before.stalled and member.stalled and member.phase != "Closed" and member.after != "leave":
        assert not any(isinstance(effect, (Own, Revoke)) for effect in talk.told[told:])


def named(request):
    """Hold a request that only members may send against what they know of themselves."""
    if type(request) is LeaveGroup:
        assert request.members[0].member_id
    elif type(request) not in (FindCoordinator, JoinGroup):
        assert request.generation >= 0
        assert request.member_id


def lived(talk, draw, most, *, closes):
    """Let a member live for a while, and judge it after each thing that happens."""
    for _ in range(draw(st.integers(1, most))):
        before, sent, told = talk.member, len(talk.sent), len(talk.told)
        happen(talk, draw, closes)
        judge(before, talk, sent, told)


@settings(max_examples=share(60, 1000))
@given(talk=talks(), data=st.data())
def test_any_order_of_events_leaves_a_member_as_it_must_be(talk, data):
    lived(talk, data.draw, 60, closes=True)


@settings(max_examples=share(40, 800))
@given(talk=talks(), data=st.data())
def test_a_member_whose_coordinator_answers_again_gets_back_into_the_group(talk, data):
    lived(talk, data.draw, 40, closes=False)
    for event in (Started(), Resumed()):
        talk.tell(event)
    for _ in range(4):
        if talk.member.phase == "Revoking":
            tell(talk, "gave up", data.draw)
        if "heartbeat" in talk.timers:
            talk.ring("heartbeat")
        talk.settle(60)
    assert talk.member.phase in ("Stable", "Failed")
