"""What happens is judged by the invariants and remembered, with which known defect a breach is of, if it is of one.

What an assignor answers while a group runs: each answer is judged by what can be said of one group alone, as `kassay check` does.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec import Struct

from kassay.engine.judge import CRASH_FREE, judge
from kassay.engine.promises import own_promises
from kassay.engine.verdict import BROKEN, KEPT, KNOWN_DEFECT, SKIPPED, Verdict
from kassay.errors import SkippedError, TargetGoneError
from kassay.families import family
from kassay.model import AssignorError
from kassay.protocol.simulation.group_invariants import (
    bounded_rounds,
    commits_from_owners,
    eventually_converges,
    generations_grow,
    legal_target_assignment,
    lost_for_a_cause,
    member_generations_grow,
    no_double_client_assignment,
    no_member_fails,
    one_leader,
    one_writer_at_a_time,
    owned_in_time,
    revoked_before_given,
    single_writer,
    stays_stable,
    supported_strategy,
    who,
)
from kassay.protocol.simulation.known_defects import counts_unreadable, recognised
from kassay.protocol.simulation.world import Asking, History, World
from kassay.reference.group.coordinator.state import GroupWritten
from kassay.reference.group.messages import (
    Error,
    JoinGroupResponse,
    LeaveGroupResponse,
    OffsetCommitResponse,
    SyncGroupResponse,
)
from kassay.targets.target import Target

Answer: TypeAlias = Callable[[History, Any, Any], str | None]
Change: TypeAlias = Callable[[World, int, Any], str | None]
JOINED: tuple[Answer, ...] = (one_leader, generations_grow, supported_strategy)
COMMITTED: tuple[Answer, ...] = (commits_from_owners,)
CHANGED: tuple[Change, ...] = (
    no_double_client_assignment,
    revoked_before_given,
    member_generations_grow,
    one_writer_at_a_time,
    lost_for_a_cause,
)
NOBODY: frozenset[int] = frozenset()


class Outcome(Struct, frozen=True):
    """What came of a schedule: the invariants that broke, each with a sentence, and how the group became stable.

    `rounds` are generations that began after the last fault, `stable_ms` the time until the group was stable, None where it was not; `trace`
    is what happened, where that was asked for.
    """

    breaches: tuple[tuple[str, str], ...]
    rounds: int
    stable_ms: int | None
    trace: tuple[Any, ...] = ()
    known: tuple[tuple[str, str], ...] = ()
    """Invariants of which all breaches are of known defects, and the defect of the first."""


def met(outcome: Outcome, name: str) -> tuple[str, ...]:
    """Return the known defect that all breaches of an invariant are of; empty where one is of none."""
    return tuple(defect for of, defect in outcome.known if of == name)


def judge_answer(world: World, node: int, asking: Asking, response: Any, newest: int) -> None:
    """Judge what the coordinator of a broker answers, and remember it; `newest` was the newest generation when it was asked."""
    history = world.history
    if response.error is not Error.NONE:
        if response.error is Error.UNKNOWN_SERVER_ERROR and counts_unreadable(world.nodes[node]):
            history.stopped |= {asking.token[:2]}
        return
    request: Any = asking.request
    kind = type(response)
    if world.active is not None and node < world.active and kind is not LeaveGroupResponse:
        history.late |= {(response if kind is JoinGroupResponse else request).generation}
    if kind is JoinGroupResponse:
        _judge(world, JOINED, node, request, response)
        _joined(world, node, response)
    elif kind is SyncGroupResponse:
        history.given[request.generation, request.member_id] = frozenset(
            world.table.machines.items(response.state)
        )
        _heard(world, asking, (request.generation, request.member_id))
        if request.states:
            _set(world, request.generation, request.states)
    elif kind is OffsetCommitResponse:
        _judge(world, COMMITTED, node, request, newest)
        if world.setting.use == "single-writer":
            _judge(world, (single_writer,), node, request, newest)
            history.writers[request.generation] = request.member_id


def _joined(world: World, node: int, response: JoinGroupResponse) -> None:
    history, generation = world.history, response.generation
    history.leaders.setdefault(generation, who(history, response.leader))
    if response.members:
        history.rounds += generation not in history.members
        history.members[generation] = frozenset(who(history, one.member_id) for one in response.members)
    history.newest = max(history.newest, generation)
    history.told[generation] = history.told.get(generation, NOBODY) | {node}
    if history.static:
        coordinator = world.nodes[node]
        if response.skip_assignment:
            history.skipped[generation] = response.member_id
        elif response.members:
            history.metadata[generation] = tuple(one.metadata for one in response.members)
        if not coordinator.members.keys() >= {*coordinator.unsynced}:
            history.awaited = generation


def _heard(world: World, asking: Asking, own: tuple[int, str]) -> None:
    """Remember whether anybody waits for the answer to a SyncGroup: to one that came again nobody does, the first was answered."""
    history = world.history
    slot, life, token, copy = asking.token
    if copy or world.waiting.get((slot, token)) != life:
        history.unheard |= {own}
    elif own in history.unheard:
        history.unheard -= {own}


def _set(world: World, generation: int, states: Any) -> None:
    """Remember what a leader has given each, what it has given to another than before or to nobody, and what had nobody before and has one."""
    history, items = world.history, world.table.machines.items
    before = history.states.get(generation)
    history.states[generation] = states
    if before is not None and before != states:
        owner = {item: member for member, state in before for item in items(state)}
        gone = {item for member, state in states for item in items(state) if owner.get(item) != member}
        history.moved |= {(generation, item) for item in gone}
        kept = {item for _, state in states for item in items(state)}
        history.withdrawn |= {
            (generation, item)
            for item, member in owner.items()
            if item not in kept and item not in history.given.get((generation, member), NOBODY)
        }


def judge_written(world: World, node: int, records: Iterable[Any]) -> None:
    """Remember which generations the log has of a broker."""
    for record in records:
        if type(record) is GroupWritten:
            known = world.history.wrote.get(record.generation, NOBODY)
            world.history.wrote[record.generation] = known | {node}


def _judge(world: World, invariants: tuple[Answer, ...], node: int, request: Any, about: Any) -> None:
    for invariant in invariants:
        sentence = invariant(world.history, request, about)
        if sentence is not None:
            broken(world, invariant.__name__, sentence, node, request, about)


def judge_member(world: World, slot: int, before: Any) -> None:
    """Judge what a member became."""
    for invariant in CHANGED:
        sentence = invariant(world, slot, before)
        if sentence is not None:
            broken(world, invariant.__name__, sentence, slot, before)


def judge_failure(world: World, slot: int, before: Any, error: Error) -> None:
    """Judge that a member cannot go on."""
    if error is Error.FENCED_INSTANCE_ID and (slot, world.lives[slot]) in world.history.twins:
        return
    sentence = no_member_fails(slot, error)
    if sentence is not None:
        broken(world, no_member_fails.__name__, sentence, slot, before, error)


def judge_unrest(world: World) -> None:
    """Judge a group that is not stable long after the last fault."""
    late = owned_in_time(world)
    if late is not None:
        broken(world, owned_in_time.__name__, late)


def judge_at_rest(world: World, stable_ms: int | None, lacks: str | None, rounds: int, calm: int) -> Outcome:
    """Judge what a run ends with, and sum up what broke in it: it was stable at that time, lacked this then, and after `calm` generations none should begin."""
    ends = (
        (stays_stable, stays_stable(world, calm)),
        (eventually_converges, eventually_converges(world) if stable_ms is None else None),
        (legal_target_assignment, lacks),
        (bounded_rounds, bounded_rounds(world, rounds)),
    )
    for invariant, sentence in ends:
        if sentence is not None:
            broken(world, invariant.__name__, sentence, *((calm,) if invariant is stays_stable else ()))
    breaches, known = summed(world)
    return Outcome(breaches, rounds, stable_ms, tuple(world.trace or ()), known)


def broken(world: World, name: str, sentence: str, *about: Any) -> None:
    """Remember a breach; `about` is what the invariant was asked with."""
    if (name, sentence) not in world.breaches:
        world.breaches.append((name, sentence))
        defect = recognised(world, name, about)
        if defect:
            world.history.known[name, sentence] = defect
        world.note("breach", name, sentence)


def summed(world: World) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Return the first breach of each invariant, before those of known defects any other; and the known defects, each with its invariant."""
    known = world.history.known
    first: dict[str, str] = {}
    for name, sentence in sorted(world.breaches, key=known.__contains__):
        first.setdefault(name, sentence)
    breaches = tuple((name, first[name]) for name in dict.fromkeys(name for name, _ in world.breaches))
    return breaches, tuple((one[0], known[one]) for one in breaches if one in known)


DETERMINISTIC = "deterministic"
LOOKED_AT = (CRASH_FREE, "existing", "subscribed", "exclusive", "complete", DETERMINISTIC)
"""What a group under faults rests on; the rest is for `kassay check`."""


@dataclass
class Broken:
    """A promise that answers broke: on how many groups, the smallest of them, what it says there, and whether the defect is known."""

    sentence: str
    group: Any
    answer: Any
    known: frozenset[str]
    groups: int = 1


class Answers:
    """Asks an assignor and judges what it answers; each group is asked twice where the answer is to be the same again."""

    def __init__(self, target: Target) -> None:
        """Hold the target to what it promises, or to what its family expects of everybody."""
        self._target, self.family = target, family(target.family)
        self._promises = own_promises(target, self.family)
        self._names = [name for name in LOOKED_AT if name in self._promises.names]
        self.asked = 0
        self.declined: dict[str, int] = {}
        self._gone = ""
        self.broken: dict[tuple[str, bool], Broken] = {}
        """By the promise and whether the defect is known."""

    def __call__(self, group: Any) -> Any:
        """Answer a group; raises AssignorError where the assignor fails or declines it, and once it is gone after it failed, which is told."""
        if self._gone:
            raise AssignorError(self._gone)
        self.asked += 1
        try:
            answer = self._target.assign(group)
            again = self._target.assign(group) if DETERMINISTIC in self._names else answer
        except SkippedError as declined:
            self.declined[str(declined)] = self.declined.get(str(declined), 0) + 1
            raise AssignorError(str(declined)) from declined
        except TargetGoneError as gone:
            if (CRASH_FREE, False) not in self.broken:
                raise
            self._gone = str(gone)
            raise AssignorError(self._gone) from gone
        except AssignorError as failure:
            self._judge(CRASH_FREE, group, _failing(failure), None)
            raise
        for name in self._names:
            given = _giving(answer, again) if name == DETERMINISTIC else _giving(answer, answer)
            self._judge(name, group, given, answer)
        return answer

    def _judge(self, name: str, group: Any, assign: Callable[[Any], Any], answer: Any) -> None:
        if name not in self._names:
            return
        breach = judge(
            self.family, name, group, assign, self._target, self._promises.exceptions(name), messages=1
        )
        if breach is None:
            return
        key = name, bool(breach.met)
        one = Broken(breach.messages[0], group, answer, breach.met)
        before = self.broken.get(key)
        if before is not None:
            one.groups += before.groups
            if self._size(before.group) <= self._size(group):
                before.groups = one.groups
                return
        self.broken[key] = one

    def _size(self, group: Any) -> int:
        return sum(size(group) for size in self.family.shape.sizes.values())

    def verdicts(self) -> Iterator[Verdict]:
        """Give the verdict on each promise that was looked at; could not tell where nothing was answered, or a group was declined."""
        for name in self._names:
            new, known = self.broken.get((name, False)), self.broken.get((name, True))
            declined = next(iter(self.declined), "")
            if new is not None or known is not None:
                one, outcome = (new, BROKEN) if new is not None else (known, KNOWN_DEFECT)
                assert one is not None
                terms = tuple(sorted(one.known))
                yield Verdict(self._target.name, name, outcome, one.sentence, terms, self.asked, one.groups)
            elif not self.asked or (declined and name == CRASH_FREE):
                why = f"it declines a group: {declined}" if declined else "no group was answered"
                yield Verdict(self._target.name, name, SKIPPED, why, (), self.asked)
            else:
                yield Verdict(self._target.name, name, KEPT, "", (), self.asked)


def _failing(failure: AssignorError) -> Callable[[Any], Any]:
    def assign(_group: Any) -> Any:
        raise failure

    return assign


def _giving(*answers: Any) -> Callable[[Any], Any]:
    """Return what gives these answers one after the other, whatever it is asked."""
    left = iter(answers)

    def assign(_group: Any) -> Any:
        return next(left)

    return assign
