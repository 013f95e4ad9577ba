"""The gate: try a target on many groups, hold it against its promises, and find the smallest group that breaks each."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from kassay.distance import Distance
from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.family import Assign, Family
from kassay.finding import Finding
from kassay.generating import batches
from kassay.model import AssignorError
from kassay.properties.minimise import minimise
from kassay.scope import meets, outside, refuse_unknown
from kassay.settling import settled
from kassay.targets.target import Target

MOST_MESSAGES = 3
MOST_DEATHS = 10
"""A target whose process died or hung this often is asked no more."""

KEPT, BROKEN, UNPROMISED, SKIPPED, ERRORED = "kept", "broken", "unpromised", "skipped", "errored"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one property: `outcome` is kept, broken, unpromised, skipped or errored, never anything else.

    `except_in` are the situations for which it is not promised; it is unpromised if every group was in one of them.
    """

    target: str
    property: str
    outcome: str
    message: str = ""
    except_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How much was tried: groups judged, groups the target declined by reason, and groups in each situation."""

    target: str
    groups: int
    declined: dict[str, int]
    situations: dict[str, int]


@dataclass
class Trial:
    """A target on trial: what was tried so far and the finding for each property it broke.

    `wanted` are the properties to judge, a promised one not on groups in the situations that `except_in` gives for it;
    `wall_s` bounds each minimisation, in seconds; `measured` asks for distances too.
    """

    target: Target
    family: Family
    wanted: Sequence[str]
    promised: frozenset[str]
    except_in: Mapping[str, frozenset[str]]
    seed: int
    wall_s: float = 20.0
    measured: bool = False
    groups: int = 0
    answered: int = 0
    deaths: int = 0
    declined: Counter[str] = field(default_factory=Counter)
    situations: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    findings: dict[str, Finding] = field(default_factory=dict)
    distances: dict[str, Distance] = field(default_factory=dict)

    def judge(self, group: Any) -> Iterator[Finding]:
        """Judge one group by every property not broken yet, and yield a finding for each that it breaks."""
        assign = remembering(self.target.assign)
        try:
            assign(group)
            self.answered += 1
        except SkippedError as reason:
            self.declined[str(reason)] += 1
            return
        except DiedError as death:
            self.deaths += 1
            if self.deaths > MOST_DEATHS:
                raise TargetGoneError(
                    f"its process died or hung {MOST_DEATHS} times, last because {death}"
                ) from None
        except AssignorError:
            pass  # crash_free speaks of it
        self.groups += 1
        met = frozenset(name for name, holds in self.family.situations.items() if holds(group))
        self.situations.update(met)
        for name in self.wanted:
            if name in self.findings or meets(met, self._excepted(name)):
                continue
            self.judged[name] += 1
            messages = self._messages(name, group, assign)
            if messages:
                self.findings[name] = self._finding(name, group, messages)
                yield self.findings[name]
        if self.measured and self.family.oracles:
            with suppress(AssignorError, SkippedError):
                answer = settled(self.family, assign, group, assign(group))
                for gap in self.family.oracles.gaps(group, answer):
                    known = self.distances.get(gap.level, Distance(self.target.name, gap.level))
                    self.distances[gap.level] = known.with_gap(gap)

    def _excepted(self, name: str) -> frozenset[str]:
        return self.except_in.get(name, frozenset()) if name in self.promised else frozenset()

    def _messages(self, name: str, group: Any, assign: Assign) -> tuple[str, ...]:
        return violations(self.family, name, group, assign, self.target, self._excepted(name))

    def _finding(self, name: str, group: Any, messages: tuple[str, ...]) -> Finding:
        def said(candidate: Any) -> tuple[str, ...]:
            return self._messages(name, candidate, remembering(self.target.assign))

        assignment, smallest = None, False
        with suppress(TargetGoneError):  # then the group that was first seen to break it stands
            least = minimise(
                group, lambda candidate: bool(said(candidate)), self.family.smaller, wall_s=self.wall_s
            )
            again = said(least.group)
            group, messages, smallest = least.group, again or messages, least.finished and bool(again)
            with suppress(AssignorError, SkippedError):
                assignment = self.target.assign(group)
        return Finding(
            self.target.name, self.target.family, name, name in self.promised, group, assignment, messages, self.seed,
            smallest,
        )  # fmt: skip

    def verdicts(self, gone: str | None) -> Iterator[Verdict]:
        """Say what became of each property; `gone` tells why the target could not be asked to the end."""
        for name in self.wanted:
            outcome, said = self._outcome(name, gone)
            yield Verdict(self.target.name, name, outcome, said, tuple(sorted(self._excepted(name))))

    def _outcome(self, name: str, gone: str | None) -> tuple[str, str]:
        found = self.findings.get(name)
        if name not in self.promised:
            return UNPROMISED, found.messages[0] if found else ""
        if found:
            return BROKEN, found.messages[0]
        if gone is not None:
            return ERRORED, gone
        if not self.groups:
            return SKIPPED, f"nothing was tried: {', '.join(self.declined) or 'there was no group'}"
        if not self.judged[name]:
            return UNPROMISED, ""
        if not self.answered:  # a run in which the assignor fails keeps no promise
            return SKIPPED, "it answered none of the groups"
        return KEPT, ""

    def tally(self) -> Tally:
        """Say how much was tried; situations in the family's order, also those that were never met."""
        met = {name: self.situations[name] for name in self.family.situations}
        return Tally(self.target.name, self.groups, dict(sorted(self.declined.items())), met)


def violations(
    family: Family,
    name: str,
    group: Any,
    assign: Assign,
    target: Target,
    excepted: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """Say how an assignor violates a property on a group: up to three sentences, none where it keeps it.

    A run in which the assignor fails says nothing of a property, except of those that are about failing; nor does one
    that comes to a group in an excepted situation.
    """
    run = alternating(target.assign, target.again) if name == "deterministic" else assign
    run = outside(excepted, family, run)
    try:
        if name in family.invariants:
            return tuple(islice(family.invariants[name](group, run(group)), MOST_MESSAGES))
        return tuple(islice(family.laws[name](run, group), MOST_MESSAGES))
    except (AssignorError, SkippedError):
        return ()


def remembering(assign: Assign) -> Assign:
    """Ask each group once and remember the answer or the failure, for the properties that ask the same again."""
    answers: dict[Any, Any] = {}

    def answer(group: Any) -> Any:
        if group not in answers:
            try:
                answers[group] = assign(group)
            except (AssignorError, SkippedError) as failure:
                answers[group] = failure
        if isinstance(answers[group], Exception):
            raise answers[group]
        return answers[group]

    return answer


def alternating(first: Assign, second: Assign) -> Assign:
    """Ask two copies of an assignor by turns, so that what only one process sees comes out."""
    turns = [first, second]

    def answer(group: Any) -> Any:
        turns.reverse()
        return turns[1](group)

    return answer


def check(
    target: Target,
    family: Family,
    *,
    examples: int,
    seed: int = 0,
    given: Iterable[Any] = (),
    wanted: Sequence[str] | None = None,
    promised: frozenset[str] | None = None,
    except_in: Mapping[str, frozenset[str]] | None = None,
    wall_s: float = 20.0,
    measured: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Iterator[Finding | Verdict | Distance | Tally]:
    """Judge a target: findings as they are made, then a verdict for each property, then distances, then the tally.

    The given groups are judged first, then at least `examples` generated ones (timelines end on a whole one). `promised`
    defaults to what the target promises, `except_in` then to where it does not, or to what its family expects of
    everybody. `progress` is told the groups judged; `measured` compares every answer with the exact optimum too. Raises
    InputError where `except_in` names no situation.
    """
    if promised is None:
        promised = family.expected if target.promises is None else target.promises
        except_in = target.except_in if except_in is None else except_in
    refuse_unknown(except_in or {}, family)
    names = list(family.properties) if wanted is None else wanted
    trial = Trial(target, family, names, promised, except_in or {}, seed, wall_s, measured)
    gone = None
    try:
        for group in given:
            yield from trial.judge(group)
            progress(trial.groups)
        if examples:
            yield from _generated(trial, examples, progress)
    except TargetGoneError as error:
        gone = str(error)
    yield from trial.verdicts(gone)
    yield from trial.distances.values()
    yield trial.tally()


def _generated(trial: Trial, examples: int, progress: Callable[[int], None]) -> Iterator[Finding]:
    goal = trial.groups + examples
    for groups, timelines in batches(trial.family, examples, trial.seed):
        for group in groups:
            yield from trial.judge(group)
            progress(trial.groups)
        for timeline in timelines:
            # a timeline ends where the target fails; that step is judged
            with suppress(AssignorError, SkippedError):
                for group in trial.family.play(trial.target.assign, timeline):
                    yield from trial.judge(group)
            progress(trial.groups)
        if trial.groups >= goal:
            return


def exit_status(verdicts: Iterable[Verdict]) -> int:
    """Give the exit status: 1 where a promise is broken, else 3 where one could not be told, else 0."""
    outcomes = {verdict.outcome for verdict in verdicts}
    if BROKEN in outcomes:
        return 1
    return 3 if outcomes & {SKIPPED, ERRORED} or not outcomes & {KEPT} else 0
