"""Errors for users: wrong input, files and streams that cannot be used, and targets that cannot be tested."""

from collections.abc import Sequence

MOST_SAID = 2000
"""The number of characters that are kept of a text of an assignor."""


def shorten(text: str) -> str:
    """Return a text of an assignor, cut to :data:`MOST_SAID` characters."""
    return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]} ... ({len(text):,} characters)"


class AssignorError(Exception):
    """An assignor failed on a group: it raised an exception, died, hung or returned something that is not an assignment.

    `stack` has the frames of the assignor's own code, innermost first, one a line; "" if they are not known.
    """

    def __init__(self, text: str, stack: str = "") -> None:
        super().__init__(shorten(text))
        self.stack = shorten(stack)


class InputError(ValueError):
    """Wrong usage or wrong input: a sentence that names the place and the fix (exit status 2).

    `copy` are the lines of a command to copy instead; the sentence then ends with a colon.
    """

    def __init__(self, sentence: str, copy: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.copy = tuple(copy)


class UnwritableError(InputError):
    """A file cannot be written: the answer is printed first, then this sentence (exit status 2)."""


class StreamError(Exception):
    """Standard input, output or error cannot be used: a sentence that names the stream and the fix (exit status 2)."""


class TargetGoneError(Exception):
    """A target cannot be started, or not again: it can no longer be checked (exit status 3)."""


class SkippedError(Exception):
    """A target declined a group, with its reason; the group is not checked."""

    def __init__(self, reason: str) -> None:
        super().__init__(shorten(reason))


class DiedError(AssignorError):
    """A target's process died, hung or broke the protocol on a group, and must be started again."""
