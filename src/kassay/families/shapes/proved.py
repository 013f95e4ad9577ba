"""What `--json` printed, checked by :mod:`kassay.oracles.proof`, which knows groups and answers as JSON alone."""

from collections.abc import Callable
from typing import Any

from kassay.errors import InputError
from kassay.family import Verify


def checks(kind: str, write_group: Callable[[Any], Any]) -> Verify:
    """Return what checks answers to groups of a kind that the checker knows, given how such a group is written."""

    def verify(group: Any, answer: Any, events: tuple[str, int] | None = None) -> tuple[bool | None, str]:
        from kassay.oracles.proof.command import verified
        from kassay.oracles.proof.reading import WrongInputError

        try:
            return verified(kind, write_group(group), answer, events)
        except WrongInputError as wrong:
            raise InputError(str(wrong)) from None

    return verify
