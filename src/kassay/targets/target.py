"""A target that is open: something that answers groups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from types import TracebackType
from typing import Any, Self

from kassay.errors import SkippedError
from kassay.family import Assign
from kassay.model import AssignorError


@dataclass(frozen=True, slots=True)
class Options:
    """How targets are opened: seconds for one answer, the assignor to take of several, the family where none is named.

    `launcher` are words put before every command that is started, such as a program that limits its memory.
    """

    timeout_s: float = 5.0
    assignor: str | None = None
    family: str = "consumer"
    launcher: tuple[str, ...] = ()


def _nothing() -> None:
    """Close what needs no closing."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that answers groups; a context manager that closes it.

    `assign` raises AssignorError where the target fails on the group, SkippedError where it declines it and
    TargetGoneError where it can no longer be asked; `assign_all` asks about many groups at once. `again` is the same
    assignor in a process of its own, for telling whether its answers depend on where it runs. `promises` is None where
    it promises nothing itself; `except_in` and `instance` are as in kassay.model.Assignor. What `instance` makes is good until
    it makes the next one.
    """

    name: str
    family: str
    assign: Assign
    again: Assign
    promises: frozenset[str] | None = None
    close: Callable[[], None] = _nothing
    assign_all: Callable[[Sequence[Any]], list[Any]] | None = None
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    instance: Callable[[], Assign] | None = None

    def answers(self, groups: Sequence[Any]) -> list[Any]:
        """Ask about many groups, together where the target can; failures stand in the list as the exceptions they are."""
        if self.assign_all is not None:
            return self.assign_all(groups)
        return [_answer(self.assign, group) for group in groups]

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


def _answer(assign: Assign, group: Any) -> Any:
    try:
        return assign(group)
    except (AssignorError, SkippedError) as failure:
        return failure


def failing_softly(assign: Assign) -> Assign:
    """Turn whatever a function of this process raises on a group into AssignorError."""

    def answer(group: Any) -> Any:
        try:
            return assign(group)
        except (AssignorError, SkippedError):
            raise
        except Exception as error:
            raise AssignorError(f"{type(error).__name__}: {error}") from error

    return answer
