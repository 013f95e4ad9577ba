"""Check several targets at once, each in a process of its own, with the results in the order of the targets."""

import multiprocessing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from multiprocessing.queues import Queue
from queue import Empty
from typing import Any, TypeAlias

from kassay.against import EQUAL, with_equality
from kassay.check import check
from kassay.distance import Distance
from kassay.errors import InputError, TargetGoneError
from kassay.families import family
from kassay.family import Family
from kassay.finding import Finding
from kassay.promises import Promises, held
from kassay.reading import Read, group_of, named
from kassay.scope import refuse_unknown
from kassay.targets import Options, open_target
from kassay.targets.reference import open_reference
from kassay.verdict import ERRORED, NOT_PROMISED, Tally, Verdict

Told: TypeAlias = Finding | Verdict | Distance | Tally
Report: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a check tries and what it holds the targets to.

    `properties` are patterns of names to judge, empty for those promised, or for all where `everything` is asked.
    `promises` are patterns that replace what the targets promise, `promises_of` the reference whose promises do; None
    keeps their own. `except_in` are further situations in which promises are known to be broken. `against` names a target
    that they are to equal.
    """

    examples: int
    seed: int
    properties: tuple[str, ...]
    promises: frozenset[str] | None
    options: Options
    against: str | None = None
    promises_of: str | None = None
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict)
    everything: bool = False


def check_target(spec: str, plan: Plan, given: Sequence[Read], report: Report) -> Iterator[Told]:
    """Check one target in this process; one that does not start is errored in everything promised."""
    try:
        target = open_target(spec, plan.options)
    except TargetGoneError as gone:
        of_target = family(plan.options.family)
        promises = promised(plan, of_target, None, {})
        for name in wanted(plan, of_target, promises):
            if name in promises.names:
                yield Verdict(spec, name, ERRORED, str(gone))
            else:
                yield Verdict(spec, name, NOT_PROMISED)
        yield Tally(spec, 0, {}, {})
        return
    with ExitStack() as stack:
        stack.enter_context(target)
        of_target = family(target.family)
        if plan.against is not None:
            other = stack.enter_context(open_target(plan.against, plan.options))
            of_target = with_equality(of_target, target, other)
        promises = promised(plan, of_target, target.promises, target.except_in)
        for item in check(
            target,
            of_target,
            examples=plan.examples,
            seed=plan.seed,
            given=[(named(read), group_of(read, of_target)) for read in given],
            wanted=wanted(plan, of_target, promises),
            promises=promises,
            measured=not plan.properties,
            progress=report,
        ):
            if isinstance(item, Finding) and item.property == EQUAL:
                yield replace(item, against=plan.against)
            else:
                yield item


def check_targets(
    specs: Sequence[str], plan: Plan, given: Sequence[Read], jobs: int, report: Callable[[str, int], None]
) -> Iterator[Told]:
    """Check targets, `jobs` at a time; what is told of them comes in their order, the first one's as it is found.

    Raises InputError where a target or a property does not exist, TargetGoneError where a judging process dies.
    """
    if len(specs) == 1 or jobs == 1:
        for spec in specs:
            yield from check_target(spec, plan, given, partial(report, spec))
        return
    context = multiprocessing.get_context("spawn")
    said: Queue[Any] = context.Queue()
    with ProcessPoolExecutor(min(jobs, len(specs)), context, _listen, (said,)) as pool:
        running = [pool.submit(_tell, spec, plan, given) for spec in specs]
        waiting: dict[str, list[Told]] = {spec: [] for spec in specs}
        ended: set[str] = set()
        for spec, future in zip(specs, running, strict=True):
            while waiting[spec] or spec not in ended:
                yield from waiting[spec]
                waiting[spec].clear()
                try:
                    about, item = said.get(timeout=0.2)
                except Empty:
                    error = future.exception() if future.done() else None
                    if error is not None:
                        for other in running:
                            other.cancel()
                        raise _told_wrong(spec, error) from None
                    continue
                if item is None:
                    ended.add(about)
                elif isinstance(item, int):
                    report(about, item)
                else:
                    waiting[about].append(item)


def _told_wrong(spec: str, error: BaseException) -> BaseException:
    if isinstance(error, BrokenProcessPool):
        return TargetGoneError(
            f"{spec}: the process that judged it died (out of memory, or killed); try fewer jobs with -j"
        )
    return error


_LISTENER: "list[Queue[Any]]" = []  # of a judging process: whom it tells


def _listen(said: "Queue[Any]") -> None:
    _LISTENER.append(said)


def _tell(spec: str, plan: Plan, given: Sequence[Read]) -> None:
    (said,) = _LISTENER
    for item in check_target(spec, plan, given, lambda done: said.put((spec, done))):
        said.put((spec, item))
    said.put((spec, None))


def promised(
    plan: Plan, of_target: Family, own: frozenset[str] | None, except_in: Mapping[str, frozenset[str]]
) -> Promises:
    """Return what a target that promises `own` is held to; raises InputError where the plan names something unknown."""
    if plan.promises is not None:
        held_to = held(_matching(plan.promises, of_target), {}, of_target)
    elif plan.promises_of is not None:
        reference = open_reference(plan.promises_of)
        if reference.family != of_target.name:
            raise InputError(
                f"--promises-of {plan.promises_of}: is of the {reference.family} family, the target of {of_target.name}; "
                "name a reference of the same family"
            )
        held_to = held(reference.promises, reference.except_in, of_target)
    else:
        held_to = held(own, except_in, of_target)
    names = held_to.names | ({EQUAL} if plan.against is not None and plan.promises is None else frozenset())
    more = {name: held_to.excepted(name) | plan.except_in.get(name, frozenset()) for name in names}
    refuse_unknown(plan.except_in, of_target)
    return Promises(names, {name: terms for name, terms in more.items() if terms})


def wanted(plan: Plan, of_target: Family, promises: Promises) -> list[str]:
    """Return the properties to judge, in the family's order; raises InputError where a pattern fits none."""
    if plan.properties:
        names: Collection[str] = _matching(plan.properties, of_target)
    else:
        names = of_target.properties if plan.everything else promises.names
    return [name for name in of_target.properties if name in names]


def _matching(patterns: Iterable[str], of_target: Family) -> frozenset[str]:
    known = list(of_target.properties)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise InputError(
                f"property {pattern!r}: there is none in the {of_target.name} family; known are {', '.join(known)}"
            )
    return frozenset(name for name in known if any(fnmatchcase(name, pattern) for pattern in patterns))
