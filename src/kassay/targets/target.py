"""Open targets, which assign groups."""

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, dropwhile, repeat
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import kassay
from kassay.defaults import FAMILY
from kassay.errors import InputError, SkippedError
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.model import AssignorError
from kassay.targets.limits import Account, Limits

_OURS = Path(kassay.__file__).parent
DEPTH = 12
"""The frames of a failure that are kept, innermost first."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options with which a target is opened."""

    timeout_s: float = 5.0
    """Seconds for one answer."""
    assignor: str | None = None
    """The assignor of a target that has several."""
    family: str = FAMILY
    """The family of a target that does not name one."""
    limits: Limits = field(default_factory=Limits)
    """The limits of its processes."""


@dataclass(frozen=True, slots=True)
class Target:
    """An assignor that can be asked, and a context manager that closes it.

    `except_in`, `limits`, `slow`, `fails`, `costs` and `instance` are as in kassay.model.Assignor.
    """

    name: str
    family: str
    assign: Assign
    """Raises AssignorError if the target fails on the group, SkippedError if it declines it, TargetGoneError if it cannot be asked any more."""
    again: Assign
    """The same assignor in another process, which shows if its answers depend on where it runs."""
    promises: frozenset[str] | None = None
    """None if it promises nothing itself."""
    close: Callable[[], None] = lambda: None
    assign_all: Callable[[Sequence[Any]], list[Any]] | None = None
    """Asks about many groups at once, which may be JSON already (msgspec.Raw)."""
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    fails: frozenset[str] = frozenset()
    reference: str = ""
    """kassay's assignor with these exceptions, if it is another one; it is asked which breaches are excused."""
    instance: Callable[[], Assign] | None = None
    """Makes an instance, which is usable until the next one is made."""
    instances: str = "none"
    """The instances of `instance`: "objects" of one process, "processes" that are quickly made, or "none": the process is the instance."""
    anew: Callable[[int], Assign] | None = None
    """Starts an instance in a new process with a hash seed of Python (0 or 1), usable until the next one of this seed is started.

    None if the target runs in this process, or cannot be started often.
    """
    limits: frozenset[str] = frozenset()
    slow: frozenset[str] = frozenset()
    costs: int = 1
    offered: str = ""
    """The name by which its process knows the assignor."""
    expect: Callable[[Sequence[Any]], None] | None = None
    """Called with groups that will be asked about; None for a target that does not answer faster if it knows them."""
    account: Account = field(default_factory=lambda: Account(Limits()), compare=False)
    """The resources that its processes have used."""
    clock: Callable[[], float] = field(default=time.process_time, compare=False)
    """The seconds in which it worked."""

    def answers(self, groups: Sequence[Any]) -> list[Any]:
        """Ask about many groups, together if the target can; failures are in the list as exceptions."""
        if self.assign_all is not None:
            return self.assign_all(groups)
        return [read_outcome(self.assign, group) for group in groups]

    def alternate_instances(self) -> Assign:
        """Return an assignor that answers the first group by `assign`, and all later ones by one instance, if there are any.

        The answers show if an instance remembers earlier groups.
        """
        answers = chain([self.assign], repeat(self.instance() if self.instance else self.assign))

        def answer(group: Any) -> Any:
            return next(answers)(group)

        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_outcome(assign: Assign, group: Any) -> Any:
    """Return an answer, or the failure as an exception."""
    try:
        return assign(group)
    except (AssignorError, SkippedError) as failure:
        return failure


def wrap_failures(assign: Assign) -> Assign:
    """Turn all exceptions of a function of this process into AssignorError, with the frames of its own code."""

    def answer(group: Any) -> Any:
        try:
            return assign(group)
        except SkippedError:
            raise
        except AssignorError as error:
            error.stack = error.stack or format_frames(error)
            raise
        except Exception as error:
            raise AssignorError(f"{type(error).__name__}: {error}", format_frames(error)) from error

    return answer


def wrap_function(assign: Assign, family: Family) -> Assign:
    """Let a function of this process answer like a target in its own process, which may return plain tuples and lists, too.

    Its exceptions, and values that are not an assignment, become AssignorError.
    """
    softly = wrap_failures(assign)

    def answer(group: Any) -> Any:
        try:
            return family.shape.read_answer(write_answer(softly(group), family))
        except InputError as wrong:
            raise AssignorError(f"it returned what is no assignment: {wrong}") from None

    return answer


def write_answer(given: Any, family: Family) -> dict[str, Any]:
    """Return a function's answer as JSON; raises AssignorError if it is not an assignment."""
    try:
        return family.shape.write_answer(given)
    except (AttributeError, TypeError, ValueError) as error:
        raise AssignorError(f"it returned {type(given).__name__}, which is no assignment ({error})") from None


def format_frames(error: BaseException) -> str:
    """Return the frames in which an assignor's own code failed, one a line, innermost first; without kassay's that called it."""
    assignors = [_OURS / folder for folder in ("reference", "families/optimal")]

    def calls(path: Path) -> bool:
        return path.is_relative_to(_OURS) and not any(map(path.is_relative_to, assignors))

    lines, here = [], Path.cwd()
    for frame in dropwhile(
        lambda frame: calls(Path(frame.filename)), traceback.extract_tb(error.__traceback__)
    ):
        path = Path(frame.filename)
        shown = path.relative_to(here) if path.is_relative_to(here) else Path(*path.parts[-2:])
        lines.append(f"{shown}:{frame.lineno} in {frame.name}" + f": {frame.line}" * bool(frame.line))
    return "\n".join(lines[::-1][:DEPTH])
