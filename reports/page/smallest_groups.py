"""The smallest groups of a sweep that break each property: made again, answered again, and with something better beside."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from kassay.engine.finding import Finding
from kassay.engine.judge import judge, remembering
from kassay.engine.promises import held
from kassay.errors import InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.family import Family
from kassay.files.trust import refuse_code
from kassay.model import AssignorError
from kassay.oracles.failures import OracleError
from kassay.properties.runs import Run as OneRun
from kassay.reference import ASSIGNORS
from kassay.reports.sweep.invoke import opened
from kassay.reports.sweep.manifest import Run
from kassay.targets import Target

MOST_MEMBERS, MOST_PARTITIONS = 40, 120
"""The greatest group that is drawn."""


@dataclass(frozen=True, slots=True)
class Better:
    """An assignment of the same group that keeps the property, and what it is: an optimum, or a reference's answer."""

    name: str
    assignment: Any


@dataclass(frozen=True, slots=True)
class Smallest:
    """A broken property of a target and the smallest group of the sweep on which it is broken.

    `finding` is None where the target could not be asked again, or no longer breaks the property; `trouble` says why.
    `runs` are the two runs that contradict each other, of a law that compares some; then nothing better is shown.
    """

    target: str
    property: str
    outcome: str
    id: int
    step: int
    members: int
    partitions: int
    group: Any = None
    finding: Finding | None = None
    better: Better | None = None
    runs: tuple[OneRun, ...] = ()
    trouble: str = ""


def drawable(one: Smallest) -> bool:
    """Say whether a picture of the group can be read."""
    return one.members <= MOST_MEMBERS and one.partitions <= MOST_PARTITIONS


GroupOf = Callable[[Run, int, int, str], Any]


def smallest_groups(
    run: Run, properties: pd.DataFrame, group_of: GroupOf, *, trust: bool = False
) -> Iterator[Smallest]:
    """Yield what there is to show of each broken property, or why it is not shown.

    Targets that are code are asked again only with `trust`, for it is a file that names them.
    """
    forms = family(run.family)
    betters: dict[tuple[str, Any], Better | None] = {}
    with ExitStack() as stack:
        asked: dict[str, Target | str] = {}
        for row in properties[(properties["broken"] > 0) | (properties["known"] > 0)].to_dict("records"):
            name = str(row["target"])
            if name not in asked:
                asked[name] = _open(stack, run, name, trust=trust)
            yield _again(
                run, forms, {str(key): value for key, value in row.items()}, asked[name], group_of, betters
            )


def _open(stack: ExitStack, run: Run, name: str, *, trust: bool) -> Target | str:
    try:
        refuse_code(
            "run.json: targets", [name], trust=trust, instead="a target to `kassay check` or `kassay explain`"
        )
        return stack.enter_context(opened(name, run.family, run.timeout_s, run.memory_mb))
    except (InputError, TargetGoneError) as gone:
        return f"it cannot be asked again here: {gone}"


def _again(
    run: Run,
    forms: Family,
    row: Mapping[str, Any],
    target: Target | str,
    group_of: GroupOf,
    betters: dict[tuple[str, Any], Better | None],
) -> Smallest:
    name, property_ = str(row["target"]), str(row["property"])
    id_, step = int(row["smallest"]), int(row["smallest_step"])
    shape = (name, property_, str(row["outcome"]), id_, step, int(row["members"]), int(row["partitions"]))
    if isinstance(target, str):
        return Smallest(*shape, trouble=target)
    promises = {each.target: held(each.promises, each.except_in, forms) for each in run.targets}[name]
    try:
        group = group_of(run, id_, step, name)
        assign = remembering(target.assign)
        breach = judge(forms, property_, group, assign, target, promises.excepted(property_))
    except (InputError, TargetGoneError, AssignorError, SkippedError) as failure:
        return Smallest(*shape, trouble=f"it could not be asked again: {failure}")
    if breach is None:
        return Smallest(*shape, group=group, trouble="asked again, it keeps the property on this group")
    try:
        answer = assign(group)
    except (AssignorError, SkippedError):
        answer = None
    finding = Finding(
        name, run.family, property_, bool(row["promised"]), group, answer, breach.messages, run.seeds[0], smallest=False,
        except_in=tuple(sorted(promises.excepted(property_))), met=tuple(sorted(breach.met)), stack=breach.stack,
    )  # fmt: skip
    small = Smallest(*shape, group=group, finding=finding, runs=breach.runs)
    if breach.runs or not drawable(small):
        return small
    key = (property_, group)
    if key not in betters:
        betters[key] = better(forms, property_, group)
    found = betters[key]
    alike = found is not None and answer is not None and forms.shape.same(found.assignment, answer)
    return replace(small, better=None if alike else found)


def better(forms: Family, property_: str, group: Any) -> Better | None:
    """Return the optimum of a group if it keeps the property, or else the answer of a reference assignor that does.

    Whole answers come first; some properties, such as giving partitions up before they are given on, cannot always have one.
    """
    own = [property_] if property_ in forms.invariants else []
    candidates = list(_candidates(forms, group))
    for kept in ([*sorted(forms.legal), *own], own):
        for candidate in candidates if kept else ():
            if not any(True for name in kept for _ in forms.invariants[name](group, candidate.assignment)):
                return candidate
    return None


def _candidates(forms: Family, group: Any) -> Iterator[Better]:
    if forms.oracles is not None:
        question = ",".join(forms.oracles.levels)
        with suppress(OracleError):
            yield Better(f"best in {question}", forms.oracles.optimum(question, group, None).assignment)
    for name, assignor in ASSIGNORS.items():
        if assignor.family == forms.name:
            with suppress(AssignorError):
                yield Better(name, assignor.assign(group))
