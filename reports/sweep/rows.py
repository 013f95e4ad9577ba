"""Rows of a sweep: which columns they have, as plain data, and in the words of Spark's SQL; pyarrow's are in :mod:`.arrow`.

A row is the answer of one target to one group. Rows of one id stand together, in the order of the run's targets, steps in
ascending order. Every column but `micros` is the same in every run of the same grid and code.
"""

from typing import NamedTuple

from kassay.reports.sweep.manifest import Run

STATUSES = ("ok", "refused", "skipped", "timeout", "died", "memory", "illegal", "settled", "unsettled")
"""What became of a question: a right answer, an error, a group declined, no answer in time, a dead process,
memory used up, an answer that loses, doubles or misgives something, one that only withholds what members have yet to give up and
comes to rest on a complete and legal one (KIP-429), and one that does not within MOST_REBALANCES."""
LEGAL = ("ok", "settled")
"""The statuses of rows with a right answer, that of the last rebalance where the status is settled."""
ANSWERED = (*LEGAL, "illegal", "unsettled")
"""The statuses of rows that hold an assignment's measures."""
FAILED = ("refused", "timeout", "died", "memory")
"""The statuses of rows on which the target failed."""
DEAD = ("timeout", "died", "memory")
"""Those of them after which a target has to be started again."""
ROUNDS = "rounds"
"""The measure of several runs that a sample of the rows has."""
REBALANCES = "rebalances"
"""The column of how many rebalances it takes until a group is at rest."""
CRASH_FREE = "crash_free"
"""The one law that every row tells something of."""


class Column(NamedTuple):
    """A column: its type in the words of Spark's SQL, whether it may be null, and what it says."""

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
        "laws_broken", "array<string>", True, "laws the target breaks on the group; null where none was tried"
    ),
    Column(
        "laws_unjudged",
        "array<string>",
        False,
        "laws that were tried and could not be judged, as the target failed in a run",
    ),
    Column("known_defects", "array<string>", False, "broken properties that are known defects of the target"),
    Column(
        "measures",
        "struct",
        False,
        "measures of the answer, where settled of the one at rest; null without an answer",
    ),
    Column("optima", "struct", False, "the exact optimum of each level; null where none is compared"),
    Column("values", "struct", False, "the value of the answer in each level; null where none is compared"),
    Column(
        "proved",
        "boolean",
        True,
        "whether the optima are proved, as separate code checked; null without a right answer",
    ),
    Column(
        "linear_program",
        "string",
        True,
        "'agrees' where a linear program found the same optima, 'unsolved' where it found none",
    ),
    Column(
        "rounds", "int", True, "rounds until the target's answers repeat themselves; null where not tried"
    ),
    Column(
        REBALANCES,
        "int",
        True,
        "rebalances until at rest, 1 where nothing has to wait; null without a right answer",
    ),
    Column("micros", "bigint", False, "microseconds the answer took"),
)


def field(level: str) -> str:
    """Return the name of a level's field: ``cross_rack`` of ``cross-rack``."""
    return level.replace("-", "_")


def select_columns(run: Run) -> list[Column]:
    """Return the columns of a run's rows: all but the structs that would have no field, as where no optimum is known."""
    return [column for column in COLUMNS if column.type != "struct" or fields(column.name, run)]


def fields(column: str, run: Run) -> list[str]:
    """Return the fields of a struct column."""
    named = {"size": run.sizes, "measures": run.measures}
    return list(named[column]) if column in named else [field(level) for level in run.levels]


def spark_schema(run: Run) -> str:
    """Return the columns as Spark's SQL writes them."""

    def written(column: Column) -> str:
        inner = ", ".join(f"`{name}`: bigint" for name in fields(column.name, run))
        type_ = f"struct<{inner}>" if column.type == "struct" else column.type
        return f"`{column.name}` {type_}{'' if column.nullable else ' NOT NULL'}"

    return ", ".join(map(written, select_columns(run)))
