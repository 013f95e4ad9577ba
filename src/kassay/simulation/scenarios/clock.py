"""The clock of a scenario: what happens when, and timers, of which each key has one."""

from collections.abc import Callable, Hashable
from heapq import heappop, heappush

MOST_MS = 3_600_000
"""When a scenario that waits for something has waited too long."""
Act = Callable[[], None]
Timer = tuple[str, int, Hashable]
"""Whose timer it is: a member's or a broker's, by number, and its key."""


class Clock:
    """Appointments in the order of their times, and of their making where those are equal; `now` is in milliseconds."""

    def __init__(self) -> None:
        """Begin at 0."""
        self.now = 0
        self._queue: list[tuple[int, int, Act]] = []
        self._timers: dict[Timer, int] = {}
        self._count = 0

    def after(self, ms: int, act: Act) -> int:
        """Let something happen after a while; returns the number of the appointment."""
        self._count += 1
        heappush(self._queue, (self.now + ms, self._count, act))
        return self._count

    def set_timer(self, timer: Timer, delay_ms: int, act: Act) -> None:
        """Set a timer, instead of the one of that key."""

        def ring() -> None:
            if self._timers.get(timer) == number:
                del self._timers[timer]
                act()

        number = self._timers[timer] = self.after(delay_ms, ring)

    def cancel_timer(self, timer: Timer) -> None:
        """Forget a timer."""
        self._timers.pop(timer, None)

    def cancel_all(self, is_meant: Callable[[Timer], bool]) -> None:
        """Forget the timers of which this is true."""
        self._timers = {timer: number for timer, number in self._timers.items() if not is_meant(timer)}

    def run(self, ms: int) -> None:
        """Let so much time pass."""
        end = self.now + ms
        while self._queue and self._queue[0][0] <= end:
            self._next()
        self.now = end

    def until(self, is_so: Callable[[], bool]) -> None:
        """Let things happen until something is so; raises AssertionError if it never is."""
        while not is_so():
            assert self._queue
            assert self._queue[0][0] < MOST_MS, "what the scenario waits for does not happen"
            self._next()

    def _next(self) -> None:
        self.now, _, act = heappop(self._queue)
        act()
