"""The records of `kassay check --json` and `kassay compare --json` that two runs are compared by, as types to check JSON against.

Records have further keys, which do not count here.
"""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from kassay.engine.verdict import OUTCOMES
from kassay.errors import InputError
from kassay.model.convert_json import convert_json

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Outcome: TypeAlias = Literal[OUTCOMES]  # type: ignore[valid-type]  # the outcomes stand in one tuple


class Record(msgspec.Struct, frozen=True):
    """The name of a record's kind."""

    record: str


class TallyRecord(msgspec.Struct, frozen=True):
    """The seeds of the groups on which a target was checked."""

    target: str
    seed: int
    seeds: list[int] | None = None


class VerdictRecord(msgspec.Struct, frozen=True):
    """The outcome of one promise of a target."""

    target: str
    property: str
    outcome: Outcome
    breaches: Count
    judged: Count
    message: str = ""


class DistanceRecord(msgspec.Struct, frozen=True):
    """The distance of a target from the optimum of one level."""

    target: str
    level: str
    groups: Count
    wrong: Count
    compared: Count
    above: Count
    unproved: Count


class SumsRecord(msgspec.Struct, frozen=True):
    """The sums of a target over many groups."""

    target: str
    groups: Count
    failed: Count
    illegal: Count
    unsettled: Count
    distances: list[DistanceRecord]


class GapRecord(msgspec.Struct, frozen=True):
    """The value of one level, and its optimum."""

    level: str
    value: int
    optimum: int


class ComparedRecord(msgspec.Struct, frozen=True):
    """The answer of a target to one group."""

    where: str
    target: str
    failure: str | None
    legal: bool
    broken: list[str]
    at_rest: bool
    gaps: list[GapRecord]


RunRecord: TypeAlias = TallyRecord | VerdictRecord | DistanceRecord | SumsRecord | ComparedRecord
KINDS: dict[str, type[RunRecord]] = {
    "tally": TallyRecord,
    "verdict": VerdictRecord,
    "distance": DistanceRecord,
    "sums": SumsRecord,
    "compared": ComparedRecord,
}
"""The name of a record's kind -> its type; records of other kinds do not count."""


def read_records(where: str, values: list[Any]) -> list[RunRecord]:
    """Return the records that count; raises InputError naming record and field if one is not as kassay prints it."""
    found = []
    for number, value in enumerate(values, 1):
        try:
            kind = KINDS.get(convert_json(value, Record).record)
            if kind is not None:
                found.append(convert_json(value, kind))
        except InputError as wrong:
            raise InputError(
                f"{where}: record {number} is not as kassay prints it: {wrong}. Run the command again with --json."
            ) from None
    return found
