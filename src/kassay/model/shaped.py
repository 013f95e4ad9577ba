"""Decoded JSON held against a type, for everything that is read of files and programs."""

from typing import Any, TypeVar

import msgspec

from kassay.errors import InputError

T = TypeVar("T")


def shaped(data: Any, shape: type[T]) -> T:
    """Check decoded JSON against a type; raises InputError saying where it differs and what belongs there."""
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as wrong:
        what, _, place = str(wrong).partition(" - at `$")
        path = place.rstrip("`").removeprefix(".")
        raise InputError(f"{path}: {what}" if path else what) from None
