"""Judging: from a group's place in a run to its rows, the same wherever it is done."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from kassay.engine.except_in import terms_met
from kassay.engine.judge import judge, remembering
from kassay.engine.promises import Promises, held
from kassay.errors import InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.family import Family
from kassay.model import AssignorError
from kassay.oracles.answers import Optima
from kassay.oracles.failures import OracleError
from kassay.reports.sweep import rows as columns
from kassay.reports.sweep.abort import Stop, StopError
from kassay.reports.sweep.invoke import Outcome, ask, opened
from kassay.reports.sweep.manifest import Run
from kassay.reports.sweep.places import Place, drawn, first_group, place, sampled
from kassay.targets import Target

Row: TypeAlias = dict[str, Any]


@dataclass
class Seen:
    """A group and what is the same for every answer to it, found when it is first needed."""

    forms: Family
    group: Any
    levels: Sequence[str]

    @cached_property
    def facts(self) -> Row:
        """Its size and its situations."""
        assert self.forms.shape.sampler is not None
        members, topics, partitions = (count(self.group) for count in self.forms.shape.sizes.values())
        met = [name for name, holds in self.forms.situations.items() if holds(self.group)]
        return {"members": members, "topics": topics, "partitions": partitions, "situations": met}

    @cached_property
    def optima(self) -> Optima | None:
        """Its optima, None where they are not asked for or were not proved."""
        if not self.levels or self.forms.oracles is None:
            return None
        try:
            return self.forms.oracles.optima(self.group)
        except OracleError:
            return None


@dataclass
class Judge:
    """Judges groups of one run with targets that are open."""

    run: Run
    targets: Sequence[Target]
    forms: Family = field(init=False)
    promises: dict[str, Promises] = field(init=False)

    def __post_init__(self) -> None:
        self.forms = family(self.run.family)
        self.promises = {each.name: held(each.promises, each.except_in, self.forms) for each in self.targets}

    def rows(self, at: Place) -> Iterator[Row]:
        """Yield the rows of one group: each target's, step by step until its timeline ends or it fails."""
        timeline = drawn(self.forms, self.run.cells[at.cell], at.seed)
        first = Seen(self.forms, first_group(self.forms, timeline), self.run.levels)
        program = self._program(first, at) if sampled(self.run, at, self.run.sample.programs) else None
        for target in self.targets:
            for row in self._played(target, timeline, first, at):
                if row["step"] == 0:
                    row.update(self._further(target, first.group, at, row))
                    row["program"] = program if row["certified"] else None
                yield row

    def _further(self, target: Target, group: Any, at: Place, row: Row) -> Row:
        """Try laws and rounds on the first group, where it is in the sample."""
        laws = self._laws(target, group, row) if sampled(self.run, at, self.run.sample.laws) else {}
        answered = row["status"] in columns.ANSWERED
        asked = answered and sampled(self.run, at, self.run.sample.rounds)
        return {**laws, "rounds": self._rounds(target, group) if asked else None}

    def _played(self, target: Target, timeline: Any, first: Seen, at: Place) -> Iterator[Row]:
        outcome = Outcome(0)

        def answered(_: Any) -> Any:
            if outcome.failure is not None:
                raise outcome.failure
            return outcome.assignment

        try:
            for step, group in enumerate(self.forms.shape.play(answered, timeline)):
                seen = Seen(self.forms, group, self.run.levels) if step else first
                outcome = ask(target, group)
                yield self._row(target, seen, at, step, outcome)
        except (AssignorError, SkippedError):
            return  # what it failed with stands in its last row

    def _row(self, target: Target, seen: Seen, at: Place, step: int, outcome: Outcome) -> Row:
        run, levels = self.run, self.run.levels
        row = {
            "id": at.id, "cell": at.cell, "seed": at.seed, "step": step, "target": target.name, "status": outcome.status,
            "message": outcome.message, **seen.facts, "broken": [], "laws_broken": None, "unjudged": [], "known": [],
            "measures": {}, "optima": {},
            "values": {}, "certified": None, "program": None, "rounds": None, "micros": outcome.micros,
        }  # fmt: skip
        if outcome.failure is not None:
            row["known"] = (
                self._known(target, [columns.CRASH_FREE], seen) if outcome.status in columns.FAILED else []
            )
            return row
        answer = outcome.assignment
        row["broken"] = self._broken(self.forms.invariants, seen.group, answer)
        row["known"] = self._known(target, row["broken"], seen)
        if not self.forms.legal.isdisjoint(row["broken"]):
            row["status"], answer, row["message"] = self._settled(target, seen.group, answer)
        row["measures"] = {name: self.forms.measures[name](seen.group, answer) for name in run.measures}
        if levels and row["status"] in columns.WHOLE:
            row |= self._gaps(seen, answer)
        return row

    def _broken(self, names: Iterable[str], group: Any, answer: Any) -> list[str]:
        return [name for name in names if next(self.forms.invariants[name](group, answer), None) is not None]

    def _settled(self, target: Target, group: Any, answer: Any) -> tuple[str, Any, str | None]:
        """Ask again where an answer only withholds what members have yet to give up; else it stands, illegal."""
        again = self.forms.rejoined(group, answer)
        if again is None:
            return "illegal", answer, None
        following = ask(target, again)
        if following.failure is not None:
            return "illegal", answer, f"when asked again: {following.message}"
        if self._broken(self.forms.legal, group, following.assignment):
            return "illegal", answer, None
        return "settled", following.assignment, None

    def _gaps(self, seen: Seen, answer: Any) -> Row:
        if seen.optima is None:
            return {"certified": False}
        gaps = [gap for gap in seen.optima.gaps(answer) if gap.level in self.run.levels]
        return {
            "optima": {columns.field(gap.level): gap.optimum for gap in gaps},
            "values": {columns.field(gap.level): gap.value for gap in gaps},
            "certified": True,
        }

    def _known(self, target: Target, broken: Iterable[str], seen: Seen) -> list[str]:
        """Return those of the broken properties that are known to be broken in a situation of the group."""
        met, promises = seen.facts["situations"], self.promises[target.name]
        return [name for name in broken if terms_met(met, promises.excepted(name))]

    def _laws(self, target: Target, group: Any, row: Row) -> Row:
        """Try every law; of a target that died on the group itself only that is said, for asking again takes as long."""
        if row["status"] in ("timeout", "died", "memory"):
            died = [name for name in self.forms.laws if name == columns.CRASH_FREE]
            return {"laws_broken": died, "unjudged": [name for name in self.forms.laws if name not in died]}
        assign, promises = remembering(target.assign), self.promises[target.name]
        found: dict[str, list[str]] = {"laws_broken": [], "unjudged": [], "known": list(row["known"])}
        for name in self.forms.laws:
            try:
                breach = judge(self.forms, name, group, assign, target, promises.excepted(name))
            except (AssignorError, SkippedError, TargetGoneError):  # where it is gone, its next row says so
                found["unjudged"].append(name)
                continue
            if breach:
                found["laws_broken"].append(name)
                if breach.met and name not in found["known"]:
                    found["known"].append(name)
        return found

    def _rounds(self, target: Target, group: Any) -> int | None:
        if "rounds" not in self.forms.run_measures:
            return None
        try:
            return self.forms.run_measures["rounds"](target.assign, group)
        except (AssignorError, SkippedError, TargetGoneError):
            return None

    def _program(self, seen: Seen, at: Place) -> str | None:
        """Hold the optima against a linear program; raises StopError with the group where they differ."""
        if seen.optima is None or self.forms.oracles is None:
            return None
        try:
            program = self.forms.oracles.programmed(seen.group)
        except OracleError:
            return "unsolved"
        if any(program[level] != least for level, least in seen.optima.least.items()):
            said = f"the optima of group {at.id} are {dict(seen.optima.least)}, but {dict(program)} by a linear program"
            raise StopError(Stop("disagreement", said, self.forms.write_group(seen.group)))
        return "agrees"


def group_of(run: Run, id_: int, step: int, target: str) -> Any:
    """Make the group of a row again, by playing its timeline with the target where it is a later step.

    Raises InputError where the run has no such row.
    """
    if not 0 <= id_ < run.groups:
        raise InputError(f"group {id_}: the sweep has groups 0 to {run.groups - 1}")
    at = place(run, id_)
    forms = family(run.family)
    timeline = drawn(forms, run.cells[at.cell], at.seed)
    if step == 0:
        return first_group(forms, timeline)
    with opened(target, run.family, run.timeout_s, run.memory_mb) as asked:
        try:
            for number, group in enumerate(forms.shape.play(asked.assign, timeline)):
                if number == step:
                    return group
        except (AssignorError, SkippedError):
            pass
    raise InputError(f"group {id_}: its timeline has no step {step} when played with {target}")
