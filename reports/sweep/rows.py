"""The columns of a sweep's rows, also as a schema for Spark.

A row is the answer of one target to one group. Rows with the same id are adjacent, in the order of the run's targets and by step.
Every column except `micros` is the same in every run of the same grid and code.
"""

from typing import NamedTuple

from kassay.reports.sweep.manifest import Run

STATUSES = ("ok", "refused", "skipped", "timeout", "died", "memory", "illegal", "settled", "unsettled")
"""The statuses of answers.

- ok: a complete and legal assignment
- refused: an error
- skipped: the target skips the group
- timeout, died, memory: no answer in time, a crash, or too much memory
- illegal: partitions are unassigned, assigned twice, or assigned to the wrong member
- settled: partitions wait for revocations, and the group converges to a complete and legal assignment (KIP-429)
- unsettled: the group does not converge within MOST_REBALANCES
"""
LEGAL = ("ok", "settled")
"""The statuses of rows with a right answer; if settled, it is the answer of the last rebalance."""
ANSWERED = (*LEGAL, "illegal", "unsettled")
"""The statuses of rows that hold an assignment's measures."""
FAILED = ("refused", "timeout", "died", "memory")
"""The statuses of rows on which the target failed."""
DEAD = ("timeout", "died", "memory")
"""The statuses after which a target must be restarted."""
ROUNDS = "rounds"
"""The measure of several runs that a sample of the rows has."""
REBALANCES = "rebalances"
"""The column with the number of rebalances until a group converges."""
CRASH_FREE = "crash_free"
"""The metamorphic property that every row has a result for."""


class Column(NamedTuple):
    """A column: its type in Spark's SQL, whether it may be null, and its meaning."""

    name: str
    type: str
    nullable: bool
    says: str


COLUMNS = (
    Column("id", "bigint", False, "number of the group in the run"),
    Column("cell", "int", False, "index of the grid's cell"),
    Column("seed", "bigint", False, "seed from which the group is drawn"),
    Column("step", "int", False, "0 for the group as drawn, then one more after each change"),
    Column("target", "string", False, "the assignor that answers"),
    Column("status", "string", False, f"one of {', '.join(STATUSES)}"),
    Column("message", "string", True, "why there is no answer, or no next one"),
    Column("size", "struct", False, "how large the group is, in what its shape counts"),
    Column("situations", "array<string>", False, "situations the group is in"),
    Column("invariants_broken", "array<string>", False, "invariants the answer breaks"),
    Column(
        "laws_broken", "array<string>", True, "laws the target breaks on the group; null if none was tried"
    ),
    Column(
        "laws_unjudged", "array<string>", False, "laws without a result, because the target failed in a run"
    ),
    Column("known_defects", "array<string>", False, "broken properties that are known defects of the target"),
    Column(
        "measures",
        "struct",
        False,
        "measures of the answer, if settled of the last one; null without an answer",
    ),
    Column("optima", "struct", False, "the exact optimum of each level; null if there is no comparison"),
    Column(
        "values", "struct", False, "the value of the answer in each level; null if there is no comparison"
    ),
    Column(
        "proved", "boolean", True, "whether separate code verified the optima; null without a right answer"
    ),
    Column(
        "linear_program",
        "string",
        True,
        "'agrees' if a linear program found the same optima, 'unsolved' if none",
    ),
    Column("rounds", "int", True, "rounds until the target's answers repeat themselves; null if not tried"),
    Column(
        REBALANCES,
        "int",
        True,
        "rebalances until convergence, 1 if nothing waits; null without a right answer",
    ),
    Column("micros", "bigint", False, "microseconds the answer took"),
)


def field(level: str) -> str:
    """Return the name of a level's field: ``cross_rack`` of ``cross-rack``."""
    return level.replace("-", "_")


def select_columns(run: Run) -> list[Column]:
    """Return the columns of a run's rows: all except structs without fields, such as optima of a family without oracles."""
    return [column for column in COLUMNS if column.type != "struct" or fields(column.name, run)]


def fields(column: str, run: Run) -> list[str]:
    """Return the fields of a struct column."""
    named = {"size": run.sizes, "measures": run.measures}
    return list(named[column]) if column in named else [field(level) for level in run.levels]


def spark_schema(run: Run) -> str:
    """Return the schema of a run's rows for Spark."""

    def written(column: Column) -> str:
        inner = ", ".join(f"`{name}`: bigint" for name in fields(column.name, run))
        type_ = f"struct<{inner}>" if column.type == "struct" else column.type
        return f"`{column.name}` {type_}{'' if column.nullable else ' NOT NULL'}"

    return ", ".join(map(written, select_columns(run)))
