"""The state of a simulation: clock, queue, network, brokers, members, and what coordinators have answered so far. Nothing is left to chance."""

from collections.abc import Callable, Hashable, Iterable
from copy import copy
from heapq import heappush
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from kassay.protocol.simulation.schedule import Setting
from kassay.protocol.simulation.step_invariants import (
    check_coordinator_step,
    find_violations,
    heeds_what_it_is_told,
    taken_over_whole,
)
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


class History(Struct, eq=False):
    """The history of a run, as far as invariants and known defects need it.

    A process is named by its slot and number, a given item by the generation and the item.
    """

    static: bool = False
    """True if members are known by instance ids."""
    leaders: dict[int, str] = {}
    """Generation -> its leader."""
    members: dict[int, frozenset[str]] = {}
    """Generation -> its members, as its leader was told."""
    given: dict[tuple[int, str], frozenset[Hashable]] = {}
    """Generation and member -> the items of the state that the member was given."""
    writers: dict[int, str] = {}
    """Generation -> the first member whose commit was accepted."""
    newest: int = 0
    """The highest generation that a member was told of."""
    rounds: int = 0
    """How many generations were begun."""
    told: dict[int, frozenset[int]] = {}
    """Generation -> the brokers that told members of it."""
    wrote: dict[int, frozenset[int]] = {}
    """Generation -> the brokers whose record of it is in the log."""
    states: dict[int, tuple[tuple[str, Hashable], ...]] = {}
    """Generation -> the states that its leader set last."""
    moved: frozenset[tuple[int, Hashable]] = frozenset()
    """Items that the leader gave to a member that did not have them, in a generation in which it had set states before."""
    late: frozenset[int] = frozenset()
    """Generations in which a broker answered after another was coordinator."""
    withdrawn: frozenset[tuple[int, Hashable]] = frozenset()
    """Items that the leader took away before their member was told of them."""
    came: dict[str, tuple[int, int, bool, int]] = {}
    """Instance id -> the process that last sent JoinGroup without a member id, whether that came after a copy of itself or a later request, and the
    highest number of such a request."""
    stopped: frozenset[tuple[int, int]] = frozenset()
    """Processes whose request was refused because the metadata of another member cannot be read."""
    twins: frozenset[tuple[int, int]] = frozenset()
    """Processes that ran at the same time as another one of the same instance id."""
    unheard: frozenset[tuple[int, str]] = frozenset()
    """Generations and members whose last SyncGroup was answered when the member did not wait for it."""
    skipped: dict[int, str] = {}
    """Generation -> its static leader, if that was told to leave the assignment as it is."""
    metadata: dict[int, tuple[Hashable, ...]] = {}
    """Generation of static members -> the metadata by which its leader was to assign."""
    awaited: int = -1
    """The last generation that awaited the SyncGroup of an id which no member has any more."""
    known: dict[tuple[str, str], str] = {}
    """Breach -> the known defect that it is of."""

    def copy(self) -> "History":
        """Return an independent copy."""
        twin = copy(self)
        for name in (
            "leaders", "members", "given", "writers", "told", "wrote", "states", "came", "skipped", "metadata", "known",
        ):  # fmt: skip
            setattr(twin, name, getattr(self, name).copy())
        return twin


HEARTBEAT_MS, SESSION_MS, REBALANCE_MS = 3_000, 10_000, 20_000
REQUEST_MS = 8_000
"""How long a member waits for an answer; for JoinGroup a rebalance timeout is added."""
HOP_MS = 2
"""How long a message travels; for each further member one millisecond longer, so that the order is certain."""
WRITE_MS = 3
"""How long the log takes to commit a batch."""
LOST_MS = 5_000
"""How long after its answer was lost a member gives up, if it does not before."""
RESTART_MS = 1_000
"""How long it takes until a member that cannot go on is replaced."""
LOAD_MS = 5
"""How long a broker takes to load a group."""
Choose: TypeAlias = Callable[[tuple[str, ...]], str]


class Machines(Struct, frozen=True):
    """The state machines that are simulated, each a function; a mutant has another one in a place."""

    new_member: Callable[[Setting, int, int, Any], Any]
    """Its arguments are the setting, the numbers of the member and of its program, and the cluster."""
    step_member: Callable[[Any, Any], Any]
    load: Callable[[tuple[Hashable, ...], int], Any]
    """Its arguments are the log and the number of the next new member."""
    step_coordinator: Callable[[Any, Any, Choose], Any]
    unload: Callable[[Any], Any]
    items: Callable[[State], tuple[Hashable, ...]]
    """The items of a state."""


class Link(Struct, eq=False):
    """The faults on the messages of one member."""

    lost: int = 0
    """How many of the next messages are lost."""
    late: int = 0
    """By how many milliseconds the next message is late."""
    twice: int = 0
    """After how many milliseconds the next message comes again."""
    slow_ms: int = 0
    cut: int = -1
    """Until when no message passes."""
    slow: int = -1
    """Until when messages take `slow_ms` longer."""


class PendingRequest(Struct, frozen=True):
    """A request under way."""

    token: tuple[int, int, Hashable, int]
    """The slot of the member, the number of its process, the token that it gave, and which copy of the request this is."""
    request: Request


class World(Struct, eq=False):
    """A moment of a simulation: lists are by slot, that is by the number of a member."""

    setting: Setting
    table: "StepCache"
    """Computes the steps of the machines, each once."""
    cluster: Any
    now: int = 0
    sequence: int = 0
    """The number of the newest scheduled event."""
    queue: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
    """Scheduled events, as a heap: time, number, and what happens."""
    members: list[Any] = []
    """The members' machines; None for a process that does not run."""
    lives: list[int] = []
    """How many processes were started."""
    programs: list[int] = []
    """The numbers of the programs that processes are started with."""
    sent: list[int] = []
    """How many requests a member had sent when it last numbered them from 0 again."""
    asleep: list[list[Any] | None] = []
    """The events that a stopped process will find when it goes on; None for one that runs."""
    waiting: dict[tuple[int, Hashable], int] = {}
    """Slot and token -> the process that waits for an answer."""
    timers: dict[tuple[Any, Hashable], int] = {}
    """Machine and key -> the number of the event by which the timer runs out."""
    links: dict[int, Link] = {}
    nodes: dict[int, Any] = {}
    """Broker -> its coordinator, except for brokers that died."""
    active: int | None = None
    """The broker that the cluster names as the coordinator; None while it names none."""
    epoch: int = -1
    """The broker that may write to the log."""
    log: tuple[Hashable, ...] = ()
    """The records that were committed."""
    refuses: int = 0
    """How many of the next writes the log refuses."""
    slow_log: int = 0
    log_free: int = 0
    """When the log has committed all that was appended."""
    gone: frozenset[int] = frozenset()
    """Slots in which no process starts any more."""
    brokers: int = -1
    """The number of the newest broker."""
    changed: bool = False
    """True if something changed by which the group may have become stable."""
    asked: dict[Any, tuple[PendingRequest, int]] = {}
    """Broker and token -> a request that is not answered yet, and the newest generation when it came."""
    history: History = field(default_factory=History)
    breaches: list[tuple[str, str]] = []
    trace: list[Any] | None = None

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
        """Return an independent copy, so that several futures can follow."""
        twin = copy(self)
        for name in (
            "queue", "members", "lives", "programs", "sent", "waiting", "timers", "nodes", "asked", "history", "breaches",
        ):  # fmt: skip
            setattr(twin, name, getattr(self, name).copy())
        twin.asleep = [None if found is None else found.copy() for found in self.asleep]
        twin.links = {slot: copy(link) for slot, link in self.links.items()}
        twin.trace = None if self.trace is None else self.trace.copy()
        return twin

    def after(self, delay: int, act: Callable[..., None], *args: Any) -> int:
        """Schedule `act(world, *args)` after this delay in milliseconds; return the number of the event."""
        self.sequence = number = self.sequence + 1
        heappush(self.queue, (self.now + delay, number, act, args))
        return number

    def note(self, what: str, *about: Any) -> None:
        """Write into the trace, if there is one."""
        if self.trace is not None:
            self.trace.append((self.now, what, *about))


def list_delays(world: World, slot: int) -> tuple[int, ...]:
    """Return after how many milliseconds each copy of a message between a member and a broker arrives, under the faults of its link; none if it is lost."""
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
    """True if others see a difference, so that the group may have become stable."""
    sent: int = 0
    """How many requests a member had sent when it had none under way; it numbers the next from 0 again."""
    wrong: tuple[tuple[str, str], ...] = ()
    """The invariants that the step breaks, each with a sentence."""


T = TypeVar("T")
MOST = 400_000
"""How many steps are kept; then all are forgotten. About a gigabyte."""


class StepCache:
    """The steps of the machines of one setting."""

    def __init__(self, setting: Setting, machines: Machines, *, most: int = MOST, quick: bool = True) -> None:
        """Keep at most `most` steps; if `quick`, number requests from 0 again whenever none is under way."""
        self._setting, self.machines, self.quick = setting, machines, quick
        self.use = USES[setting.use]
        self._choose: Callable[[tuple[str, ...]], str] = lambda allowed: allowed[
            setting.chooses % len(allowed)
        ]
        self._most = most
        self._known: dict[tuple[Hashable, ...], tuple[Any, ...]] = {}
        self._same: dict[Any, Any] = {}

    def member(self, member: Any, event: Any) -> Taken:
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
        step = self.machines.step_member(member, event)
        after, sent = step.state, 0
        # Members know requests by their numbers and only compare these for equality. So a member that has sent some is the same as one that
        # has sent none, if no request is under way and no timer is named by one.
        idle = after.asked is None and after.beat is None and not after.commits and not after.use.leased
        if self.quick and idle:
            after, sent = replace(after, tokens=0), after.tokens
        moves = after.owned != member.owned or after.generation != member.generation
        wrong = find_violations((heeds_what_it_is_told,), member, event, step)
        taken = Taken(after, step.effects, moves, _seen(after) != _seen(member), sent, tuple(wrong))
        return self._keep(key, self._share(taken), member, event)

    def coordinator(self, coordinator: Any, event: Any) -> Taken:
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
        step = self.machines.step_coordinator(coordinator, event, self._choose)
        wrong = check_coordinator_step(coordinator, event, step)
        return self._keep(key, self._of_coordinator(coordinator, step, wrong), coordinator, event)

    def new(self, slot: int, program: int, cluster: Any) -> Any:
        """Return a new member."""
        return self._once(
            ("new", slot, program, id(cluster)),
            lambda: self._one(self.machines.new_member(self._setting, slot, program, cluster)),
            cluster,
        )

    def load(self, log: tuple[Hashable, ...], first_id: int) -> Taken:
        """Return the first step of a coordinator that has read the log."""

        def load() -> Taken:
            step = self.machines.load(log, first_id)
            return self._of_coordinator(None, step, find_violations((taken_over_whole,), log, step))

        return self._once(("load", id(log), first_id), load, log)

    def unload(self, coordinator: Any) -> Taken:
        """Return the last step of a coordinator that another one replaces."""
        return self._once(
            ("unload", id(coordinator)),
            lambda: self._of_coordinator(None, self.machines.unload(coordinator)),
            coordinator,
        )

    def append(self, log: tuple[Hashable, ...], records: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """Return the log with some more records."""
        return self._once(("append", id(log), id(records)), lambda: self._one(log + records), log, records)

    def change_cluster(self, how: Literal["grown", "moved", "created"], cluster: Any, number: int) -> Any:
        """Return the cluster after a change that the use names so."""
        return self._once(
            (how, id(cluster), number), lambda: self._one(getattr(self.use, how)(cluster, number)), cluster
        )

    def locate_coordinator(self, node: int | None) -> Response:
        """Return the response of any broker to FindCoordinator."""
        error = Error.NONE if node is not None else Error.COORDINATOR_NOT_AVAILABLE
        return self._once(("find", node), lambda: FindCoordinatorResponse(error=error, node=node))

    def refuse(self, request: Request) -> Response:
        """Return the response of a broker that is not the coordinator."""
        return self._once(("refuse", id(request)), lambda: refuse(request, Error.NOT_COORDINATOR), request)

    def _once(self, key: tuple[Hashable, ...], make: Callable[[], T], *alive: Any) -> T:
        """Return what `make` returns, from the table if it is known; the key names all that it depends on."""
        known = self._known.get(key)
        return known[0] if known is not None else self._keep(key, make(), *alive)

    def _keep(self, key: tuple[Hashable, ...], value: T, *alive: Any) -> T:
        """Keep a value, and all whose identity its key names, so that nothing else takes this identity."""
        if len(self._known) >= self._most:
            self._known.clear()
            self._same.clear()
        if self._most:
            self._known[key] = (value, *alive)
        return value

    def _of_coordinator(self, before: Any, step: Any, wrong: Iterable[tuple[str, str]] = ()) -> Taken:
        """Return a coordinator's step, which breaks these invariants; before it there may have been no coordinator."""
        after = step.state
        shows = before is None or (before.state, before.roster) != (after.state, after.roster)
        return self._share(Taken(after, step.effects, False, shows, wrong=tuple(wrong)))

    def _share(self, taken: Taken) -> Taken:
        """Return the step with its state, and the messages and records of its effects, made one with equal ones."""
        one, effects = self._one, list[Any]()
        for effect in taken.effects:
            match effect:
                case Send(token, request, node):
                    effects.append(Send(token, one(request), node))
                case Reply(token, response):
                    effects.append(Reply(token, one(response)))
                case Write(batch, records):
                    effects.append(Write(batch, one(records)))
                case _:
                    effects.append(effect)
        return Taken(one(taken.state), tuple(effects), taken.moves, taken.shows, taken.sent, taken.wrong)

    def _one(self, value: T) -> T:
        """Return the one value that is equal to this."""
        return self._same.setdefault(value, value) if self._most else value


def _seen(member: Any) -> tuple[Any, ...]:
    """Return what others see of a member, and all that decides whether a group is stable."""
    return (
        member.phase, member.generation, member.owned, member.member_id, member.rejoins, member.node, member.cluster,
    )  # fmt: skip
