"""Probes of a coordinator, one for each known difference between coordinators, and the comparison with the reference.

Some members form a group, then the requests of the probe follow. The expected responses come from the coordinator of the reference, which
parity tests compare with Kafka's (docs/explanation/equality.md).
"""

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from kassay.errors import InputError
from kassay.protocol.server.external_cluster import BrokerConnection, Cluster, NoResponseError
from kassay.protocol.server.message_codec import Names, decode_response, encode_request
from kassay.reference.group import coordinator as coordination
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.messages import (
    Alarm,
    Asked,
    CancelTimer,
    Error,
    Heartbeat,
    JoinGroup,
    JoinGroupResponse,
    LeaveGroup,
    LeaveGroupResponse,
    LeavingMember,
    OffsetCommit,
    Reply,
    SetTimer,
    SyncGroup,
    SyncGroupResponse,
    Write,
    Written,
)
from kassay.reference.group.messages import Protocol as NamedProtocol
from kassay.reference.group.uses.consumer import Metadata
from kassay.reference.wire.schema import MalformedError

Until: TypeAlias = Literal["Stable", "AwaitSync"]
SESSION_MS, REBALANCE_MS = 30_000, 30_000
Supported: TypeAlias = tuple[tuple[str, Metadata], ...]


def build_plain_metadata(topic: str) -> Metadata:
    """Return the metadata of a consumer that subscribes to one topic."""
    return Metadata(0, (topic,), None, (), None, None)


_ONE, _OTHER = map(build_plain_metadata, ("m", "n"))
PROTOCOLS: Supported = (("range", _ONE), ("sticky", _ONE))
CHANGED: Supported = (("range", _OTHER), ("sticky", _OTHER))
NOBODY = "nobody-0"
"""An id that no member has."""


@dataclass(frozen=True)
class Ask:
    """A step of a probe: the request of one member."""

    who: int
    do: Literal["join", "sync", "heartbeat", "commit", "leave"]
    own: Literal["own", "nobody", "none"] = "own"
    """The id in the request: its own, an unknown one, or none."""
    by: int | None = 0
    """The generation in the request, relative to its own; None for no generation."""
    more: dict[str, Any] = field(default_factory=dict)
    """Other fields of the request."""
    told: bool = True
    """True if its response is compared."""


@dataclass(frozen=True)
class Question:
    """A probe: members form a group until it has a state, then the steps follow."""

    members: int
    until: Until
    steps: tuple[Ask, ...]
    static: bool = False
    prefers: tuple[Supported, ...] = ()
    """The protocols of each member, if they differ."""


def _ask_stable(*steps: Ask, **more: Any) -> Question:
    return Question(2, "Stable", steps, **more)


_REBALANCES = Ask(1, "join", more={"protocols": CHANGED}, told=False)
QUESTIONS: dict[str, Question] = {
    "a new member joins without an id": Question(0, "Stable", (Ask(0, "join", "none"),)),
    "the first member of a group joins with its new id": Question(0, "Stable", (Ask(0, "join", "none", told=False), Ask(0, "join"))),
    "a heartbeat while the leader's states are awaited": Question(2, "AwaitSync", (Ask(1, "heartbeat"),)),
    "a commit while the leader's states are awaited": Question(2, "AwaitSync", (Ask(1, "commit"),)),
    "a follower joins again while the leader's states are awaited": Question(2, "AwaitSync", (Ask(1, "join"),)),
    "a follower synchronises before the leader, then the leader": Question(2, "AwaitSync", (Ask(1, "sync"), Ask(0, "sync"))),
    "a follower synchronises after the leader": Question(2, "AwaitSync", (Ask(0, "sync", told=False), Ask(1, "sync"))),
    "a heartbeat in a stable group": _ask_stable(Ask(1, "heartbeat")),
    "a heartbeat of an unknown member id": _ask_stable(Ask(1, "heartbeat", "nobody")),
    "a JoinGroup of an unknown member id": _ask_stable(Ask(1, "join", "nobody")),
    "a SyncGroup of an unknown member id": _ask_stable(Ask(1, "sync", "nobody")),
    "a commit of an unknown member id": _ask_stable(Ask(1, "commit", "nobody")),
    "a LeaveGroup of an unknown member id": _ask_stable(Ask(1, "leave", "nobody")),
    "a heartbeat of the generation before": _ask_stable(Ask(1, "heartbeat", by=-1)),
    "a heartbeat of the next generation": _ask_stable(Ask(1, "heartbeat", by=1)),
    "a SyncGroup of the generation before": _ask_stable(Ask(1, "sync", by=-1)),
    "a commit of the generation before": _ask_stable(Ask(1, "commit", by=-1)),
    "a commit in a stable group": _ask_stable(Ask(1, "commit")),
    "a commit without a generation, in a group with members": _ask_stable(Ask(1, "commit", "none", None)),
    "a commit without a generation, in a group without members": Question(0, "Stable", (Ask(0, "commit", "none", None),)),
    "a member joins that shares no protocol with the group": _ask_stable(Ask(2, "join", "none", more={"protocols": (("other", _ONE),)})),
    "a member joins with another type of protocol": _ask_stable(Ask(2, "join", "none", more={"protocol_type": "other"})),
    "a member joins without protocols": _ask_stable(Ask(2, "join", "none", more={"protocols": ()})),
    "a member joins with a session timeout of 1 ms": _ask_stable(Ask(2, "join", "none", more={"session_timeout_ms": 1})),
    "a follower joins again with nothing changed": _ask_stable(Ask(1, "join")),
    "a follower joins again with other metadata": _ask_stable(Ask(1, "join", more={"protocols": CHANGED})),
    "the leader joins again with nothing changed": _ask_stable(Ask(0, "join")),
    "a heartbeat while a rebalance waits for its member": _ask_stable(_REBALANCES, Ask(0, "heartbeat")),
    "a SyncGroup while a rebalance waits for its member": _ask_stable(_REBALANCES, Ask(0, "sync")),
    "a commit while a rebalance waits for its member": _ask_stable(_REBALANCES, Ask(0, "commit")),
    "all members join again": _ask_stable(_REBALANCES, Ask(0, "join")),
    "the leader of a stable group sends other states, and a follower synchronises": _ask_stable(Ask(0, "sync"), Ask(1, "sync")),
    "a follower synchronises under another protocol": _ask_stable(Ask(1, "sync", more={"protocol": "other"})),
    "a member leaves, and the other sends a heartbeat": _ask_stable(Ask(1, "leave"), Ask(0, "heartbeat")),
    "the leader leaves, and the follower joins again": _ask_stable(Ask(0, "leave", told=False), Ask(1, "join")),
    "a third member joins, and the others join again": _ask_stable(
        Ask(2, "join", "none", told=False), Ask(2, "join"), Ask(0, "join"), Ask(1, "join")
    ),
    "two of three members prefer the other protocol": Question(
        3, "AwaitSync", (Ask(1, "join"),), prefers=(PROTOCOLS, PROTOCOLS[::-1], PROTOCOLS[::-1])
    ),
    "a static member comes back without its id": _ask_stable(Ask(1, "join", "none"), Ask(0, "heartbeat"), static=True),
    "a static member has come back, and its old process sends a heartbeat": _ask_stable(
        Ask(1, "join", "none", told=False), Ask(1, "heartbeat", more={"old": True}), static=True
    ),
    "a static member has come back, and its old process joins": _ask_stable(
        Ask(1, "join", "none", told=False), Ask(1, "join", more={"old": True}), static=True
    ),
    "a static member is removed by its instance id alone": _ask_stable(Ask(1, "leave", "none"), static=True),
}  # fmt: skip
"""Situation -> probe."""


QUIET_S = 1.0
"""The time after which a request without a response counts as parked."""
FORMING_S, TRIES = 40.0, 8
"""The time in which a group must form, and the number of tries."""
PARKED = "no answer yet"


class Reference:
    """The coordinator of the reference, with its own clock and log."""

    def __init__(self, behaviour: Behaviour) -> None:
        """Begin without a group."""
        self.answers: dict[int, Any] = {}
        """A response, or the reason why it is missing, by the number of the request."""
        self.answered_at: dict[int, int] = {}
        """The time of each response, in milliseconds."""
        self.rang_at: int | None = None
        """The time at which the last timer ended."""
        self.is_chance = False
        """True if Kafka's coordinator could have acted differently by chance."""
        self._behaviour = behaviour
        self._now = 0
        self._timers: dict[Hashable, int] = {}
        self._follow(coordination.load(behaviour, ()))

    async def ask(self, number: int, request: Any) -> None:
        """Take a request, as :class:`ExternalCoordinator` does."""
        self.take(number, request)

    def take(self, number: int, request: Any) -> None:
        """Take a request."""
        self._tell(Asked(number, request))

    async def wait_for_responses(self, numbers: list[int]) -> None:
        """Let time pass until these requests have responses."""
        while not self.answers.keys() >= {*numbers} and self._timers:
            self._end_timer()

    def until(self, now: int) -> None:
        """Let time pass until then."""
        while self._timers and min(self._timers.values()) <= now:
            self._end_timer()
        self._now = now

    def _end_timer(self) -> None:
        key = min(self._timers, key=lambda one: self._timers[one])
        self._now = self.rang_at = self._timers.pop(key)
        self.is_chance = self.is_chance or self._now in self._timers.values()
        self._tell(Alarm(key))

    def _tell(self, event: Any) -> None:
        def choose(allowed: tuple[str, ...]) -> str:
            self.is_chance = self.is_chance or len(allowed) > 1
            return allowed[0]

        self._follow(coordination.step(self._behaviour, self._coordinator, event, choose))

    def _follow(self, step: Any) -> None:
        self._coordinator = step.state
        for effect in step.effects:
            match effect:
                case Reply(int(number), response):
                    self.answers[number], self.answered_at[number] = response, self._now
                case SetTimer(key, delay):
                    self._timers[key] = self._now + delay
                case CancelTimer(key):
                    self._timers.pop(key, None)
                case Write(batch, _):
                    self._tell(Written(batch))


class ExternalCoordinator:
    """A coordinator behind a socket; each open request has its own connection."""

    def __init__(self, cluster: Cluster, group: str) -> None:
        """Begin without a group."""
        self.answers: dict[int, Any] = {}
        self._cluster, self._group, self._names = cluster, group, Names(max(1, cluster.partitions))
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._lines: list[BrokerConnection] = []

    async def ask(self, number: int, request: Any) -> None:
        """Send a request, and wait a moment for its response and for other responses that it causes."""
        task = self._tasks[number] = asyncio.ensure_future(self._ask(number, request))
        await asyncio.wait({task}, timeout=QUIET_S)
        waiting = {one for one in self._tasks.values() if not one.done()}
        if waiting and task.done():
            await asyncio.wait(waiting, timeout=QUIET_S)

    async def wait_for_responses(self, numbers: list[int]) -> None:
        """Wait until these requests have responses."""
        if numbers:
            await asyncio.wait([self._tasks[number] for number in numbers], timeout=FORMING_S / TRIES)

    async def _ask(self, number: int, request: Any) -> None:
        try:
            line = await self._cluster.dial_coordinator(self._group)
            self._lines.append(line)
            value = await line.ask(
                *encode_request(request, self._group, self._names), FORMING_S + REBALANCE_MS / 1000
            )
            self.answers[number] = decode_response(request, value, self._names)
        except (NoResponseError, MalformedError, InputError) as wrong:
            self.answers[number] = str(wrong)

    async def leave(self, members: list[LeavingMember]) -> None:
        """Remove members, so that the group ends."""
        if members:
            await self.ask(len(self._tasks), LeaveGroup(members=tuple(members)))

    def close(self) -> None:
        """Close all connections."""
        for task in self._tasks.values():
            task.cancel()
        for line in self._lines:
            line.close()


class ProbeMember(Struct):
    """A member of a probe, with the last response that it got."""

    number: int
    instance: str | None
    protocols: Supported
    member_id: str = ""
    old_id: str = ""
    generation: int = -1
    protocol: str | None = None
    leads: bool = False


class _Probe:
    """A probe of one coordinator."""

    def __init__(self, question: Question, side: Reference | ExternalCoordinator) -> None:
        self._question, self._side = question, side
        self._asked: dict[int, tuple[ProbeMember, Any]] = {}
        self._heard: set[int] = set()
        self._states, self._newest = 0, -1
        prefers = question.prefers or (PROTOCOLS,) * 3
        self.seats = [
            ProbeMember(number, f"i{number}" if question.static and number < 2 else None, prefers[number])
            for number in range(3)
        ]

    async def run(self) -> str:
        """Run the probe, and describe the responses."""
        wrong = await self._form_group()
        if wrong:
            return f"the group does not form: {wrong}"
        return "; ".join([words for step in self._question.steps if (words := await self._step(step))])

    async def _form_group(self) -> str:
        """Let the members form a group; return the reason why they do not, else ""."""
        own = self.seats[: self._question.members]
        wrong = await self._join(own) if own else ""
        if wrong:
            return wrong
        own.sort(key=lambda seat: not seat.leads)
        self.seats = [*own, *self.seats[len(own) :]]
        if self._question.until == "AwaitSync":
            return ""
        syncs = [await self._send(seat, Ask(seat.number, "sync")) for seat in own]
        await self._side.wait_for_responses(syncs)
        said = [self._note_answer(number) for number in syncs]
        return next((words for words in said if "state" not in words), "")

    async def _join(self, own: list[ProbeMember]) -> str:
        """Let members join until all are in one generation; return the reason why they are not, else ""."""
        joins: dict[int, int] = {}
        for seat in own:
            joins[seat.number] = await self._send(seat, Ask(seat.number, "join", "none"))
            if self._note_answer(joins[seat.number]) == Error.MEMBER_ID_REQUIRED.name:
                joins[seat.number] = await self._send(seat, Ask(seat.number, "join"))
        said: list[str] = []
        for _ in range(TRIES):
            await self._side.wait_for_responses([*joins.values()])
            said = [self._note_answer(number) for number in joins.values()]
            newest = max(seat.generation for seat in own)
            waiting = {seat.number for seat in own if joins[seat.number] not in self._heard}
            if newest >= 0 and not waiting and all(seat.generation == newest for seat in own):
                return ""
            refused = [
                said[seat.number] for seat in own if seat.number not in waiting and seat.generation < 0
            ]
            if refused:
                return refused[0]
            for seat in own:  # members that joined before the others join again
                if seat.number not in waiting:
                    joins[seat.number] = await self._send(seat, Ask(seat.number, "join"))
        return "; ".join(said)

    async def _step(self, step: Ask) -> str:
        """Take one step; describe its response and other responses that it caused, or return "" if they are not compared."""
        self._newest = max(one.generation for one in self.seats)
        number = await self._send(self.seats[step.who], step)
        own = self._note_answer(number)
        others = [
            self._note_answer(other)
            for other in self._asked
            if other in self._side.answers and other not in self._heard
        ]
        return ", another: ".join([own, *others]) if step.told else ""

    async def _send(self, seat: ProbeMember, step: Ask) -> int:
        number = len(self._asked)
        request = self._make_request(seat, step)
        self._asked[number] = seat, request
        await self._side.ask(number, request)
        return number

    def _make_request(self, seat: ProbeMember, step: Ask) -> Any:
        more = dict(step.more)
        own = seat.old_id if more.pop("old", False) else seat.member_id
        member_id = {"own": own, "nobody": NOBODY, "none": ""}[step.own]
        generation = -1 if step.by is None else seat.generation + step.by
        instance = seat.instance
        if step.do == "join":
            protocols = more.pop("protocols", seat.protocols)
            return JoinGroup(
                member_id=member_id, instance_id=instance, client_id=f"m{seat.number}",
                session_timeout_ms=more.pop("session_timeout_ms", SESSION_MS), rebalance_timeout_ms=REBALANCE_MS,
                protocols=tuple(NamedProtocol(*one) for one in protocols), **more,
            )  # fmt: skip
        if step.do == "sync":
            self._states += 1
            leads = seat.leads and step.own == "own"
            members = [
                one.member_id for one in self.seats if one.generation == seat.generation and one.member_id
            ]
            states = tuple((name, f"states {self._states}") for name in members) if leads else ()
            return SyncGroup(
                generation=generation, member_id=member_id, instance_id=instance, protocol_type="consumer",
                protocol=more.get("protocol", seat.protocol), states=states,
            )  # fmt: skip
        if step.do == "leave":
            return LeaveGroup(members=(LeavingMember(member_id, instance),))
        if step.do == "commit":
            instance = instance if member_id else None
            return OffsetCommit(
                generation=generation, member_id=member_id, instance_id=instance, items=("t",)
            )
        return Heartbeat(generation=generation, member_id=member_id, instance_id=instance)

    def _note_answer(self, number: int) -> str:
        """Note a response, and describe it."""
        response = self._side.answers.get(number)
        if response is None:
            return PARKED
        first = number not in self._heard
        self._heard.add(number)
        if isinstance(response, str):
            return response
        error = response.error
        if type(response) is JoinGroupResponse and first:
            return self._note_join(self._asked[number][0], response)
        if type(response) is LeaveGroupResponse and error is Error.NONE:
            error = next((one for _, one in response.members if one is not Error.NONE), Error.NONE)
        if error is not Error.NONE:
            return str(error.name)
        if type(response) is not SyncGroupResponse:
            return "accepted" if type(response) is not JoinGroupResponse else "a generation"
        if response.state is None:
            return "no state"
        sent = [one for _, one in self._asked.values() if type(one) is SyncGroup and one.states]
        if len(sent) == 1:
            return "its state"
        return "the new state" if response.state == sent[-1].states[0][1] else "the old state"

    def _note_join(self, seat: ProbeMember, response: JoinGroupResponse) -> str:
        if response.error is Error.MEMBER_ID_REQUIRED:
            seat.member_id = response.member_id
        if response.error is not Error.NONE:
            return response.error.name
        if response.member_id != seat.member_id:
            seat.old_id, seat.member_id = seat.member_id, response.member_id
        is_new = "a new generation" if response.generation > self._newest else "the same generation"
        seat.generation, seat.protocol = response.generation, response.protocol
        seat.leads = response.leader == response.member_id
        led = f", as leader of {len(response.members)}" if seat.leads and response.members else ""
        skips = ", to leave the assignment" if response.skip_assignment else ""
        return f"{is_new}, {response.protocol}{led}{skips}"


class Difference(Struct, frozen=True):
    """A probe with other responses than Kafka's coordinator."""

    question: str
    kafka: str
    other: str


async def compare_responses(
    cluster: Cluster, questions: dict[str, Question], behaviour: Behaviour, groups: list[str]
) -> list[Difference]:
    """Run all probes at the same time, each in a new group of these names; return the differences from Kafka."""

    async def compare(name: str, question: Question, group: str) -> Difference | None:
        kafka = await _Probe(question, Reference(behaviour)).run()
        side = ExternalCoordinator(cluster, group)
        asking = _Probe(question, side)
        try:
            other = await asking.run()
            await side.leave(
                [LeavingMember(one.member_id, one.instance) for one in asking.seats if one.member_id]
            )
        finally:
            side.close()
        return None if other == kafka else Difference(name, kafka, other)

    asking = [
        compare(name, question, group)
        for (name, question), group in zip(questions.items(), groups, strict=True)
    ]
    found = await asyncio.gather(*asking)
    return [each for each in found if each is not None]
