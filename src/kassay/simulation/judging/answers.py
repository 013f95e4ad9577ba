"""What an assignor answers while a group runs: each answer is judged by what can be said of one group alone, as `kassay check` does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kassay.engine.judge import CRASH_FREE, judge
from kassay.engine.promises import own_promises
from kassay.engine.verdict import BROKEN, KEPT, KNOWN_DEFECT, SKIPPED, Verdict
from kassay.errors import SkippedError, TargetGoneError
from kassay.families import family
from kassay.model import AssignorError
from kassay.targets.target import Target

DETERMINISTIC = "deterministic"
LOOKED_AT = (CRASH_FREE, "existing", "subscribed", "exclusive", "complete", DETERMINISTIC)
"""What a group under faults rests on; the rest is for `kassay check`."""


@dataclass
class Broken:
    """A promise that answers broke: on how many groups, the smallest of them, what it says there, and whether the defect is known."""

    sentence: str
    group: Any
    answer: Any
    known: frozenset[str]
    groups: int = 1


class Answers:
    """Asks an assignor and judges what it answers; each group is asked twice where the answer is to be the same again."""

    def __init__(self, target: Target) -> None:
        """Hold the target to what it promises, or to what its family expects of everybody."""
        self._target, self.family = target, family(target.family)
        self._promises = own_promises(target, self.family)
        self._names = [name for name in LOOKED_AT if name in self._promises.names]
        self.asked = 0
        self.declined: dict[str, int] = {}
        self._gone = ""
        self.broken: dict[tuple[str, bool], Broken] = {}
        """By the promise and whether the defect is known."""

    def __call__(self, group: Any) -> Any:
        """Answer a group; raises AssignorError where the assignor fails or declines it, and once it is gone after it failed, which is told."""
        if self._gone:
            raise AssignorError(self._gone)
        self.asked += 1
        try:
            answer = self._target.assign(group)
            again = self._target.assign(group) if DETERMINISTIC in self._names else answer
        except SkippedError as declined:
            self.declined[str(declined)] = self.declined.get(str(declined), 0) + 1
            raise AssignorError(str(declined)) from declined
        except TargetGoneError as gone:
            if (CRASH_FREE, False) not in self.broken:
                raise
            self._gone = str(gone)
            raise AssignorError(self._gone) from gone
        except AssignorError as failure:
            self._judge(CRASH_FREE, group, _failing(failure), None)
            raise
        for name in self._names:
            given = _giving(answer, again) if name == DETERMINISTIC else _giving(answer, answer)
            self._judge(name, group, given, answer)
        return answer

    def _judge(self, name: str, group: Any, assign: Callable[[Any], Any], answer: Any) -> None:
        if name not in self._names:
            return
        breach = judge(
            self.family, name, group, assign, self._target, self._promises.exceptions(name), messages=1
        )
        if breach is None:
            return
        key = name, bool(breach.met)
        one = Broken(breach.messages[0], group, answer, breach.met)
        before = self.broken.get(key)
        if before is not None:
            one.groups += before.groups
            if self._size(before.group) <= self._size(group):
                before.groups = one.groups
                return
        self.broken[key] = one

    def _size(self, group: Any) -> int:
        return sum(size(group) for size in self.family.shape.sizes.values())

    def verdicts(self) -> Iterator[Verdict]:
        """Give the verdict on each promise that was looked at; could not tell where nothing was answered, or a group was declined."""
        for name in self._names:
            new, known = self.broken.get((name, False)), self.broken.get((name, True))
            declined = next(iter(self.declined), "")
            if new is not None or known is not None:
                one, outcome = (new, BROKEN) if new is not None else (known, KNOWN_DEFECT)
                assert one is not None
                terms = tuple(sorted(one.known))
                yield Verdict(self._target.name, name, outcome, one.sentence, terms, self.asked, one.groups)
            elif not self.asked or (declined and name == CRASH_FREE):
                why = f"it declines a group: {declined}" if declined else "no group was answered"
                yield Verdict(self._target.name, name, SKIPPED, why, (), self.asked)
            else:
                yield Verdict(self._target.name, name, KEPT, "", (), self.asked)


def _failing(failure: AssignorError) -> Callable[[Any], Any]:
    def assign(_group: Any) -> Any:
        raise failure

    return assign


def _giving(*answers: Any) -> Callable[[Any], Any]:
    """Return what gives these answers one after the other, whatever it is asked."""
    left = iter(answers)

    def assign(_group: Any) -> Any:
        return next(left)

    return assign
