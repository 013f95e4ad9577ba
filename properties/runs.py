"""Runs of an assignor, for laws that compare two of them: what is shown beside the sentence."""

from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what is said of it in a few words, the group and the answer to it."""

    title: str
    group: Any
    assignment: Any


class TwoRuns(str):
    """A sentence about two runs, which it carries so that they can be shown."""

    __slots__ = ("runs",)
    runs: tuple[Run, Run]

    def __new__(cls, sentence: str, before: Run, after: Run) -> Self:
        """Make it of the sentence and the runs."""
        made = super().__new__(cls, sentence)
        made.runs = (before, after)
        return made
