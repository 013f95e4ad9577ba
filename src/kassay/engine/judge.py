"""Judge one property of a target on one group: the one rule for check, sweep, report, explain and tests."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kassay.engine.promises import AND, NONE, Exceptions, Failure, beyond, terms_met, unexcused
from kassay.errors import SkippedError
from kassay.family import Family
from kassay.model import AssignorError, shortened
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
    run = Watched(_asked(name, target, assign))
    sentences = _said(family, name, group, run)
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


def _asked(name: str, target: Target, assign: Assign) -> Assign:
    asked = ASKED.get(name)
    return asked(target) if asked else assign


def _said(family: Family, name: str, group: Any, assign: Assign) -> Iterator[str]:
    if name in family.invariants:
        return family.invariants[name](group, assign(group))
    return family.laws[name](assign, group)


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
    theirs = Watched(_asked(name, beside, beside.assign))
    try:
        sentences = _said(family, name, group, theirs)
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
