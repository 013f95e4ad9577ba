"""The check of one property or of all properties of a target on one group, with the gaps to the optimum.

All commands and tests use these functions.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from kassay.engine.promises import (
    AND,
    NONE,
    Exceptions,
    Failure,
    Promises,
    describe_excess,
    describe_unexcused,
    find_terms,
)
from kassay.errors import SkippedError, TargetGoneError
from kassay.families.convergence import Rest, illegal, rest
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.model import AssignorError, shorten
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.errors import OracleError
from kassay.properties.runs import Run, TwoRuns, extent
from kassay.targets.target import Target

MOST_MESSAGES = 3
CRASH_FREE = "crash_free"
"""The law that an assignor breaks by failing, and that a process breaks by dying on any group."""


@dataclass(frozen=True, slots=True)
class Breach:
    """The way in which a target breaks a property on a group, in up to three sentences."""

    messages: tuple[str, ...]
    """The sentences. If the run met excepted situations that do not excuse the breach, the last sentence says why."""
    met: frozenset[str] = frozenset()
    """The excepted situations that excuse the breach. If there are any, it is a known defect."""
    cause: str = ""
    """The kind of failure and the innermost frame of the assignor's own code."""
    stack: str = ""
    """All frames of the assignor's own code, innermost first."""
    runs: tuple[Run, ...] = ()
    """The two runs that the first sentence compares, if it compares two."""


def judge(
    family: Family,
    name: str,
    group: Any,
    assign: Assign,
    target: Target,
    exceptions: Exceptions = NONE,
    messages: int = MOST_MESSAGES,
) -> Breach | None:
    """Return how an assignor breaks a property on a group, in up to `messages` sentences; None if it keeps the property.

    Raises AssignorError or SkippedError if a run fails or is declined: then the property is neither kept nor broken.
    """
    run, sentences = _check(family, name, group, assign, target)
    first = next(sentences, None)
    if first is None:
        return None
    met, failure = run.find_met(family, exceptions.terms), run.failure()
    runs = first.runs if isinstance(first, TwoRuns) else ()
    said = (
        [first, *_read_further(sentences)]
        if met
        else [first, *islice(_read_further(sentences), messages - 1)]
    )
    told = tuple(shorten(str(each)) for each in said[:messages])
    beyond_known = (
        ""
        if met & frozenset(exceptions.wholly)
        else _find_objection(family, name, group, said, failure, exceptions, met)
    )
    if beyond_known:
        return Breach((*told, beyond_known), frozenset(), failure.cause, failure.stack, runs)
    return Breach(told, met, failure.cause, failure.stack, runs)


def _check(
    family: Family, name: str, group: Any, assign: Assign, target: Target
) -> tuple["Watched", Iterator[str]]:
    """Return the watched assignor, and an iterator over the sentences that say how the property fails."""
    run = Watched(ASKED[name](target) if name in ASKED else assign)
    if name in family.invariants:
        return run, family.invariants[name](group, run(group))
    return run, family.laws[name](run, group)


def _find_objection(
    family: Family,
    name: str,
    group: Any,
    said: Sequence[str],
    failure: Failure,
    exceptions: Exceptions,
    met: frozenset[str],
) -> str:
    """Return why a breach in excepted situations is not a known defect; "" if it is one, or if no such situation was met.

    If a reference declares the exceptions, it is run on the same group: it has to break the promise in the same way.
    """
    if not met:
        return ""
    fails = exceptions.fails if name == CRASH_FREE else ()
    if fails and failure.where not in fails:
        return describe_unexcused(met, f"it is known to fail with {' or '.join(sorted(fails))} only")
    beside = exceptions.beside
    if beside is None:
        return ""
    try:
        theirs, sentences = _check(family, name, group, beside.assign, beside)
        first = next(sentences, None)
    except (AssignorError, SkippedError):
        return describe_unexcused(met, f"{beside.name} gives no answer to tell by")
    if first is None:
        return describe_unexcused(met, f"{beside.name} keeps {name} on this group")
    if name == CRASH_FREE:
        known = theirs.failure()
        return (
            ""
            if failure.matches(known)
            else describe_unexcused(met, f"{beside.name} fails with {known.where}")
        )
    return describe_excess(extent(said), extent([first, *_read_further(sentences)]), beside.name, met)


def _read_further(sentences: Iterator[str]) -> Iterator[str]:
    """Yield more sentences until a run fails: the first sentence needs no others."""
    with suppress(AssignorError, SkippedError):
        yield from sentences


def find_violations(family: Family, name: str, group: Any, assign: Assign, target: Target) -> tuple[str, ...]:
    """Return how an assignor breaks a property on a group; () if it keeps the property or the property cannot be checked."""
    try:
        breach = judge(family, name, group, assign, target)
    except (AssignorError, SkippedError):
        return ()
    return breach.messages if breach else ()


class Watched:
    """An assignor that records its groups and its last failure."""

    def __init__(self, assign: Assign) -> None:
        self._assign = assign
        self._groups: list[Any] = []
        self._failure: AssignorError | None = None

    def __call__(self, group: Any) -> Any:
        """Assign a group."""
        self._groups.append(group)
        try:
            return self._assign(group)
        except AssignorError as failure:
            self._failure = failure
            raise

    def find_met(self, family: Family, excepted: Collection[str]) -> frozenset[str]:
        """Return the excepted situations that the groups met so far."""
        holds = {name: family.situations[name] for term in sorted(excepted) for name in term.split(AND)}
        here = ([name for name, situation in holds.items() if situation(group)] for group in self._groups)
        return frozenset().union(*(find_terms(names, excepted) for names in here))

    def failure(self) -> Failure:
        """Return the last failure; an empty one if no run failed."""
        return Failure.from_error(self._failure)


_NONE = object()


def cache_answers(assign: Assign, group: Any = _NONE, outcome: Any = None) -> Assign:
    """Return an assignor that asks once per group and caches the answer or the failure.

    `outcome` is the answer or failure of `group`, which was asked before.
    """
    answers: dict[Any, Any] = {}

    def answer(asked: Any) -> Any:
        if (
            asked is group or asked == group
        ):  # Most questions are about this group: skip the hash of a whole group.
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


def alternate(first: Assign, second: Assign) -> Assign:
    """Return an assignor that asks two copies in turn, so that state within one process shows."""
    turns = [first, second]

    def answer(group: Any) -> Any:
        turns.reverse()
        return turns[1](group)

    return answer


ASKED: Mapping[str, Callable[[Target], Assign]] = {
    "deterministic": lambda target: alternate(target.assign, target.again),
    "instance_isolated": Target.alternate_instances,
}
"""Law -> the way to ask its target, for laws that do not simply ask one process group by group."""


NoAnswer: TypeAlias = AssignorError | SkippedError
Wanted: TypeAlias = Callable[[NoAnswer | None], Iterable[str]]
"""Returns the properties to check, given None for a target that answered, or its failure."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The answer on which a target converges."""

    rest: Rest
    """The converged answer; the first answer if a later one failed."""
    failure: NoAnswer | None = None
    """The failure that ended the rebalances, None if they converged."""
    gaps: tuple[Gap, ...] | None = None
    """The gaps to the optimum, None if the answer is not complete and legal or no optimum is known."""
    unproved: str = ""
    """The reason why no optimum was proved, if one was asked for."""

    @property
    def right(self) -> bool:
        """True if the target converges to a complete and legal answer: each item has exactly one owner that may own it."""
        return self.failure is None and self.rest.legal


@dataclass(frozen=True, slots=True)
class Judgement:
    """The evaluation of one group: the answer or the failure, and the properties that were checked."""

    micros: int
    """The response time, in microseconds."""
    answer: Any
    failure: NoAnswer | None
    breaches: Mapping[str, Breach | None]
    """Each property that could be checked, with None if the target keeps it."""
    settled: Settled | None = None
    """The converged answer; None if there is no answer or it was not asked for."""
    gone: TargetGoneError | None = None
    """Why the target could not run to the end; the properties that were checked before that are valid."""


def settle(
    family: Family,
    assign: Assign,
    group: Any,
    answer: Any,
    breaches: Mapping[str, Breach | None],
    optima: Callable[[], Optima | None],
) -> Settled:
    """Return the answer on which a target converges.

    `answer` and `breaches` belong to its first answer; `optima` returns the optima of the group.
    """
    known = {name: None if breach is None else breach.messages[0] for name, breach in breaches.items()}
    try:
        found = rest(family, assign, group, known)
    except (AssignorError, SkippedError) as failure:
        return Settled(Rest(answer, at_rest=False, illegal=illegal(family, group, answer, known)), failure)
    try:
        best = optima() if found.legal else None
    except OracleError as error:  # Only the gaps of this group are lost.
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
    """Check the wanted properties on a group; a group that the target declines has no result.

    With `optima`, which returns the optima of the group or None, the converged answer is found too. `messages` is
    the largest number of sentences of a breach. Raises TargetGoneError if the target cannot run at all.
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
    assign = cache_answers(target.assign, group, failure or answer)
    settled, gone = None, None
    try:
        for name in wanted(failure):
            with suppress(
                AssignorError, SkippedError
            ):  # If a run fails, the property is neither kept nor broken.
                exceptions = promises.select_exceptions(name)
                breaches[name] = judge(family, name, group, assign, target, exceptions, messages)
        if failure is None and optima is not None:
            settled = settle(family, assign, group, answer, breaches, optima)
    except TargetGoneError as error:
        gone = error
    return Judgement(micros, answer, failure, breaches, settled, gone)
