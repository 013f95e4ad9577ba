"""A member with its own clock, which takes the same events as Kafka's; its state and messages in the form of java/Consumer.java."""

from typing import Any, cast

from kassay.model import Topic, TopicPartition
from kassay.reference import ASSIGNORS
from kassay.reference.group.member import Config, create_member, patience_ms
from kassay.reference.group.member import step as STEP  # noqa: N812 - a test puts another one in its place
from kassay.reference.group.member.state import (
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
    Stalled,
    Started,
    SubscriptionChanged,
)
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
    NotAnswered,
    OffsetCommit,
    OffsetCommitResponse,
    Send,
    SetTimer,
    SyncGroup,
    SyncGroupResponse,
)
from kassay.reference.group.uses.consumer import Given, Metadata, Subscription, consumer, strategy

TICK_MS = 500
TIMES = {"retry": TICK_MS, "request": 8_000, "session": 15_000, "rebalance": 20_000, "heartbeat": 3_000}
KINDS: dict[str, type] = {
    "find": FindCoordinator,
    "join": JoinGroup,
    "sync": SyncGroup,
    "heartbeat": Heartbeat,
    "leave": LeaveGroup,
    "commit": OffsetCommit,
}
NAMES = {kind: name for name, kind in KINDS.items()}
STRATEGIES = {cooperative: strategy(ASSIGNORS[f"consumer/{name}"]) for cooperative, name in ((False, "sticky"), (True, "cooperative-sticky"))}  # fmt: skip
USES = {cooperative: consumer(one) for cooperative, one in STRATEGIES.items()}
STATES = {"Stable": "STABLE", "Revoking": "STABLE", "Syncing": "COMPLETING_REBALANCE"}
"""Phases by Kafka's names; in all other phases the member has no generation in which it may work."""
RETRIABLE = (Error.COORDINATOR_LOAD_IN_PROGRESS, Error.COORDINATOR_NOT_AVAILABLE, Error.NOT_COORDINATOR)
LOST = (Error.ILLEGAL_GENERATION, Error.UNKNOWN_MEMBER_ID)


class StandaloneMember:
    """One member with its timers and the requests that are not answered yet."""

    def __init__(self, settings: dict[str, Any], step: Any = None):
        """Make a member that has not started."""
        self.step = step or STEP
        self.cooperative = settings["cooperative"]
        config = Config(
            instance_id=settings["instance"],
            session_timeout_ms=settings["session"],
            rebalance_timeout_ms=settings["rebalance"],
            heartbeat_ms=settings["heartbeat"],
            max_poll_ms=settings["rebalance"],
            retry_ms=settings["retry"],
            retry_max_ms=settings["retry"],
            request_timeout_ms=settings["request"],
        )
        topics = tuple(Topic(name, count) for name, count in settings["topics"].items())
        self.member = create_member(USES[self.cooperative], config, Subscription(), topics)
        self.now = 0
        self.open: dict[Any, tuple[Any, int]] = {}
        self.timers: dict[Any, tuple[int, int]] = {}
        self.set = 0
        self.sent: list[Any] = []
        self.deferred: list[Any] = []
        self.heard: list[Any] = []
        self.commits: list[Any] = []
        self.due: list[Any] = []
        self.failure: Error | None = None

    def take(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Take a step, and return the visible state after it."""
        self.sent, self.heard, self.due = [], [], []
        if asked["do"] in ("resume", "commit"):
            self.due, self.commits = self.commits, []
        match asked["do"]:
            case "wait":
                self.now += TICK_MS
                while due := [
                    (at, number, key) for key, (at, number) in self.timers.items() if at <= self.now
                ]:
                    *_, key = min(due)
                    del self.timers[key]
                    self.tell(Alarm(key))
            case "resume":
                self.heard, self.deferred = self.deferred, []
                self.tell(Resumed())
            case "answer":
                token, request = self.find_newest(asked["kind"])
                del self.open[token]
                self.tell(Answered(token, parse_response(request, asked)))
            case "break":
                broken, self.open = [*self.open], {}
                for token in broken:
                    self.tell(NotAnswered(token))
            case _:
                for event in list_events(asked):
                    self.tell(event)
        return self._describe()

    def find_newest(self, kind: str) -> tuple[Any, Any]:
        """Return the newest open request of a kind."""
        return next(
            (token, one) for token, (one, _) in reversed(self.open.items()) if NAMES[type(one)] == kind
        )

    def list_open_kinds(self) -> list[str]:
        """Return the kinds of requests that are open."""
        return [NAMES[type(request)] for request, _ in self.open.values()]

    def find_age(self, kind: str) -> int:
        """Return the age of the oldest open request of a kind in milliseconds, -1 if there is none."""
        return max(
            (self.now - at for request, at in self.open.values() if NAMES[type(request)] == kind), default=-1
        )

    def has_timed_out(self) -> bool:
        """Return True if a request is open for so long that its connection is closed."""
        return any(
            self.now - at >= patience_ms(self.member.config, request) for request, at in self.open.values()
        )

    def tell(self, event: Any) -> None:
        """Send the member an event."""
        taken = self.step(self.member, event)
        stalled, self.member = self.member.stalled and type(event) is not Resumed, taken.state
        for effect in taken.effects:
            match effect:
                case Send(token, request, _):
                    self.sent.append(describe_request(request))
                    if type(request) is not LeaveGroup:
                        self.open[token] = request, self.now
                case SetTimer(key, delay):
                    self.set += 1
                    self.timers[key] = self.now + delay, self.set
                case CancelTimer(key):
                    self.timers.pop(key, None)
                case Failed(error):
                    self.failure = error
                case Committed() | NotCommitted():
                    self.commits.append(describe_callback(effect))
                case _:
                    (self.deferred if stalled else self.heard).append(describe_callback(effect))

        awaited = {self.member.asked, self.member.beat, *(one.token for one in self.member.commits)}
        self.open = {token: one for token, one in self.open.items() if token in awaited}

    def _describe(self) -> dict[str, Any]:
        """Return the visible state; an application that does not poll still owns the items that it has lost."""
        member = self.member
        state = STATES.get(member.phase)
        commits = self.due
        # A poll informs the application of finished commits.
        if not member.stalled and (not member.waits or self.failure is not None):
            commits, self.commits = self.due + self.commits, []
        lost = [item for what, items, *_ in self.deferred if what == "lost" for item in items]
        return {
            "sent": self.sent,
            "heard": self.heard,
            "commits": commits,
            "failure": None if self.failure is None else self.failure.name,
            "state": "STABLE" if member.given and member.phase == "Syncing" else state,
            "generation": member.generation,
            "member": member.member_id,
            "knows": member.node is not None,
            "owned": sorted([*map(write_partition, member.owned), *lost]),
        }


def list_events(asked: dict[str, Any]) -> list[Any]:
    """Return the events of an action of the application."""
    match asked["do"]:
        case "begin" | "subscribe":
            subscribed = SubscriptionChanged(Subscription(topics=tuple(sorted(asked["topics"]))))
            return [subscribed, Started()] if asked["do"] == "begin" else [subscribed]
        case "cluster":
            return [ClusterChanged(tuple(Topic(name, count) for name, count in asked["topics"].items()))]
        case "commit":
            return [Commit(tuple(map(parse_partition, asked["items"])))]
        case "stall":
            return [Stalled()]
        case "close":
            return [Closed()]
    raise ValueError(asked)


HEARD: dict[type, str] = {
    Revoke: "revoked",
    Lose: "lost",
    Own: "assigned",
    Committed: "committed",
    NotCommitted: "not committed",
}


def describe_callback(effect: Any) -> list[Any]:
    """Return a callback of the application."""
    heard = [HEARD[type(effect)], sorted(map(write_partition, effect.items))]
    return [*heard, name_exception(effect.error)] if type(effect) is NotCommitted else heard


def name_exception(error: Error) -> str:
    """Return the exception that Kafka throws for an error of a commit."""
    if error in LOST:
        return "CommitFailedException"
    if error in RETRIABLE:
        return "RetriableCommitFailedException"
    return "KafkaException" if error is Error.UNKNOWN_SERVER_ERROR else error.name


def write_partition(item: Any) -> str:
    """Return a partition as Kafka writes it."""
    return f"{item.topic}-{item.partition}"


def parse_partition(told: str) -> TopicPartition:
    """Return the partition of a text."""
    topic, _, number = told.rpartition("-")
    return TopicPartition(topic, int(number))


def _describe_subscription(metadata: Any) -> list[Any]:
    return [sorted(metadata.topics), sorted(map(write_partition, metadata.claimed)), metadata.generation]


FIELDS = {
    "generation": "generation",
    "member": "member_id",
    "instance": "instance_id",
    "session": "session_timeout_ms",
    "rebalance": "rebalance_timeout_ms",
    "type": "protocol_type",
    "protocol": "protocol",
}
"""Field in JSON -> field of requests."""
TOLD: dict[type, tuple[str, ...]] = {
    JoinGroup: ("member", "instance", "session", "rebalance", "type"),
    SyncGroup: ("generation", "member", "instance", "type", "protocol"),
    Heartbeat: ("generation", "member", "instance"),
    OffsetCommit: ("generation", "member", "instance"),
}


def describe_request(request: Any) -> dict[str, Any]:
    """Return a request with all its fields."""
    shown: dict[str, Any] = {"kind": NAMES[type(request)]}
    shown |= {name: getattr(request, FIELDS[name]) for name in TOLD.get(type(request), ())}
    match request:
        case JoinGroup():
            shown["protocols"] = [
                [one.name, *_describe_subscription(one.metadata)] for one in request.protocols
            ]
        case SyncGroup():
            shown["states"] = {
                name: sorted(map(write_partition, cast("Given", state).partitions))
                for name, state in request.states
            }
        case LeaveGroup():
            shown["members"] = [[one.member_id, one.instance_id] for one in request.members]
        case OffsetCommit():
            shown["items"] = sorted(map(write_partition, request.items))
    return shown


def parse_response(request: Any, asked: dict[str, Any]) -> Any:
    """Return the response of a step."""
    error = Error(asked["error"])
    match request:
        case FindCoordinator():
            return FindCoordinatorResponse(error=error, node=0 if error is Error.NONE else None)
        case JoinGroup():
            own = request.protocols[0].metadata
            members = tuple(
                JoinedMember(
                    name,
                    instance,
                    own
                    if name == asked["member"]
                    else Metadata(
                        3, tuple(topics), None, tuple(map(parse_partition, claimed)), generation, None
                    ),
                )
                for name, instance, topics, claimed, generation in asked["members"]
            )
            return JoinGroupResponse(
                error=error,
                generation=asked["generation"],
                protocol_type=asked["type"],
                protocol=asked["protocol"],
                leader=asked["leader"],
                member_id=asked["member"],
                members=members,
                skip_assignment=asked["skip"],
            )
        case SyncGroup():
            state = None if error is not Error.NONE else Given(tuple(map(parse_partition, asked["state"])))
            return SyncGroupResponse(
                error=error, protocol_type=asked["type"], protocol=asked["protocol"], state=state
            )
        case Heartbeat():
            return HeartbeatResponse(error=error)
    return OffsetCommitResponse(error=error)
