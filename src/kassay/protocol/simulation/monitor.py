"""Checks of a running group: each event is checked against the invariants, and each violation is matched with the known defects.

The answers of an assignor are also checked against the promises that concern one group, as `kassay check` does.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from kassay.engine.judge import CRASH_FREE, judge
from kassay.engine.promises import read_promises
from kassay.engine.verdict import Verdict
from kassay.errors import SkippedError, TargetGoneError
from kassay.families import family
from kassay.model import AssignorError
from kassay.output.block import BROKEN, KEPT, KNOWN_DEFECT, SKIPPED
from kassay.protocol.simulation.invariants import count_exercise, find_violations
from kassay.protocol.simulation.invariants.groups import (
    acknowledged_commits_are_written,
    bounded_rounds,
    commits_from_owners,
    eventually_converges,
    find_lasting_name,
    generations_grow,
    legal_target_assignment,
    lost_for_a_cause,
    member_generations_grow,
    no_double_client_assignment,
    no_member_fails,
    one_leader,
    one_writer_at_a_time,
    only_what_is_wanted,
    owned_in_time,
    revoked_before_given,
    single_writer,
    stays_stable,
    supported_strategy,
)
from kassay.protocol.simulation.known_defects import find_known_defect, has_unreadable_member
from kassay.protocol.simulation.step_limits import machines_do_not_fail, runs_end
from kassay.protocol.simulation.world import PendingRequest, Step, World
from kassay.reference.group.coordinator.state import GroupWritten
from kassay.reference.group.messages import (
    Error,
    JoinGroupResponse,
    LeaveGroupResponse,
    OffsetCommitResponse,
    SyncGroupResponse,
)
from kassay.targets.target import Target

JOINED = (one_leader, generations_grow, supported_strategy)
CHANGED = (
    no_double_client_assignment,
    revoked_before_given,
    member_generations_grow,
    one_writer_at_a_time,
    lost_for_a_cause,
)
NOBODY: frozenset[int] = frozenset()


class Outcome(Struct, frozen=True):
    """The result of a schedule."""

    breaches: tuple[tuple[str, str], ...]
    """The broken invariants, each with a sentence."""
    rounds: int
    """The number of generations that began after the last fault."""
    stable_ms: int | None
    """The time at which the group was stable, None if it never was."""
    trace: tuple[Any, ...] = ()
    """The notes of the run, if a trace was requested."""
    known: tuple[tuple[str, str], ...] = ()
    """The invariants that only known defects break, with the defect of the first violation."""


def find_defects(outcome: Outcome, name: str) -> tuple[str, ...]:
    """Return the known defect of an invariant's violations, () if a violation has no known defect."""
    return tuple(defect for of, defect in outcome.known if of == name)


def check_answer(world: World, node: int, asking: PendingRequest, response: Any, newest: int) -> None:
    """Check and record the response of a broker's coordinator; `newest` is the newest generation at the arrival of the request."""
    history = world.history
    if response.error is not Error.NONE:
        if response.error is Error.UNKNOWN_SERVER_ERROR and has_unreadable_member(world.nodes[node]):
            history.stopped |= {asking.token[:2]}
        return
    request: Any = asking.request
    kind = type(response)
    if world.active is not None and node < world.active and kind is not LeaveGroupResponse:
        history.late |= {(response if kind is JoinGroupResponse else request).generation}
    if kind is JoinGroupResponse:
        _check(world, JOINED, node, asking, response, response)
        _record_join(world, node, response)
    elif kind is SyncGroupResponse:
        own = request.generation, request.member_id
        history.given[own] = frozenset(world.table.machines.items(response.state))
        # The member no longer waits for the response to a copy of its SyncGroup, because the first one was answered.
        slot, life, token, copy = asking.token
        unheard = copy or world.waiting.get((slot, token)) != life
        history.unheard = history.unheard | {own} if unheard else history.unheard - {own}
        if request.states:
            _record_states(world, request.generation, request.states)
    elif kind is OffsetCommitResponse:
        _check(world, (commits_from_owners,), node, asking, response, newest)
        written = (acknowledged_commits_are_written,) if world.table.has_log else ()
        for name, sentence in find_violations(world.table.exercised, written, world, request):
            note_breach(world, name, sentence, node, request, at=Step(asking.token[0], node, response))
        if world.setting.use == "single-writer":
            _check(world, (single_writer,), node, asking, response, newest)
            history.writers[request.generation] = request.member_id


def _record_join(world: World, node: int, response: JoinGroupResponse) -> None:
    history, generation = world.history, response.generation
    history.leaders.setdefault(generation, find_lasting_name(history, response.leader))
    if response.members:
        history.rounds += generation not in history.members
        history.members[generation] = frozenset(
            find_lasting_name(history, one.member_id) for one in response.members
        )
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


def _record_states(world: World, generation: int, states: Any) -> None:
    """Record the states that a leader sent, and the items that it moved or withdrew by a second SyncGroup in one generation."""
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


def note_written_records(world: World, node: int, records: Iterable[Any]) -> None:
    """Record the generations of a broker that are in the log."""
    for record in records:
        if type(record) is GroupWritten:
            known = world.history.wrote.get(record.generation, NOBODY)
            world.history.wrote[record.generation] = known | {node}


def _check(
    world: World,
    invariants: Iterable[Callable[..., str | None]],
    node: int,
    asking: PendingRequest,
    response: Any,
    about: Any,
) -> None:
    request = asking.request
    for name, sentence in find_violations(world.table.exercised, invariants, world.history, request, about):
        note_breach(world, name, sentence, node, request, about, at=Step(asking.token[0], node, response))


def check_member(world: World, slot: int, before: Any) -> None:
    """Check the new state of a member."""
    for name, sentence in find_violations(world.table.exercised, CHANGED, world, slot, before):
        note_breach(world, name, sentence, slot, before, at=Step(slot))


def check_failure(world: World, slot: int, before: Any, error: Error) -> None:
    """Check that a member may end with this error."""
    if error is Error.FENCED_INSTANCE_ID and (slot, world.lives[slot]) in world.history.twins:
        return
    sentence = no_member_fails(slot, error)
    if sentence is not None:
        note_breach(world, no_member_fails.__name__, sentence, slot, before, error, at=Step(slot))


def check_unstable_group(world: World) -> None:
    """Check a group that is not stable long after the last fault."""
    for name, sentence in find_violations(world.table.exercised, (owned_in_time,), world):
        note_breach(world, name, sentence)


OF_STABLE_GROUPS = (legal_target_assignment, only_what_is_wanted)


def check_stable_group(
    world: World, invariants: Iterable[Callable[..., str | None]] = OF_STABLE_GROUPS
) -> None:
    """Check the items of a group that is stable after the last fault."""
    counts = world.table.exercised
    count_exercise(counts, owned_in_time.__name__)
    for name, sentence in find_violations(counts, invariants, world):
        note_breach(world, name, sentence)


def check_end(
    world: World, stable_ms: int | None, rounds: int, calm: int, *, watched: bool = True
) -> Outcome:
    """Check the end of a run, and return its violations: no generation may follow `calm` if the stable group was watched."""
    counts = world.table.exercised
    for always in (no_member_fails, machines_do_not_fail, runs_end):
        count_exercise(counts, always.__name__)
    if watched:
        for name, sentence in find_violations(counts, (stays_stable,), world, calm):
            note_breach(world, name, sentence, calm)
    if stable_ms is None:
        for name, sentence in find_violations(counts, (eventually_converges,), world):
            note_breach(world, name, sentence)
    else:
        count_exercise(counts, eventually_converges.__name__)
    for name, sentence in find_violations(counts, (bounded_rounds,), world, rounds):
        note_breach(world, name, sentence)
    return build_outcome(world, stable_ms, rounds)


def build_outcome(world: World, stable_ms: int | None, rounds: int) -> Outcome:
    """Return the violations of a run that has ended."""
    # Report the first violation of each invariant, and one without a known defect first.
    known, first = world.history.known, dict[str, str]()
    for name, sentence in sorted(world.breaches, key=known.__contains__):
        first.setdefault(name, sentence)
    breaches = tuple((name, first[name]) for name in dict.fromkeys(name for name, _ in world.breaches))
    defects = tuple((one[0], known[one]) for one in breaches if one in known)
    return Outcome(breaches, rounds, stable_ms, tuple(world.trace or ()), defects)


def note_breach(world: World, name: str, sentence: str, *about: Any, at: Step | None = None) -> None:
    """Record a violation; `about` is the input of the invariant, and `at` the step that breaks it, None for the whole group."""
    if (name, sentence) not in world.breaches:
        world.breaches.append((name, sentence))
        defect = find_known_defect(world, name, about)
        if defect:
            world.history.known[name, sentence] = defect
        world.note("breach", name, sentence, at)


DETERMINISTIC = "deterministic"
LOOKED_AT = (CRASH_FREE, "existing", "subscribed", "exclusive", "complete", "every_member", DETERMINISTIC)
"""The promises that a group under faults needs; `kassay check` checks all others."""


@dataclass
class BrokenPromise:
    """A promise that the assignor broke, shown on the smallest group."""

    sentence: str
    group: Any
    answer: Any
    known: frozenset[str]
    """The situations of a known defect."""
    groups: int = 1
    """The number of groups on which it broke."""


class Answers:
    """An assignor whose answers are checked; it is called twice if it promises to be deterministic."""

    def __init__(self, target: Target) -> None:
        """Check the target against its own promises, or against the promises that its family expects."""
        self._target, self.family = target, family(target.family)
        self._promises = read_promises(target, self.family)
        self._names = [name for name in LOOKED_AT if name in self._promises.names]
        self.asked = 0
        self.declined: dict[str, int] = {}
        self._gone = ""
        self.broken: dict[tuple[str, bool], BrokenPromise] = {}
        """By promise, and True if the defect is known."""

    def __call__(self, group: Any) -> Any:
        """Return the assignment of a group; raises AssignorError if the assignor fails, skips the group, or is gone after a failure."""
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
            self._check(CRASH_FREE, group, [failure], None)
            raise
        for name in self._names:
            self._check(name, group, [answer, again if name == DETERMINISTIC else answer], answer)
        return answer

    def _check(self, name: str, group: Any, answers: Iterable[Any], answer: Any) -> None:
        """Check a promise on a group, with these answers in place of the next calls of the assignor; one may be a failure."""
        if name not in self._names:
            return
        left = iter(answers)

        def assign(_group: Any) -> Any:
            given = next(left)
            if isinstance(given, AssignorError):
                raise given
            return given

        breach = judge(
            self.family, name, group, assign, self._target, self._promises.select_exceptions(name), messages=1
        )
        if breach is None:
            return
        key = name, bool(breach.met)
        one = BrokenPromise(breach.messages[0], group, answer, breach.met)
        before = self.broken.get(key)
        if before is not None:
            one.groups += before.groups
            sizes = [
                sum(size(of) for size in self.family.shape.sizes.values()) for of in (before.group, group)
            ]
            if sizes[0] <= sizes[1]:
                before.groups = one.groups
                return
        self.broken[key] = one

    def verdicts(self) -> Iterator[Verdict]:
        """Yield the verdict on each promise: skipped if there is no answer, or if the assignor skipped a group."""
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
