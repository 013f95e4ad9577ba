"""Exhaustive exploration of a small group: every event that is under way may be next, and faults may strike between any two steps.

It begins with a group that has formed. Times do not count on the way: each message may arrive, each timer run out and each batch be committed before any
other. From each state the group then goes on in the order of times, and must become stable with every item owned. Equal states are visited once.

Worlds are equal if their keys are: then nothing that can follow differs, except for times. Requests are numbered from the last moment at which their
member had none under way, so that a heartbeat that came and went changes nothing. Members of a group that has formed are never equal, because the
coordinator knows in which order they came; so their numbers stay as they are.
"""

from collections.abc import Hashable, Iterator, Mapping
from heapq import heapify
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation.campaign import run_until, settle
from kassay.protocol.simulation.faults import FAULTS, take_over
from kassay.protocol.simulation.group_invariants import (
    eventually_converges,
    legal_target_assignment,
    one_writer_at_a_time,
    stays_stable,
)
from kassay.protocol.simulation.monitor import note_breach
from kassay.protocol.simulation.schedule import Fault, Setting
from kassay.protocol.simulation.steps import (
    can_change_something,
    commit,
    end_coordinator_timer,
    end_member_timer,
    give_up,
    receive_request,
    receive_response,
    start,
)
from kassay.protocol.simulation.uses import USES
from kassay.protocol.simulation.world import (
    REBALANCE_MS,
    SESSION_MS,
    Machines,
    PendingRequest,
    StepCache,
    World,
)

MOST_MEMBERS = 3
"""Members of a group that the command line explores."""
LATE_MS = SESSION_MS + 1_000
"""How long each fault lasts when the group goes on in the order of times, and by how much it delays a message."""
OF_CLOCKS = frozenset({one_writer_at_a_time.__name__})
"""Invariants that hold only by the order of times, and so are not checked here."""
USUAL = ("coordinator-crash",)
"""The faults by default."""
WATCHED_MS = 2 * SESSION_MS
"""How long a group that has formed is watched: no other generation may begin."""
MOST = 200_000
"""How many states are visited by default."""
FORMS_MS = 6 * (REBALANCE_MS + SESSION_MS)
"""How long a group may take to form, or to become stable again."""


class Explored(Struct, frozen=True):
    """The result of an exploration."""

    states: tuple[int, ...]
    """How many states were first seen at each number of steps."""
    steps: int
    """How many steps were taken."""
    breaches: tuple[tuple[str, str, int, str], ...]
    """Invariant, sentence, number of steps, and the known defect; new breaches, without one, come first."""
    groups: Mapping[tuple[str, int], int]
    """State of the coordinator and number of its members -> how many states."""
    whole: bool
    """True if all states of that many steps were visited."""
    stopped: str = ""
    """Why not all were visited."""
    interrupted: bool = False


class Search:
    """The states visited and the breaches found so far; `level` has the last states, each with the number of faults that may still strike."""

    def __init__(self, strikes: list[Fault], faults: int, most: int, *, first: bool) -> None:
        self._strikes, self._faults, self._most, self._first = strikes, faults, most, first
        self._keys = Keys()
        self._seen: set[Hashable] = set()
        self.level: list[tuple[World, int]] = []
        self.counts: list[int] = []
        self.steps = 0
        self.breaches: dict[tuple[str, str], tuple[str, int]] = {}
        self.groups: dict[tuple[str, int], int] = {}
        self.stopped = ""

    def deeper(self) -> None:
        """Take each step that may follow those states."""
        before, self.level = self.level, []
        self.counts.append(len(before))
        for world, left in before:
            for after, rest in _next_worlds(world, left, self._strikes):
                self.steps += 1
                self.visit(after, rest)
                if self.stopped:
                    return

    def visit(self, world: World, left: int) -> None:
        """Check a world and, if it is new, the stable group that it becomes without faults, which the next fault may strike."""
        self._judge(world)
        if self._is_new(self._keys.of(world, left)):
            self._add(world, left)
            # Let a copy go on in the order of times, without faults.
            rested = world.copy()
            rested.links, rested.refuses = {}, 0
            heapify(rested.queue)
            _settle(rested)
            _forget_stale(rested)
            self._judge(rested)
            if 0 < left < self._faults and self._is_new(self._keys.of_rest(rested, left)):
                self._add(rested, left)
        if len(self._seen) > self._most:
            self.stopped = f"there are more than {self._most:,}"

    def _is_new(self, key: Hashable) -> bool:
        new = key not in self._seen
        self._seen.add(key)
        return new

    def _add(self, world: World, left: int) -> None:
        """Keep a world, and count how many members its coordinator has, and in which state."""
        self.level.append((world, left))
        coordinator = world.coordinator
        where = ("no coordinator", 0) if coordinator is None else (coordinator.state, len(coordinator.roster))
        self.groups[where] = self.groups.get(where, 0) + 1

    def _judge(self, world: World) -> None:
        """Remember what broke in a world, which forgets it."""
        for name, sentence in world.breaches:
            if name in OF_CLOCKS:
                continue
            defect = world.history.known.get((name, sentence), "")
            self.breaches.setdefault((name, defect), (sentence, len(self.counts)))
            if self._first and not defect:
                self.stopped = "something broke"
        world.breaches, world.history.known = [], {}


def explore(
    setting: Setting,
    machines: Machines,
    *,
    depth: int,
    kinds: tuple[str, ...] = USUAL,
    faults: int = 1,
    most: int = MOST,
    first: bool = False,
) -> Explored:
    """Visit all states at most `depth` steps away from a group that has formed, a fault being a step; stop beyond `most` states.

    At most `faults` faults of these `kinds` strike. With `first` it stops at the first new breach.
    """
    strikes = [one for kind in kinds for one in _list_faults(setting, kind)]
    search = Search(strikes, faults, most, first=first)
    interrupted = False
    try:
        search.visit(_form_group(setting, machines), faults)
        while not search.stopped and len(search.counts) < depth:
            search.deeper()
    except KeyboardInterrupt:
        search.stopped, interrupted = "it was interrupted", True
    if search.level:
        search.counts.append(len(search.level))
    said = sorted((bool(defect), name, *of, defect) for (name, defect), of in search.breaches.items())
    return Explored(
        tuple(search.counts), search.steps, tuple(one[1:] for one in said), search.groups, not search.stopped, search.stopped, interrupted,
    )  # fmt: skip


def _form_group(setting: Setting, machines: Machines) -> World:
    """Return a group in which all members work, or what came of it."""
    world = World(setting, StepCache(setting, machines), USES[setting.use].cluster(setting))
    take_over(world)
    for slot in range(setting.members):
        world.after(0, start, slot)
    _settle(world)
    calm = world.history.rounds
    run_until(world, world.now + WATCHED_MS)
    more = stays_stable(world, calm)
    if more is not None:
        note_breach(world, stays_stable.__name__, more, calm)
    _forget_stale(world)
    return world


def _settle(world: World) -> None:
    """Go on in the order of times until the group is stable, and check it."""
    if settle(world, world.now + FORMS_MS) is None:
        note_breach(world, eventually_converges.__name__, eventually_converges(world) or "it is not stable")
        return
    lacks = legal_target_assignment(world)
    if lacks is not None:
        note_breach(world, legal_target_assignment.__name__, lacks)


def _list_faults(setting: Setting, kind: str) -> Iterator[Fault]:
    """Yield what can strike: each member, of faults that name a topic each, and the coordinator once."""
    topics = len(setting.partitions)
    numbers = {
        "delay": (LATE_MS,),
        "slow-log": (LATE_MS,),
        "grow": range(topics),
        "racks": range(topics),
        "subscribe": range(topics + 1),
    }
    for who in range(setting.members if FAULTS[kind].strikes == "member" else 1):
        for much in numbers.get(kind, (0,)):
            yield Fault(0, kind, who, LATE_MS, much)


def _next_worlds(world: World, left: int, strikes: list[Fault]) -> Iterator[tuple[World, int]]:
    """Yield what the world may be next: after each thing that is under way, and after each fault that may strike still."""
    for place, (_, _, act, args) in enumerate(world.queue):
        # A broker's batches are committed in the order in which it appended them.
        if act is commit and any(
            other is commit and of[0] == args[0] and of[1].batch < args[1].batch
            for _, _, other, of in world.queue
        ):
            continue
        after = world.copy()
        del after.queue[place]
        act(after, *args)
        _forget_stale(after)
        yield after, left
    for fault in strikes if left else ():
        after = world.copy()
        FAULTS[fault.kind].begin(after, replace(fault, at=after.now))
        _forget_stale(after)
        yield after, left - 1


def _forget_stale(world: World) -> None:
    """Drop events that change nothing any more: timers that were set again or cancelled, and answers for which no member waits.

    Also the timer by which a coordinator forgets groups without members, after minutes: then generations begin anew, which is meant.
    """

    def counts(act: object, args: tuple[Any, ...]) -> bool:
        if act is commit:
            return bool(args[0] == world.epoch or args[0] in world.nodes)
        if act is end_coordinator_timer and args[1][1] == "cleanup":
            return False
        return can_change_something(world, act, args)

    world.queue = [entry for entry in world.queue if counts(entry[2], entry[3])]


class Keys:
    """Makes keys."""

    def __init__(self) -> None:
        """Begin without any value known."""
        self._numbers: dict[Hashable, int] = {}
        self._of_object: dict[int, tuple[int, Any]] = {}

    def of(self, world: World, faults: int) -> Hashable:
        """Return the key of a world which this number of further faults may strike."""
        history, number = world.history, self._number
        common = number((
            faults, world.active, world.epoch, world.brokers, world.refuses, world.slow_log, world.log, world.cluster,
            history.newest, history.awaited, history.moved, history.late, history.withdrawn, history.unheard, history.stopped, history.twins,
            *(frozenset(of.items()) for of in (
                history.leaders, history.members, history.given, history.writers, history.told, history.wrote, history.states, history.skipped,
                history.metadata, history.came,
            )),
        ))  # fmt: skip
        members = tuple(
            (self._object(member), number(_process(world, slot))) for slot, member in enumerate(world.members)
        )
        nodes = tuple((node, self._object(of)) for node, of in sorted(world.nodes.items()))
        queue = sorted(number(_entry(world, act, args)) for _, _, act, args in world.queue)
        asked = sorted(
            number((node, token, _asking(world, asking), newest))
            for (node, token), (asking, newest) in world.asked.items()
        )
        waiting = sorted(number(_request(world, slot, token)) for slot, token in world.waiting)
        return common, members, nodes, tuple(queue), tuple(asked), tuple(waiting)

    def of_rest(self, world: World, faults: int) -> Hashable:
        """Return the key of a stable group: its members in their order, the leader, and the owned items."""
        coordinator = world.coordinator
        roster = () if coordinator is None else tuple(coordinator.members)
        places = {member_id: place for place, member_id in enumerate(roster)}
        return faults, world.cluster, tuple(
            None if one is None else (places.get(one.member_id), one.is_leader, one.owned, one.subscription, world.programs[slot])
            for slot, one in enumerate(world.members)
        )  # fmt: skip

    def _number(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def _object(self, value: Any) -> int:
        """Number a value that lives long, such as a member, without hashing it twice."""
        known = self._of_object.get(id(value))
        if known is None:
            known = self._of_object[id(value)] = self._number(value), value
        return known[0]


def _process(world: World, slot: int) -> Hashable:
    """Describe the process of a member: the how manieth it is, what it finds when it goes on, and what befalls its next messages."""
    asleep, link = world.asleep[slot], world.links.get(slot)
    return (
        world.lives[slot], world.programs[slot], slot in world.gone, None if asleep is None else tuple(asleep),
        None if link is None else (link.lost, link.twice, link.late, link.slow > world.now, link.cut > world.now),
    )  # fmt: skip


def _request(world: World, slot: int, token: Any) -> Hashable:
    return slot, token[0], token[1] - world.sent[slot]


def _asking(world: World, asking: PendingRequest) -> Hashable:
    slot, life, token, copy = asking.token
    return life, _request(world, slot, token), copy, asking.request


def _entry(world: World, act: Any, args: tuple[Any, ...]) -> Hashable:
    """Describe something under way without its time."""
    name = act.__name__
    if act is end_member_timer or act is end_coordinator_timer or act is commit:
        return name, args[0], args[1]
    if act is give_up:
        slot, life, token = args
        return name, life, _request(world, slot, token)
    if act is receive_response:
        return name, _asking(world, args[0]), args[1], args[2]
    if act is receive_request:
        return name, args[0], _asking(world, args[1])
    return name, *args
