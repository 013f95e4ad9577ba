"""The smallest groups of a sweep that break each property: made again, answered again, and with something better beside.

Broken properties as the page shows them: what is broken, the smallest group, and pictures of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from kassay.engine.finding import Finding
from kassay.engine.judge import judge, remembering
from kassay.engine.judgement import illegal
from kassay.engine.promises import held
from kassay.errors import InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.family import Family
from kassay.files.writing import refuse_code
from kassay.model import AssignorError
from kassay.oracles.errors import OracleError
from kassay.playground.link import link
from kassay.properties.runs import Run as OneRun
from kassay.reference import ASSIGNORS
from kassay.reports.shapes.layout import Picture
from kassay.reports.sweep.judge_rows import opened
from kassay.reports.sweep.manifest import Run
from kassay.reports.tables.properties import BROKEN, KNOWN_DEFECT, LIMIT, NO
from kassay.sentences import first_sentence
from kassay.targets import Target


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
    size: Mapping[str, int]
    group: Any = None
    finding: Finding | None = None
    better: Better | None = None
    runs: tuple[OneRun, ...] = ()
    trouble: str = ""


GroupOf = Callable[[Run, int, int, str], Any]
Drawable = Callable[[Mapping[str, int]], bool]


def smallest_groups(
    run: Run,
    properties: pd.DataFrame,
    group_of: GroupOf,
    drawable: Drawable = lambda _: True,
    *,
    trust: bool = False,
) -> Iterator[Smallest]:
    """Yield what there is to show of each broken property, or why it is not shown.

    Something better is looked for where a group of that size is `drawable`. Targets that are code are asked again only
    with `trust`, for it is a file that names them.
    """
    betters: dict[tuple[str, Any], Better | None] = {}
    with asked_again(run, trust=trust) as target:
        for row in properties[(properties["broken"] > 0) | (properties["known"] > 0)].to_dict("records"):
            known = {str(key): value for key, value in row.items()}
            yield _again(run, known, target(str(row["target"])), group_of, drawable, betters)


@contextmanager
def asked_again(run: Run, *, trust: bool) -> Iterator[Callable[[str], Target | str]]:
    """Give a function that opens a target of the run by its name, once, or says why it cannot be."""
    with ExitStack() as stack:

        @cache
        def open_(name: str) -> Target | str:
            instead = "a target to `kassay check` or `kassay explain`"
            try:
                refuse_code("run.json: targets", [name], trust=trust, instead=instead)
                return stack.enter_context(opened(name, run.families[name], run.timeout_s, run.memory_mb))
            except (InputError, TargetGoneError) as gone:
                return f"it cannot be asked again here: {gone}"

        yield open_


def _again(
    run: Run,
    row: Mapping[str, Any],
    target: Target | str,
    group_of: GroupOf,
    drawable: Drawable,
    betters: dict[tuple[str, Any], Better | None],
) -> Smallest:
    name, property_ = str(row["target"]), str(row["property"])
    id_, step = int(row["smallest"]), int(row["smallest_step"])
    size = {each: int(row[each]) for each in run.sizes}
    place = (name, property_, str(row["outcome"]), id_, step, size)
    if isinstance(target, str):
        return Smallest(*place, trouble=target)
    family_ = family(run.families[name])
    spec = next(each for each in run.targets if each.target == name)
    promises = held(spec.promises, spec.except_in, family_, target.reference, target.fails, spec.limits)
    try:
        group = group_of(run, id_, step, name)
        assign = remembering(target.assign)
        breach = judge(family_, property_, group, assign, target, promises.exceptions(property_))
    except (InputError, TargetGoneError, AssignorError, SkippedError) as failure:
        return Smallest(*place, trouble=f"it could not be asked again: {failure}")
    if breach is None:
        return Smallest(*place, group=group, trouble="asked again, it keeps the property on this group")
    try:
        answer = assign(group)
    except (AssignorError, SkippedError):
        answer = None
    finding = Finding(
        name, run.families[name], property_, bool(row["promised"]), group, answer, breach.messages, run.seeds[0], smallest=False,
        except_in=tuple(sorted(promises.excepted(property_))), met=tuple(sorted(breach.met)), stack=breach.stack, beside=target.reference,
        of_limit=property_ in promises.limits,
    )  # fmt: skip
    small = Smallest(*place, group=group, finding=finding, runs=breach.runs)
    if breach.runs or not drawable(size):
        return small
    key = (property_, group)
    if key not in betters:
        betters[key] = better(family_, property_, group)
    found = betters[key]
    alike = found is not None and answer is not None and family_.shape.same(found.assignment, answer)
    return replace(small, better=None if alike else found)


def better(family_: Family, property_: str, group: Any) -> Better | None:
    """Return the optimum of a group if it keeps the property, or else the answer of a reference assignor that does.

    Complete and legal answers come first; some properties, such as giving partitions up before they are given on, cannot always have one.
    """
    invariant = family_.invariants.get(property_)
    kept = [
        candidate
        for candidate in _candidates(family_, group)
        if invariant is None or next(invariant(group, candidate.assignment), None) is None
    ]
    legal = (candidate for candidate in kept if not illegal(family_, group, candidate.assignment))
    return next(legal, kept[0] if kept and invariant is not None else None)


def _candidates(family_: Family, group: Any) -> Iterator[Better]:
    if family_.oracles is not None:
        question = f"{family_.oracles.contract}{','.join(family_.oracles.levels)}"
        with suppress(OracleError):
            yield Better(f"best in {question}", family_.oracles.optimum(question, group, None).assignment)
    for name, assignor in ASSIGNORS.items():
        if assignor.family == family_.name:
            with suppress(AssignorError):
                answer = assignor.assign(group)
                if not family_.provisional(answer):
                    yield Better(name, answer)


DOES = {
    BROKEN: "breaks its promise",
    KNOWN_DEFECT: "has a known defect in",
    LIMIT: "has a limit in",
    NO: "does not keep",
}
"""What a target does to a property, by the outcome, in the order in which it is shown."""


@dataclass(frozen=True, slots=True)
class ShownBreach:
    """A broken property as the page shows it."""

    anchor: str
    target: str
    property: str
    does: str
    size: str
    meaning: str
    messages: Sequence[str]
    trouble: str
    pictures: Sequence[tuple[str, Markup]]
    file: str
    replay: str
    play: str


def anchor(target: str, property_: str) -> str:
    """Name the place of a broken cell's smallest group on the page."""
    return f"b{sha256(f'{target} {property_}'.encode()).hexdigest()[:10]}"


def shown_breach(one: Smallest, picture: Picture, folder: Path, *, drawn: bool) -> ShownBreach:
    """Return a breach for the page, with pictures if it is drawn, and save its group as a finding in the folder."""
    finding, file, meaning, trouble = one.finding, "", "", one.trouble
    pictures: list[tuple[str, Markup]] = []
    if finding:
        file = f"groups/{finding.save(folder / 'groups').name}"
        meaning = (
            f"{one.property}: {first_sentence(family(finding.family).properties[one.property].__doc__)}."
        )
        if drawn and picture.shows(one.size):
            pictures = list(_pictures(one, finding, picture))
        elif drawn:
            trouble = trouble or "It is too large to be drawn."
    changes = f" after {one.step:,} change{'s' * (one.step > 1)}" if one.step else ""
    sizes = ", ".join(f"{name} {count:,}" for name, count in one.size.items())
    return ShownBreach(
        anchor(one.target, one.property), one.target, one.property, DOES[one.outcome],
        f"group {one.id:,}{changes}: {sizes}", meaning, finding.messages if finding else (), trouble, pictures, file,
        finding.replay(file) if finding else "",
        link(family(finding.family).write_group(finding.group), finding.target) if finding else "",
    )  # fmt: skip


def _pictures(one: Smallest, finding: Finding, picture: Picture) -> Iterator[tuple[str, Markup]]:
    """Yield the pictures of a breach with their titles: two runs that contradict each other, or the answer and something better."""
    shown: list[tuple[str, Any, Any]] = []
    if one.runs:
        first, second = one.runs
        joined = picture.joined(second.group, first.assignment)
        shown = [(first.title, first.group, first.assignment), (second.title, joined, second.assignment)]
    elif finding.assignment is not None:
        shown = [(f"{one.target} gives", one.group, finding.assignment)]
    if one.better and not one.runs:
        shown.append((f"better: {one.better.name}", one.group, one.better.assignment))
    for title, group, assignment in shown:
        yield title, picture.html(title, group, assignment)
