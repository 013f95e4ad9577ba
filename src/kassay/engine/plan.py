"""The plan of a check: the groups, the promises of each target, and the growth of response time with the size of groups.

A busy machine makes a clock unreliable. So growth is measured by medians, over several doublings, and twice.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from math import log2
from statistics import median
from typing import Any, TypeAlias

from kassay.engine.check import Unheld, check, check_undeclared
from kassay.engine.differential import EQUAL, with_equality
from kassay.engine.failures import Failure, read_failed_groups
from kassay.engine.finding import Finding
from kassay.engine.group_cache import GroupCache
from kassay.engine.promises import Promises, build_promises, read_promises, refuse_unknown
from kassay.engine.verdict import Distance, Tally, Verdict
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.files.reading import Read, build_group, get_group_name
from kassay.model import AssignorError
from kassay.output.block import BROKEN, ERRORED, KEPT, KNOWN_DEFECT, NOT_PROMISED, SKIPPED
from kassay.sentences import describe_missing
from kassay.targets import Options, Target, open_target
from kassay.targets.reference import open_reference

Clock: TypeAlias = Callable[[], float]
Growing: TypeAlias = Callable[[Assign, int], Any]
"""Returns the group of a size. It may run the assignor to find what the members own before."""

POWER = 1.5
"""The time may grow as this power of the group's size."""
INACCURACY = 0.1
"""The precision of a measured power: only a power above POWER + INACCURACY is too steep."""
DOUBLINGS = 3
"""The number of consecutive doublings that must all be too steep."""
REPEATS = 3
SIZES = 8
LIMIT_S = 2.0
"""After an answer that takes longer than this, the size is not doubled again. Such an answer is measured once."""
FLOOR_S = 0.001
"""Shorter times are dominated by the clock and the pipe, not by the assignor."""
BUDGET_S = 5.0


def find_slow(
    assign: Assign,
    growing: Mapping[str, Growing],
    *,
    budget_s: float = BUDGET_S,
    clock: Clock = time.perf_counter,
) -> Iterator[str]:
    """Yield a sentence for each kind of groups on which answers exceed the budget in seconds, or grow faster than n^1.5.

    After an assignor fails on a group or declines it, it gets no larger groups of that kind. A timeout exceeds the budget too.
    `clock` returns seconds.
    """
    for kind, make in growing.items():
        try:
            times = measure_curve(assign, make, clock)
            steepest = _measure_power(times)
            words = ", ".join(f"{taken:.2g}" for taken in times) + " s as it doubles"
            if times and times[-1] > budget_s:
                yield f"{kind}: an answer takes {times[-1]:.1f} s, above the budget of {budget_s:g} s ({words})"
            elif (
                steepest > POWER + INACCURACY
                and (again := _measure_power(measure_curve(assign, make, clock))) > POWER + INACCURACY
            ):
                power = min(steepest, again)
                yield f"{kind}: the time grows as n^{power:.1f}, faster than n^{POWER:g} ({words})"
        except DiedError as death:
            yield f"{kind}: {str(death).partition(';')[0]}"


def measure_curve(assign: Assign, make: Growing, clock: Clock = time.perf_counter) -> list[float]:
    """Return the seconds of an answer to the smallest group, to a group of twice its size, and so on until it fails or is too slow.

    Raises DiedError if the target dies or does not answer in time.
    """
    times: list[float] = []
    try:
        for size in (1 << doubling for doubling in range(SIZES)):
            times.append(measure_seconds(assign, make(assign, size), clock))
            if times[-1] > LIMIT_S:
                break
    except DiedError:
        raise
    except (AssignorError, SkippedError):
        pass  # The property crash_free reports it.
    return times


def measure_seconds(assign: Assign, group: Any, clock: Clock = time.perf_counter) -> float:
    """Return the median time of a few answers, in seconds; a slow answer is measured once."""
    taken: list[float] = []
    while len(taken) < REPEATS and (not taken or taken[0] <= LIMIT_S):
        start = clock()
        assign(group)
        taken.append(clock() - start)
    return median(taken)


def _measure_power(times: list[float]) -> float:
    """Return the largest power with which the time grew in DOUBLINGS consecutive doublings; 0 if there are fewer doublings."""
    powers = [log2(then / now) for now, then in pairwise(times) if now >= FLOOR_S]
    return max((min(powers[at : at + DOUBLINGS]) for at in range(len(powers) - DOUBLINGS + 1)), default=0.0)


Result: TypeAlias = Finding | Verdict | Distance | Tally | Unheld
Report: TypeAlias = Callable[[int], None]
"""Called with the number of groups so far."""
News: TypeAlias = Callable[[int | str], None]
"""Called with the number of groups so far, and with a sentence on the first broken promise."""
TIME = "time"
"""The name of the verdict on response times. It is not a property of a group."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a check."""

    examples: int
    seed: int
    properties: tuple[str, ...]
    """Patterns of the properties to check. Empty: the promised ones, or all with `everything`."""
    promises: frozenset[str] | None
    """Patterns that replace the promises of the targets."""
    options: Options
    against: str | None = None
    """The target that all others should equal."""
    promises_of: str | None = None
    """The reference whose promises replace the promises of the targets."""
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Promise -> further situations in which it is known to be broken."""
    everything: bool = False
    timed: bool = False
    """True to check response times too."""
    alone: bool = False
    """True if there is one target only. If it cannot be opened, that is wrong usage: no other target loses its verdict."""
    like_kafka: bool = False
    """True if known defects of `promises_of` excuse any target. By default they excuse only Kafka's own classes."""
    sampled: bool = False
    """True to check the slowest laws on a sample. It is the default if neither groups nor properties are chosen."""
    more_seeds: tuple[int, ...] = ()
    """Further seeds; `examples` groups are generated for each."""
    failures: tuple[Failure, ...] = ()
    """The failures of earlier runs. Their groups are checked first."""
    before: tuple[Any, ...] = ()
    """The groups that one instance answers before each given group."""
    fixtures: Callable[[Family], Sequence[Any]] | None = None
    """Returns the groups of a family's fixtures. A sampled check takes them before generated groups."""


def parse_exceptions(texts: Sequence[str]) -> dict[str, frozenset[str]]:
    """Parse ``PROPERTY=SITUATION`` options; raises InputError naming an option of another form."""
    found: dict[str, frozenset[str]] = {}
    for text in texts:
        name, sign, term = text.partition("=")
        if not sign or not name or not term:
            raise InputError(
                f"--except {text}: is not PROPERTY=SITUATION. Write one such as stable=racks_decide: `kassay list` shows both"
            )
        found[name] = found.get(name, frozenset()) | {term}
    return found


def check_target(
    spec: str, plan: Plan, given: Sequence[Read], report: News, cache: GroupCache | None = None
) -> Iterator[Result]:
    """Check one target in this process; for a target that does not start, every promise is an error.

    With a `cache`, the checks of several targets share what does not depend on the target.
    Raises InputError if the plan names an unknown thing, or if the only target does not exist.
    """
    with ExitStack() as stack:
        try:
            target = stack.enter_context(open_target(spec, plan.options))
            of_target = _open_family(target, plan, stack)
        except (TargetGoneError, InputError) as wrong:
            if isinstance(wrong, InputError) and plan.alone:
                raise
            yield from list_errors(spec, plan, str(wrong))
            return
        groups = [(get_group_name(read), build_group(read, of_target)) for read in given]
        yield from _check_groups(target, of_target, plan, groups, report, report, cache)


def check_opened(
    target: Target, plan: Plan, given: Sequence[tuple[str, Any]], report: Report
) -> Iterator[Result]:
    """Check an open target, on named groups and generated ones; raises InputError if the plan is wrong."""
    with ExitStack() as stack:
        yield from _check_groups(target, _open_family(target, plan, stack), plan, given, report)


def _open_family(target: Target, plan: Plan, stack: ExitStack) -> Family:
    """Return the family of a target; with --against, it has one more law: the target answers as the other one."""
    of_target = family(target.family)
    refuse_unknown(target.except_in, of_target)
    if plan.against is None:
        return of_target
    return with_equality(of_target, target, stack.enter_context(open_target(plan.against, plan.options)))


SOON = 100
"""A check of more groups says its first broken promise as soon as it is found."""


def _check_groups(
    target: Target,
    of_target: Family,
    plan: Plan,
    given: Sequence[tuple[str, Any]],
    report: Report,
    told: Callable[[str], None] = lambda _: None,
    cache: GroupCache | None = None,
) -> Iterator[Result]:
    # Known defects of Kafka excuse its own classes, and the references of these.
    is_kafkas = target.name.startswith(KAFKAS) or target.name.partition("@")[0] in ASSIGNORS
    promises = select_promises(
        plan, of_target, read_promises(target, of_target), kafkas=plan.like_kafka or is_kafkas
    )
    asked = select_properties(plan, of_target, promises)
    for item in check(
        target,
        of_target,
        examples=plan.examples,
        seed=plan.seed,
        more_seeds=plan.more_seeds,
        again=read_failed_groups(plan.failures, target.name, asked, of_target),
        given=given,
        before=plan.before,
        first=plan.fixtures(of_target)
        if plan.fixtures and plan.sampled and plan.examples and not plan.properties
        else (),
        wanted=asked,
        promises=promises,
        measured=not plan.properties,
        sampled=plan.sampled and not plan.properties,
        lives=not plan.properties,
        progress=report,
        # A check of a few groups ends at once, and its result says the same.
        told=told if plan.examples > SOON else lambda _: None,
        cache=cache,
    ):
        if isinstance(item, Finding) and item.property == EQUAL:
            yield replace(item, against=plan.against)
        else:
            yield item
    none_of_its_own = target.promises is None and plan.promises is None and plan.promises_of is None
    if none_of_its_own and not plan.properties:
        found = check_undeclared(target, of_target, plan.seed, plan.examples, given)
        if found is not None:
            yield found
    if plan.timed:
        yield _check_time(target, of_target, plan.options.timeout_s)


def _check_time(target: Target, of_target: Family, budget_s: float) -> Verdict:
    """Check each kind of growing groups; on a kind that the target declares as slow, a breach is a known defect."""
    said: dict[str, str] = {}
    kinds = len(of_target.growing)
    gone = ""
    for kind, make in of_target.growing.items():
        target.account.renew()  # Each kind has the whole budget.
        try:
            told = next(find_slow(target.assign, {kind: make}, budget_s=budget_s, clock=target.clock), "")
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


def list_errors(spec: str, plan: Plan, why: str) -> Iterator[Result]:
    """Yield the results of a target that could not be checked: every promise is an error."""
    of_target = family(plan.options.family)
    promises = select_promises(plan, of_target, Promises(of_target.expected))
    for name in select_properties(plan, of_target, promises):
        if name in promises.names:
            yield Verdict(spec, name, ERRORED, why)
        else:
            yield Verdict(spec, name, NOT_PROMISED)
    yield Tally(spec, 0, {}, {})


KAFKAS = ("kafka:", "maven:org.apache.kafka:")
"""The first letters of the names of Kafka's own classes."""


def select_promises(plan: Plan, of_target: Family, own: Promises, *, kafkas: bool = False) -> Promises:
    """Return the promises to check, which may replace the target's own; raises InputError if the plan names an unknown thing.

    A target that is checked for the promises of a reference is excused by the limits of that reference only.
    """
    if plan.promises is not None:
        held_to = Promises(_match_properties(plan.promises, of_target))
    elif plan.promises_of is not None:
        reference = open_reference(plan.promises_of)
        if reference.family != of_target.name:
            raise InputError(
                f"--promises-of {plan.promises_of}: is of the {reference.family} family, what is checked of {of_target.name}. "
                f"Name one of {of_target.name}'s, as kassay list shows them"
            )
        if kafkas:
            held_to = build_promises(
                reference.promises, reference.except_in, of_target, plan.promises_of, limits=reference.limits
            )
        else:
            limits = {name: reference.except_in[name] for name in reference.limits}
            held_to = Promises(reference.promises or frozenset(), limits, limits, limits=reference.limits)
    else:
        held_to = own
    names = held_to.names | ({EQUAL} if plan.against is not None and plan.promises is None else frozenset())
    more = {name: held_to.list_situations(name) | plan.except_in.get(name, frozenset()) for name in names}
    refuse_unknown(plan.except_in, of_target)
    return replace(
        held_to,
        names=names,
        except_in={name: terms for name, terms in more.items() if terms},
        limits=held_to.limits - plan.except_in.keys(),
        wholly={**held_to.wholly, **{name: terms for name, terms in plan.except_in.items() if name in names}},
    )


def select_properties(plan: Plan, of_target: Family, promises: Promises) -> list[str]:
    """Return the properties to check, in the family's order; raises InputError if a pattern matches none."""
    if plan.properties:
        names: Collection[str] = _match_properties(plan.properties, of_target)
    else:
        names = of_target.properties if plan.everything else promises.names
    return [name for name in of_target.properties if name in names]


def _match_properties(patterns: Iterable[str], of_target: Family) -> frozenset[str]:
    known = list(of_target.properties)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise InputError(
                describe_missing(f"{of_target.name} promise", pattern, known, "kassay list promises")
            )
    return frozenset(name for name in known if any(fnmatchcase(name, pattern) for pattern in patterns))
