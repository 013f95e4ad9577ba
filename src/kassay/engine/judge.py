"""Judge one property of a target on one group: the one rule for check, sweep, report, explain and tests."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kassay.engine.except_in import AND, terms_met
from kassay.errors import DiedError, SkippedError
from kassay.family import Family
from kassay.model import AssignorError, shortened
from kassay.properties.runs import Run, TwoRuns
from kassay.shape import Assign
from kassay.targets.target import Target

MOST_MESSAGES = 3
JAVA_STACK, JAVA_CALLER = " [at ", " < "
"""What stands in the text of a Java failure before the innermost frame, and between frames."""


@dataclass(frozen=True, slots=True)
class Breach:
    """How a target breaks a property on a group, in up to three sentences.

    `met` are the excepted situations that the run came to: where there are any, the breach is a known defect. `cause`
    tells failures apart, by their kind and the innermost frame of the assignor's own code; `stack` are these frames.
    `runs` are the two runs that the first sentence compares, if it does.
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
    excepted: Collection[str] = frozenset(),
    messages: int = MOST_MESSAGES,
) -> Breach | None:
    """Return how an assignor breaks a property on a group, in up to `messages` sentences; None where it keeps it.

    Raises AssignorError or SkippedError where a run fails or is declined, which says nothing of the property.
    """
    asked = ASKED.get(name)
    run = Watched(asked(target) if asked else assign)
    if name in family.invariants:
        sentences = family.invariants[name](group, run(group))
    else:
        sentences = family.laws[name](run, group)
    first = next(sentences, None)
    if first is None:
        return None
    met, failure = run.met(family, excepted), run.failure()
    runs = first.runs if isinstance(first, TwoRuns) else ()
    return Breach((shortened(str(first)), *_further(sentences, messages - 1)), met, *failure, runs)


def _further(sentences: Iterator[str], most: int) -> Iterator[str]:
    """Yield more sentences, up to a run that fails: the first one stands by itself."""
    with suppress(AssignorError, SkippedError):
        yield from (shortened(str(said)) for said in islice(sentences, most))


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

    def failure(self) -> tuple[str, str]:
        """Return what tells the last failure from others, and the frames of the assignor's own code; both may be empty."""
        if self._failure is None:
            return "", ""
        words, _, place = str(self._failure).partition(JAVA_STACK)
        kind, stack = words.partition(";")[0].partition(":")[0], self._failure.stack
        innermost = (stack or place.replace(JAVA_CALLER, "\n").rstrip("]")).partition("\n")[0]
        if (
            isinstance(self._failure, DiedError) or not innermost
        ):  # where a process hangs is different each time
            return kind, stack
        return f"{kind} at {innermost}", stack


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
