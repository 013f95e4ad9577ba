"""The test of one target: every property is checked on every group, and violations are counted by their cause.

Recorded known defects are the smallest groups found for each exception to a promise of an assignor of kassay's; ``python tests/record.py --write``
writes them. A group that is shown is checked again.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec

from kassay.engine.differential import EQUAL
from kassay.engine.finding import BreachSummary, Cause, Finding, select_causes
from kassay.engine.group_cache import GroupCache, find_situations
from kassay.engine.judge import CRASH_FREE, Breach, cache_answers, judge, judge_group
from kassay.engine.lives import Memory
from kassay.engine.promises import UNEXCUSED, Promises
from kassay.engine.verdict import Dimension, Distance, Tally, Verdict
from kassay.errors import DiedError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.family import Family, Oracles
from kassay.families.shape import Assign
from kassay.model import AssignorError
from kassay.oracles.answers import Optima
from kassay.output.block import BROKEN, ERRORED, KEPT, KNOWN_DEFECT, LIMIT, NOT_PROMISED, SKIPPED
from kassay.properties.minimise import minimise
from kassay.sentences import end_sentence
from kassay.targets.target import Target, read_outcome


class Defect(NamedTuple):
    """A recorded defect: an assignor breaks a property in a situation. The group shows it, and meets no other exception."""

    assignor: str
    property: str
    term: str
    group: Any

    def __str__(self) -> str:
        return f"{self.assignor} {self.property} {self.term}"


class _Form(msgspec.Struct, forbid_unknown_fields=True):
    assignor: str
    property: str
    term: str
    group: dict[str, Any]


@cache
def _read_forms() -> list[_Form]:
    return msgspec.json.decode(
        files(__package__).joinpath("known_defects.json").read_bytes(), type=list[_Form]
    )


def read_defects(assignor: str | None = None) -> list[Defect]:
    """Read all recorded defects, or the defects of one assignor, in the order of the file."""
    return [
        Defect(one.assignor, one.property, one.term, _read_group(one))
        for one in _read_forms()
        if assignor in {None, one.assignor}
    ]


def find_recorded(target: str, promise: str, met: Collection[str]) -> list[Any]:
    """Return the groups recorded for any of these terms of a promise, smallest first; a term may join situations with +.

    A release has no records of its own: it gets the groups of the newest release.
    """
    assignor = target.partition("@")[0]
    found = [
        one
        for one in _read_forms()
        if (one.assignor, one.property) == (assignor, promise) and one.term in met
    ]
    return [_read_group(one) for one in sorted(found, key=lambda one: len(msgspec.json.encode(one.group)))]


def _read_group(one: _Form) -> Any:
    of_family = one.assignor.partition("/")[0]
    return family(of_family).shape.read_group({"family": of_family} | one.group)


OF_ONE_RUN = frozenset({CRASH_FREE, EQUAL})
"""Laws that need one run only, on the group itself."""
RECENT = 100
"""The number of groups that are noted at the start and before each breach."""
WHOLE = 1000
"""The share of all groups, in thousandths."""
CHECK_SHARE = 0.5
"""The share of a target's time and crashes that may be spent on checking; the rest is for minimisation."""


@dataclass
class Trial:
    """The test of one target: the groups tried so far, and the violations by cause.

    `wanted` are the properties to check; `wall_s` bounds each minimisation, in seconds.
    """

    target: Target
    family: Family
    wanted: Sequence[str]
    promises: Promises
    seed: int
    wall_s: float = 20.0
    measured: bool = False
    """True to measure distances: of each given group, and of a sample of the others."""
    sampled: bool = False
    """True to check laws of several runs on the family's share of the generated groups, and slow assignors on small groups only."""
    recorded: bool = True
    """True to show known defects of a reference by their recorded groups, False to minimise again."""
    told: Callable[[str], None] = lambda _: None
    """Called with a sentence on the first broken promise."""
    cache: GroupCache | None = None
    """The facts of groups that other targets are checked on, too."""
    convicted: bool = False
    """True if a promise is broken, without an exception that excuses it, on a group that was not given."""
    groups: int = 0
    drawn: int = 0
    asked: int = 0
    """The number of groups whose distances were asked for."""
    by_laws: int = 0
    answered: int = 0
    declined: Counter[str] = field(default_factory=Counter)
    situations: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    seen: dict[Cause, BreachSummary] = field(default_factory=dict)
    distances: dict[str, Distance] = field(default_factory=dict)

    memories: dict[str, Memory] = field(default_factory=dict)
    """Property -> the sequence on which only a long-lived instance breaks it."""
    by_memory: Counter[str] = field(default_factory=Counter)
    """Property -> the number of groups that break it only after others."""
    rebalances: int | None = None
    unplayed: str = ""
    first: list[Any] = field(default_factory=list)
    """The first groups that the target was asked about, if it runs in a process of its own."""
    _recent: deque[Any] = field(default_factory=lambda: deque(maxlen=RECENT))
    again: dict[str, dict[str, str]] = field(default_factory=dict)
    """Name of each group on which the target failed before -> promise -> its outcome now."""
    dimensions: dict[str, Dimension] = field(default_factory=dict)
    _has_told: bool = False
    _due: int = 0
    """The accumulated share, in thousandths, since the last group that was checked against all laws."""

    def __post_init__(self) -> None:
        self.target.account.share = CHECK_SHARE
        self.dimensions = {
            name: Dimension(least) for name, (least, _) in self.family.shape.dimensions.items()
        }
        self.target = replace(self.target, assign=self._log(self.target.assign))
        levels = self.family.oracles.levels if self.measured and self.family.oracles else ()
        self.distances = {
            level: Distance(self.target.name, level, words=self.family.level(level)) for level in levels
        }

    def _log(self, assign: Assign) -> Assign:
        """Return the function, which also notes the groups; a target of this process cannot be started anew, so they are not needed."""
        if self.target.anew is None:
            return assign

        def answer(group: Any) -> Any:
            if len(self.first) < RECENT:
                self.first.append(group)
            self._recent.append(group)
            return assign(group)

        return answer

    def judge(
        self, group: Any, given: str = "", *, again: bool = False, large: bool = False, shared: bool = False
    ) -> None:
        """Check the wanted properties on one group; a property that is not promised is checked until it first fails.

        If sampled, laws of several runs are checked on a share of the groups. A group that the target declines is only counted.
        `given` is the name of a given group, and empty for a generated one. Other targets are checked on a `shared` group, too.

        A group with `again` failed in an earlier run. It is not measured, because it was minimised in order to fail. If the target
        dies on another group that a law derives from this one, crash_free is checked on that group too. A group with `large` is not
        measured, because a proof may take long. It is checked against laws of several runs only if the family checks all groups
        against them, or without sampling.
        Raises TargetGoneError if the target exceeds its limits or cannot be started again.
        """
        broken = {cause.property for cause in self.seen}
        whole = bool(given) or not self.sampled or self._is_chosen_for_laws(group, large=large)
        names = [
            name
            for name in self.wanted
            if (name in self.promises.names or name not in broken)
            and (whole or name in OF_ONE_RUN or name not in self.family.laws)
        ]
        oracles = None if again or large else self._choose_oracles(group, given)
        cache = self.cache if shared else None
        optima = None if oracles is None else partial(self._find_optima, oracles, group, cache)
        watched = replace(self.target, assign=self._watch_deaths(group))
        before = tuple(self._recent)
        found = judge_group(self.family, watched, self.promises, group, lambda _: names, optima=optima)
        if isinstance(found.failure, SkippedError):
            self.declined[str(found.failure)] += 1
            return
        self.answered += found.failure is None
        self.groups += 1
        self.drawn += not given and not large
        self.asked += oracles is not None
        self.by_laws += whole
        for name, (_, measure) in self.family.shape.dimensions.items():
            self.dimensions[name] = self.dimensions[name].with_value(measure(group))
        self.situations.update(
            find_situations(self.family, group)
            if cache is None
            else cache.find_situations(self.family, group)
        )
        self._note_breaches(group, found.breaches, given, before, again=again)
        if again:
            self.again[given] = {name: self._classify(name, one) for name, one in found.breaches.items()}
        if found.gone is not None:
            raise found.gone
        if oracles is not None and (found.settled is None or not found.settled.right):
            self.distances |= {level: self.distances[level].without_answer() for level in oracles.levels}
        for gap in (found.settled.gaps if found.settled else None) or ():
            known = self.distances.setdefault(
                gap.level, Distance(self.target.name, gap.level, words=gap.words)
            )
            self.distances[gap.level] = known.with_gap(gap)
        if oracles is not None and found.settled and found.settled.unproved:
            why = found.settled.unproved
            self.distances |= {level: self.distances[level].without_optimum(why) for level in oracles.levels}

    def _is_chosen_for_laws(self, group: Any, *, large: bool) -> bool:
        """Return True if a sampled check asks laws of several runs of this group: they are slow, so the family says of which share."""
        share = self.family.share(group)
        if large:
            return share >= WHOLE
        self._due += share
        chosen = self._due >= WHOLE
        self._due -= WHOLE * chosen
        return chosen

    def _note_breaches(
        self,
        group: Any,
        breaches: Mapping[str, Breach | None],
        given: str,
        before: tuple[Any, ...],
        *,
        again: bool,
    ) -> None:
        for name, breach in breaches.items():
            self.judged[name] += 1
            if breach is None:
                continue
            if name in self.promises.names and not breach.met:
                self.convicted |= not given
                if not self._has_told:
                    self._has_told = True
                    said = end_sentence(f"{self.target.name} breaks {name}: {breach.messages[0]}")
                    self.told(f"{said} The check goes on.")
            self.note(name, group, breach, "" if again else given, before, least=again)

    def is_affordable(self, group: Any) -> bool:
        """Return True if the group is small enough: an assignor that searches may take minutes for a large group."""
        oracles = self.family.oracles
        return not self.sampled or self.target.costs == 1 or oracles is None or oracles.quick(group)

    def play_step(self, group: Any) -> Any:
        """Return the target's answer to a step of a timeline; a group that is too large ends the timeline."""
        if not self.is_affordable(group):
            raise SkippedError("so large a group is not tried by default")
        return self.target.assign(group)

    def _choose_oracles(self, group: Any, given: str) -> Oracles | None:
        """Return the oracles if this group is to be measured."""
        oracles = self.family.oracles if self.measured else None
        if oracles is None or given:
            return oracles
        # A slow target is tried on fewer groups. So a larger share of them is measured.
        every = max(1, oracles.every // self.target.costs)
        return oracles if self.drawn % every == 0 and oracles.quick(group) else None

    def _find_optima(self, oracles: Oracles, group: Any, cache: GroupCache | None) -> Optima:
        find = partial(oracles.measured, group, oracles.weights)
        return find() if cache is None else cache.find_optima(self.family, group, find)

    def _watch_deaths(self, group: Any) -> Assign:
        """Return the target's assign function, which also notes a death on any other group than this one."""

        def assign(asked: Any) -> Any:
            try:
                return self.target.assign(asked)
            except DiedError as death:
                if asked != group and CRASH_FREE in self.wanted:
                    self._note_death(asked, death)
                raise

        return assign

    def _note_death(self, group: Any, death: DiedError) -> None:
        def dies(_: Any) -> Any:
            raise death

        exceptions = self.promises.select_exceptions(CRASH_FREE)
        breach = judge(self.family, CRASH_FREE, group, dies, self.target, exceptions)
        self.judged[CRASH_FREE] += 1
        if breach:
            self.note(CRASH_FREE, group, breach)

    def note(
        self, name: str, group: Any, breach: Breach, given: str = "", before: tuple[Any, ...] | None = None,
        *, least: bool = False,
    ) -> None:  # fmt: skip
        """Count a breach, and keep the smallest group of its cause with the groups that were asked before it."""
        earlier = tuple(self._recent)[:-1] if before is None else before
        cause = Cause(name, breach.cause, breach.met)
        size = len(msgspec.json.encode(self.family.write_group(group)))
        seen = self.seen.setdefault(
            cause, BreachSummary(group, breach, size, given, self.seed, least, earlier)
        )
        seen.count += 1
        seen.given = seen.given or given
        if size < seen.size:
            seen.group, seen.breach, seen.size = group, breach, size
            seen.seed, seen.least, seen.before = self.seed, least, earlier

    def _classify(self, name: str, breach: Breach | None) -> str:
        if breach is None:
            return KEPT
        if name not in self.promises.names:
            return NOT_PROMISED
        return (LIMIT if name in self.promises.limits else KNOWN_DEFECT) if breach.met else BROKEN

    def findings(self) -> list[Finding]:
        """Return findings for up to three broken and three known causes of each property, with minimised groups.

        Known defects use recorded groups, if they still fail. Causes with the same smallest group become one finding.
        """
        self.target.account.share = 1.0
        found: dict[tuple[str, Any], Finding] = {}
        for name in self.wanted:
            causes = [cause for cause in self.seen if cause.property == name]
            for cause in select_causes(causes, lambda cause: self.seen[cause].count):
                one = self._minimise(cause, self.seen[cause])
                same = found.get((name, one.group))
                if same:  # as it was seen: outside all exceptions if either was
                    seen_in = {*same.seen_in, *one.seen_in} if same.seen_in and one.seen_in else ()
                    one = replace(same, count=same.count + one.count, seen_in=tuple(sorted(seen_in)))
                found[name, one.group] = one
            if name in self.memories:
                found[name, None] = self._describe_memory(name, self.memories[name])
        order = {name: at for at, name in enumerate(self.wanted)}
        return sorted(found.values(), key=lambda one: (order[one.property], one.known, -one.count))

    def _describe_memory(self, name: str, memory: Memory) -> Finding:
        exceptions = self.promises.select_exceptions(name)
        answer = read_outcome(memory.assign, memory.group)
        return Finding(
            self.target.name, self.target.family, name, True, memory.group,
            None if isinstance(answer, Exception) else answer, memory.breach.messages,
            self.seed, memory.finished, except_in=tuple(sorted(exceptions.terms)), count=max(1, self.by_memory[name]),
            stack=memory.breach.stack, of_limit=name in self.promises.limits, before=memory.before,
            wholly=tuple(sorted(exceptions.wholly)), beside=exceptions.beside.name if exceptions.beside else "",
            runs=memory.breach.runs,
        )  # fmt: skip

    def _minimise(self, cause: Cause, seen: BreachSummary) -> Finding:
        """Minimise the smallest group of a cause. Each smaller group fails in the same way and meets no further excepted situation."""
        exceptions = self.promises.select_exceptions(cause.property)

        def breach(candidate: Any) -> Breach | None:
            with suppress(AssignorError, SkippedError):
                assign = cache_answers(self.target.assign)
                found = judge(self.family, cause.property, candidate, assign, self.target, exceptions)
                if found and found.cause == cause.failure and found.met <= cause.met:
                    return found
            return None

        group, shown, assignment, smallest = seen.group, seen.breach, None, False
        with suppress(TargetGoneError):  # If the target is gone, keep the first group that failed.
            known = self._find_recorded(cause, breach)
            if known is not None:
                (group, shown), smallest = known, True
            elif seen.least:
                smallest = True
            else:
                least = minimise(
                    group,
                    lambda candidate: breach(candidate) is not None,
                    self.family.shape.smaller,
                    wall_s=self.wall_s,
                )
                again = breach(least.group)
                if again:
                    group, shown, smallest = least.group, again, least.finished
            with suppress(AssignorError, SkippedError):
                assignment = self.target.assign(group)
        promised = cause.property in self.promises.names
        return Finding(
            self.target.name, self.target.family, cause.property, promised, group, assignment, shown.messages, seen.seed,
            smallest, except_in=tuple(sorted(exceptions.terms)), met=tuple(sorted(shown.met)),
            count=seen.count, given=seen.given, stack=shown.stack,
            wholly=tuple(sorted(exceptions.wholly)), beside=exceptions.beside.name if exceptions.beside else "",
            seen_in=tuple(sorted(cause.met)), of_limit=cause.property in self.promises.limits, runs=shown.runs,
        )  # fmt: skip

    def _find_recorded(
        self, cause: Cause, breach: Callable[[Any], Breach | None]
    ) -> tuple[Any, Breach] | None:
        """Return the smallest recorded group on which the target still fails in this way, and the breach; None if no group is left."""
        if not (self.recorded and cause.met and cause.property in self.promises.names):
            return None
        for group in find_recorded(self.target.name, cause.property, cause.met):
            again = breach(group)
            if again and again.met:
                return group, again
        return None

    def verdicts(self, findings: Sequence[Finding], gone: str | None) -> Iterator[Verdict]:
        """Yield the verdict of each property; `gone` is the reason why the target could not be checked to the end."""
        for name in self.wanted:
            found = [one for one in findings if one.property == name]
            outcome, said = self._decide_outcome(name, found, gone)
            known = outcome in {KNOWN_DEFECT, LIMIT}
            breaches = sum(
                seen.count
                for cause, seen in self.seen.items()
                if cause.property == name and bool(cause.met) is known
            ) + sum(one.count for one in found if one.before)
            yield Verdict(
                self.target.name, name, outcome, said, tuple(sorted(self.promises.list_situations(name))), self.judged[name],
                breaches, sum(one.count for one in found if outcome == BROKEN and one.left_its_exceptions),
            )  # fmt: skip

    def _decide_outcome(self, name: str, found: Sequence[Finding], gone: str | None) -> tuple[str, str]:
        first, *more = found[0].messages if found else [""]
        said = "; ".join([first, *(sentence for sentence in more if sentence.startswith(UNEXCUSED))])
        if name not in self.promises.names:
            return NOT_PROMISED, said
        if found:
            return found[0].outcome, said
        if gone is not None:
            return ERRORED, gone
        if not self.groups:
            return SKIPPED, f"nothing was tried: {', '.join(self.declined) or 'there was no group'}"
        if not self.answered:
            return SKIPPED, "it answered none of the groups"
        if not self.judged[name]:
            return SKIPPED, f"it answered none of the groups that {name} asks about"
        return KEPT, ""

    def tally(self) -> Tally:
        """Return how much was tried; it lists all situations in the family's order, also with count 0."""
        met = {name: self.situations[name] for name in self.family.situations}
        sampled = self.by_laws if self.by_laws < self.groups else None
        return Tally(
            self.target.name,
            self.groups,
            dict(sorted(self.declined.items())),
            met,
            sampled,
            self.again,
            self.dimensions,
            self.rebalances,
            self.unplayed,
        )
