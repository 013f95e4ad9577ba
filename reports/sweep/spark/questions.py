"""Count with Spark how often each target is right, why it fails, and which groups show best what it does."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from kassay.family import Family, Where
from kassay.reports.sweep.manifest import Run
from kassay.reports.sweep.rows import LEGAL, field
from kassay.reports.tables.verdicts import asked

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, GroupedData

LONGEST = 160
"""Characters of a reason."""


def where(rows: "DataFrame", of: Where) -> "DataFrame":
    """Keep the rows of the groups that are meant."""
    return rows.where(_holds(of))


def questions(rows: "DataFrame", run: Run) -> "DataFrame":
    """Count by target and question how many groups have each gap, on the groups that the question is of."""
    each = [
        f.struct(
            f.lit(question.name).alias("question"),
            (_gap(question.level) if question.level else _broken(question.keeps)).alias("gap"),
            _holds(question.of).alias("asked"),
        )
        for question in asked(run)
    ]
    told = rows.where("step = 0").select("target", f.inline(f.array(*each))).where("asked")
    return told.groupBy("target", "question", "gap").agg(f.count(f.lit(1)).alias("rows"))


def failures(rows: "DataFrame", run: Run, family_: Family) -> "DataFrame":
    """Count the rows without a complete and legal answer by their reason: the invariants broken, or the first words of the message."""
    broken = f.array_intersect("invariants_broken", f.array(*map(f.lit, sorted(family_.legal))))
    words = f.regexp_replace(f.substring_index(f.coalesce("message", f.lit("")), ":", 2), "[0-9]+", "#")
    reason = f.when(f.col("status") == "illegal", f.concat_ws(", ", broken)).otherwise(words)
    failed = rows.where(~f.col("status").isin(*LEGAL)).select(
        "*",
        (f.col("step") == 0).alias("first"),
        f.substring(reason, 1, LONGEST).alias("reason"),
    )
    return _least(failed.groupBy("target", "first", "status", "reason"), run, ("id", "step"))


def telling(rows: "DataFrame", run: Run, family_: Family) -> "DataFrame":
    """Find the smallest groups on which a target misses optima or breaks what questions ask for, by their number and by the size.

    The telling ones stand apart.
    """
    gaps = [
        *map(_gap, run.levels),
        *(_broken(question.keeps) for question in asked(run) if question.keeps),
    ]
    missed = [f.coalesce((gap > 0).cast("int"), f.lit(0)) for gap in gaps]
    counted = (
        rows.where("step = 0")
        .where(f.col("status").isin(*LEGAL))
        .select(
            "*",
            _holds(family_.telling).alias("telling"),
            reduce(add, missed, f.lit(0)).alias("missed"),
            _all(run).alias("all"),
        )
    )
    return _least(counted.where("missed > 0").groupBy("target", "telling", "missed", "all"), run, ("id",))


def _least(grouped: "GroupedData", run: Run, names: tuple[str, ...]) -> "DataFrame":
    """Count each group of rows, and name the smallest row."""
    sizes = [f.col(f"size.{name}").alias(name) for name in run.sizes]
    least = f.min(f.struct(_all(run).alias("whole"), *sizes, *names)).alias("least")
    summed = grouped.agg(f.count(f.lit(1)).alias("rows"), least)
    kept = [name for name in summed.columns if name != "least"]
    return summed.select(*kept, *(f.col(f"least.{name}").alias(name) for name in (*run.sizes, *names)))


def _all(run: Run) -> "Column":
    return reduce(add, [f.col(f"size.{name}") for name in run.sizes])


def _gap(level: str) -> "Column":
    """Return what a value is above the optimum, null where there is none; less even answers may be below it."""
    over = f.col(f"values.{field(level)}") - f.col(f"optima.{field(level)}")
    return f.when(over.isNotNull(), f.greatest(over, f.lit(0).cast("bigint")))


def _broken(keeps: Sequence[str]) -> "Column":
    """Return 1 where a complete and legal answer breaks one of these invariants and 0 where it keeps them, null without one."""
    broken = f.arrays_overlap("invariants_broken", f.array(*map(f.lit, keeps)).cast("array<string>"))
    return f.when(f.col("status").isin(*LEGAL), broken.cast("bigint"))


def _holds(of: Where) -> "Column":
    wanted = [f.array_contains("situations", name) for name in of.within]
    return reduce(
        lambda one, other: one & other,
        [*wanted, *(~f.array_contains("situations", name) for name in of.outside)],
        f.lit(True),
    )
