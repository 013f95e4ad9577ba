"""Check one property of a target on one group, or all of them and the gaps to the optimum: the one rule for all commands and tests."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from kassay.engine.promises import AND, NONE, Exceptions, Failure, Promises, beyond, terms_met, unexcused
from kassay.errors import SkippedError, TargetGoneError
from kassay.families.convergence import Rest, illegal, rest
from kassay.family import Family
from kassay.model import AssignorError, shortened
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.errors import OracleError
from kassay.properties.runs import Run, TwoRuns, extent
from kassay.shape import Assign
from kassay.targets.target import Target

MOST_MESSAGES = 3
CRASH_FREE = "crash_free"
"""The law that an assignor breaks by failing, and a process that dies breaks on whatever group."""


@dataclass(frozen=True, slots=True)
class Breach:
    """How a target breaks a property on a group, in up to three sentences.

    `met` are the excepted situations that the run came to and that excuse it: where there are any, the breach is a known defect.
    Where the run came to some, but they do not excuse what is broken, the last message says why. `cause` tells failures
    apart, by their kind and the innermost frame of the assignor's own code; `stack` are these frames. `runs` are the two runs that
    the first sentence compares, if it does.
    """

    messages: tuple[str, ...]
    met: frozenset[str] = frozenset()
    cause: str = ""
    stack: str = ""
    runs: tuple[Run, ...] = ()


def judge(
    family: Family,
    name: str,
    group: Any,
    assign: Assign,
    target: Target,
    exceptions: Exceptions = NONE,
    messages: int = MOST_MESSAGES,
) -> Breach | None:
    """Return how an assignor breaks a property on a group, in up to `messages` sentences; None where it keeps it.

    Raises AssignorError or SkippedError where a run fails or is declined, which says nothing of the property.
    """
    run, sentences = _check(family, name, group, assign, target)
    first = next(sentences, None)
    if first is None:
        return None
    met, failure = run.met(family, exceptions.terms), run.failure()
    runs = first.runs if isinstance(first, TwoRuns) else ()
    said = [first, *_further(sentences)] if met else [first, *islice(_further(sentences), messages - 1)]
    told = tuple(shortened(str(each)) for each in said[:messages])
    beyond_known = (
        ""
        if met & frozenset(exceptions.wholly)
        else _beyond(family, name, group, said, failure, exceptions, met)
    )
    if beyond_known:
        return Breach((*told, beyond_known), frozenset(), failure.cause, failure.stack, runs)
    return Breach(told, met, failure.cause, failure.stack, runs)


def _check(
    family: Family, name: str, group: Any, assign: Assign, target: Target
) -> tuple["Watched", Iterator[str]]:
    """Return the sentences that say how a property fails, and the watched assignor that it asks."""
    run = Watched(ASKED[name](target) if name in ASKED else assign)
    if name in family.invariants:
        return run, family.invariants[name](group, run(group))
    return run, family.laws[name](run, group)


def _beyond(
    family: Family,
    name: str,
    group: Any,
    said: Sequence[str],
    failure: Failure,
    exceptions: Exceptions,
    met: frozenset[str],
) -> str:
    """Say why a breach in excepted situations is no known defect; "" where it is one, or there are no such situations.

    The reference that declares the exceptions, where there is one, is asked about the same group: it has to break the promise alike.
    """
    if not met:
        return ""
    fails = exceptions.fails if name == CRASH_FREE else ()
    if fails and failure.where not in fails:
        return unexcused(met, f"it is known to fail with {' or '.join(sorted(fails))} only")
    beside = exceptions.beside
    if beside is None:
        return ""
    try:
        theirs, sentences = _check(family, name, group, beside.assign, beside)
        first = next(sentences, None)
    except (AssignorError, SkippedError):
        return unexcused(met, f"{beside.name} gives no answer to tell by")
    if first is None:
        return unexcused(met, f"{beside.name} keeps {name} on this group")
    if name == CRASH_FREE:
        known = theirs.failure()
        return "" if failure.alike(known) else unexcused(met, f"{beside.name} fails with {known.where}")
    return beyond(extent(said), extent([first, *_further(sentences)]), beside.name, met)


def _further(sentences: Iterator[str]) -> Iterator[str]:
    """Yield more sentences, up to a run that fails: the first one stands by itself."""
    with suppress(AssignorError, SkippedError):
        yield from sentences


def violations(family: Family, name: str, group: Any, assign: Assign, target: Target) -> tuple[str, ...]:
    """Say how an assignor breaks a property on a group; nothing where it keeps it or the property cannot be judged."""
    try:
        breach = judge(family, name, group, assign, target)
    except (AssignorError, SkippedError):
        return ()
    return breach.messages if breach else ()


class Watched:
    """An assignor that notes the groups it is asked about, and the last failure."""

    def __init__(self, assign: Assign) -> None:
        self._assign = assign
        self._groups: list[Any] = []
        self._failure: AssignorError | None = None

    def __call__(self, group: Any) -> Any:
        """Ask about a group."""
        self._groups.append(group)
        try:
            return self._assign(group)
        except AssignorError as failure:
            self._failure = failure
            raise

    def met(self, family: Family, excepted: Collection[str]) -> frozenset[str]:
        """Return the excepted situations that the groups came to so far."""
        holds = {name: family.situations[name] for term in sorted(excepted) for name in term.split(AND)}
        here = ([name for name, situation in holds.items() if situation(group)] for group in self._groups)
        return frozenset().union(*(terms_met(names, excepted) for names in here))

    def failure(self) -> Failure:
        """Return the last failure, NO_FAILURE where there was none."""
        return Failure.of(self._failure)


_NONE = object()


def remembering(assign: Assign, group: Any = _NONE, outcome: Any = None) -> Assign:
    """Ask each group once and remember the answer or the failure, for the properties that ask the same again.

    `outcome` is what came of asking about `group` already.
    """
    answers: dict[Any, Any] = {}

    def answer(asked: Any) -> Any:
        if asked is group or asked == group:  # most questions, without a hash of the whole group
            known = outcome
        elif asked in answers:
            known = answers[asked]
        else:
            try:
                known = assign(asked)
            except (AssignorError, SkippedError) as failure:
                known = failure
            answers[asked] = known
        if isinstance(known, Exception):
            raise known
        return known

    return answer


def alternating(first: Assign, second: Assign) -> Assign:
    """Ask two copies of an assignor by turns, so that what only one process sees comes out."""
    turns = [first, second]

    def answer(group: Any) -> Any:
        turns.reverse()
        return turns[1](group)

    return answer


ASKED: Mapping[str, Callable[[Target], Assign]] = {
    "deterministic": lambda target: alternating(target.assign, target.again),
    "instance_isolated": Target.by_turns,
}
"""Laws that ask a target in another way than group by group, each by itself."""


NoAnswer: TypeAlias = AssignorError | SkippedError
Wanted: TypeAlias = Callable[[NoAnswer | None], Iterable[str]]
"""Which properties to judge, of a target that answered (None) or failed."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What a target comes to rest on; where it fails before, its first answer, and `failure` is why there is no next one.

    `gaps` are None where it is not complete and legal or no optimum is known; `unproved` says why none was proved, where one was
    asked for.
    """

    rest: Rest
    failure: NoAnswer | None = None
    gaps: tuple[Gap, ...] | None = None
    unproved: str = ""

    @property
    def right(self) -> bool:
        """Whether the target comes to rest on an answer in which nothing is lost, doubled or given to the wrong one."""
        return self.failure is None and self.rest.legal


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of one group: the answer or else the failure, and after how many microseconds.

    `breaches` has the properties that could be judged, with None where the target keeps one; where a run failed, there is
    nothing to say. `settled` is None where there is no answer or nobody asked. `gone` is set where the target could not
    be asked to the end: what was judged until then stands.
    """

    micros: int
    answer: Any
    failure: NoAnswer | None
    breaches: Mapping[str, Breach | None]
    settled: Settled | None = None
    gone: TargetGoneError | None = None


def settle(
    family: Family,
    assign: Assign,
    group: Any,
    answer: Any,
    breaches: Mapping[str, Breach | None],
    optima: Callable[[], Optima | None],
) -> Settled:
    """Return what a target settles on that has answered; `breaches` are those of its first answer, `optima` returns those of the group."""
    known = {name: None if breach is None else breach.messages[0] for name, breach in breaches.items()}
    try:
        found = rest(family, assign, group, known)
    except (AssignorError, SkippedError) as failure:
        return Settled(Rest(answer, at_rest=False, illegal=illegal(family, group, answer, known)), failure)
    try:
        best = optima() if found.legal else None
    except OracleError as error:  # costs the gaps of this group, and nothing else
        return Settled(found, unproved=str(error))
    return Settled(found, None, None if best is None else tuple(best.gaps(found.answer)))


def judge_group(
    family: Family,
    target: Target,
    promises: Promises,
    group: Any,
    wanted: Wanted,
    *,
    optima: Callable[[], Optima | None] | None = None,
    messages: int = MOST_MESSAGES,
) -> Judgement:
    """Judge a group by the wanted properties; of a group that the target declines none is judged.

    With `optima`, which returns those of the group or None, it is also seen what the target settles on. `messages` is
    how many sentences a breach may have. Raises TargetGoneError where the target cannot be asked at all.
    """
    start, answer, failure = time.perf_counter_ns(), None, None
    try:
        answer = target.assign(group)
    except (AssignorError, SkippedError) as error:
        failure = error
    micros = (time.perf_counter_ns() - start) // 1000
    breaches: dict[str, Breach | None] = {}
    if isinstance(failure, SkippedError):
        return Judgement(micros, None, failure, breaches)
    assign = remembering(target.assign, group, failure or answer)
    settled, gone = None, None
    try:
        for name in wanted(failure):
            with suppress(AssignorError, SkippedError):  # a run that fails says nothing of the property
                exceptions = promises.exceptions(name)
                breaches[name] = judge(family, name, group, assign, target, exceptions, messages)
        if failure is None and optima is not None:
            settled = settle(family, assign, group, answer, breaches, optima)
    except TargetGoneError as error:
        gone = error
    return Judgement(micros, answer, failure, breaches, settled, gone)
