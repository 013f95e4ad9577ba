"""Rows of a sweep: which columns they have, as plain data, and in the words of Spark's SQL; pyarrow's are in :mod:`.arrow`.

A row is the answer of one target to one group. Rows of one id stand together, in the order of the run's targets, steps in
ascending order. Every column but `micros` is the same in every run of the same grid and code.
"""

from collections.abc import Sequence
from typing import NamedTuple

STATUSES = ("ok", "refused", "skipped", "timeout", "died", "memory", "illegal", "settled")
"""What became of a question: a whole answer, a refusal with an error, a polite one, no answer in time, a dead process,
memory used up, an answer in which partitions are lost, doubled or misgiven, and one that only withholds what members
have yet to give up, with a whole one once they have (KIP-429)."""
WHOLE = ("ok", "settled")
"""The statuses of rows whose measures are those of a whole answer, that of the next round where status is settled."""
ANSWERED = (*WHOLE, "illegal")
"""The statuses of rows that hold an assignment's measures."""
FAILED = ("refused", "timeout", "died", "memory")
"""The statuses of rows on which the target failed."""
CRASH_FREE = "crash_free"
"""The one law that every row tells something of."""
MEASURED = {"measures", "optima", "values"}
"""The columns that are structs with a field for each measure or level."""


class Column(NamedTuple):
    """A column: its type in the words of Spark's SQL, whether it may be null, and what it says."""

    name: str
    type: str
    nullable: bool
    says: str


COLUMNS = (
    Column("id", "bigint", False, "number of the group in the run"),
    Column("cell", "int", False, "index of the grid's cell"),
    Column("seed", "bigint", False, "what the group is drawn with, again and again"),
    Column("step", "int", False, "0 for the group as drawn, then one more after each change"),
    Column("target", "string", False, "who was asked"),
    Column("status", "string", False, f"one of {', '.join(STATUSES)}"),
    Column("message", "string", True, "what the target said or died of"),
    Column("members", "int", False, "members of the group"),
    Column("topics", "int", False, "topics of the group"),
    Column("partitions", "bigint", False, "partitions of all its topics"),
    Column("situations", "array<string>", False, "situations the group is in"),
    Column("broken", "array<string>", False, "invariants the answer breaks"),
    Column(
        "laws_broken", "array<string>", True, "laws the target breaks on the group; null where none was tried"
    ),
    Column(
        "unjudged",
        "array<string>",
        False,
        "laws that were tried and say nothing, as the target failed in a run",
    ),
    Column("known", "array<string>", False, "properties broken that are known defects of the target"),
    Column(
        "measures", "struct", False, "measures of the answer, where settled of the next one; null without"
    ),
    Column("optima", "struct", False, "the exact optimum of each level; null where there is no gap"),
    Column("values", "struct", False, "what the answer is worth in each level; null where there is no gap"),
    Column("certified", "boolean", True, "whether separate code checked the proof of the optima"),
    Column(
        "program",
        "string",
        True,
        "'agrees' where a linear program found the same optima, 'unsolved' where it found none",
    ),
    Column("rounds", "int", True, "rounds until the target's answers repeat themselves, where asked"),
    Column("micros", "bigint", False, "microseconds the answer took"),
)


def field(level: str) -> str:
    """Return the name of a level's field: ``cross_rack`` of ``cross-rack``."""
    return level.replace("-", "_")


def fields(column: str, measures: Sequence[str], levels: Sequence[str]) -> list[str]:
    """Return the fields of a struct column."""
    return list(measures) if column == "measures" else [field(level) for level in levels]


def spark_schema(measures: Sequence[str], levels: Sequence[str]) -> str:
    """Return the columns as Spark's SQL writes them."""

    def written(column: Column) -> str:
        inner = ", ".join(f"`{name}`: bigint" for name in fields(column.name, measures, levels))
        type_ = f"struct<{inner}>" if column.type == "struct" else column.type
        return f"`{column.name}` {type_}{'' if column.nullable else ' NOT NULL'}"

    return ", ".join(map(written, COLUMNS))
