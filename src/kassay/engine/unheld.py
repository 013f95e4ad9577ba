"""What a target that promises nothing was not held to: what of that it breaks, and which reference's promises fit it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kassay.engine.check import generated
from kassay.engine.promises import Promises
from kassay.engine.trial import Trial
from kassay.errors import TargetGoneError
from kassay.families.assignors import ASSIGNORS
from kassay.family import STUDY, Family
from kassay.model import Assignor
from kassay.targets.target import Target

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
    fits = min(order, key=lambda one: (len(_breaks(one, broken)), -len(one.promises)))
    held = tuple(name for name in family.properties if name in family.expected)
    return Unheld(
        target.name, held, tuple(others), trial.groups, {name: broken[name] for name in others if name in broken},
        fits.name, len(fits.promises), _breaks(fits, broken),
    )  # fmt: skip


def _breaks(reference: Assignor, broken: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sorted((reference.promises - reference.limits) & broken.keys()))
