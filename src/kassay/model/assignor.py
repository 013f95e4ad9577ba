"""What an assignor of any family is, and how it fails."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Assignor:
    """An assignor of any family: a function from a group to an assignment, and what it promises.

    `name` is its path (``consumer/range``), `promises` are names of properties of its family, `source` says where the
    behaviour comes from (class and release, KIP). The first sentence of `assign`'s module or own docstring describes it.
    `except_in` maps a promise to the situations of groups for which it is not given; names joined by ``+`` mean groups
    in all of these. `limits` are promises whose exceptions are no defects, but what the assignor was never made for. `slow` are kinds of
    growing groups on which its time is known to grow too fast. `fails` are the failures that are known in those of crash_free, as "IllegalStateException at constrained_assign.py in
    assign"; if there are none, any is. `costs` is
    how many times fewer groups a check tries by default, of one that searches for its answers. `instance` makes one instance that answers group after group, where `assign` makes a new one for each.
    """

    name: str
    assign: Callable[[Any], Any]
    promises: frozenset[str]
    source: str
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    instance: Callable[[], Callable[[Any], Any]] | None = None
    fails: frozenset[str] = frozenset()
    limits: frozenset[str] = frozenset()
    slow: frozenset[str] = frozenset()
    costs: int = 1

    @property
    def family(self) -> str:
        """The family's name: the part of the name before the slash."""
        return self.name.partition("/")[0]


MOST_SAID = 2000
"""How many characters of what an assignor says are kept."""


def shortened(text: str) -> str:
    """Cut what an assignor says, which may be of any length."""
    return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]} ... ({len(text):,} characters)"


class AssignorError(Exception):
    """An assignor failed on a group: it threw, died, hung or answered something that is no assignment.

    `stack` are the frames of the assignor's own code where it failed, innermost first, one a line; empty where unknown.
    """

    def __init__(self, text: str, stack: str = "") -> None:
        super().__init__(shortened(text))
        self.stack = shortened(stack)
