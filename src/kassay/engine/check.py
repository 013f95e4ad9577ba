"""The gate: try a target on many groups, hold it against its promises, and find the smallest group that breaks each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from kassay.engine.distance import Distance
from kassay.engine.finding import Finding
from kassay.engine.generate import BATCH, batches
from kassay.engine.promises import Promises, own_promises
from kassay.engine.trial import Trial
from kassay.engine.verdict import Tally, Verdict
from kassay.errors import SkippedError, TargetGoneError
from kassay.family import Family
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
