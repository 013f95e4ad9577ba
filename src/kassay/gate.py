"""Check several targets at once, each in a process of its own, with the results in the order of the targets."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from multiprocessing.queues import Queue
from queue import Empty
from typing import Any, TypeAlias

from kassay.against import EQUAL, with_equality
from kassay.check import ERRORED, UNPROMISED, Tally, Verdict, check
from kassay.distance import Distance
from kassay.errors import InputError, TargetGoneError
from kassay.families import family
from kassay.family import Family
from kassay.finding import Finding
from kassay.reading import Read, group_of
from kassay.targets import Options, open_target

Told: TypeAlias = Finding | Verdict | Distance | Tally
Report: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a check tries and what it holds the targets to.

    `properties` are patterns of names, empty for all; `promises` replaces what the targets promise and is held without
    exceptions, None keeps it.
    `against` names a target that they are to equal.
    """

    examples: int
    seed: int
    properties: tuple[str, ...]
    promises: frozenset[str] | None
    options: Options
    against: str | None = None


def check_target(spec: str, plan: Plan, given: Sequence[Read], report: Report) -> Iterator[Told]:
    """Check one target in this process; one that does not start is errored in everything wanted of it."""
    try:
        target = open_target(spec, plan.options)
    except TargetGoneError as gone:
        of_target = family(plan.options.family)
        wanted, promised = asked(plan, of_target)
        for name in wanted:
            expected = name in (of_target.expected if promised is None else promised)
            yield Verdict(spec, name, ERRORED, str(gone)) if expected else Verdict(spec, name, UNPROMISED)
        yield Tally(spec, 0, {}, {})
        return
    with ExitStack() as stack:
        stack.enter_context(target)
        of_target = family(target.family)
        if plan.against is not None:
            other = stack.enter_context(open_target(plan.against, plan.options))
            of_target = with_equality(of_target, target, other)
        wanted, promised = asked(plan, of_target)
        except_in = target.except_in if promised is None else {}
        if plan.against is not None and promised is None:
            promised = (of_target.expected if target.promises is None else target.promises) | {EQUAL}
        groups = [group_of(read, of_target) for read in given]
        for item in check(
            target,
            of_target,
            examples=plan.examples,
            seed=plan.seed,
            given=groups,
            wanted=wanted,
            promised=promised,
            except_in=except_in,
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


def asked(plan: Plan, of_target: Family) -> tuple[list[str], frozenset[str] | None]:
    """Say which properties are wanted and which promised; raises InputError where a name or pattern fits none."""
    known = list(of_target.properties)
    for pattern in (*plan.properties, *(plan.promises or ())):
        if not any(fnmatchcase(name, pattern) for name in known):
            raise InputError(
                f"property {pattern!r}: there is none in the {of_target.name} family; known are {', '.join(known)}"
            )
    wanted = [
        name for name in known if not plan.properties or any(fnmatchcase(name, p) for p in plan.properties)
    ]
    if plan.promises is None:
        return wanted, None
    return wanted, frozenset(name for name in known if any(fnmatchcase(name, p) for p in plan.promises))
