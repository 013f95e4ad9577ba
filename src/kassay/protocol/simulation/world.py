"""The state of a simulation, which is deterministic: clock, queue, network, brokers, members and history; and the table of the steps of machines."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from heapq import heappush
from operator import attrgetter
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation.invariants import find_violations
from kassay.protocol.simulation.invariants.log import taken_over_whole
from kassay.protocol.simulation.invariants.membership import retired_coordinators_refuse
from kassay.protocol.simulation.invariants.steps import OF_MEMBER_STEPS, check_coordinator_step
from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.step_limits import call_machine
from kassay.protocol.simulation.uses import USES
from kassay.reference.group.messages import (
    Alarm,
    Answered,
    Asked,
    Error,
    FindCoordinatorResponse,
    NotAnswered,
    Reply,
    Request,
    Response,
    Send,
    State,
    Write,
    Written,
    refuse,
)

T = TypeVar("T")


def _copy_fields(one: T) -> T:
    """Return a copy of a value with slots that has its own lists, dictionaries and history."""
    twin = object.__new__(type(one))
    for name in one.__slots__:  # type: ignore[attr-defined]
        value = getattr(one, name)
        setattr(twin, name, value.copy() if type(value) in COPIED else value)
    return twin


# These are no Structs, whose fields take twice as long to set; each event sets some.


@dataclass(eq=False, slots=True)
class History:
    """The history of a run, as far as invariants and known defects need it.

    A process is identified by its slot and number, an assigned item by the generation and the item.
    """

    static: bool = False
    """True if members are known by instance ids."""
    leaders: dict[int, str] = field(default_factory=dict)
    """Generation -> its leader."""
    members: dict[int, frozenset[str]] = field(default_factory=dict)
    """Generation -> its members, as in the JoinGroup response of its leader."""
    given: dict[tuple[int, str], frozenset[Hashable]] = field(default_factory=dict)
    """Generation and member -> the items of the state in the member's SyncGroup response."""
    writers: dict[int, str] = field(default_factory=dict)
    """Generation -> the first member whose commit was accepted."""
    newest: int = 0
    """The highest generation in a JoinGroup response."""
    rounds: int = 0
    """The number of generations that began."""
    told: dict[int, frozenset[int]] = field(default_factory=dict)
    """Generation -> the brokers that sent it in JoinGroup responses."""
    wrote: dict[int, frozenset[int]] = field(default_factory=dict)
    """Generation -> the brokers whose record of it is in the log."""
    states: dict[int, tuple[tuple[str, Hashable], ...]] = field(default_factory=dict)
    """Generation -> the states that its leader sent last."""
    moved: frozenset[tuple[int, Hashable]] = frozenset()
    """Items that the leader moved to another member by a second SyncGroup in the same generation."""
    late: frozenset[int] = frozenset()
    """Generations in which a broker answered after another was coordinator."""
    withdrawn: frozenset[tuple[int, Hashable]] = frozenset()
    """Items that the leader withdrew before their member received them."""
    came: dict[str, tuple[int, int, bool, int]] = field(default_factory=dict)
    """Instance id -> the last JoinGroup without a member id.

    The values: slot and number of its process; True if it arrived after a copy of itself or a later request. The last one is the highest number
    of such a request."""
    stopped: frozenset[tuple[int, int]] = frozenset()
    """Processes whose request was refused because the metadata of another member cannot be read."""
    twins: frozenset[tuple[int, int]] = frozenset()
    """Processes that ran at the same time as another one of the same instance id."""
    unheard: frozenset[tuple[int, str]] = frozenset()
    """Generations and members that no longer waited for the response to their last SyncGroup."""
    skipped: dict[int, str] = field(default_factory=dict)
    """Generation -> its static leader, if the response said to keep the assignment (KIP-814)."""
    metadata: dict[int, tuple[Hashable, ...]] = field(default_factory=dict)
    """Generation of static members -> the metadata that its leader received."""
    awaited: int = -1
    """The last generation whose coordinator waits for the SyncGroup of an outdated member id."""
    acknowledged: dict[tuple[Hashable, ...], int] = field(default_factory=dict)
    """Items -> the number of commits of exactly these items that were accepted."""
    known: dict[tuple[str, str], str] = field(default_factory=dict)
    """Violation -> the known defect that causes it."""

    def copy(self) -> "History":
        """Return an independent copy."""
        return _copy_fields(self)


COPIED = frozenset({dict, list, History})
"""The types of the fields that a copy of a world has for itself."""
HEARTBEAT_MS, SESSION_MS, REBALANCE_MS = 3_000, 10_000, 20_000
REQUEST_MS = 8_000
"""The time for which a member waits for a response; for JoinGroup a rebalance timeout is added."""
HOP_MS = 2
"""The delivery time of a message. Each further member adds one millisecond, so that the order is certain."""
WRITE_MS = 3
"""The time in which the log commits a batch."""
LOST_MS = 5_000
"""The time after which a member gives up on a lost response, at the latest."""
RESTART_MS = 1_000
"""The time until a failed member is replaced."""
LOAD_MS = 5
"""The time in which a broker loads a group."""
Choose: TypeAlias = Callable[[tuple[str, ...]], str]


class Machines(Struct, frozen=True):
    """The simulated state machines, each a function; a mutant replaces one of them."""

    new_member: Callable[[Setting, int, int, Any], Any]
    """Its arguments are the setting, the numbers of the member and of its program, and the cluster."""
    step_member: Callable[[Any, Any], Any]
    load: Callable[[tuple[Hashable, ...], int], Any]
    """Its arguments are the log and the number of the next new member."""
    step_coordinator: Callable[[Any, Any, Choose], Any]
    unload: Callable[[Any], Any]
    items: Callable[[State], tuple[Hashable, ...]]
    """The items of a state."""


@dataclass(eq=False, slots=True)
class Link:
    """The faults on the messages of one member."""

    lost: int = 0
    """How many of the next messages are lost."""
    late: int = 0
    """The delay of the next message, in milliseconds."""
    twice: int = 0
    """The milliseconds after which a copy of the next message arrives."""
    slow_ms: int = 0
    cut: int = -1
    """The time until which no message passes."""
    hangs: int = -1
    """The time until which the member's SyncGroup requests are not sent."""
    slow: int = -1
    """The time until which messages take `slow_ms` longer."""


class PendingRequest(Struct, frozen=True):
    """A request on its way."""

    token: tuple[int, int, Any, int]
    """The slot of the member, the number of its process, its own token, and the number of the copy."""
    request: Request


class Step(Struct, frozen=True):
    """A step that breaks an invariant: a member's own, or the response of a broker to it."""

    slot: int
    node: int | None = None
    response: Response | None = None


@dataclass(eq=False, slots=True)
class World:
    """The state at one time. Lists are indexed by slot, the number of a member."""

    setting: Setting
    table: "StepCache"
    """Computes the steps of the machines, each once."""
    cluster: Any
    now: int = 0
    sequence: int = 0
    """The number of the newest scheduled event."""
    queue: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = field(default_factory=list)
    """Scheduled events, as a heap: time, number, function and arguments."""
    members: list[Any] = field(default_factory=list)
    """The states of the members; None for a process that does not run."""
    lives: list[int] = field(default_factory=list)
    """The number of processes that were started."""
    programs: list[int] = field(default_factory=list)
    """The numbers of the programs that processes are started with."""
    sent: list[int] = field(default_factory=list)
    """The number of requests that a member had sent when it last restarted its numbering at 0."""
    asleep: list[list[Any] | None] = field(default_factory=list)
    """The events that a paused process will process when it continues; None for a running process."""
    waiting: dict[tuple[int, Hashable], int] = field(default_factory=dict)
    """Slot and token -> the process that waits for the response."""
    timers: dict[tuple[Any, Hashable], int] = field(default_factory=dict)
    """Machine and key -> the number of the event that ends the timer."""
    links: dict[int, Link] = field(default_factory=dict)
    nodes: dict[int, Any] = field(default_factory=dict)
    """Broker -> its coordinator, without crashed brokers."""
    active: int | None = None
    """The broker that the cluster names as the coordinator; None while it names none."""
    epoch: int = -1
    """The broker that may write to the log."""
    log: tuple[Hashable, ...] = ()
    """The records that were committed."""
    refuses: int = 0
    """The number of next writes that the log refuses."""
    slow_log: int = 0
    late_states: tuple[int, int] | None = None
    """The time at which the log writes the next states of a leader, and the member that is closed before it; None if they are not late."""
    log_free: int = 0
    """The time at which the log will have committed all batches."""
    gone: frozenset[int] = frozenset()
    """Slots in which no process starts any more."""
    brokers: int = -1
    """The number of the newest broker."""
    changed: bool = False
    """True if the group may have become stable."""
    asked: dict[Any, tuple[PendingRequest, int]] = field(default_factory=dict)
    """Broker and token -> an open request, and the newest generation at its arrival."""
    history: History = field(default_factory=History)
    breaches: list[tuple[str, str]] = field(default_factory=list)
    trace: list[Any] | None = None
    window_ends: int = 0
    """The end of the window of time whose events are counted."""
    events: int = 0
    """The number of events in that window."""
    failed: bool = False
    """True if a machine failed, which ends the run."""

    def __post_init__(self) -> None:
        number = self.setting.members
        self.members, self.asleep = [None] * number, [None] * number
        self.lives, self.programs, self.sent = [0] * number, [0] * number, [0] * number
        self.history.static = self.setting.static

    @property
    def coordinator(self) -> Any:
        """The coordinator of the active broker; None if there is none."""
        return None if self.active is None else self.nodes.get(self.active)

    def copy(self) -> "World":
        """Return an independent copy, from which another run can go on."""
        twin = _copy_fields(self)
        twin.asleep = [None if found is None else found.copy() for found in self.asleep]
        twin.links = {slot: _copy_fields(link) for slot, link in self.links.items()}
        return twin

    def schedule(self, delay: int, act: Callable[..., None], *args: Any) -> int:
        """Schedule `act(world, *args)` after this delay in milliseconds; return the number of the event."""
        self.sequence = number = self.sequence + 1
        heappush(self.queue, (self.now + delay, number, act, args))
        return number

    def note(self, what: str, *about: Any) -> None:
        """Write into the trace, if there is one."""
        if self.trace is not None:
            self.trace.append((self.now, what, *about))


def list_delays(world: World, slot: int) -> tuple[int, ...]:
    """Return the delivery times, in milliseconds, of the copies of a message on a member's link; () if the message is lost."""
    hop = HOP_MS + slot
    link = world.links[slot]
    if link.cut > world.now:
        return ()
    if link.lost:
        link.lost -= 1
        return ()
    if link.slow > world.now:
        hop += link.slow_ms
    if link.twice:
        again, link.twice = link.twice, 0
        return (hop, hop + again)
    if link.late:
        late, link.late = link.late, 0
        return (hop + late,)
    return (hop,)


class Taken(Struct, frozen=True):
    """A step that a machine has taken."""

    state: Any
    effects: tuple[Any, ...]
    moves: bool
    """True if a member owns something else or is in another generation."""
    shows: bool
    """True if a visible field changed, so that the group may have become stable."""
    sent: int = 0
    """The number of requests that a member had sent, if none is open; it restarts its numbering at 0."""
    wrong: tuple[tuple[str, str], ...] = ()
    """The invariants that the step breaks, each with a sentence."""


MOST = 400_000
"""The most steps that are kept, about a gigabyte; then all are dropped."""


_VISIBLE = attrgetter("phase", "generation", "owned", "member_id", "rejoins", "node", "cluster")
"""The fields of a member that others see, and all on which the stability of a group depends."""


class StepCache:
    """The steps of the machines of one setting: each is computed once, however often a group comes to it.

    Machines are functions of state and event, without time, so groups with faults at different times go through the same states. The next
    step is looked up by the identity of the values, which stay alive in the table. Equal values are replaced by one object, so the way to a
    state does not matter.
    """

    has_log = True
    """True if the log of the coordinator is simulated, so that each record is known."""

    def __init__(self, setting: Setting, machines: Machines, *, most: int = MOST, quick: bool = True) -> None:
        """Keep at most `most` steps; if `quick`, restart the numbering of requests whenever none is open."""
        self._setting, self.machines, self.quick = setting, machines, quick
        self.use = USES[setting.use]
        self._choose: Choose = lambda allowed: allowed[setting.chooses % len(allowed)]
        self._most = most
        self._known: dict[tuple[Hashable, ...], tuple[Any, ...]] = {}
        self._same: dict[Any, Any] = {}
        self.exercised: dict[str, int] = {}
        """Invariant -> the number of events that exercised it; steps that are looked up count once."""

    def step_member(self, member: Any, event: Any) -> Taken:
        """Return the step of a member."""
        kind = type(event)
        if kind is Answered:
            key: tuple[Hashable, ...] = (id(member), event.token, id(event.response))
        elif kind is Alarm:
            key = (id(member), event.key)
        elif kind is NotAnswered:
            key = (id(member), event.token, None)
        else:
            key = (id(member), event)
        known = self._known.get(key)
        if known is not None:
            return known[0]  # type: ignore[no-any-return]
        step = call_machine("a member", event, self.machines.step_member, member, event)
        after, sent = step.state, 0
        # Members identify requests by numbers and only compare these for equality. So if no request is open and no timer is named by one,
        # a member that has sent some is the same as a member that has sent none.
        idle = after.asked is None and after.beat is None and not after.commits and not after.use.leased
        if self.quick and idle:
            after, sent = replace(after, tokens=0), after.tokens
        moves = after.owned != member.owned or after.generation != member.generation
        wrong = find_violations(self.exercised, OF_MEMBER_STEPS, member, event, step)
        taken = Taken(after, step.effects, moves, _VISIBLE(after) != _VISIBLE(member), sent, tuple(wrong))
        return self._keep(key, self._unify_step(taken), member, event)

    def step_coordinator(self, coordinator: Any, event: Any) -> Taken:
        """Return the step of a coordinator."""
        kind = type(event)
        if kind is Asked:
            key: tuple[Hashable, ...] = (id(coordinator), event.token, id(event.request))
        elif kind is Alarm:
            key = (id(coordinator), event.key)
        elif kind is Written:
            key = (id(coordinator), event.batch, True)
        else:
            key = (id(coordinator), event)
        known = self._known.get(key)
        if known is not None:
            return known[0]  # type: ignore[no-any-return]
        machine = self.machines.step_coordinator
        step = call_machine("the coordinator", event, machine, coordinator, event, self._choose)
        wrong = check_coordinator_step(self.exercised, coordinator, event, step)
        return self._keep(key, self._make_coordinator_step(coordinator, step, wrong), coordinator, event)

    def make_member(self, slot: int, program: int, cluster: Any) -> Any:
        """Return a new member."""
        return self._look_up(
            ("new", slot, program, id(cluster)),
            lambda: self._unify(self.machines.new_member(self._setting, slot, program, cluster)),
            cluster,
        )

    def load(self, log: tuple[Hashable, ...], first_id: int) -> Taken:
        """Return the first step of a coordinator that has read the log."""

        def load() -> Taken:
            step = call_machine("a new coordinator", None, self.machines.load, log, first_id)
            wrong = find_violations(self.exercised, (taken_over_whole,), log, step)
            return self._make_coordinator_step(None, step, wrong)

        return self._look_up(("load", id(log), first_id), load, log)

    def unload(self, coordinator: Any) -> Taken:
        """Return the last step of a coordinator that another one replaces."""

        def unload() -> Taken:
            step = call_machine("an old coordinator", None, self.machines.unload, coordinator)
            wrong = find_violations(self.exercised, (retired_coordinators_refuse,), coordinator, step)
            return self._make_coordinator_step(None, step, wrong)

        return self._look_up(("unload", id(coordinator)), unload, coordinator)

    def append(self, log: tuple[Hashable, ...], records: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """Return the log with some more records."""
        return self._look_up(
            ("append", id(log), id(records)), lambda: self._unify(log + records), log, records
        )

    def change_cluster(self, how: Literal["grown", "moved", "created"], cluster: Any, number: int) -> Any:
        """Return the cluster after a change of the use."""
        return self._look_up(
            (how, id(cluster), number), lambda: self._unify(getattr(self.use, how)(cluster, number)), cluster
        )

    def locate_coordinator(self, node: int | None) -> Response:
        """Return the response of any broker to FindCoordinator."""
        error = Error.NONE if node is not None else Error.COORDINATOR_NOT_AVAILABLE
        return self._look_up(("find", node), lambda: FindCoordinatorResponse(error=error, node=node))

    def refuse(self, request: Request) -> Response:
        """Return the response of a broker that is not the coordinator."""
        return self._look_up(("refuse", id(request)), lambda: refuse(request, Error.NOT_COORDINATOR), request)

    def _look_up(self, key: tuple[Hashable, ...], make: Callable[[], T], *alive: Any) -> T:
        """Return a value of the table, made if it is missing; the key names all inputs of `make`."""
        known = self._known.get(key)
        return known[0] if known is not None else self._keep(key, make(), *alive)

    def _keep(self, key: tuple[Hashable, ...], value: T, *alive: Any) -> T:
        """Keep a value and all objects whose ids are in its key, so that the ids are not reused."""
        if len(self._known) >= self._most:
            self._known.clear()
            self._same.clear()
        if self._most:
            self._known[key] = (value, *alive)
        return value

    def _make_coordinator_step(self, before: Any, step: Any, wrong: Iterable[tuple[str, str]] = ()) -> Taken:
        """Return a coordinator's step with the invariants that it breaks; `before` is None for its first or last step."""
        after = step.state
        shows = before is None or (before.state, before.roster) != (after.state, after.roster)
        return self._unify_step(Taken(after, step.effects, False, shows, wrong=tuple(wrong)))

    def _unify_step(self, taken: Taken) -> Taken:
        """Return the step with its state, messages and records replaced by the kept equal ones."""
        one, effects = self._unify, list[Any]()
        for effect in taken.effects:
            kind = type(effect)
            if kind is Send:
                effects.append(Send(effect.token, one(effect.request), effect.node))
            elif kind is Reply:
                effects.append(Reply(effect.token, one(effect.response)))
            elif kind is Write:
                effects.append(Write(effect.batch, one(effect.records)))
            else:
                effects.append(effect)
        return Taken(one(taken.state), tuple(effects), taken.moves, taken.shows, taken.sent, taken.wrong)

    def _unify(self, value: T) -> T:
        """Return the kept value that is equal to this one."""
        return self._same.setdefault(value, value) if self._most else value
