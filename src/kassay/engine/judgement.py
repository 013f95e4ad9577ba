"""Judge one group: ask a target, judge every property, settle, find the gaps; the one loop of check and sweep."""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from kassay.engine.judge import MOST_MESSAGES, Breach, judge, remembering
from kassay.engine.promises import Promises
from kassay.engine.settle import Rest, illegal, rest
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
    """What a target comes to rest on; where it fails before, its first answer, and `failure` is why there is no next one.

    `gaps` are None where it is not complete and legal or no optimum is known; `unproved` says why none was proved, where one was
    asked for.
    """

    rest: Rest
    failure: Failure | None = None
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
    settled, gone = None, None
    try:
        for name in wanted(failure):
            with suppress(AssignorError, SkippedError):  # a run that fails says nothing of the property
                exceptions = promises.exceptions(name)
                breaches[name] = judge(family, name, group, assign, target, exceptions, messages)
        if failure is None and optima is not None:
            settled = _settle(family, assign, group, answer, breaches, optima)
    except TargetGoneError as error:
        gone = error
    return Judgement(micros, answer, failure, breaches, settled, gone)


def _settle(
    family: Family,
    assign: Assign,
    group: Any,
    answer: Any,
    breaches: Mapping[str, Breach | None],
    optima: Callable[[], Optima | None],
) -> Settled:
    try:
        found = rest(family, assign, group, breaches)
    except (AssignorError, SkippedError) as failure:
        return Settled(Rest(answer, at_rest=False, illegal=illegal(family, group, answer, breaches)), failure)
    try:
        known = optima() if found.legal else None
    except OracleError as error:  # costs the gaps of this group, and nothing else
        return Settled(found, unproved=str(error))
    return Settled(found, None, None if known is None else tuple(known.gaps(found.answer)))
