"""Hold our coordinator against Kafka's on one sequence: after each step, answers, log, timers and group must be the same."""

from collections.abc import Generator, Hashable
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


SESSION = "heartbeat-g-"
"""What the names of sessions' timers begin with."""


class DifferenceError(Exception):
    """The two coordinators differ; the arguments are what was asked, our side and Kafka's."""


class Held:
    """Our coordinator of a sequence, with its log and timers, in step with Kafka's."""

    def __init__(self, behaviour: Behaviour, settings: dict[str, Any]) -> None:
        """Begin without a group."""
        self.behaviour = replace(
            behaviour, initial_delay_ms=settings["delay"], group_max_size=settings["max"]
        )
        self.now = 0
        self.log: list[tuple[Record, ...]] = []
        self.waiting: list[Write] = []
        self.timers: dict[Hashable, int] = {}
        self.ids: list[str] = []
        """Our ids of members in the order of their appearance."""
        self.theirs: dict[str, str] = {}
        """Our ids -> Kafka's."""
        self.ours: dict[str, str] = {}
        self.token = 0
        self.leader: str | None = None
        self.replies: list[list[Any]] = []
        self.written: list[Any] = []
        self.coordinator = Coordinator()
        self.load()

    def load(self) -> None:
        """Begin anew from the log."""
        self.timers = {}
        self.waiting = []
        records = [record for batch in self.log for record in batch]
        begun = load(self.behaviour, records, self.coordinator.next_member)
        self.coordinator = begun.state
        self.do(begun.effects)

    def tell(self, event: CoordinatorEvent) -> None:
        """Take a step, where Kafka's choice of leader is followed if it is among those allowed."""
        result = step(self.behaviour, self.coordinator, event, self.choose)
        self.coordinator = result.state
        self.do(result.effects)

    def choose(self, allowed: tuple[str, ...]) -> str:
        """Choose as Kafka did."""
        return self.leader if self.leader in allowed else allowed[0]

    def do(self, effects: tuple[CoordinatorEffect, ...]) -> None:
        """Perform effects."""
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

    def commit(self) -> None:
        """Let the log commit the oldest batch."""
        write = self.waiting.pop(0)
        self.log.append(write.records)
        self.tell(Written(write.batch))

    def run(self, event: CoordinatorEvent, outcome: str) -> None:
        """Take a step, and let the log write what it appends now or later, or refuse it."""
        before = len(self.waiting)
        self.tell(event)
        if len(self.waiting) == before:
            return
        if outcome == "now":
            while self.waiting:
                self.commit()
        elif outcome != "later":
            self.tell(Refused(self.waiting.pop().batch, REFUSALS[outcome]))

    def fail_over(self, *, crashes: bool, kept: int) -> None:
        """Let another node take over, with the first few of the batches that are not committed."""
        if not crashes:
            left = unload(self.behaviour, self.coordinator)
            self.do(left.effects)
        self.log += [write.records for write in self.waiting[:kept]]
        self.load()

    def seen(self) -> dict[str, Any]:
        """Return what can be seen after a step."""
        return {
            "replies": sorted(self.replies, key=_token),
            "written": self.written,
            "timers": {seen.timer(key): due for key, due in self.timers.items()},
            "group": seen.group(self.coordinator),
        }


def _token(reply: list[Any]) -> int:
    return int(reply[0])


def hold(behaviour: Behaviour, sequence: dict[str, Any]) -> Generator[dict[str, Any], Any, None]:
    """Yield what Kafka's coordinator is to be asked, and be sent its answers; raises DifferenceError at the first that is not ours."""
    held = Held(behaviour, sequence["settings"])
    compare(held, {"do": "load"}, (yield {"do": "load", "now": 0}))
    for action in sequence["actions"]:
        for asked, event in _concrete(held, action):
            held.replies, held.written = [], []
            answer = yield {**_translated(asked, held.theirs), "now": held.now}
            _learn_id(held, asked, answer)
            answer = _translated(answer, held.ours)
            held.leader = (answer["group"] or {}).get("leader")
            if event is not None:
                held.run(event, asked["outcome"])
            elif asked["do"] == "written":
                held.commit()
            else:
                held.fail_over(crashes=asked["crashes"], kept=asked["kept"])
            compare(held, asked, answer)


def compare(held: Held, asked: dict[str, Any], answer: dict[str, Any]) -> None:
    """Raise DifferenceError where the two do not look alike."""
    answer["timers"].pop("group-size-counter", None)
    answer["replies"].sort(key=_token)
    if answer["group"]:
        answer["group"]["pending"].sort()
        answer["group"]["unsynced"].sort()
    ours = held.seen()
    if ours != answer:
        parts = [part for part in ours if ours[part] != answer[part]]
        raise DifferenceError(
            asked, {part: ours[part] for part in parts}, {part: answer[part] for part in parts}
        )


def _learn_id(held: Held, asked: dict[str, Any], answer: dict[str, Any]) -> None:
    """Give the id that Kafka made of random bits the name that ours is about to have."""
    if asked["do"] != "join" or asked["member"]:
        return
    found = {
        reply["member"] for _, reply in answer["replies"] if reply["error"] == Error.MEMBER_ID_REQUIRED.value
    }
    found |= {key[len(SESSION) :] for key in answer["timers"] if key.startswith(SESSION)}
    found -= held.ours.keys()
    if found:
        (theirs,) = found
        ours = f"{asked['instance'] or 'client'}-{held.coordinator.next_member}"
        held.ours[theirs], held.theirs[ours] = ours, theirs
        held.ids.append(ours)


def _translated(value: Any, names: dict[str, str]) -> Any:
    """Return JSON with other names of members."""
    if isinstance(value, str):
        if value.startswith(SESSION):
            return SESSION + names.get(value[len(SESSION) :], value)
        return names.get(value, value)
    if isinstance(value, dict):
        return {_translated(key, names): _translated(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_translated(one, names) for one in value]
    return value


Pair = tuple[dict[str, Any], CoordinatorEvent | None]


def _concrete(held: Held, action: dict[str, Any]) -> Generator[Pair, None, None]:
    """Yield what an action means in the state that the group is in; nothing where it means nothing."""
    kind, outcome = action["do"], action["outcome"]
    if kind == "wait":
        until = held.now + action["ms"]
        while held.timers and min(held.timers.values()) <= until:
            yield _alarm(held, 0, outcome)
        held.now = until
    elif kind == "timer":
        yield _alarm(held, action["tie"], outcome)
    elif kind == "written":
        if held.waiting:
            yield {"do": "written", "outcome": "now"}, None
    elif kind == "fail over":
        kept = min(action["kept"], len(held.waiting))
        yield {"do": kind, "outcome": "now", "crashes": action["crashes"], "kept": kept}, None
    elif kind == "next":
        yield from _next(held, action)
    else:
        yield _request(held, action)


def _alarm(held: Held, tie: int, outcome: str) -> Pair:
    """Let the next timer run out; which one of those due at once is chosen by `tie`."""
    held.now = max(held.now, min(held.timers.values()))
    due = sorted((seen.timer(key), key) for key in held.timers if held.timers[key] <= held.now)
    name, key = due[tie % len(due)]
    del held.timers[key]
    return {"do": "alarm", "key": name, "outcome": outcome}, Alarm(key)


def _next(held: Held, action: dict[str, Any]) -> Generator[Pair, None, None]:
    """Let a member do what a good client does next, a new one if there is none; where all wait, time passes."""
    coordinator = held.coordinator
    known = [*coordinator.pending, *coordinator.members]
    name = known[(action["who"] or 0) % len(known)] if known else None
    member = coordinator.members.get(name or "")
    joins = {"do": "join", "session": 10_000, "rebalance": 20_000, "version": 9}
    joins |= {"type": coordinator.protocol_type or "consumer"}
    asked = {**action, "own": True, "generation": 0, "protocol": None}
    if name is None or (action["who"] is None and len(known) < 4):
        yield _request(held, asked | joins | {"who": None, "own": False})
    elif member is None:
        yield _request(held, asked | joins | {"instance": None})
    elif coordinator.state == "Joining" and member.joining is None:
        protocols = [[protocol.name, action["metadata"]] for protocol in member.protocols]
        yield _request(held, asked | joins | {"protocols": protocols})
    elif coordinator.state == "AwaitSync" and member.syncing is None:
        yield _request(held, asked | {"do": "sync"})
    elif coordinator.state == "Stable":
        yield _request(held, asked | {"do": "commit" if action["metadata"] == "n" else "heartbeat"})
    else:
        yield _alarm(held, 0, action["outcome"])


def _ids(held: Held, action: dict[str, Any]) -> tuple[str, str | None]:
    """Return the member id and instance id that an action names."""
    who = action["who"]
    if who is None:
        return "", action["instance"]
    known = [*held.coordinator.pending, *held.coordinator.members]
    if action["own"] and known:
        name = known[who % len(known)]
        member = held.coordinator.members.get(name)
        return name, member.instance_id if member else None
    return held.ids[who] if 0 <= who < len(held.ids) else "nobody", action["instance"]


def _request(held: Held, action: dict[str, Any]) -> Pair:
    """Return a request, as Kafka and as ours is asked."""
    held.token += 1
    kind = action["do"]
    request: Request
    asked = {"do": kind, "token": held.token, "outcome": action["outcome"]}
    if kind == "leave":
        members = [_ids(held, one) for one in action["members"]]
        asked["members"] = [list(ids) for ids in members]
        request = LeaveGroup(members=tuple(LeavingMember(*ids) for ids in members))
        return asked, Asked(held.token, request)
    member_id, instance_id = _ids(held, action)
    asked |= {"member": member_id, "instance": instance_id}
    if kind == "join":
        asked |= {key: action[key] for key in ("session", "rebalance", "type", "protocols", "version")}
        request = JoinGroup(
            member_id=member_id,
            instance_id=instance_id,
            session_timeout_ms=action["session"],
            rebalance_timeout_ms=action["rebalance"],
            protocol_type=action["type"],
            protocols=tuple(Protocol(*protocol) for protocol in action["protocols"]),
            known_id_required=action["version"] >= 4,
            skips_assignment=action["version"] >= 9,
        )
        return asked, Asked(held.token, request)
    coordinator = held.coordinator
    generation = -1 if action["generation"] is None else coordinator.generation + action["generation"]
    asked["generation"] = generation
    if kind == "sync":
        protocol = {None: None, "same": coordinator.protocol, "other": "other"}[action["protocol"]]
        states = {}
        if member_id == coordinator.leader:
            states = {name: f"{generation}:{name}" for name in [*coordinator.members][:3]}
        asked |= {"type": None, "protocol": protocol, "states": states}
        request = SyncGroup(
            generation=generation,
            member_id=member_id,
            instance_id=instance_id,
            protocol=protocol,
            states=tuple(states.items()),
        )
    elif kind == "commit":
        asked["items"] = [f"topic-{held.token}"]
        request = OffsetCommit(
            generation=generation, member_id=member_id, instance_id=instance_id, items=tuple(asked["items"])
        )
    else:
        request = Heartbeat(generation=generation, member_id=member_id, instance_id=instance_id)
    return asked, Asked(held.token, request)
