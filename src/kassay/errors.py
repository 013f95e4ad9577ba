"""What can go wrong for a user: wrong input, and a target that cannot be judged."""

from kassay.model import AssignorError, shortened


class InputError(ValueError):
    """Wrong usage or wrong input: one sentence that names the place and the fix (exit status 2)."""


class TargetGoneError(Exception):
    """A target cannot be started, or not again: it can no longer be judged (exit status 3)."""


class SkippedError(Exception):
    """A target declined a group, with its reason; the group is not judged."""

    def __init__(self, reason: str) -> None:
        super().__init__(shortened(reason))


class DiedError(AssignorError):
    """A target's process died, hung or broke the protocol on a group, and must be started again."""
