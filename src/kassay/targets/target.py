"""A target that is open: something that answers groups."""

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
from kassay.family import Family
from kassay.model import AssignorError
from kassay.shape import Assign
from kassay.targets.limits import Account, Limits

_OURS = Path(kassay.__file__).parent
DEPTH = 12
"""How many frames of a failure are kept, innermost first."""


@dataclass(frozen=True, slots=True)
class Options:
    """How targets are opened: seconds for one answer, the assignor to take of several, the family where none is named.

    `limits` bound what its processes take besides.
    """

    timeout_s: float = 5.0
    assignor: str | None = None
    family: str = FAMILY
    limits: Limits = field(default_factory=Limits)


def _nothing() -> None:
    """Close what needs no closing."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that answers groups; a context manager that closes it.

    `assign` raises AssignorError where the target fails on the group, SkippedError where it declines it and
    TargetGoneError where it can no longer be asked; `assign_all` asks about many groups at once, as they are or as JSON (msgspec.Raw). `again` is the same
    assignor in a process of its own, for telling whether its answers depend on where it runs. `promises` is None where
    it promises nothing itself; `except_in`, `limits`, `slow`, `fails`, `costs` and `instance` are as in kassay.model.Assignor. `reference` names the assignor of
    kassay's whose exceptions these are, where it is another one: what is excused in them is told by asking that one. What `instance` makes is good until
    it makes the next one. `account` is what its processes have taken; `clock` tells the seconds in which it worked.
    """

    name: str
    family: str
    assign: Assign
    again: Assign
    promises: frozenset[str] | None = None
    close: Callable[[], None] = _nothing
    assign_all: Callable[[Sequence[Any]], list[Any]] | None = None
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    fails: frozenset[str] = frozenset()
    reference: str = ""
    instance: Callable[[], Assign] | None = None
    limits: frozenset[str] = frozenset()
    slow: frozenset[str] = frozenset()
    costs: int = 1
    account: Account = field(default_factory=lambda: Account(Limits()), compare=False)
    clock: Callable[[], float] = field(default=time.process_time, compare=False)

    def answers(self, groups: Sequence[Any]) -> list[Any]:
        """Ask about many groups, together where the target can; failures stand in the list as the exceptions they are."""
        if self.assign_all is not None:
            return self.assign_all(groups)
        return [outcome(self.assign, group) for group in groups]

    def by_turns(self) -> Assign:
        """Return what answers the first question as `assign` does, and all later ones by one instance, where there are any.

        For telling whether what an instance has seen of one group shows in its answer to another.
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


def outcome(assign: Assign, group: Any) -> Any:
    """Return an answer, or the failure in its place."""
    try:
        return assign(group)
    except (AssignorError, SkippedError) as failure:
        return failure


def failing_softly(assign: Assign) -> Assign:
    """Turn whatever a function of this process raises on a group into AssignorError, with the frames of its own code."""

    def answer(group: Any) -> Any:
        try:
            return assign(group)
        except SkippedError:
            raise
        except AssignorError as error:
            error.stack = error.stack or frames(error)
            raise
        except Exception as error:
            raise AssignorError(f"{type(error).__name__}: {error}", frames(error)) from error

    return answer


def answering(assign: Assign, family: Family) -> Assign:
    """Let a function of this process answer as one in a process of its own does: plain tuples and lists are taken too.

    What it raises, or returns that is no assignment, becomes AssignorError.
    """
    softly = failing_softly(assign)

    def answer(group: Any) -> Any:
        try:
            return family.shape.read_answer(written(softly(group), family))
        except InputError as wrong:
            raise AssignorError(f"it returned what is no assignment: {wrong}") from None

    return answer


def written(given: Any, family: Family) -> dict[str, Any]:
    """Write what a function returned as the JSON of an answer; raises AssignorError where it is none."""
    try:
        return family.shape.write_answer(given)
    except (AttributeError, TypeError, ValueError) as error:
        raise AssignorError(f"it returned {type(given).__name__}, which is no assignment ({error})") from None


def frames(error: BaseException) -> str:
    """Return where an assignor's own code failed, one frame a line, innermost first; without the frames that called it."""
    found = traceback.extract_tb(error.__traceback__)
    own = list(dropwhile(lambda frame: _calls(Path(frame.filename)), found))
    return "\n".join(
        f"{_shown(Path(frame.filename))}:{frame.lineno} in {frame.name}"
        + f": {frame.line}" * bool(frame.line)
        for frame in own[::-1][:DEPTH]
    )


def _calls(path: Path) -> bool:
    """Say whether a file is kassay's own and no assignor's."""
    assignors = (_OURS / folder for folder in ("reference", "families/optimal"))
    return path.is_relative_to(_OURS) and not any(map(path.is_relative_to, assignors))


def _shown(path: Path) -> Path:
    """Name a file from where the user is, or by its package."""
    if path.is_relative_to(Path.cwd()):
        return path.relative_to(Path.cwd())
    return Path(*path.parts[-2:])
