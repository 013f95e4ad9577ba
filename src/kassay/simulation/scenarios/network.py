"""The network of a scenario: messages arrive after a while, but for those that the scenario names."""

from collections.abc import Callable
from typing import Any

HOP_MS = 2
"""How long a message travels."""
Which = Callable[[int, Any], bool]
"""Says whether a message is meant: the number of the member that sends or receives it, and the request or response."""


class Network:
    """What is lost and what is late; `is_cut` holds the members to and from which nothing passes."""

    def __init__(self) -> None:
        """Begin as a network that loses nothing."""
        self.is_cut: set[int] = set()
        self._lost: list[Which] = []
        self._late: list[tuple[Which, int]] = []

    def lose(self, which: Which) -> None:
        """Lose the first message of which this is true."""
        self._lost.append(which)

    def delay(self, ms: int, which: Which) -> None:
        """Let the first request of which this is true travel longer."""
        self._late.append((which, ms))

    def loses(self, number: int, message: Any) -> bool:
        """Say whether a message does not arrive."""
        found = next((which for which in self._lost if which(number, message)), None)
        if found is not None:
            self._lost.remove(found)
        return found is not None or number in self.is_cut

    def journey(self, number: int, request: Any) -> int:
        """Say how long a request travels, in milliseconds."""
        found = next((late for late in self._late if late[0](number, request)), None)
        if found is None:
            return HOP_MS
        self._late.remove(found)
        return HOP_MS + found[1]
