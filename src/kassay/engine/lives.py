"""Targets that remember: a group after others on one instance, as a leader lives, and on a new one, as after a failover.

An answer counts as a breach of memory only if the long-lived instance breaks a promise that a new instance keeps on the same group. A target
may remember what it likes, as long as its promises hold.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from kassay.engine.judge import Breach, cache_answers, judge
from kassay.engine.promises import NONE, Exceptions
from kassay.errors import SkippedError
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.model import AssignorError
from kassay.properties.minimise import drop_some, list_lower, minimise
from kassay.sentences import format_count
from kassay.targets.target import Target, read_outcome

DETERMINISTIC = "deterministic"
SHRINK_S = 10.0
"""Seconds for the search of the smallest sequence of a property."""
CONFIRMATIONS = 3
"""How often answers that differ are compared again."""
Start: TypeAlias = Callable[[], Assign]
"""Starts a new instance of a target; the instance before it may end."""
History: TypeAlias = tuple[tuple[Any, ...], Any]
"""The groups that an instance answers first, and the group on which it is checked."""


def choose_start(target: Target) -> Start:
    """Return what starts a new instance: in a new process if there are any, else in this one; an assignor of kassay's remembers nothing."""
    anew = target.anew
    if anew is not None:
        return lambda: anew(0)
    return target.instance or (lambda: target.assign)


@dataclass(frozen=True, slots=True)
class Step:
    """A group of a timeline, the groups that the same instance answered before it, and its answer or failure."""

    before: tuple[Any, ...]
    group: Any
    outcome: Any


class _Instances:
    """The instances that answer a timeline one after another: a new one is started if another member leads."""

    def __init__(self, family: Family, start: Start) -> None:
        self._family, self._start = family, start
        self._assign: Assign | None = None
        self.last: Step | None = None

    def __call__(self, group: Any) -> Any:
        last = self.last
        if last is None or last.group is not group:
            before: tuple[Any, ...] = ()
            if last is not None and self._family.leads_on(last.group, last.outcome, group):
                before = (*last.before, last.group)
            if self._assign is None or not before:
                self._assign = self._start()
            self.last = last = Step(before, group, read_outcome(self._assign, group))
        if isinstance(last.outcome, Exception):
            raise last.outcome
        return last.outcome


def play_timeline(family: Family, start: Start, timeline: Any) -> Iterator[Step]:
    """Play a timeline on long-lived instances; it ends with the first group that has no answer."""
    instances = _Instances(family, start)
    with suppress(AssignorError, SkippedError):
        for group in family.shape.play(instances, timeline):
            with suppress(AssignorError, SkippedError):
                instances(group)
            assert instances.last is not None
            yield instances.last


@dataclass(frozen=True, slots=True)
class Memory:
    """A breach that depends on earlier groups: one instance answers `before`, and then breaks a property on `group`."""

    before: tuple[Any, ...]
    group: Any
    breach: Breach
    assign: Assign
    """The long-lived instance, which has its answer to the group."""
    finished: bool = True
    """True if no slightly smaller sequence breaks the property."""


@dataclass
class Comparison:
    """A property of a target, compared between a long-lived instance and a new one."""

    family: Family
    target: Target
    property: str
    start: Start
    exceptions: Exceptions = NONE
    _fresh: dict[Any, Any] = field(default_factory=dict)
    """Group -> the first answer of a new instance, or None if it does not keep the property."""

    def compare(self, before: Sequence[Any], group: Any) -> Memory | None:
        """Return how an instance breaks the property after other groups; None if a new instance breaks it too, or one does not answer."""
        instance = self.start()
        for each in before:
            read_outcome(instance, each)
        led = cache_answers(instance)
        try:
            breach = self._find_breach(group, led)
        except (AssignorError, SkippedError):
            return None
        if breach is None or breach.met:
            return None
        return Memory(tuple(before), group, _describe(breach, len(before), self.property), led)

    def _find_breach(self, group: Any, led: Assign) -> Breach | None:
        """Return the breach of an instance if a new one keeps the property.

        The long-lived instance is asked first: most candidates of a search end there.
        """
        if self.property == DETERMINISTIC:
            answer, fresh = led(group), self._find_fresh(group)
            return None if fresh is None or fresh == answer else self._judge(group, led, fresh)
        breach = self._judge(group, led, None)
        return None if breach is None or self._find_fresh(group) is None else breach

    def _find_fresh(self, group: Any) -> Any:
        if group not in self._fresh:
            self._fresh[group] = self._ask_anew(group)
        return self._fresh[group]

    def _ask_anew(self, group: Any) -> Any:
        """Return the answer of a new instance that keeps the property, else None."""
        fresh = cache_answers(self.start())
        try:
            answer = fresh(group)
            # One answer alone is always deterministic.
            kept = self.property == DETERMINISTIC or self._judge(group, fresh, answer) is None
        except (AssignorError, SkippedError):
            return None
        return answer if kept else None

    def _judge(self, group: Any, assign: Assign, fresh: Any) -> Breach | None:
        """Check the property; two answers of equal groups are the answer of a new instance and another one."""
        asked = replace(self.target, assign=lambda _: fresh, again=assign)
        return judge(self.family, self.property, group, assign, asked, self.exceptions)

    def find_memory(self, before: Sequence[Any], group: Any) -> Memory | None:
        """Return the breach if only the instance with earlier groups breaks the property, else None."""
        found = self.compare(before, group) if before else None
        if found is None or self.property != DETERMINISTIC:
            return found
        # An assignor that is random remembers nothing: new instances differ too, or the difference is gone the next time.
        for _ in range(CONFIRMATIONS):
            self._fresh.pop(group, None)
            if self.compare((), group) is not None or self.compare(before, group) is None:
                return None
        return found

    def shrink(self, found: Memory) -> Memory:
        """Return the smallest sequence found within SHRINK_S seconds, with the same kind of failure."""
        seen: dict[History, Memory] = {}

        def holds(history: History) -> bool:
            again = self.compare(*history) if history[0] else None
            if again is None or again.breach.cause != found.breach.cause:
                return False
            seen[history] = again
            return True

        least = minimise(
            (found.before, found.group), holds, lambda each: list_smaller(self.family, *each), wall_s=SHRINK_S
        )
        return replace(seen.get(least.group, found), finished=least.finished)


def _describe(breach: Breach, before: int, name: str) -> Breach:
    """Return the breach with sentences that name the groups before it."""
    if not before:
        return breach
    number = format_count(before, "other group")
    first, *more = breach.messages
    said = (
        f"at first is a new instance, then one that answered {number} before"
        if name == DETERMINISTIC
        else f"a new instance keeps {name} on this group"
    )
    return replace(breach, messages=(f"after {number} on one instance, {first}", *more, said))


def list_smaller(family: Family, before: tuple[Any, ...], group: Any) -> Iterator[History]:
    """Yield smaller sequences: fewer groups, then equal groups, then smaller groups.

    Equal groups stay equal: an instance that fails when it is asked for the n-th time needs their number only.
    """
    smaller = family.shape.smaller
    equal = all(each == group for each in before)
    if equal:
        for number in list_lower(len(before), 1, len(before) // 4, 3 * len(before) // 4):
            yield (group,) * number, group
        for each in smaller(group):
            yield (each,) * len(before), each
        return
    yield (group,) * len(before), group
    for left in drop_some(before):
        yield left, group
    for each in smaller(group):
        yield before, each
    for at, one in enumerate(before):
        for each in smaller(one):
            yield (*before[:at], each, *before[at + 1 :]), group
