"""The check of a target: it runs on many groups, and the smallest group that breaks each promise is found."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from kassay.engine.failures import FailedGroup
from kassay.engine.finding import Finding
from kassay.engine.generate import BATCH, draw_batches, draw_large_groups
from kassay.engine.group_cache import GroupCache
from kassay.engine.memories import check_failure_again, find_memories, follow_given, play_lives
from kassay.engine.promises import Promises, read_promises
from kassay.engine.trial import Trial
from kassay.engine.verdict import Distance, Tally, Verdict
from kassay.errors import SkippedError, TargetGoneError
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import STUDY, Family
from kassay.model import AssignorError
from kassay.targets.target import Target


def check(
    target: Target,
    family: Family,
    *,
    examples: int,
    seed: int = 0,
    more_seeds: Sequence[int] = (),
    again: Iterable[FailedGroup] = (),
    given: Iterable[tuple[str, Any]] = (),
    before: Sequence[Any] = (),
    first: Sequence[Any] = (),
    wanted: Sequence[str] | None = None,
    promises: Promises | None = None,
    wall_s: float = 20.0,
    measured: bool = False,
    sampled: bool = False,
    lives: bool = True,
    progress: Callable[[int], None] = lambda _: None,
    told: Callable[[str], None] = lambda _: None,
    cache: GroupCache | None = None,
) -> Iterator[Finding | Verdict | Distance | Tally]:
    """Check a target and yield a verdict for each property, then findings, then distances, then the tally.

    The groups are checked in this order:

    1. `again`: named groups on which the target failed before.
    2. `given`: named groups of the user, each also after the groups `before` on one instance.
    3. `first`: groups that replace as many generated ones. If they break a promise, only one batch is generated.
    4. At least `examples` generated groups of `seed` (timelines are always completed), then as many of each of `more_seeds`.

    `wanted` are the properties to check, by default all; `promises` defaults to :func:`kassay.engine.promises.read_promises`.
    `progress` is called with the number of groups so far, `told` at once with a sentence on the first broken promise. `measured` also
    compares answers with the exact optimum, on the groups that the family's oracles sample. With `sampled`, the slowest laws are checked on a sample of the generated groups.
    A `cache` keeps what other targets need of the same groups.
    With `lives`, timelines are played on long-lived instances of a target that runs in a process of its own.
    Raises InputError if an exception names an unknown situation.
    """
    promises = promises or read_promises(target, family)
    names = list(family.properties) if wanted is None else wanted
    trial = Trial(target, family, names, promises, seed, wall_s, measured, sampled, told=told, cache=cache)
    gone = None
    try:
        for failed in again:
            if not check_failure_again(trial, failed):
                trial.judge(failed.group, failed.name, again=True)
            progress(trial.groups)
        for name, group in given:
            follow_given(trial, tuple(before), group)
            trial.judge(group, name)
            progress(trial.groups)
        if target.expect is not None:
            target.expect(first)
        for group in filter(trial.is_affordable, first):
            trial.judge(group, shared=True)
            progress(trial.groups)
        left = max(0, examples - len(first))
        if left:
            try_generated(trial, min(left, BATCH) if first and trial.convicted else left, progress)
        for each in more_seeds:
            trial.seed = each
            try_generated(trial, examples, progress)
        if lives:
            play_lives(trial, examples, seed)
    except TargetGoneError as error:
        gone = str(error)
    find_memories(trial)
    findings = trial.findings()
    yield from trial.verdicts(findings, gone)
    yield from findings
    yield from (
        replace(distance, groups=trial.asked, tried=trial.groups - len(trial.again))
        if trial.family.oracles and distance.level in trial.family.oracles.levels
        else distance  # only groups with weights have this distance
        for distance in trial.distances.values()
    )
    yield trial.tally()


def try_generated(trial: Trial, examples: int, progress: Callable[[int], None] = lambda _: None) -> None:
    """Check at least `examples` generated groups, then large ones; raises TargetGoneError if the target can no longer run."""
    examples = -(-examples // (trial.target.costs if trial.sampled else 1))
    goal = trial.groups + examples
    draw = draw_batches if trial.cache is None else trial.cache.draw_batches
    for groups, timelines in draw(trial.family, examples, trial.seed):
        if trial.target.expect is not None:
            starts = [next(iter(trial.family.shape.play(trial.play_step, each)), None) for each in timelines]
            trial.target.expect([*groups, *(group for group in starts if group is not None)])
        for group in filter(trial.is_affordable, groups):
            trial.judge(group, shared=True)
            progress(trial.groups)
        for timeline in timelines:
            # A timeline ends at the step on which the target fails; that step is checked too.
            with suppress(AssignorError, SkippedError):
                for step, group in enumerate(trial.family.shape.play(trial.play_step, timeline)):
                    trial.judge(group, shared=not step)  # later steps depend on the target's answers
            progress(trial.groups)
        if trial.groups >= goal:
            break
    # They come last, so that all other groups of a seed do not depend on them.
    for group in filter(trial.is_affordable, draw_large_groups(trial.family, examples, trial.seed)):
        trial.judge(group, large=True)
        progress(trial.groups)


GROUPS = 60
"""The number of generated groups that decide which promises fit."""


@dataclass(frozen=True, slots=True)
class Unheld:
    """The promises that a target without own promises was checked for, and those that it was not checked for."""

    target: str
    held: tuple[str, ...]
    """The properties that every assignor of the family must keep."""
    not_held: tuple[str, ...]
    """The further promises of Kafka's assignors."""
    groups: int
    broken: Mapping[str, str]
    """Each property of `not_held` that the target breaks on some of `groups` groups, with a sentence."""
    fits: str
    """The reference of whose promises the target breaks fewest."""
    promises: int
    """The number of promises of that reference."""
    breaks: tuple[str, ...]
    """The promises of that reference that the target breaks: limits do not count, known defects of the reference do."""


def check_undeclared(
    target: Target, family: Family, seed: int, examples: int, given: Sequence[tuple[str, Any]]
) -> Unheld | None:
    """Check the promises that a target does not declare; returns None if it gave no answer."""
    known = [one for one in ASSIGNORS.values() if one.family == family.name]
    order = [one for one in known if family.classify_target(one.name) != STUDY] or known
    asked = frozenset().union(*(one.promises for one in order)) - family.expected
    others = [name for name in family.properties if name in asked]
    trial = Trial(target, family, others, Promises(family.expected), seed)
    try:
        for name, group in given:
            trial.judge(group, name)
        try_generated(trial, min(examples, GROUPS))
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
