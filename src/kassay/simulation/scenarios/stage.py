"""A stage for scenarios: a few members, brokers and a log, which do what they are told at certain times; nothing is drawn or left to chance.

Where the simulator lets faults strike whenever they may, a scenario says what is lost and when a broker dies, so that one certain story is told.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from msgspec import Struct

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.coordinator import LOADING, Coordinator, load, step, unload
from kassay.reference.group.events import (
    Alarm,
    Answered,
    Asked,
    CancelTimer,
    NotAnswered,
    Reply,
    Send,
    SetTimer,
    Write,
    Written,
)
from kassay.reference.group.member import Member, patience_ms
from kassay.reference.group.member import step as step_member
from kassay.reference.group.member.application import Started
from kassay.reference.group.messages import (
    Error,
    FindCoordinatorResponse,
    HeartbeatResponse,
    Request,
    Response,
)
from kassay.reference.group.trace import Entry, Trace
from kassay.simulation.picture.timeline import EFFECTS, ROUTINE, request_words, response_words
from kassay.simulation.scenarios.clock import Clock
from kassay.simulation.scenarios.network import HOP_MS, Network

WRITE_MS, LOAD_MS = 3, 5
"""How long the log takes to commit, and a broker to load the group."""


class Heard(Struct, frozen=True):
    """An answer as a member received it."""

    member: int
    request: Request
    response: Response


class Call(Struct, frozen=True):
    """A request that is not answered yet: whose it is, under which token, and for which broker, None for any."""

    member: int
    token: Hashable
    node: int | None
    request: Request


class Stage:
    """Members by number, coordinators by broker, the log and the clock; `heard` is what members were answered, in order."""

    def __init__(self, behaviour: Behaviour) -> None:
        """Begin with one broker and without members."""
        self.behaviour = behaviour
        self._clock = Clock()
        self.network = Network()
        self.members: dict[int, Member] = {}
        self.brokers: dict[int, Coordinator] = {}
        self.active: int | None = None
        self.log: list[Any] = []
        self.heard: list[Heard] = []
        self._entries: list[Entry] = []
        self._open: dict[int, Call] = {}
        self._calls = self._started = self._ids = 0
        self.take_over()
        self.run(LOAD_MS)

    @property
    def now(self) -> int:
        """The time, in milliseconds since the beginning."""
        return self._clock.now

    @property
    def trace(self) -> Trace:
        """What has happened so far."""
        return tuple(self._entries)

    @property
    def coordinator(self) -> Coordinator:
        """The coordinator that serves the group now."""
        assert self.active is not None
        return self.brokers[self.active]

    # What a scenario says

    def enter(self, number: int, member: Member) -> None:
        """Start a member, in a process of its own."""
        self._forget(number)
        self.members[number] = member
        self._note(number, "starts")
        self.tell(number, Started())

    def crash(self, number: int) -> None:
        """End the process of a member without a word."""
        del self.members[number]
        self._forget(number)
        self._note(number, "crashes")

    def cut(self, number: int) -> None:
        """Lose all messages of a member and to it."""
        self.network.is_cut.add(number)
        self._note(number, "is cut off")

    def mend(self, number: int) -> None:
        """Let messages of a member and to it pass again."""
        self.network.is_cut.remove(number)
        self._note(number, "is no longer cut off")

    def curtain(self) -> None:
        """Leave out of the trace all that has happened so far, and of what members heard."""
        self._entries.clear()
        self.heard.clear()

    def kill_broker(self) -> None:
        """Let the coordinator's broker die; those that wait for its answers see their connections break."""
        assert self.active is not None
        broker, self.active = self.active, None
        self._ids = self.brokers.pop(broker).next_member
        self._entries.append(Entry(self.now, _broker(broker), _broker(broker), "crashes", "fault"))
        for key, call in self._open.items():
            if call.node == broker:
                self._clock.after(1, partial(self._give_up, key))

    def take_over(self) -> None:
        """Let another broker become the coordinator, and load the group."""
        self.active = broker = self._started = self._started + 1
        self.brokers[broker] = LOADING
        self._entries.append(Entry(self.now, _broker(broker), _broker(broker), "loads the group"))
        self._clock.after(LOAD_MS, lambda: self._follow(broker, load(self.behaviour, self.log, self._ids)))

    def hand_over(self) -> None:
        """Let another broker become the coordinator while the old one lives and sends everybody there."""
        assert self.active is not None
        broker = self.active
        self._follow(broker, unload(self.behaviour, self.coordinator))
        self._ids = self.brokers[broker].next_member
        self.take_over()

    def tell(self, number: int, event: Any) -> None:
        """Tell a member what happened, and do what it wants done."""
        taken = step_member(self.members[number], event)
        self.members[number] = taken.state
        for effect in taken.effects:
            self._do_for_member(number, effect)

    def run(self, ms: int) -> None:
        """Let so much time pass."""
        self._clock.run(ms)

    def until(self, is_so: Callable[["Stage"], bool]) -> None:
        """Let things happen until something is so; raises AssertionError if it never is."""
        self._clock.until(lambda: is_so(self))

    def settle(self) -> None:
        """Go on until all members that have not ended work in the coordinator's generation."""
        self.until(_is_settled)

    # What then happens

    def _forget(self, number: int) -> None:
        self._open = {key: call for key, call in self._open.items() if call.member != number}
        self._clock.cancel_all(lambda timer: timer[:2] == ("member", number))

    def _note(self, number: int, label: str) -> None:
        self._entries.append(Entry(self.now, _member(number), _member(number), label))

    def _do_for_member(self, number: int, effect: Any) -> None:
        match effect:
            case Send(token, request, node):
                self._calls = key = self._calls + 1
                self._open[key] = Call(number, token, node, request)
                config = self.members[number].config
                self._clock.after(patience_ms(config, request), partial(self._give_up, key))
                self._clock.after(self.network.journey(number, request), partial(self._arrive, key))
            case SetTimer(key, delay):
                self._clock.set_timer(("member", number, key), delay, partial(self.tell, number, Alarm(key)))
            case CancelTimer(key):
                self._clock.cancel_timer(("member", number, key))
            case _ if type(effect) in EFFECTS:
                self._note(number, EFFECTS[type(effect)](effect))

    def _give_up(self, key: int) -> None:
        call = self._open.pop(key, None)
        if call is not None:
            self.tell(call.member, NotAnswered(call.token))

    def _arrive(self, key: int) -> None:
        call = self._open.get(key)
        if call is None:
            return
        if self.network.loses(call.member, call.request):
            if call.member not in self.network.is_cut:
                self._note(call.member, f"{request_words(call.request)} is lost")
        elif call.node is None:
            error = Error.COORDINATOR_NOT_AVAILABLE if self.active is None else Error.NONE
            self._answer(key, None, FindCoordinatorResponse(error=error, node=self.active))
        elif call.node not in self.brokers:
            self._clock.after(1, partial(self._give_up, key))
        else:
            if not isinstance(call.request, ROUTINE):
                words = request_words(call.request)
                self._entries.append(Entry(self.now, _member(call.member), _broker(call.node), words))
            self._tell_broker(call.node, Asked(key, call.request))

    def _follow(self, broker: int, taken: Any) -> None:
        if broker not in self.brokers:
            return
        before, self.brokers[broker] = self.brokers[broker], taken.state
        if taken.state.state != before.state:
            label = f"{taken.state.state}, generation {taken.state.generation}"
            self._entries.append(Entry(self.now, _broker(broker), _broker(broker), label))
        for effect in taken.effects:
            self._do_for_broker(broker, effect)

    def _do_for_broker(self, broker: int, effect: Any) -> None:
        match effect:
            case Reply(int(key), response):
                self._clock.after(HOP_MS, partial(self._answer, key, broker, response))
            case SetTimer(key, delay):
                alarm = partial(self._tell_broker, broker, Alarm(key))
                self._clock.set_timer(("broker", broker, key), delay, alarm)
            case CancelTimer(key):
                self._clock.cancel_timer(("broker", broker, key))
            case Write(batch, records):
                self._clock.after(WRITE_MS, partial(self._commit, broker, batch, records))

    def _tell_broker(self, broker: int, event: Any) -> None:
        if broker in self.brokers:
            self._follow(broker, step(self.behaviour, self.brokers[broker], event))

    def _commit(self, broker: int, batch: int, records: tuple[Any, ...]) -> None:
        """Keep a batch, if its writer still is the coordinator, which hears of it a little later."""
        if broker == self.active:
            self.log.extend(records)
            self._clock.after(1, partial(self._tell_broker, broker, Written(batch)))

    def _answer(self, key: int, broker: int | None, response: Response) -> None:
        call = self._open.get(key)
        if call is None:
            return
        if self.network.loses(call.member, response):
            if call.member not in self.network.is_cut:
                self._note(call.member, f"does not receive: {response_words(response)}")
            return
        del self._open[key]
        if broker is not None and not _is_routine(response):
            words = response_words(response)
            self._entries.append(Entry(self.now, _broker(broker), _member(call.member), words))
        self.heard.append(Heard(call.member, call.request, response))
        self.tell(call.member, Answered(call.token, response))


def _is_settled(stage: Stage) -> bool:
    if stage.active is None or stage.coordinator.state != "Stable":
        return False
    alive = [member for member in stage.members.values() if member.phase not in ("Failed", "Closed")]
    in_it = {known.member_id for known in stage.coordinator.roster if not known.to_resync}
    return in_it == {member.member_id for member in alive} and all(
        member.phase == "Stable" and member.generation == stage.coordinator.generation and not member.rejoins
        for member in alive
    )


def _is_routine(response: Response) -> bool:
    return isinstance(response, ROUTINE) or response == HeartbeatResponse()


def _member(number: int) -> str:
    return f"member {number}"


def _broker(number: int) -> str:
    return f"broker {number}"
