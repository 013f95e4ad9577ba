"""Decoded JSON as a type: what every reader of JSON does first."""

import re
from typing import Any, TypeVar

import msgspec

from kassay.errors import InputError

T = TypeVar("T")

MISSING = re.compile(r"Object missing required field (`.*?`)")


def convert_json(data: Any, shape: type[T]) -> T:
    """Check decoded JSON against a type; raises InputError saying where it differs and what belongs there."""
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as wrong:
        said, _, place = str(wrong).partition(" - at `$")
        what = said.replace("Object contains unknown field", "there is no field")
        what = MISSING.sub(r"a field is missing: add \1", what)
        path = place.rstrip("`").removeprefix(".")
        raise InputError(f"{path}: {what}" if path else what) from None
