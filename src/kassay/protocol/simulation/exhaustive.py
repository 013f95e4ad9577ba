"""Exhaustive exploration of a small group: every scheduled event may be next, and faults may be injected between any two steps.

It begins with a group that has formed. Times are ignored on the way: each message may arrive, each timer end and each batch be committed before
any other. From each state the group then goes on in the order of times, and must become stable with an owner of every item. Equal states are
visited once.

Worlds are equal if their keys are equal: their futures then differ only in times. Requests are numbered from the last time at which their member
had no open request, so a finished heartbeat changes nothing. Members keep their numbers: the coordinator knows in which order they joined, so no
two members are equal.
"""

import time
from collections.abc import Hashable, Iterator, Mapping
from heapq import heapify
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation.campaign import run_until, settle
from kassay.protocol.simulation.faults import FAULTS, take_over
from kassay.protocol.simulation.invariants import count_exercise, find_violations
from kassay.protocol.simulation.invariants.groups import (
    eventually_converges,
    legal_target_assignment,
    no_member_fails,
    one_writer_at_a_time,
    stays_stable,
)
from kassay.protocol.simulation.monitor import note_breach
from kassay.protocol.simulation.schedule import Fault, Setting
from kassay.protocol.simulation.step_limits import machines_do_not_fail, runs_end
from kassay.protocol.simulation.steps import (
    can_change_something,
    commit,
    end_coordinator_timer,
    end_member_timer,
    give_up,
    perform,
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
"""The most members of a group that the command line explores."""
LATE_MS = SESSION_MS + 1_000
"""The duration of each fault when the group goes on in the order of times, and its delay of messages."""
OF_CLOCKS = frozenset({one_writer_at_a_time.__name__})
"""Invariants that depend on the order of times, and so are not checked here."""
USUAL = ("coordinator-crash",)
"""The faults by default."""
WATCHED_MS = 2 * SESSION_MS
"""The time for which a formed group is watched: no other generation may begin."""
MOST = 200_000
"""The most states that are visited by default."""
FORMS_MS = 6 * (REBALANCE_MS + SESSION_MS)
"""The time in which a group must form, or become stable again."""


class Explored(Struct, frozen=True):
    """The result of an exploration."""

    states: tuple[int, ...]
    """The number of new states after each number of steps."""
    steps: int
    """The number of steps that were taken."""
    breaches: tuple[tuple[str, str, int, str], ...]
    """Invariant, sentence, number of steps, and the known defect; new violations, without a known defect, come first."""
    groups: Mapping[tuple[str, int], int]
    """State of the coordinator and number of its members -> number of states."""
    whole: bool
    """True if all states of that many steps were visited."""
    stopped: str = ""
    """The reason why not all were visited."""
    interrupted: bool = False
    exercised: Mapping[str, int] = {}
    """Invariant -> the number of events that exercised it, where equal steps of machines count once."""


class Search:
    """The visited states and the violations; `level` has the newest states, each with the number of faults that may follow."""

    def __init__(self, strikes: list[Fault], faults: int, most: int, *, first: bool, limit_s: float) -> None:
        self._strikes, self._faults, self._most, self._first = strikes, faults, most, first
        self._limit_s, self._until = limit_s, time.monotonic() + limit_s
        self._keys = Keys()
        self._seen: set[Hashable] = set()
        self.level: list[tuple[World, int]] = []
        self.counts: list[int] = []
        self.steps = 0
        self.breaches: dict[tuple[str, str], tuple[str, int]] = {}
        self.groups: dict[tuple[str, int], int] = {}
        self.stopped = ""

    def take_steps(self) -> None:
        """Take each step that may follow the newest states."""
        before, self.level = self.level, []
        self.counts.append(len(before))
        for world, left in before:
            for after, rest in _next_worlds(world, left, self._strikes):
                self.steps += 1
                self.visit(after, rest)
                if self.stopped:
                    return

    def visit(self, world: World, left: int) -> None:
        """Check a world and, if it is new, the stable group that it becomes without faults; the next fault may be injected there."""
        self._note_breaches(world)
        if not world.failed and self._is_new(self._keys.build_key(world, left)):
            self._add(world, left)
            # Let a copy go on in the order of times, without faults.
            rested = world.copy()
            rested.links, rested.refuses = {}, 0
            heapify(rested.queue)
            _settle(rested)
            _forget_stale(rested)
            self._note_breaches(rested)
            if (
                not rested.failed
                and 0 < left < self._faults
                and self._is_new(self._keys.build_stable_key(rested, left))
            ):
                self._add(rested, left)
        if len(self._seen) > self._most:
            self.stopped = f"there are more than {self._most:,}"
        elif time.monotonic() >= self._until:
            self.stopped = f"the time limit of {self._limit_s:g} s is over"

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

    def _note_breaches(self, world: World) -> None:
        """Move the violations of a world to the search."""
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
    limit_s: float = float("inf"),
) -> Explored:
    """Visit all states at most `depth` steps away from a group that has formed; stop beyond `most` states, or when the time is over.

    A fault is a step, too. At most `faults` faults of these `kinds` are injected. With `first`, stop at the first new violation.
    """
    strikes = [one for kind in kinds for one in _list_faults(setting, kind)]
    search = Search(strikes, faults, most, first=first, limit_s=limit_s)
    interrupted, table = False, StepCache(setting, machines)
    try:
        search.visit(_form_group(setting, table), faults)
        while not search.stopped and len(search.counts) < depth:
            search.take_steps()
    except KeyboardInterrupt:
        search.stopped, interrupted = "it was interrupted", True
    if search.level:
        search.counts.append(len(search.level))
    said = sorted((bool(defect), name, *of, defect) for (name, defect), of in search.breaches.items())
    return Explored(
        tuple(search.counts), search.steps, tuple(one[1:] for one in said), search.groups, not search.stopped, search.stopped, interrupted, table.exercised,
    )  # fmt: skip


def _form_group(setting: Setting, table: StepCache) -> World:
    """Return a group in which all members work, as far as it forms."""
    world = World(setting, table, USES[setting.use].cluster(setting))
    take_over(world)
    for slot in range(setting.members):
        world.schedule(0, start, slot)
    _settle(world)
    calm = world.history.rounds
    run_until(world, world.now + WATCHED_MS)
    for name, more in find_violations(world.table.exercised, (stays_stable,), world, calm):
        note_breach(world, name, more, calm)
    _forget_stale(world)
    return world


def _settle(world: World) -> None:
    """Go on in the order of times until the group is stable, and check it."""
    if settle(world, world.now + FORMS_MS) is None:
        if world.failed:
            return
        note_breach(world, eventually_converges.__name__, eventually_converges(world) or "it is not stable")
        return
    counts = world.table.exercised
    for always in (eventually_converges, machines_do_not_fail, runs_end, no_member_fails):
        count_exercise(counts, always.__name__)
    for name, lacks in find_violations(counts, (legal_target_assignment,), world):
        note_breach(world, name, lacks)


def _list_faults(setting: Setting, kind: str) -> Iterator[Fault]:
    """Yield the faults of a kind: for each member and topic that it can concern, or once for the coordinator."""
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
    """Yield the next worlds: after each scheduled event, and after each fault that may still be injected."""
    for place, (_, _, act, args) in enumerate(world.queue):
        # The log commits the batches of a broker in their order.
        if act is commit and any(
            other is commit and of[0] == args[0] and of[1].batch < args[1].batch
            for _, _, other, of in world.queue
        ):
            continue
        after = world.copy()
        del after.queue[place]
        perform(after, act, *args)
        _forget_stale(after)
        yield after, left
    for fault in strikes if left else ():
        after = world.copy()
        perform(after, FAULTS[fault.kind].begin, replace(fault, at=after.now))
        _forget_stale(after)
        yield after, left - 1


def _forget_stale(world: World) -> None:
    """Drop events without effect: timers that were set again or cancelled, and responses for which no member waits.

    Also drop the timer by which a coordinator forgets a group without members: then generations begin at 1 again, as they should.
    """

    def counts(act: object, args: tuple[Any, ...]) -> bool:
        if act is commit:
            return bool(args[0] == world.epoch or args[0] in world.nodes)
        if act is end_coordinator_timer and args[1][1] == "cleanup":
            return False
        return can_change_something(world, act, args)

    world.queue = [entry for entry in world.queue if counts(entry[2], entry[3])]


class Keys:
    """Builds the keys of worlds; equal parts get equal numbers."""

    def __init__(self) -> None:
        """Begin without numbers."""
        self._numbers: dict[Hashable, int] = {}
        self._of_object: dict[int, tuple[int, Any]] = {}

    def build_key(self, world: World, faults: int) -> Hashable:
        """Return the key of a world in which this number of faults may follow."""
        history, number = world.history, self._number
        common = number((
            faults, world.active, world.epoch, world.brokers, world.refuses, world.slow_log, world.late_states, world.log, world.cluster,
            history.newest, history.awaited, history.moved, history.late, history.withdrawn, history.unheard, history.stopped, history.twins,
            *(frozenset(of.items()) for of in (
                history.leaders, history.members, history.given, history.writers, history.told, history.wrote, history.states, history.skipped,
                history.metadata, history.came, history.acknowledged,
            )),
        ))  # fmt: skip
        members = []
        for slot, member in enumerate(world.members):
            asleep, link = world.asleep[slot], world.links.get(slot)
            process = (
                world.lives[slot], world.programs[slot], slot in world.gone, None if asleep is None else tuple(asleep),
                None if link is None else (link.lost, link.twice, link.late, link.slow > world.now, link.cut > world.now, link.hangs > world.now),
            )  # fmt: skip
            members.append((self._number_object(member), number(process)))
        nodes = tuple((node, self._number_object(of)) for node, of in sorted(world.nodes.items()))
        queue = sorted(number(_describe_event(world, act, args)) for _, _, act, args in world.queue)
        asked = sorted(
            number((node, token, _describe_pending(world, asking), newest))
            for (node, token), (asking, newest) in world.asked.items()
        )
        waiting = sorted(number(_describe_request(world, slot, token)) for slot, token in world.waiting)
        return common, tuple(members), nodes, tuple(queue), tuple(asked), tuple(waiting)

    def build_stable_key(self, world: World, faults: int) -> Hashable:
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

    def _number_object(self, value: Any) -> int:
        """Return the number of a long-lived value, such as a member, which is hashed only once."""
        known = self._of_object.get(id(value))
        if known is None:
            known = self._of_object[id(value)] = self._number(value), value
        return known[0]


def _describe_request(world: World, slot: int, token: Any) -> Hashable:
    return slot, token[0], token[1] - world.sent[slot]


def _describe_pending(world: World, asking: PendingRequest) -> Hashable:
    slot, life, token, copy = asking.token
    return life, _describe_request(world, slot, token), copy, asking.request


def _describe_event(world: World, act: Any, args: tuple[Any, ...]) -> Hashable:
    """Describe a scheduled event without its time."""
    name = act.__name__
    if act is end_member_timer or act is end_coordinator_timer or act is commit:
        return name, args[0], args[1]
    if act is give_up:
        slot, life, token = args
        return name, life, _describe_request(world, slot, token)
    if act is receive_response:
        return name, _describe_pending(world, args[0]), args[1], args[2]
    if act is receive_request:
        return name, args[0], _describe_pending(world, args[1])
    return name, *args
