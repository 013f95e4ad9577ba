"""Everything there is at one moment of a simulation: clock, queue, network, brokers, members. Nothing in it is left to chance.

Beside it stands what coordinators have answered so far, by which invariants judge the next answer.
"""

from collections.abc import Callable, Hashable
from heapq import heappush
from typing import Any, TypeAlias

from msgspec import Struct

from kassay.protocol.simulation.schedule import Setting
from kassay.reference.group.messages import Request, State


class History:
    """Generations and what was given in them; `newest` is the highest generation that a member was told of.

    `leaders` and `members` are by generation, the latter as the leader was told; `given` is by generation and member, the items
    of its state; `writers` the first whose commit was accepted, by generation; `twins` are the processes, by slot and number, that ran at the same time as
    another of the same instance id; `static`: whether members are known by instance ids. `rounds` counts the generations that were begun.

    What known defects are recognised by: `told` and `wrote` are the brokers that told members of a generation, and those whose record of it the
    log has; `states` are those that a leader last set, by generation; `moved` pairs of a generation and an item that its leader gave in it to who did not have it; `late`
    are the generations in which a broker answered after another was coordinator; `skipped` the static leaders that were told to leave the assignment as it is, by
    generation; `metadata` are those by which the leader of a generation of static members was to assign; `withdrawn` pairs of a generation and an item that its leader took away
    again before its member was told of it; `came` tells of which process, by slot and number, the last JoinGroup without a member id was under an instance id, whether it came after itself or one that was sent later, and the number of the latest; `stopped` are the
    processes, by slot and number, whose request was refused as another member's metadata cannot be read; `unheard` are the generations and members whose last SyncGroup was answered
    to nobody; `awaited` the last generation in which SyncGroup of an id was awaited that is none any more. `known` says which breach is of which known defect.
    """

    __slots__ = (
        "awaited",
        "came",
        "given",
        "known",
        "late",
        "leaders",
        "members",
        "metadata",
        "moved",
        "newest",
        "rounds",
        "skipped",
        "states",
        "static",
        "stopped",
        "told",
        "twins",
        "unheard",
        "withdrawn",
        "writers",
        "wrote",
    )

    def __init__(self, *, static: bool) -> None:
        self.static = static
        self.leaders: dict[int, str] = {}
        self.members: dict[int, frozenset[str]] = {}
        self.given: dict[tuple[int, str], frozenset[Hashable]] = {}
        self.writers: dict[int, str] = {}
        self.newest = 0
        self.rounds = 0
        self.told: dict[int, frozenset[int]] = {}
        self.wrote: dict[int, frozenset[int]] = {}
        self.states: dict[int, tuple[tuple[str, Hashable], ...]] = {}
        self.moved: frozenset[tuple[int, Hashable]] = frozenset()
        self.late: frozenset[int] = frozenset()
        self.withdrawn: frozenset[tuple[int, Hashable]] = frozenset()
        self.came: dict[str, tuple[int, int, bool, int]] = {}
        self.stopped: frozenset[tuple[int, int]] = frozenset()
        self.twins: frozenset[tuple[int, int]] = frozenset()
        self.unheard: frozenset[tuple[int, str]] = frozenset()
        self.skipped: dict[int, str] = {}
        self.metadata: dict[int, tuple[Hashable, ...]] = {}
        self.awaited = -1
        self.known: dict[tuple[str, str], str] = {}

    def copy(self) -> "History":
        """Copy all of it."""
        twin = History.__new__(History)
        twin.leaders, twin.members, twin.given = self.leaders.copy(), self.members.copy(), self.given.copy()
        twin.writers, twin.static = self.writers.copy(), self.static
        twin.newest, twin.rounds = self.newest, self.rounds
        twin.told, twin.wrote, twin.states = self.told.copy(), self.wrote.copy(), self.states.copy()
        twin.moved, twin.late, twin.awaited = self.moved, self.late, self.awaited
        twin.withdrawn, twin.stopped, twin.unheard = self.withdrawn, self.stopped, self.unheard
        twin.twins = self.twins
        twin.came, twin.metadata = self.came.copy(), self.metadata.copy()
        twin.skipped, twin.known = self.skipped.copy(), self.known.copy()
        return twin


HEARTBEAT_MS, SESSION_MS, REBALANCE_MS = 3_000, 10_000, 20_000
REQUEST_MS = 8_000
"""How long a member waits for an answer; for that to JoinGroup as long as a rebalance may take, besides."""
HOP_MS = 2
"""How long a message travels; that of each further member one millisecond longer, so that orders are certain."""
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
    """Of the setting, the number of the member, that of its program, and the cluster."""
    step_member: Callable[[Any, Any], Any]
    load: Callable[[tuple[Hashable, ...], int], Any]
    """Of the log and the number that the next new member gets."""
    step_coordinator: Callable[[Any, Any, Choose], Any]
    unload: Callable[[Any], Any]
    items: Callable[[State], tuple[Hashable, ...]]
    """What a member may work on by the state that it was given."""


class Link:
    """What befalls the messages of one member: how many are lost, by how much the next is late or sent twice, until when none or slow ones pass."""

    __slots__ = ("cut", "late", "lost", "slow", "slow_ms", "twice")

    def __init__(self) -> None:
        self.lost = self.late = self.twice = self.slow_ms = 0
        self.cut = self.slow = -1

    def copy(self) -> "Link":
        """Copy all of it."""
        twin = Link()
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name))
        return twin


class Asking(Struct, frozen=True):
    """A request under way: the number of the member, that of its process, the token that it gave, which copy this is; and what it asks."""

    token: tuple[int, int, Hashable, int]
    request: Request


class World:
    """A moment of a simulation.

    `members` are the machines by slot, None where the process is not running; `lives` count its processes; `asleep` holds what a
    process that is stopped will find when it goes on, None for one that runs. `nodes` are the coordinators by broker, but for brokers that died: `active` is
    the broker that the cluster names, None while it names none. `programs` are the numbers of those that processes are started with. `gone` are the slots in which no process starts any more. `log` is what was committed, `epoch` who may write to it.
    """

    __slots__ = (
        "active",
        "asked",
        "asleep",
        "breaches",
        "brokers",
        "changed",
        "cluster",
        "epoch",
        "gone",
        "history",
        "links",
        "lives",
        "log",
        "log_free",
        "members",
        "nodes",
        "now",
        "programs",
        "queue",
        "refuses",
        "sent",
        "sequence",
        "setting",
        "slow_log",
        "table",
        "timers",
        "trace",
        "waiting",
    )

    def __init__(self, setting: Setting, table: Any, cluster: Any) -> None:
        number = setting.members
        self.setting, self.table, self.cluster = setting, table, cluster
        self.now = self.sequence = 0
        self.queue: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self.members: list[Any] = [None] * number
        self.lives, self.programs, self.sent = [0] * number, [0] * number, [0] * number
        self.asleep: list[list[Any] | None] = [None] * number
        self.waiting: dict[tuple[int, Hashable], int] = {}
        self.timers: dict[tuple[Any, Hashable], int] = {}
        self.links: dict[int, Link] = {}
        self.nodes: dict[int, Any] = {}
        self.active: int | None = None
        self.epoch = -1
        self.log: tuple[Hashable, ...] = ()
        self.refuses = self.slow_log = self.log_free = 0
        self.gone: frozenset[int] = frozenset()
        self.brokers = -1
        self.changed = False
        self.asked: dict[Any, tuple[Asking, int]] = {}
        self.history = History(static=setting.static)
        self.breaches: list[tuple[str, str]] = []
        self.trace: list[Any] | None = None

    def copy(self) -> "World":
        """Copy the moment, so that several futures can follow."""
        twin = World.__new__(World)
        twin.setting, twin.table, twin.cluster, twin.log = self.setting, self.table, self.cluster, self.log
        twin.now, twin.sequence, twin.log_free = self.now, self.sequence, self.log_free
        twin.active, twin.epoch, twin.refuses, twin.slow_log = (
            self.active,
            self.epoch,
            self.refuses,
            self.slow_log,
        )
        twin.brokers, twin.changed, twin.gone = self.brokers, self.changed, self.gone
        twin.queue, twin.members, twin.lives = self.queue.copy(), self.members.copy(), self.lives.copy()
        twin.sent = self.sent.copy()
        twin.programs, twin.waiting, twin.timers = (
            self.programs.copy(),
            self.waiting.copy(),
            self.timers.copy(),
        )
        twin.asleep = [None if one is None else one.copy() for one in self.asleep]
        twin.links = {slot: link.copy() for slot, link in self.links.items()}
        twin.nodes = self.nodes.copy()
        twin.asked, twin.history, twin.breaches = self.asked.copy(), self.history.copy(), self.breaches.copy()
        twin.trace = None if self.trace is None else self.trace.copy()
        return twin

    def after(self, delay: int, act: Callable[..., None], *args: Any) -> int:
        """Let `act(world, *args)` happen after so many milliseconds; returns the number of the appointment."""
        self.sequence = number = self.sequence + 1
        heappush(self.queue, (self.now + delay, number, act, args))
        return number

    def note(self, what: str, *about: Any) -> None:
        """Write into the trace, where there is one."""
        if self.trace is not None:
            self.trace.append((self.now, what, *about))


def journeys(world: World, slot: int) -> tuple[int, ...]:
    """Say after how many milliseconds each copy of a message between a member and any broker arrives, where something befalls it; none where it is lost."""
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
