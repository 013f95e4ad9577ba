"""The plan of a check: what is tried, which promises targets are held to, and whether answers take ever longer as groups double.

A busy machine adds to the seconds of a clock. So growth is judged by medians, over several doublings, and measured twice.
"""

import multiprocessing
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import pairwise
from math import log2
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from statistics import median
from typing import Any, TypeAlias

from kassay.engine.check import Unheld, check, unheld
from kassay.engine.differential import EQUAL, with_equality
from kassay.engine.failures import Failure
from kassay.engine.failures import groups_of as failed_groups
from kassay.engine.finding import Finding
from kassay.engine.promises import Promises, held, own_promises, refuse_unknown
from kassay.engine.verdict import Distance, Tally, Verdict
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.family import Family
from kassay.files.reading import Read, group_of, named
from kassay.model import AssignorError
from kassay.output.block import BROKEN, ERRORED, KEPT, KNOWN_DEFECT, NOT_PROMISED, SKIPPED
from kassay.sentences import unknown
from kassay.shape import Assign
from kassay.targets import Options, Target, open_target
from kassay.targets.reference import open_reference

Clock: TypeAlias = Callable[[], float]
Growing: TypeAlias = Callable[[Assign, int], Any]
"""Makes the group of a size, for an assignor that may be asked what the members own before."""

POWER = 1.5
"""The time may grow as this power of the group's size."""
INACCURACY = 0.1
"""A power is measured no better than to this, so that what is measured must be above both together."""
DOUBLINGS = 3
"""So many doublings that follow each other must all be too steep."""
REPEATS = 3
SIZES = 8
LIMIT_S = 2.0
"""No further doubling after an answer that took so long; such an answer is measured once."""
FLOOR_S = 0.001
"""Less than this is the clock's and the pipe's rather than the assignor's."""
BUDGET_S = 5.0


def slow(
    assign: Assign,
    growing: Mapping[str, Growing],
    *,
    budget_s: float = BUDGET_S,
    clock: Clock = time.perf_counter,
) -> Iterator[str]:
    """Say of which kinds of groups the answers take longer than the budget, in seconds, or grow faster than n^1.5.

    An assignor that fails on a group, or declines it, is not asked about larger ones of that kind; no answer in time
    is over the budget too. `clock` tells seconds.
    """
    for kind, make in growing.items():
        try:
            times = curve(assign, make, clock)
            steepest = _steepest(times)
            words = ", ".join(f"{taken:.2g}" for taken in times) + " s as it doubles"
            if times and times[-1] > budget_s:
                yield f"{kind}: an answer takes {times[-1]:.1f} s, above the budget of {budget_s:g} s ({words})"
            elif (
                steepest > POWER + INACCURACY
                and (again := _steepest(curve(assign, make, clock))) > POWER + INACCURACY
            ):
                power = min(steepest, again)
                yield f"{kind}: the time grows as n^{power:.1f}, faster than n^{POWER:g} ({words})"
        except DiedError as death:
            yield f"{kind}: {str(death).partition(';')[0]}"


def curve(assign: Assign, make: Growing, clock: Clock = time.perf_counter) -> list[float]:
    """Return the seconds of an answer to the smallest group, to one twice its size, and so on, as far as it gets.

    Raises DiedError where the target dies or does not answer in time.
    """
    times: list[float] = []
    try:
        for size in (1 << doubling for doubling in range(SIZES)):
            times.append(seconds(assign, make(assign, size), clock))
            if times[-1] > LIMIT_S:
                break
    except DiedError:
        raise
    except (AssignorError, SkippedError):
        pass  # crash_free speaks of it
    return times


def seconds(assign: Assign, group: Any, clock: Clock = time.perf_counter) -> float:
    """Return the median time of some answers, in seconds, or that of one if it takes long."""
    taken: list[float] = []
    while len(taken) < REPEATS and (not taken or taken[0] <= LIMIT_S):
        start = clock()
        assign(group)
        taken.append(clock() - start)
    return median(taken)


def _steepest(times: list[float]) -> float:
    """Return the greatest power with which the time grew in each of DOUBLINGS doublings; 0 where there are fewer."""
    powers = [log2(then / now) for now, then in pairwise(times) if now >= FLOOR_S]
    return max((min(powers[at : at + DOUBLINGS]) for at in range(len(powers) - DOUBLINGS + 1)), default=0.0)


Result: TypeAlias = Finding | Verdict | Distance | Tally | Unheld
Report: TypeAlias = Callable[[int], None]
TIME = "time"
"""The name under which the time of answers is judged: no property of a group."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a check tries and what it holds the targets to.

    `properties` are patterns of names to judge, empty for those promised, or for all where `everything` is asked.
    `promises` are patterns that replace what the targets promise, `promises_of` the reference whose promises do; None
    keeps their own. Known defects of that reference excuse Kafka's own classes, others only with `like_kafka`. `except_in` are further situations in which promises are known to be broken. `against` names a target
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
    timed: bool = False
    """Whether the time of answers is judged, too."""
    alone: bool = False
    """Whether it is one target's, so that a wrong one is wrong usage and costs no other one its verdict."""
    like_kafka: bool = False
    sampled: bool = False
    """Whether the laws that take longest are judged on a sample: where neither a number of groups nor properties were asked for."""
    more_seeds: tuple[int, ...] = ()
    """Further seeds, of each of which as many groups are generated."""
    failures: tuple[Failure, ...] = ()
    """What failed in runs before, which is judged first."""
    fixtures: Callable[[Family], Sequence[Any]] | None = None
    """Returns the groups of a family's fixtures, which a sampled check judges before it generates any."""


def exceptions(texts: Sequence[str]) -> dict[str, frozenset[str]]:
    """Read ``PROPERTY=SITUATION`` options; raises InputError where one is not written so."""
    found: dict[str, frozenset[str]] = {}
    for text in texts:
        name, sign, term = text.partition("=")
        if not sign or not name or not term:
            raise InputError(
                f"--except {text}: write PROPERTY=SITUATION, such as stable=racks_decide; `kassay list` shows both"
            )
        found[name] = found.get(name, frozenset()) | {term}
    return found


def check_target(spec: str, plan: Plan, given: Sequence[Read], report: Report) -> Iterator[Result]:
    """Check one target in this process; one that does not start is errored in everything it would be held to.

    Raises InputError where the plan names what does not exist, and where the only target does not.
    """
    with ExitStack() as stack:
        try:
            target = stack.enter_context(open_target(spec, plan.options))
            of_target = _of_target(target, plan, stack)
        except (TargetGoneError, InputError) as wrong:
            if isinstance(wrong, InputError) and plan.alone:
                raise
            yield from errored(spec, plan, str(wrong))
            return
        groups = [(named(read), group_of(read, of_target)) for read in given]
        yield from _checked(target, of_target, plan, groups, report)


def check_opened(
    target: Target, plan: Plan, given: Sequence[tuple[str, Any]], report: Report
) -> Iterator[Result]:
    """Check a target that is open, on given groups, each with its name; raises InputError where the plan is wrong."""
    with ExitStack() as stack:
        yield from _checked(target, _of_target(target, plan, stack), plan, given, report)


def _of_target(target: Target, plan: Plan, stack: ExitStack) -> Family:
    """Return the family of a target, with the law that it answers as another one does where that is asked for."""
    of_target = family(target.family)
    refuse_unknown(target.except_in, of_target)
    if plan.against is None:
        return of_target
    return with_equality(of_target, target, stack.enter_context(open_target(plan.against, plan.options)))


def _checked(
    target: Target, of_target: Family, plan: Plan, given: Sequence[tuple[str, Any]], report: Report
) -> Iterator[Result]:
    # Known defects of Kafka excuse its own classes, and the references of these.
    is_kafkas = target.name.startswith(KAFKAS) or target.name.partition("@")[0] in ASSIGNORS
    promises = promised(plan, of_target, own_promises(target, of_target), kafkas=plan.like_kafka or is_kafkas)
    asked = wanted(plan, of_target, promises)
    for item in check(
        target,
        of_target,
        examples=plan.examples,
        seed=plan.seed,
        more_seeds=plan.more_seeds,
        again=failed_groups(plan.failures, target.name, asked, of_target),
        given=given,
        first=plan.fixtures(of_target)
        if plan.fixtures and plan.sampled and plan.examples and not plan.properties
        else (),
        wanted=asked,
        promises=promises,
        measured=not plan.properties,
        sampled=plan.sampled and not plan.properties,
        progress=report,
    ):
        if isinstance(item, Finding) and item.property == EQUAL:
            yield replace(item, against=plan.against)
        else:
            yield item
    none_of_its_own = target.promises is None and plan.promises is None and plan.promises_of is None
    if none_of_its_own and not plan.properties:
        found = unheld(target, of_target, plan.seed, plan.examples, given)
        if found is not None:
            yield found
    if plan.timed:
        yield _timed(target, of_target, plan.options.timeout_s)


def _timed(target: Target, of_target: Family, budget_s: float) -> Verdict:
    """Judge each kind of growing groups; on kinds that are known a breach is a known defect."""
    said: dict[str, str] = {}
    kinds = len(of_target.growing)
    gone = ""
    for kind, make in of_target.growing.items():
        target.account.renew()  # what a kind takes is bounded by itself
        try:
            told = next(slow(target.assign, {kind: make}, budget_s=budget_s, clock=target.clock), "")
        except TargetGoneError as error:
            gone = f"{kind}: {error}"
            break
        if told:
            said[kind] = told
    if not kinds:
        return Verdict(
            target.name, TIME, SKIPPED, f"the {of_target.name} family says of no groups how they grow"
        )
    new = {kind: one for kind, one in said.items() if kind not in target.slow}
    shown, known = new or said, tuple(sorted(target.slow & of_target.growing.keys()))
    outcome = BROKEN if new else ERRORED if gone else KNOWN_DEFECT if said else KEPT
    message = gone if outcome == ERRORED else "; ".join(shown.values())
    return Verdict(target.name, TIME, outcome, message, known, kinds, 0 if outcome == ERRORED else len(shown))


def errored(spec: str, plan: Plan, why: str) -> Iterator[Result]:
    """Say of a target that could not be judged that it is errored in everything it would be held to."""
    of_target = family(plan.options.family)
    promises = promised(plan, of_target, Promises(of_target.expected))
    for name in wanted(plan, of_target, promises):
        if name in promises.names:
            yield Verdict(spec, name, ERRORED, why)
        else:
            yield Verdict(spec, name, NOT_PROMISED)
    yield Tally(spec, 0, {}, {})


KAFKAS = ("kafka:", "maven:org.apache.kafka:")
"""How the names of targets begin that are Kafka's own classes."""


def promised(plan: Plan, of_target: Family, own: Promises, *, kafkas: bool = False) -> Promises:
    """Return what a target is held to instead of its own promises; raises InputError where the plan names something unknown.

    To the promises of a reference another target is held strictly: only what that one was never made for is no failure.
    """
    if plan.promises is not None:
        held_to = Promises(_matching(plan.promises, of_target))
    elif plan.promises_of is not None:
        reference = open_reference(plan.promises_of)
        if reference.family != of_target.name:
            raise InputError(
                f"--promises-of {plan.promises_of}: is of the {reference.family} family, what is checked of {of_target.name}; "
                f"name one of {of_target.name}'s, as kassay list shows them"
            )
        if kafkas:
            held_to = held(
                reference.promises, reference.except_in, of_target, plan.promises_of, limits=reference.limits
            )
        else:
            limits = {name: reference.except_in[name] for name in reference.limits}
            held_to = Promises(reference.promises or frozenset(), limits, limits, limits=reference.limits)
    else:
        held_to = own
    names = held_to.names | ({EQUAL} if plan.against is not None and plan.promises is None else frozenset())
    more = {name: held_to.excepted(name) | plan.except_in.get(name, frozenset()) for name in names}
    refuse_unknown(plan.except_in, of_target)
    return replace(
        held_to,
        names=names,
        except_in={name: terms for name, terms in more.items() if terms},
        limits=held_to.limits - plan.except_in.keys(),
        wholly={**held_to.wholly, **{name: terms for name, terms in plan.except_in.items() if name in names}},
    )


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
            raise InputError(unknown(f"{of_target.name} promise", pattern, known, "kassay list promises"))
    return frozenset(name for name in known if any(fnmatchcase(name, pattern) for pattern in patterns))


ENDING_S = 1.0
"""Seconds that a process which is no longer needed may take to end."""


@dataclass
class Worker:
    """A process that checks one target: what it said so far that was not handed on, and whether that is all."""

    process: SpawnProcess
    said: Connection
    waiting: deque[Result] = field(default_factory=deque)
    ended: bool = False


def check_targets(
    specs: Sequence[str], plan: Plan, given: Sequence[Read], jobs: int, report: Callable[[str, int], None]
) -> Iterator[Result]:
    """Check targets, `jobs` at a time, and yield their results in the order of the targets.

    A target whose process dies is errored; the others keep their verdicts. Raises InputError where the plan names what
    does not exist.
    """
    if len(specs) == 1 or jobs == 1:
        for spec in specs:
            yield from check_target(spec, plan, given, partial(report, spec))
        return
    waiting = deque(specs)
    workers: dict[str, Worker] = {}
    try:
        for spec in specs:
            while spec in waiting or not workers[spec].ended:
                while waiting and sum(not worker.ended for worker in workers.values()) < jobs:
                    started = waiting.popleft()
                    workers[started] = _start(started, plan, given)
                _listen(workers, plan, report)
            yield from workers[spec].waiting
    finally:
        for worker in workers.values():
            worker.process.terminate()
        for worker in workers.values():
            worker.process.join(ENDING_S)
            worker.process.kill()


def _start(spec: str, plan: Plan, given: Sequence[Read]) -> Worker:
    context = multiprocessing.get_context("spawn")
    heard, said = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(said, spec, plan, given), daemon=True)
    process.start()
    said.close()  # so that the end of the process is the end of the pipe
    return Worker(process, heard)


def _listen(workers: dict[str, Worker], plan: Plan, report: Callable[[str, int], None]) -> None:
    """Take what the processes say, once; raises what one of them raised."""
    running = {worker.said: spec for spec, worker in workers.items() if not worker.ended}
    for said in wait(list(running)):
        assert isinstance(said, Connection)
        spec = running[said]
        worker = workers[spec]
        try:
            item: Any = said.recv()
        except (EOFError, OSError):
            worker.process.join()
            worker.ended = True
            status = worker.process.exitcode
            how = f"with exit status {status}"
            if status and status < 0:
                how = f"of signal {signal.Signals(-status).name}"
            why = f"the process that judged it died {how} (out of memory, or killed); try fewer targets at a time with -j"
            worker.waiting = deque(errored(spec, plan, why))
            continue
        if item is None:
            worker.ended = True
        elif isinstance(item, int):
            report(spec, item)
        elif isinstance(item, BaseException):
            raise item
        else:
            worker.waiting.append(item)


def _work(said: Connection, spec: str, plan: Plan, given: Sequence[Read]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that listens ends this one
    try:
        for item in check_target(spec, plan, given, said.send):
            said.send(item)
        said.send(None)
    except Exception as error:  # noqa: BLE001 - raised again where it is heard
        error.add_note("".join(traceback.format_exception(error)))
        said.send(error)
