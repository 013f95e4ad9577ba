"""A member that is talked to by hand: what it asked and was not answered yet, its timers, and what its application believes to own."""

from typing import Any

from kassay.model import Topic
from kassay.reference import ASSIGNORS
from kassay.reference.group.member import Config, create_member, step
from kassay.reference.group.member.state import Lose, Own, Revoke, Started
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    CancelTimer,
    Error,
    FindCoordinator,
    FindCoordinatorResponse,
    Heartbeat,
    HeartbeatResponse,
    JoinedMember,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    NotAnswered,
    OffsetCommit,
    OffsetCommitResponse,
    Send,
    SetTimer,
    SyncGroup,
    SyncGroupResponse,
)
from kassay.reference.group.uses.consumer import Subscription, consumer, strategy

RESPONSES: dict[type, type] = {
    FindCoordinator: FindCoordinatorResponse,
    JoinGroup: JoinGroupResponse,
    SyncGroup: SyncGroupResponse,
    Heartbeat: HeartbeatResponse,
    LeaveGroup: LeaveGroupResponse,
    OffsetCommit: OffsetCommitResponse,
}
EAGER = consumer(strategy(ASSIGNORS["consumer/range"]))
COOPERATIVE = consumer(strategy(ASSIGNORS["consumer/cooperative-sticky"]))
TOPIC = Topic("t", 4)
ALL = tuple(TOPIC)
SUBSCRIPTION = Subscription(topics=("t",))


class Conversation:
    """One member and what is open between it and the rest of the world."""

    def __init__(
        self, use: Any = EAGER, subscription: Any = SUBSCRIPTION, cluster: Any = (TOPIC,), **config: Any
    ):
        self.member = create_member(use, Config(**config), subscription, cluster)
        self.open: dict[Any, Any] = {}
        self.timers: dict[Any, int] = {}
        self.sent: list[Any] = []
        self.told: list[Any] = []
        self.works_on: set[Any] = set()
        self.generation, self.ids = 0, 0

    def tell(self, event: Any) -> list[Any]:
        """Tell the member what happened; returns all that it wants done."""
        taken = step(self.member, event)
        self.member = taken.state
        for effect in taken.effects:
            match effect:
                case Send(token, request, _):
                    assert token not in self.open
                    self.open[token] = request
                    self.sent.append(request)
                case SetTimer(key, delay):
                    self.timers[key] = delay
                case CancelTimer(key):
                    self.timers.pop(key, None)
                case _:
                    self.told.append(effect)
                    self._believe(effect)
        return list(taken.effects)

    def _believe(self, effect: Any) -> None:
        match effect:
            case Own(items):
                assert not self.works_on & {*items}, "begins what it works on already"
                self.works_on |= {*items}
            case Lose(items):
                assert self.works_on == {*items}, "loses other than all"
                self.works_on = set()
            case Revoke(items):
                assert self.works_on >= {*items}, "gives up what it has not"
                if not self.member.config.waits_for_revocation:
                    self.works_on -= {*items}

    def open_request(self, kind: type) -> Any:
        """Return the token of the newest open request of a type; raises StopIteration without one."""
        return next(token for token in reversed(self.open) if type(self.open[token]) is kind)

    def answer(self, kind: type, error: Error = Error.NONE, **fields: Any) -> list[Any]:
        """Answer the newest open request of a type, by default as a coordinator does that has this member alone."""
        token = self.open_request(kind)
        request = self.open.pop(token)
        if error is Error.NONE:
            fields = self._right_answer(request) | fields
        return self.tell(Answered(token, RESPONSES[kind](error=error, **fields)))

    def _right_answer(self, request: Any) -> dict[str, Any]:
        match request:
            case FindCoordinator():
                return {"node": 0}
            case JoinGroup():
                self.generation += 1
                self.ids += not request.member_id
                name = request.member_id or f"id-{self.ids}"
                first = request.protocols[0]
                return {
                    "generation": self.generation,
                    "protocol_type": request.protocol_type,
                    "protocol": first.name,
                    "leader": name,
                    "member_id": name,
                    "members": (JoinedMember(name, request.instance_id, first.metadata),),
                }
            case SyncGroup():
                return {"protocol": request.protocol, "state": dict(request.states).get(request.member_id)}
        return {}

    def lose(self, kind: type) -> list[Any]:
        """Let the newest open request of a type be lost."""
        token = self.open_request(kind)
        del self.open[token]
        return self.tell(NotAnswered(token))

    def ring(self, key: Any) -> list[Any]:
        """Let a timer that is set run out."""
        del self.timers[key]
        return self.tell(Alarm(key))

    def settle(self, turns: int = 30) -> "Conversation":
        """Answer everything rightly, and let the waits between attempts pass, until nothing is left to do."""
        for _ in range(turns):
            if self.open:
                self.answer(type(next(reversed(self.open.values()))))
            elif "retry" in self.timers:
                self.ring("retry")
            else:
                return self
        raise AssertionError(f"still busy after {turns} turns: {self.member.phase}")


def kinds(effects: Any) -> list[type]:
    """Return the types of the requests that are sent."""
    return [type(effect.request) for effect in effects if isinstance(effect, Send)]


def stable(**options: Any) -> Conversation:
    """Return a conversation with a member that has started, joined and taken up its state."""
    talk = Conversation(**options)
    talk.tell(Started())
    talk.settle()
    assert talk.member.phase == "Stable"
    return talk


def joining(**options: Any) -> Conversation:
    """Return a conversation with a member that has started and asked to join."""
    talk = Conversation(**options)
    talk.tell(Started())
    talk.answer(FindCoordinator)
    assert talk.member.phase == "Joining"
    return talk


def syncing(**options: Any) -> Conversation:
    """Return a conversation with a member that has joined and asked for its state."""
    talk = joining(**options)
    talk.answer(JoinGroup)
    assert talk.member.phase == "Syncing"
    return talk


def beating(**options: Any) -> Conversation:
    """Return a conversation with a member that is stable and has sent a heartbeat."""
    talk = stable(**options)
    talk.ring("heartbeat")
    return talk
