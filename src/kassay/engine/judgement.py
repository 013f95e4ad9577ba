"""Judge one group: ask a target, judge every property, settle, find the gaps; the one loop of check and sweep."""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from kassay.engine.judge import MOST_MESSAGES, Breach, judge, remembering
from kassay.engine.promises import Promises
from kassay.engine.settle import illegal, settled
from kassay.errors import SkippedError, TargetGoneError
from kassay.family import Family
from kassay.model import AssignorError
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.failures import OracleError
from kassay.shape import Assign
from kassay.targets.target import Target

Failure: TypeAlias = AssignorError | SkippedError
Wanted: TypeAlias = Callable[[Failure | None], Iterable[str]]
"""Which properties to judge, of a target that answered (None) or failed."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What a target settles on: its answer, or the next one where this only withholds what members have yet to give up.

    `illegal` are the invariants of a complete and legal answer that it breaks; `failure` is why there is no next answer.
    `gaps` are None where it is not legal or no optimum is known; `unproved` says why none was proved, where one was asked for.
    `again` says whether the target was asked again.
    """

    answer: Any
    illegal: tuple[str, ...] = ()
    again: bool = False
    failure: Failure | None = None
    gaps: tuple[Gap, ...] | None = None
    unproved: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of one group: the answer or else the failure, and after how many microseconds.

    `breaches` has the properties that could be judged, with None where the target keeps one; where a run failed, there is
    nothing to say. `settled` is None where there is no answer or nobody asked. `gone` is set where the target could not
    be asked to the end: what was judged until then stands.
    """

    micros: int
    answer: Any
    failure: Failure | None
    breaches: Mapping[str, Breach | None]
    settled: Settled | None = None
    gone: TargetGoneError | None = None


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
    rest, gone = None, None
    try:
        for name in wanted(failure):
            with suppress(AssignorError, SkippedError):  # a run that fails says nothing of the property
                excepted = promises.excepted(name)
                breaches[name] = judge(family, name, group, assign, target, excepted, messages)
        if failure is None and optima is not None:
            rest = _settle(family, assign, group, answer, breaches, optima)
    except TargetGoneError as error:
        gone = error
    return Judgement(micros, answer, failure, breaches, rest, gone)


def _settle(
    family: Family,
    assign: Assign,
    group: Any,
    answer: Any,
    breaches: Mapping[str, Breach | None],
    optima: Callable[[], Optima | None],
) -> Settled:
    broken, rest = illegal(family, group, answer, breaches), answer
    if broken or family.shape.goes_on:  # else a complete and legal answer withholds nothing
        try:
            rest = settled(family, assign, group, answer)
        except (AssignorError, SkippedError) as failure:
            return Settled(answer, broken, again=True, failure=failure)
        if rest is not answer:
            broken = illegal(family, group, rest)
    try:
        known = None if broken else optima()
    except OracleError as error:  # costs the gaps of this group, and nothing else
        return Settled(rest, broken, rest is not answer, unproved=str(error))
    gaps = None if known is None else tuple(known.gaps(rest))
    return Settled(rest, broken, rest is not answer, None, gaps)
