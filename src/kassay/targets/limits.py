"""Limits of what the processes of a target may take, and the account of what they have taken."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kassay.errors import TargetGoneError

AT_ONCE_S = 0.1
"""An answer within this time costs nothing; longer waits count in full, as do those for no answer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a target may take besides the time of one answer.

    `start_s` are seconds until it first speaks, `waiting_s` seconds that it is waited for in all, `deaths` how often its
    process may die, hang or break the protocol, `line_mb` the length of one answer and `memory_mb` the memory of its
    process, 0: as much as there is.
    """

    start_s: float = 60.0
    waiting_s: float = math.inf
    deaths: float = math.inf
    line_mb: int = 64
    memory_mb: int = 0


class Account:
    """What the processes of a target have taken of its limits; while `share` is below 1 they may take only that part."""

    def __init__(self, limits: Limits) -> None:
        """Open an account on which nothing is taken yet."""
        self._limits = limits
        self.waited, self._deaths, self._last = 0.0, 0, ""
        self.share = 1.0

    def left(self) -> float:
        """Return the seconds for which it may still be waited; raises TargetGoneError where the limits are reached."""
        left = self.share * self._limits.waiting_s - self.waited
        if left <= 0 or self._deaths >= self.share * self._limits.deaths:
            last = f", last because {self._last}" if self._last else ""
            raise TargetGoneError(
                f"its process was waited for {self.waited:.1f} seconds and died or hung {self._deaths} times{last}; "
                "allow more with --wait and --deaths"
            )
        return left

    @contextmanager
    def waiting(self, worked: Callable[[], float | None] = lambda: None) -> Iterator[None]:
        """Count the time of what is done inside: where an answer came, that in which the process worked, if `worked` tells it.

        So a busy machine uses up nobody's time.
        """
        start, answered, before = time.monotonic(), False, worked()
        try:
            yield
            answered = True
        finally:
            took = time.monotonic() - start
            if answered and took > AT_ONCE_S:
                after = worked()
                took = took if before is None or after is None else min(took, after - before)
            if not answered or took > AT_ONCE_S:
                self.waited += took

    def renew(self) -> None:
        """Forget what was taken."""
        self.waited, self._deaths, self._last = 0.0, 0, ""

    def died(self, why: str) -> None:
        """Count a death."""
        self._deaths += 1
        self._last = why
