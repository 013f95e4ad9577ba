"""Assignors of any family."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Assignor:
    """An assignor of any family: a function from a group to an assignment, and its promises.

    The first sentence of the docstring of `assign` or of its module describes the assignor.
    """

    name: str
    """Its path, such as ``consumer/range``."""
    assign: Callable[[Any], Any]
    promises: frozenset[str]
    """Names of properties of its family."""
    source: str
    """The source of the behaviour: class and release, or KIP."""
    except_in: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    """Promise -> the situations of groups in which it is not given; ``a+b`` means groups in both situations."""
    instance: Callable[[], Callable[[Any], Any]] | None = None
    """Makes one instance that answers group after group; `assign` makes a new instance for each group."""
    fails: frozenset[str] = frozenset()
    """The failures that are known where crash_free has exceptions: "ERROR at FILE in FUNCTION". If it is empty, any failure is known."""
    limits: frozenset[str] = frozenset()
    """Promises whose exceptions are no defects: the assignor was never made for such groups."""
    slow: frozenset[str] = frozenset()
    """Kinds of growing groups on which its time is known to grow too fast."""
    costs: int = 1
    """The factor by which a check tries fewer groups by default, for an assignor that searches for its answers."""

    @property
    def family(self) -> str:
        """The family's name: the part of the name before the slash."""
        return self.name.partition("/")[0]
