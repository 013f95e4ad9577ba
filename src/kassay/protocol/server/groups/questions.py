"""Questions to a coordinator, one for each place where coordinators are known to differ: some members form a group, then each step is asked and its answer noted.

What Kafka answers is not written here: the coordinator of the reference, which is held against Kafka's (docs/coordinator.md), is asked the same.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from kassay.reference.group.uses.consumer import Metadata

Until: TypeAlias = Literal["Stable", "AwaitSync"]
SESSION_MS, REBALANCE_MS = 30_000, 30_000
Supported: TypeAlias = tuple[tuple[str, Metadata], ...]


def plain(topic: str) -> Metadata:
    """Return the metadata of a consumer that reads a topic."""
    return Metadata(0, (topic,), None, (), None, None)


_ONE, _OTHER = map(plain, ("m", "n"))
PROTOCOLS: Supported = (("range", _ONE), ("sticky", _ONE))
CHANGED: Supported = (("range", _OTHER), ("sticky", _OTHER))
NOBODY = "nobody-0"
"""An id that nobody was given."""


@dataclass(frozen=True)
class Ask:
    """A step: the member of this number asks; `own` says with which id, `by` how far from its generation; the rest is of its kind."""

    who: int
    do: Literal["join", "sync", "heartbeat", "commit", "leave"]
    own: Literal["own", "nobody", "none"] = "own"
    by: int | None = 0
    """None: without a generation."""
    more: dict[str, Any] = field(default_factory=dict)
    told: bool = True
    """Whether its answer is told."""


@dataclass(frozen=True)
class Question:
    """So many members, static or not, form a group until a state; then the steps."""

    members: int
    until: Until
    steps: tuple[Ask, ...]
    static: bool = False
    prefers: tuple[Supported, ...] = ()
    """The protocols of each member, where they differ."""


def _stable(*steps: Ask, **more: Any) -> Question:
    return Question(2, "Stable", steps, **more)


_REBALANCES = Ask(1, "join", more={"protocols": CHANGED}, told=False)
QUESTIONS: dict[str, Question] = {
    "a new member joins without an id": Question(0, "Stable", (Ask(0, "join", "none"),)),
    "the first member of a group joins with the id it was given": Question(0, "Stable", (Ask(0, "join", "none", told=False), Ask(0, "join"))),
    "a heartbeat while the leader's states are awaited": Question(2, "AwaitSync", (Ask(1, "heartbeat"),)),
    "a commit while the leader's states are awaited": Question(2, "AwaitSync", (Ask(1, "commit"),)),
    "a follower joins again while the leader's states are awaited": Question(2, "AwaitSync", (Ask(1, "join"),)),
    "a follower synchronises before the leader, then the leader": Question(2, "AwaitSync", (Ask(1, "sync"), Ask(0, "sync"))),
    "a follower synchronises after the leader": Question(2, "AwaitSync", (Ask(0, "sync", told=False), Ask(1, "sync"))),
    "a heartbeat in a stable group": _stable(Ask(1, "heartbeat")),
    "a heartbeat of an id that nobody was given": _stable(Ask(1, "heartbeat", "nobody")),
    "a JoinGroup of an id that nobody was given": _stable(Ask(1, "join", "nobody")),
    "a SyncGroup of an id that nobody was given": _stable(Ask(1, "sync", "nobody")),
    "a commit of an id that nobody was given": _stable(Ask(1, "commit", "nobody")),
    "a LeaveGroup of an id that nobody was given": _stable(Ask(1, "leave", "nobody")),
    "a heartbeat of the generation before": _stable(Ask(1, "heartbeat", by=-1)),
    "a heartbeat of the next generation": _stable(Ask(1, "heartbeat", by=1)),
    "a SyncGroup of the generation before": _stable(Ask(1, "sync", by=-1)),
    "a commit of the generation before": _stable(Ask(1, "commit", by=-1)),
    "a commit in a stable group": _stable(Ask(1, "commit")),
    "a commit without a generation, in a group with members": _stable(Ask(1, "commit", "none", None)),
    "a commit without a generation, in a group without members": Question(0, "Stable", (Ask(0, "commit", "none", None),)),
    "a member joins that shares no protocol with the group": _stable(Ask(2, "join", "none", more={"protocols": (("other", _ONE),)})),
    "a member joins with another type of protocol": _stable(Ask(2, "join", "none", more={"protocol_type": "other"})),
    "a member joins without protocols": _stable(Ask(2, "join", "none", more={"protocols": ()})),
    "a member joins with a session timeout of 1 ms": _stable(Ask(2, "join", "none", more={"session_timeout_ms": 1})),
    "a follower joins again with nothing changed": _stable(Ask(1, "join")),
    "a follower joins again with other metadata": _stable(Ask(1, "join", more={"protocols": CHANGED})),
    "the leader joins again with nothing changed": _stable(Ask(0, "join")),
    "a heartbeat while a rebalance waits for its member": _stable(_REBALANCES, Ask(0, "heartbeat")),
    "a SyncGroup while a rebalance waits for its member": _stable(_REBALANCES, Ask(0, "sync")),
    "a commit while a rebalance waits for its member": _stable(_REBALANCES, Ask(0, "commit")),
    "all members join again": _stable(_REBALANCES, Ask(0, "join")),
    "the leader of a stable group sends other states, and a follower synchronises": _stable(Ask(0, "sync"), Ask(1, "sync")),
    "a follower synchronises under another protocol": _stable(Ask(1, "sync", more={"protocol": "other"})),
    "a member leaves, and the other sends a heartbeat": _stable(Ask(1, "leave"), Ask(0, "heartbeat")),
    "the leader leaves, and the follower joins again": _stable(Ask(0, "leave", told=False), Ask(1, "join")),
    "a third member joins, and the others join again": _stable(
        Ask(2, "join", "none", told=False), Ask(2, "join"), Ask(0, "join"), Ask(1, "join")
    ),
    "two of three members prefer the other protocol": Question(
        3, "AwaitSync", (Ask(1, "join"),), prefers=(PROTOCOLS, PROTOCOLS[::-1], PROTOCOLS[::-1])
    ),
    "a static member comes back without its id": _stable(Ask(1, "join", "none"), Ask(0, "heartbeat"), static=True),
    "a static member has come back, and its old process sends a heartbeat": _stable(
        Ask(1, "join", "none", told=False), Ask(1, "heartbeat", more={"old": True}), static=True
    ),
    "a static member has come back, and its old process joins": _stable(
        Ask(1, "join", "none", told=False), Ask(1, "join", more={"old": True}), static=True
    ),
    "a static member is removed by its instance id alone": _stable(Ask(1, "leave", "none"), static=True),
}  # fmt: skip
"""What happens -> what is asked."""
