"""Judge one group: ask a target, judge every property, settle, find the gaps; the one loop of check and sweep.

What an assignor comes to rest on, and whether that is complete and legal: the one place for both.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kassay.engine.judge import MOST_MESSAGES, Breach, judge, remembering
from kassay.engine.promises import Promises
from kassay.errors import SkippedError, TargetGoneError
from kassay.family import Family, Rounds
from kassay.model import AssignorError
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.errors import OracleError
from kassay.properties.runs import until_rest
from kassay.shape import Assign
from kassay.targets.target import Target


@dataclass(frozen=True, slots=True)
class Rest:
    """What an assignor comes to rest on: its answer, or that of the last rebalance where it first withholds something.

    `rebalances` counts the answers until then; `at_rest` is false where MOST_REBALANCES of them do not do. `illegal` are the invariants
    of a complete and legal answer that it breaks, or an answer on the way, which may withhold something and nothing else,
    each with the first sentence of how the last of these answers does. `played` are the rebalances, each a group and the answer to it,
    where the answer was provisional (see :func:`converge`).
    """

    answer: Any
    rebalances: int = 1
    at_rest: bool = True
    illegal: Mapping[str, str] = field(default_factory=dict)
    played: Rounds = ()

    @property
    def legal(self) -> bool:
        """Whether the assignor comes to rest on a complete and legal answer, and loses, doubles and misgives nothing on the way."""
        return self.at_rest and not self.illegal


def rest(
    family: Family, assign: Assign, group: Any, judged: Mapping[str, Breach | None] | None = None
) -> Rest:
    """Ask an assignor about a group until its members hand nothing over any more.

    `judged` are invariants of its first answer that were judged already, as :func:`illegal` takes them. Raises what the assignor
    fails with. Source: KIP-429, of which each rebalance that moves partitions is followed by another one.
    """
    answer = assign(group)
    broken = illegal(family, group, answer, judged)
    if family.rejoined is None or not (broken or family.shape.goes_on):
        return Rest(answer, illegal=broken)  # a complete and legal answer withholds nothing
    played = until_rest(assign, family.rejoined, group)
    last = played[-1]
    at_rest = family.rejoined(*last) is None
    told = [broken, *(illegal(family, *each) for each in played[1:])]
    found = {
        name: sentence
        for number, sentences in enumerate(told, 1)
        for name, sentence in sentences.items()
        if name not in family.withheld or (at_rest and number == len(told))
    }
    ordered = {name: found[name] for name in family.invariants if name in found}
    return Rest(last[1], len(played), at_rest, ordered)


def converge(family: Family, assign: Assign, group: Any) -> Rest:
    """Ask an assignor as :func:`rest` does, and where it answers provisionally, play the rebalances that it asks for until it asks for none.

    Until each of them members restore all that they were given to restore, so a copy that warmed up is caught up then. A group
    that joins a second time shows that the rebalances never end. Raises what the assignor fails with. Source: KIP-441, whose probing rebalances hand tasks over as their warm-ups catch up.
    """
    found = rest(family, assign, group)
    probing = family.probing
    if probing is None or not found.legal or not family.provisional(found.answer):
        return found
    joined: list[Any] = []

    def next_joined(before: Any, answer: Any) -> Any:
        joined.append(before)
        following = probing.joined(before, answer)
        return None if following in joined else following

    played = until_rest(assign, next_joined, group, probing.most(group))
    last = played[-1][1]
    told = (illegal(family, *each) for each in played)
    broken = {name: sentence for sentences in told for name, sentence in sentences.items()}
    return Rest(last, len(played), not family.provisional(last), broken, played)


def illegal(
    family: Family, group: Any, answer: Any, judged: Mapping[str, Breach | None] | None = None
) -> dict[str, str]:
    """Return the invariants of a complete and legal answer that an answer breaks, each with the first sentence of how.

    `judged` are invariants of this answer that were judged already: name -> breach, None where it is kept.
    """
    known, broken = judged or {}, {}
    for name, invariant in family.invariants.items():
        if name not in family.legal:
            continue
        if name in known:
            breach = known[name]
            sentence = None if breach is None else breach.messages[0]
        else:
            sentence = next(invariant(group, answer), None)
        if sentence is not None:
            broken[name] = str(sentence)
    return broken


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
