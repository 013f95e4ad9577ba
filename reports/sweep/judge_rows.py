"""The evaluation of groups: from a group's location in a run to its rows, the same on every machine.

Targets have limits, and every failure has a status, so that each answer becomes a row.
"""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FrameType
from typing import Any, TypeAlias

from kassay.engine.judge import Judgement, NoAnswer, Settled, Wanted, judge_group
from kassay.engine.promises import Promises, read_promises
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.model import AssignorError
from kassay.oracles.answers import Gap, Optima
from kassay.oracles.errors import OracleError
from kassay.output.redaction import note_environment, redact
from kassay.reports.sweep import rows as columns
from kassay.reports.sweep.manifest import (
    Place,
    Run,
    Stop,
    StopError,
    draw_timeline,
    find_family,
    is_sampled,
    locate_group,
    play_timeline,
    start_timeline,
)
from kassay.targets import Limits, Options, Target, open_target

LONGEST = 300
"""The number of characters of a message that a row keeps."""
_MEMORY = ("MemoryError", "OutOfMemoryError", "std::bad_alloc", "Cannot allocate memory")


def open_limited(spec: str, family: str, timeout_s: float, memory_mb: int) -> Target:
    """Open a target with limits of time and memory; raises InputError or TargetGoneError if it cannot be opened.

    Reference assignors run in this process, within the time; all others run in other processes.
    """
    target = open_target(spec, Options(timeout_s, family=family, limits=Limits(memory_mb=memory_mb)))
    if ":" in spec:
        return target
    return replace(
        target, assign=limit_time(target.assign, timeout_s), again=limit_time(target.again, timeout_s)
    )


def survive_crashes(target: Target) -> Target:
    """Return the target, with a crash on the group instead of TargetGoneError: the row has a status, and the sweep continues."""

    def dying(assign: Assign) -> Assign:
        def answer(group: Any) -> Any:
            try:
                return assign(group)
            except TargetGoneError as gone:
                raise DiedError(str(gone)) from None

        return answer

    def instance() -> Assign:
        assert target.instance is not None
        try:
            return dying(target.instance())
        except TargetGoneError as gone:
            raise DiedError(str(gone)) from None

    return replace(
        target, assign=dying(target.assign), again=dying(target.again), instance=instance if target.instance else None
    )  # fmt: skip


def cut_message(failure: AssignorError | SkippedError) -> str:
    """Return the text of a failure for a row: shortened, and without the passwords that this process knows."""
    return redact(" ".join(str(failure).split()))[:LONGEST]


def classify_failure(failure: AssignorError | SkippedError) -> str:
    """Return the status of a failure."""
    if isinstance(failure, SkippedError):
        return "skipped"
    said = str(failure)
    if isinstance(failure, TooLateError) or (
        isinstance(failure, DiedError) and "gave no answer within" in said
    ):
        return "timeout"
    if any(word in said for word in _MEMORY):
        return "memory"
    return "died" if isinstance(failure, DiedError) else "refused"


class TooLateError(DiedError):
    """An assignor of this process gave no answer in time."""


def limit_time(assign: Assign, timeout_s: float) -> Assign:
    """Return the function with a time limit; only the main thread of a process can be interrupted."""

    def answer(group: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return assign(group)
        with _limit_seconds(timeout_s):
            return assign(group)

    return answer


@contextmanager
def _limit_seconds(timeout_s: float) -> Iterator[None]:
    def late(_signal: int, _frame: FrameType | None) -> None:
        raise TooLateError(f"it gave no answer within {timeout_s:g} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


Row: TypeAlias = dict[str, Any]


@dataclass
class GroupFacts:
    """A group and its facts that are the same for every answer, computed when they are first needed."""

    family: Family
    group: Any
    levels: Sequence[str]

    @cached_property
    def facts(self) -> Row:
        """Its sizes and its situations."""
        return {
            "size": {name: count(self.group) for name, count in self.family.shape.sizes.items()},
            "situations": [name for name, holds in self.family.situations.items() if holds(self.group)],
        }

    @cached_property
    def optima(self) -> Optima | None:
        """Its optima, or None if they are not compared or not proven."""
        if not self.levels or self.family.oracles is None:
            return None
        try:
            return self.family.oracles.measured(self.group, self.levels)
        except OracleError:
            return None


@dataclass
class Judge:
    """Evaluates groups of one run with open targets."""

    run: Run
    targets: Sequence[Target]
    family: Family = field(init=False)
    families: dict[str, Family] = field(init=False)
    promises: dict[str, Promises] = field(init=False)

    def __post_init__(self) -> None:
        note_environment()  # a Spark worker did not start as a command
        self.family = find_family(self.run)
        self.families = {each.name: family(each.family) for each in self.targets}
        self.targets = [survive_crashes(each) for each in self.targets]
        self.promises = {each.name: read_promises(each, self.families[each.name]) for each in self.targets}

    def rows(self, at: Place) -> Iterator[Row]:
        """Yield the rows of one group for each target, step by step until the timeline ends or the target fails."""
        timeline = draw_timeline(self.family, self.run.cells[at.cell], at.seed)
        first = GroupFacts(self.family, start_timeline(self.family, timeline), self.run.levels)
        program = (
            self._check_program(first, at) if is_sampled(self.run, at, self.run.sample.programs) else None
        )
        for target in self.targets:
            for row in self._play(target, timeline, first, at):
                if row["step"] == 0:
                    row["rounds"] = self._count_rounds(target, first.group, at, row["status"])
                    row["linear_program"] = program if row["proved"] else None
                yield row

    def _play(self, target: Target, timeline: Any, first: GroupFacts, at: Place) -> Iterator[Row]:
        found: Judgement

        def answered(_: Any) -> Any:
            if found.failure is not None:
                raise found.failure
            return found.answer

        try:
            for step, group in enumerate(play_timeline(self.family, answered, timeline)):
                seen = GroupFacts(self.family, group, self.run.levels) if step else first
                laws = not step and is_sampled(self.run, at, self.run.sample.laws)
                found = self._evaluate(target, seen, laws=laws)
                yield self._build_row(target, seen, at, step, found, laws=laws)
        except (AssignorError, SkippedError):
            return  # the last row has the failure

    def _evaluate(self, target: Target, seen: GroupFacts, *, laws: bool) -> Judgement:
        return judge_group(
            self.families[target.name], target, self.promises[target.name], seen.group,
            self._select_properties(target, laws=laws), optima=lambda: seen.optima, messages=1,
        )  # fmt: skip

    def _select_properties(self, target: Target, *, laws: bool) -> Wanted:
        """Check the invariants of every answer, and laws on the sample; after a crash no laws, since each would take as long."""
        own = self.families[target.name]

        def wanted(failure: NoAnswer | None) -> Iterator[str]:
            if failure is None:
                yield from own.invariants
            tried = laws and (failure is None or classify_failure(failure) not in columns.DEAD)
            for name in own.laws:
                if tried or (name == columns.CRASH_FREE and failure is not None):
                    yield name

        return wanted

    def _build_row(
        self, target: Target, seen: GroupFacts, at: Place, step: int, found: Judgement, *, laws: bool
    ) -> Row:
        own = self.families[target.name]
        breaches, tried = found.breaches, list(own.laws) if laws else []
        row = {
            "id": at.id, "cell": at.cell, "seed": at.seed, "step": step, "target": target.name, "status": "ok", "message": None,
            **seen.facts, "invariants_broken": [name for name in own.invariants if breaches.get(name)],
            "laws_broken": [name for name in tried if breaches.get(name)] if laws else None,
            "laws_unjudged": [name for name in tried if name not in breaches],
            "known_defects": [name for name, breach in breaches.items() if breach and breach.met],
            "measures": {}, "optima": {}, "values": {}, "proved": None, "linear_program": None, "rounds": None,
            "rebalances": None, "micros": found.micros,
        }  # fmt: skip
        if found.failure is not None:
            return row | {"status": classify_failure(found.failure), "message": cut_message(found.failure)}
        assert found.settled is not None  # a target that is gone counts as crashed
        row |= _classify_answer(found.settled)
        if row["status"] not in columns.ANSWERED:
            return row
        answer = found.settled.rest.answer if row["status"] in columns.LEGAL else found.answer
        row["measures"] = {name: self.family.measures[name](seen.group, answer) for name in self.run.measures}
        if self.run.levels and row["status"] in columns.LEGAL:
            row |= self._gaps(found.settled.gaps)
        return row

    def _gaps(self, gaps: Sequence[Gap] | None) -> Row:
        if gaps is None:
            return {"proved": False}
        if not gaps:  # provisional answers are not compared
            return {}
        wanted = [gap for gap in gaps if gap.level in self.run.levels and not gap.unsure]
        return {
            "optima": {columns.field(gap.level): gap.optimum for gap in wanted},
            "values": {columns.field(gap.level): gap.value for gap in wanted},
            "proved": True,
        }

    def _count_rounds(self, target: Target, group: Any, at: Place, status: str) -> int | None:
        rounds = self.family.run_measures.get(columns.ROUNDS)
        if rounds is None or status not in columns.ANSWERED:
            return None
        if not is_sampled(self.run, at, self.run.sample.rounds):
            return None
        try:
            return rounds(target.assign, group)
        except (AssignorError, SkippedError):
            return None

    def _check_program(self, seen: GroupFacts, at: Place) -> str | None:
        """Compare the optima with a linear program; raises StopError with the group if they differ."""
        if seen.optima is None or self.family.oracles is None:
            return None
        try:
            program = self.family.oracles.programmed(seen.group)
        except OracleError:
            return "unsolved"
        if any(program[level] != least for level, least in seen.optima.least.items()):
            said = f"the optima of group {at.id} are {dict(seen.optima.least)}, but {dict(program)} by a linear program"
            raise StopError(Stop("disagreement", said, self.family.write_group(seen.group)))
        return "agrees"


def _classify_answer(settled: Settled) -> Row:
    """Return the status of an answer, why there is no next answer, and the number of rebalances of a complete one."""
    rest, failure = settled.rest, settled.failure
    why = None if failure is None else f"when asked again: {cut_message(failure)}"
    if rest.illegal:
        return {"status": "illegal", "message": why}
    if failure is not None:
        return {"status": classify_failure(failure), "message": why}
    if not rest.at_rest:
        return {"status": "unsettled"}
    return {"status": "ok" if rest.rebalances == 1 else "settled", "rebalances": rest.rebalances}


def group_of(run: Run, id_: int, step: int, target: str) -> Any:
    """Return the group of a row; for a later step, play its timeline with the target.

    Raises InputError if the run has no such row.
    """
    if not 0 <= id_ < run.groups:
        raise InputError(f"group {id_}: is out of range. Give 0 to {run.groups - 1}.")
    at = locate_group(run, id_)
    family_ = find_family(run)
    timeline = draw_timeline(family_, run.cells[at.cell], at.seed)
    if step == 0:
        return start_timeline(family_, timeline)
    with open_limited(target, run.families[target], run.timeout_s, run.memory_mb) as opened_target:
        try:
            for number, group in enumerate(play_timeline(family_, opened_target.assign, timeline)):
                if number == step:
                    return group
        except (AssignorError, SkippedError):
            pass
    raise InputError(f"group {id_}: its timeline has no step {step} with {target}. Give an earlier step")
