"""Decoded JSON as a type, which every reader of JSON begins with; and settings as JSON."""

import re
from collections.abc import Mapping
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


def write_config(settings: Any, fields: Mapping[str, str]) -> dict[str, Any]:
    """Make the JSON of settings under `config`, those that are not Kafka's default by the names that Kafka has for `fields`; nothing where there are none."""
    usual = type(settings)()
    written = {
        name: list(value) if isinstance(value, tuple) else value
        for name, field in fields.items()
        if (value := getattr(settings, field)) != getattr(usual, field)
    }
    return {"config": written} if written else {}
