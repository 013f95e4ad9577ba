"""Our coordinator on a log and a clock of its own, told the same as Kafka's."""

from collections.abc import Hashable
from typing import Any

import seen
from msgspec.structs import replace

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator import Coordinator, Record, load, step, unload
from kassay.reference.group.events import (
    Alarm,
    Asked,
    CancelTimer,
    CoordinatorEffect,
    CoordinatorEvent,
    Refused,
    Reply,
    SetTimer,
    Write,
    Written,
)
from kassay.reference.group.messages import (
    Error,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    LeavingMember,
    OffsetCommit,
    Protocol,
    Request,
    SyncGroup,
)

REFUSALS = {
    "NOT_ENOUGH_REPLICAS": Error.COORDINATOR_NOT_AVAILABLE,
    "KAFKA_STORAGE_ERROR": Error.NOT_COORDINATOR,
    "MESSAGE_TOO_LARGE": Error.UNKNOWN_SERVER_ERROR,
}
"""What the log says -> what members are told."""


class Held:
    """Our coordinator of a sequence, with its log and timers; it follows Kafka's choice of leaders."""

    def __init__(self, behaviour: Behaviour, settings: dict[str, Any]) -> None:
        """Begin without a group, under settings of a broker."""
        self.behaviour = replace(
            behaviour, initial_delay_ms=settings["delay"], group_max_size=settings["max"]
        )
        self.now = 0
        self.log: list[tuple[Record, ...]] = []
        self.waiting: list[Write] = []
        self.timers: dict[Hashable, int] = {}
        """When each timer runs out, in milliseconds since the beginning."""
        self.leader: str | None = None
        self.replies: list[list[Any]] = []
        self.written: list[Any] = []
        self.coordinator = Coordinator()
        self._load()

    def take(self, asked: dict[str, Any], leader: str | None) -> dict[str, Any]:
        """Do what is asked; return what can be seen then. Kafka's group has this leader then."""
        self.replies, self.written = [], []
        self.now, self.leader = asked["now"], leader
        if asked["do"] == "written":
            self._commit()
        elif asked["do"] == "fail over":
            self._fail_over(crashes=asked["crashes"], kept=asked["kept"])
        elif asked["do"] != "load":
            self._run(self._event(asked), asked["outcome"])
        return {
            "replies": sorted(self.replies, key=by_token),
            "written": self.written,
            "timers": {seen.timer(key): due for key, due in self.timers.items()},
            "group": seen.group(self.coordinator),
        }

    def _event(self, asked: dict[str, Any]) -> CoordinatorEvent:
        if asked["do"] != "alarm":
            return Asked(asked["token"], request(asked))
        key = next(key for key in self.timers if seen.timer(key) == asked["key"])
        del self.timers[key]
        return Alarm(key)

    def _run(self, event: CoordinatorEvent, outcome: str) -> None:
        """Take a step, and let the log write what it appends now or later, or refuse it."""
        before = len(self.waiting)
        self._tell(event)
        if len(self.waiting) == before:
            return
        if outcome == "now":
            while self.waiting:
                self._commit()
        elif outcome != "later":
            self._tell(Refused(self.waiting.pop().batch, REFUSALS[outcome]))

    def _commit(self) -> None:
        """Let the log commit the oldest batch."""
        write = self.waiting.pop(0)
        self.log.append(write.records)
        self._tell(Written(write.batch))

    def _fail_over(self, *, crashes: bool, kept: int) -> None:
        """Let another node take over, with the first few of the batches that are not committed."""
        if not crashes:
            self._do(unload(self.behaviour, self.coordinator).effects)
        self.log += [write.records for write in self.waiting[:kept]]
        self._load()

    def _load(self) -> None:
        self.timers, self.waiting = {}, []
        records = [record for batch in self.log for record in batch]
        begun = load(self.behaviour, records, self.coordinator.next_member)
        self.coordinator = begun.state
        self._do(begun.effects)

    def _tell(self, event: CoordinatorEvent) -> None:
        result = step(self.behaviour, self.coordinator, event, self._choose)
        self.coordinator = result.state
        self._do(result.effects)

    def _choose(self, allowed: tuple[str, ...]) -> str:
        """Choose as Kafka did; where that is not allowed the two groups will be seen to differ."""
        return self.leader if self.leader in allowed else allowed[0]

    def _do(self, effects: tuple[CoordinatorEffect, ...]) -> None:
        for effect in effects:
            if isinstance(effect, SetTimer):
                self.timers[effect.key] = self.now + effect.delay_ms
            elif isinstance(effect, CancelTimer):
                self.timers.pop(effect.key, None)
            elif isinstance(effect, Reply):
                self.replies.append([effect.token, seen.response(effect.response)])
            else:
                self.waiting.append(effect)
                self.written += map(seen.record, effect.records)


def by_token(reply: list[Any]) -> int:
    """Sort answers that come at once, whose order is chance in Kafka."""
    return int(reply[0])


def request(asked: dict[str, Any]) -> Request:
    """Return a request as our coordinator is asked."""
    if asked["do"] == "leave":
        return LeaveGroup(members=tuple(LeavingMember(*ids) for ids in asked["members"]))
    member_id, instance_id = asked["member"], asked["instance"]
    if asked["do"] == "join":
        return JoinGroup(
            member_id=member_id,
            instance_id=instance_id,
            session_timeout_ms=asked["session"],
            rebalance_timeout_ms=asked["rebalance"],
            protocol_type=asked["type"],
            protocols=tuple(Protocol(*protocol) for protocol in asked["protocols"]),
            known_id_required=asked["version"] >= 4,
            skips_assignment=asked["version"] >= 9,
        )
    generation = asked["generation"]
    if asked["do"] == "sync":
        return SyncGroup(
            generation=generation,
            member_id=member_id,
            instance_id=instance_id,
            protocol=asked["protocol"],
            states=tuple(asked["states"].items()),
            error=Error[asked.get("error", "NONE")],
        )
    if asked["do"] == "commit":
        return OffsetCommit(
            generation=generation, member_id=member_id, instance_id=instance_id, items=tuple(asked["items"])
        )
    return Heartbeat(generation=generation, member_id=member_id, instance_id=instance_id)
