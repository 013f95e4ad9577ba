"""A coordinator with its own log and clock, which takes the same events as Kafka's; its state and messages in the form of java/Seen.java.

It is compared with Kafka's coordinator, and makes fixtures.
"""

from collections.abc import Hashable
from typing import Any

from msgspec.structs import replace

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator import Coordinator, GroupForgotten, GroupWritten, load, step, unload
from kassay.reference.group.coordinator.rebalance import PASSED_OVER, STOPS
from kassay.reference.group.messages import (
    Alarm,
    Asked,
    CancelTimer,
    CoordinatorEffect,
    CoordinatorEvent,
    Error,
    Heartbeat,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    LeavingMember,
    Metadata,
    OffsetCommit,
    Protocol,
    Refused,
    Reply,
    Request,
    Response,
    SetTimer,
    SyncGroup,
    SyncGroupResponse,
    TimedOut,
    Write,
    Written,
)

STATES = {"Joining": "PreparingRebalance", "AwaitSync": "CompletingRebalance"}

REFUSED: dict[str, Any] = {
    "generation": -1,
    "type": None,
    "protocol": "",
    "leader": "",
    "skip": False,
    "members": {},
}
"""The fields of a refused JoinGroup's response that Kafka leaves at their defaults."""


def describe_group(coordinator: Coordinator) -> dict[str, Any] | None:
    """Return the group, or None if there is no group."""
    if coordinator.state == "Down":
        return None
    return {
        "state": STATES.get(coordinator.state, coordinator.state),
        "initial": coordinator.state == "Joining" and coordinator.is_initial,
        "generation": coordinator.generation,
        "type": coordinator.protocol_type,
        "protocol": coordinator.protocol,
        "leader": coordinator.leader,
        "added": coordinator.member_added,
        "pending": sorted(coordinator.pending),
        "unsynced": sorted(coordinator.unsynced),
        "members": {
            member.member_id: [
                member.instance_id,
                member.session_timeout_ms,
                member.rebalance_timeout_ms,
                [[protocol.name, write_metadata(protocol.metadata)] for protocol in member.protocols],
                member.state,
                member.joining is not None,
                member.syncing is not None,
                member.is_new,
            ]
            for member in coordinator.roster
        },
    }


def describe_response(answer: Response) -> dict[str, Any]:
    """Return a response; a refusal has only the error, the member and each field that differs from Kafka's default."""
    error = answer.error.value
    if isinstance(answer, JoinGroupResponse):
        told = {
            "error": error,
            "member": answer.member_id,
            "generation": answer.generation,
            "type": answer.protocol_type,
            "protocol": answer.protocol,
            "leader": answer.leader,
            "skip": answer.skip_assignment,
            "members": {
                one.member_id: [one.instance_id, write_metadata(one.metadata)] for one in answer.members
            },
        }
        return told if answer.error is Error.NONE else _without(told, REFUSED)
    if isinstance(answer, SyncGroupResponse):
        told = {
            "error": error,
            "type": answer.protocol_type,
            "protocol": answer.protocol,
            "state": answer.state,
        }
        return told if answer.error is Error.NONE else _without(told, dict.fromkeys(told))
    if isinstance(answer, LeaveGroupResponse):
        members = [[gone.member_id, gone.instance_id, one.value] for gone, one in answer.members]
        return {"error": error, "members": members}
    return {"error": error}


def write_metadata(metadata: Metadata) -> Metadata:
    """Return metadata in the form of requests: bytes as hexadecimal digits."""
    return f"0x{metadata.hex()}" if isinstance(metadata, bytes) else metadata


def _without(told: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key not in usual or value != usual[key]}


def describe_record(written: Any) -> list[Any]:
    """Return a record of the log."""
    if isinstance(written, GroupForgotten):
        return ["forget"]
    if not isinstance(written, GroupWritten):
        return ["commit", *written.items]
    members = {
        one.member_id: [
            one.instance_id,
            one.session_timeout_ms,
            one.rebalance_timeout_ms,
            write_metadata(one.metadata),
            one.state,
        ]
        for one in written.members
    }
    return [
        "group",
        written.generation,
        written.protocol_type or "",
        written.protocol,
        written.leader,
        members,
    ]


def name_timer(key: Hashable) -> str:
    """Return the name of a timer."""
    if isinstance(key, tuple):
        return f"heartbeat-g-{key[1]}"
    return {"rebalance": "join-g", "sync": "sync-g", "cleanup": "expire-group-metadata"}[str(key)]


REFUSALS = {
    "NOT_ENOUGH_REPLICAS": Error.COORDINATOR_NOT_AVAILABLE,
    "KAFKA_STORAGE_ERROR": Error.NOT_COORDINATOR,
    "MESSAGE_TOO_LARGE": Error.UNKNOWN_SERVER_ERROR,
}
"""Error of the log -> error in responses."""


class StandaloneCoordinator:
    """A coordinator with its log and timers; it follows Kafka's choice of leaders."""

    def __init__(self, behaviour: Behaviour, settings: dict[str, Any]) -> None:
        """Begin without a group, under settings of a broker."""
        self.behaviour = replace(
            behaviour, initial_delay_ms=settings["delay"], group_max_size=settings["max"]
        )
        self.now = 0
        self.log: list[tuple[Any, ...]] = []
        self.waiting: list[Write] = []
        self.late: set[int] = set()
        """The batches whose writes timed out."""
        self.timers: dict[Hashable, int] = {}
        """The end of each timer, in milliseconds since the beginning."""
        self.order: dict[Hashable, tuple[int, int]] = {}
        """The step in which each timer was set, and its rank there; consecutive timers of sessions share a rank."""
        self.steps = self._rank = 0
        self._last: str | None = None
        self.leader: str | None = None
        self.stopped = False
        self.replies: list[list[Any]] = []
        self.written: list[Any] = []
        self.coordinator = Coordinator()
        self._load()

    def take(self, asked: dict[str, Any], leader: str | None, *, stopped: bool = False) -> dict[str, Any]:
        """Take a step, and return the visible state after it.

        `leader` is the leader of Kafka's group after the step, which is `stopped` if unreadable metadata stop it.
        """
        self.replies, self.written = [], []
        self.now, self.leader, self.stopped = asked["now"], leader, stopped
        self.steps += 1
        self._rank, self._last = 0, None
        match asked["do"]:
            case "written":
                self._commit()
            case "timed out":
                batch = self.list_batches(late=False)[0].batch
                self.late.add(batch)
                self._tell(TimedOut(batch))
            case "fail over":
                if not asked["crashes"]:
                    self._do(unload(self.behaviour, self.coordinator).effects)
                # The new node has the first few of the batches that are not committed.
                self.log += [write.records for write in self.waiting[: asked["kept"]]]
                self._load()
            case "alarm":
                key = next(key for key in self.timers if name_timer(key) == asked["key"])
                del self.timers[key]
                self._run(Alarm(key), asked["outcome"])
            case kind if kind != "load":
                self._run(Asked(asked["token"], parse_request(asked)), asked["outcome"])
        return {
            "replies": sorted(self.replies, key=sort_key),
            "written": self.written,
            "timers": {name_timer(key): [due, *self.order[key]] for key, due in self.timers.items()},
            "group": describe_group(self.coordinator),
        }

    def _run(self, event: CoordinatorEvent, outcome: str) -> None:
        """Take a step, and let the log write its batch now or later, or refuse it."""
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

    def list_batches(self, *, late: bool) -> list[Write]:
        """Return the batches that are not committed, with the timed-out ones if `late`."""
        return [write for write in self.waiting if late or write.batch not in self.late]

    def _load(self) -> None:
        self.timers, self.waiting, self.late = {}, [], set()
        self._rank, self._last = 0, None
        records = tuple(record for batch in self.log for record in batch)
        begun = self._read(records)
        self.coordinator = begun.state
        self._do(begun.effects)

    def list_due_timers(self) -> list[Hashable]:
        """Return the timers that may end first: of the timers due next, the first ones of each step."""
        first = min(self.timers.values())
        next_ = [key for key, due in self.timers.items() if due == first]
        ranks: dict[int, int] = {}
        for key in next_:
            step, rank = self.order[key]
            ranks[step] = min(ranks.get(step, rank), rank)
        return [key for key in next_ if self.order[key][1] == ranks[self.order[key][0]]]

    def _tell(self, event: CoordinatorEvent) -> None:
        result = self._step(event)
        self.coordinator = result.state
        self._do(result.effects)

    # Tests put mutants in the place of these two.

    def _step(self, event: CoordinatorEvent) -> Any:
        return step(self.behaviour, self.coordinator, event, self._choose)

    def _read(self, records: tuple[Any, ...]) -> Any:
        return load(self.behaviour, records, self.coordinator.next_member, self._choose)

    def _choose(self, allowed: tuple[str, ...]) -> str:
        """Choose as Kafka did; if this is not allowed, the two groups will differ."""
        if STOPS in allowed:
            return STOPS if self.stopped else PASSED_OVER
        return self.leader if self.leader in allowed else allowed[0]

    def _do(self, effects: tuple[CoordinatorEffect, ...]) -> None:
        for effect in effects:
            if isinstance(effect, SetTimer):
                key = effect.key
                kind = str(key[0] if isinstance(key, tuple) else key)
                if kind != self._last:
                    self._rank += self._last is not None
                    self._last = kind
                self.timers[key] = self.now + effect.delay_ms
                self.order[key] = (self.steps, self._rank)
            elif isinstance(effect, CancelTimer):
                self.timers.pop(effect.key, None)
            elif isinstance(effect, Reply):
                self.replies.append([effect.token, describe_response(effect.response)])
            else:
                self.waiting.append(effect)
                self.written += map(describe_record, effect.records)


def read_choices(group: dict[str, Any] | None) -> dict[str, Any]:
    """Return the random choices of Kafka's coordinator, as arguments of `take`, from its group after a step."""
    if group is None:
        return {"leader": None, "stopped": True}
    return {"leader": group["leader"], "stopped": group["state"] == "PreparingRebalance"}


def sort_key(reply: list[Any]) -> int:
    """Return the sort key of simultaneous responses, whose order is random in Kafka."""
    return int(reply[0])


def parse_request(asked: dict[str, Any]) -> Request:
    """Return a request in the form of kassay's coordinator."""
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
            protocols=tuple(
                Protocol(name, bytes.fromhex(text[2:]) if text.startswith("0x") else text)
                for name, text in asked["protocols"]
            ),
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
