"""What `--json` printed, checked by :mod:`kassay.oracles.proof`, which knows groups and answers as JSON alone."""

from typing import Any

from kassay.errors import InputError


def verified(
    kind: str, group: Any, answer: Any, events: tuple[str, int] | None = None
) -> tuple[bool | None, str]:
    """Return whether an answer is proved, and in a sentence what or why not, for groups of a kind that the checker knows.

    `events` are what happens to how many, where the answer is over time.

    Raises InputError naming the field where it is no answer.
    """
    from kassay.oracles.proof.command import verified as checked
    from kassay.oracles.proof.reading import WrongInputError

    try:
        return checked(kind, group, answer, events)
    except WrongInputError as wrong:
        raise InputError(str(wrong)) from None
