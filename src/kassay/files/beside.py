"""What stands beside a group in its JSON, as listings told it: the assignor in use, and what the coordinator wants members to hold."""

from typing import Any

import msgspec

from kassay.errors import InputError
from kassay.family import Family
from kassay.model.shaped import shaped

BESIDE = "listed"
"""The key under which `kassay import` keeps what a listing tells beside the group."""


class _BesideForm(msgspec.Struct, forbid_unknown_fields=True):
    in_use: str = ""
    target: Any = None


def told_beside(where: str, value: Any, family: Family) -> tuple[str, Any]:
    """Return the full name of the assignor in use, "" where that is not told, and the assignment that is wanted, or None.

    Raises InputError naming place and field.
    """
    told = value.get(BESIDE) if isinstance(value, dict) else None
    if told is None:
        return "", None
    try:
        form = shaped(told, _BesideForm)
        return form.in_use, None if form.target is None else family.shape.read_assignment(form.target)
    except InputError as wrong:
        raise InputError(f"{where}: {BESIDE}: {wrong}") from None


def without(value: Any) -> Any:
    """Return the JSON of a group without what stands beside it."""
    return {key: of for key, of in value.items() if key != BESIDE} if isinstance(value, dict) else value
