"""The responses that make a leader join again, and the choice of the one after which the client does so soonest.

Clients wait before they join again after some errors, and after others they do not. kafkajs (2.2.4) waits 0.3 to 4.8 seconds after each error in
SyncGroup, sarama (1.61.1) 2 seconds after a rebalance there, and neither waits after an error that follows a successful SyncGroup.
"""

from enum import Enum
from operator import itemgetter


class RejoinPrompt(Enum):
    """The ways to make a leader join again, in the order in which they are tried."""

    REBALANCE = "SyncGroup is answered by REBALANCE_IN_PROGRESS"
    UNKNOWN = "SyncGroup is answered by UNKNOWN_MEMBER_ID, so the client joins as a new member"
    LATER = "SyncGroup gives one partition, and the next OffsetFetch or Heartbeat is answered by REBALANCE_IN_PROGRESS"


SOON_S = 0.1
"""The seconds within which a client joins again that does not wait."""
TRIES = 2
"""The number of tries of each prompt, if the client waits after all of them."""


class PromptChoice:
    """The choice of the prompt for one client: the first after which it joins at once, else the one after which it joins soonest."""

    def __init__(self) -> None:
        """Begin with the first prompt."""
        self._left = list(RejoinPrompt) * TRIES
        self._tried = list[tuple[float, RejoinPrompt]]()

    @property
    def prompt(self) -> RejoinPrompt:
        """The prompt to use next."""
        return self._left[0] if self._left else min(self._tried, key=itemgetter(0))[1]

    def note_wait(self, seconds: float) -> None:
        """Note how long the client waited after the prompt before it joined again."""
        if self._left:
            self._tried.append((seconds, self._left.pop(0)))
            if seconds <= SOON_S:
                self._left = []
