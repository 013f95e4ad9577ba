"""The check of a target: try it on many groups, hold it to its promises, and find the smallest group that breaks each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from kassay.engine.finding import Finding
from kassay.engine.generate import BATCH, batches
from kassay.engine.promises import Promises, own_promises
from kassay.engine.trial import Trial
from kassay.engine.verdict import Distance, Tally, Verdict
from kassay.errors import SkippedError, TargetGoneError
from kassay.families.assignors import ASSIGNORS
from kassay.family import STUDY, Family
from kassay.model import AssignorError
from kassay.targets.target import Target


def check(
    target: Target,
    family: Family,
    *,
    examples: int,
    seed: int = 0,
    more_seeds: Sequence[int] = (),
    again: Iterable[tuple[str, Any]] = (),
    given: Iterable[tuple[str, Any]] = (),
    first: Sequence[Any] = (),
    wanted: Sequence[str] | None = None,
    promises: Promises | None = None,
    wall_s: float = 20.0,
    measured: bool = False,
    sampled: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Iterator[Finding | Verdict | Distance | Tally]:
    """Judge a target: yields a verdict for each property, then findings, then distances, then the tally.

    Groups on which it failed before, `again`, are judged first, each with its name, then those that are given, then at least `examples` generated ones (timelines end on a
    whole one); the groups of `first` take the place of as many of these and come before them, and where they break a promise, one batch is generated. `wanted` are the properties to judge, by default all; `promises` defaults to what :func:`kassay.engine.promises.own_promises`
    says. Of `more_seeds` as many groups each are generated after those of `seed`. `progress` is called with the number of groups judged; `measured` compares answers with the exact optimum
    too, on the groups that the family's oracles sample; `sampled` judges by the laws that
    take longest a sample of the generated groups only. Raises InputError where an exception names no situation.
    """
    promises = promises or own_promises(target, family)
    names = list(family.properties) if wanted is None else wanted
    trial = Trial(target, family, names, promises, seed, wall_s, measured, sampled)
    gone = None
    try:
        for name, group in again:
            trial.judge(group, name, again=True)
            progress(trial.groups)
        for name, group in given:
            trial.judge(group, name)
            progress(trial.groups)
        for group in filter(trial.affords, first):
            trial.judge(group)
            progress(trial.groups)
        left = max(0, examples - len(first))
        if left:
            generated(trial, min(left, BATCH) if first and trial.convicted else left, progress)
        for each in more_seeds:
            trial.seed = each
            generated(trial, examples, progress)
    except TargetGoneError as error:
        gone = str(error)
    findings = trial.findings()
    yield from trial.verdicts(findings, gone)
    yield from findings
    yield from (
        replace(distance, groups=trial.asked, tried=trial.groups - len(trial.again))
        if trial.family.oracles and distance.level in trial.family.oracles.levels
        else distance  # of groups with weights alone
        for distance in trial.distances.values()
    )
    yield trial.tally()


def generated(trial: Trial, examples: int, progress: Callable[[int], None] = lambda _: None) -> None:
    """Try at least so many generated groups; raises TargetGoneError where the target can no longer be asked."""
    examples = -(-examples // (trial.target.costs if trial.sampled else 1))
    goal = trial.groups + examples
    for groups, timelines in batches(trial.family, examples, trial.seed):
        for group in filter(trial.affords, groups):
            trial.judge(group)
            progress(trial.groups)
        for timeline in timelines:
            # a timeline ends where the target fails; that step is judged
            with suppress(AssignorError, SkippedError):
                for group in trial.family.shape.play(trial.playing, timeline):
                    trial.judge(group)
            progress(trial.groups)
        if trial.groups >= goal:
            return


GROUPS = 60
"""So many generated groups tell which promises fit."""


@dataclass(frozen=True, slots=True)
class Unheld:
    """What a target without promises was held to, and what it was not.

    `held` are the properties that every assignor of the family must keep, `not_held` what others of Kafka's
    promise; `broken` are those of these that
    it breaks on some of `groups` groups, each with a sentence. `fits` names the reference whose promises it breaks fewest of, `breaks` are
    those of its `promises` that it breaks: outside the reference's limits, and also where that has known defects.
    """

    target: str
    held: tuple[str, ...]
    not_held: tuple[str, ...]
    groups: int
    broken: Mapping[str, str]
    fits: str
    promises: int
    breaks: tuple[str, ...]


def unheld(
    target: Target, family: Family, seed: int, examples: int, given: Sequence[tuple[str, Any]]
) -> Unheld | None:
    """Try a target by all that it was not held to; None where it could not be asked."""
    known = [one for one in ASSIGNORS.values() if one.family == family.name]
    order = [one for one in known if family.standing(one.name) != STUDY] or known
    asked = frozenset().union(*(one.promises for one in order)) - family.expected
    others = [name for name in family.properties if name in asked]
    trial = Trial(target, family, others, Promises(family.expected), seed)
    try:
        for name, group in given:
            trial.judge(group, name)
        generated(trial, min(examples, GROUPS))
    except TargetGoneError:
        return None
    if not trial.answered or not order:
        return None
    broken = {cause.property: seen.breach.messages[0] for cause, seen in trial.seen.items()}
    breaks = {one.name: sorted((one.promises - one.limits) & broken.keys()) for one in order}
    fits = min(order, key=lambda one: (len(breaks[one.name]), -len(one.promises)))
    held = tuple(name for name in family.properties if name in family.expected)
    return Unheld(
        target.name, held, tuple(others), trial.groups, {name: broken[name] for name in others if name in broken},
        fits.name, len(fits.promises), tuple(breaks[fits.name]),
    )  # fmt: skip
