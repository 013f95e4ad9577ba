"""Count with Spark on how many rows each property was judged and broken, and find the smallest row that breaks it."""

from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from kassay.family import Family
from kassay.reports.sweep.manifest import Run, own_families
from kassay.reports.sweep.rows import ANSWERED, CRASH_FREE, FAILED
from kassay.reports.tables.summaries import SMALLEST

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

KEYS = ["target", "cell", "property"]


def properties(rows: "DataFrame", run: Run, family_: Family) -> "DataFrame":
    """Judge invariants on answers, laws where they were tried, and whether the target answers at all on every row.

    A target is judged by the properties that its own family has.
    """
    broken = _broken(rows, run)
    summed = _tried(rows, run, family_).join(broken, KEYS, "left")
    counts = [f.coalesce(which, f.lit(0)).alias(which) for which in ("broken", "known")]
    least = [
        f.col(f"least_{which}.{name}").alias(f"{which}_{name}")
        for which in SMALLEST
        for name in ("id", "step", *run.sizes)
    ]
    return summed.select(*KEYS, "kind", "tried", *counts, *least)


def _tried(rows: "DataFrame", run: Run, family_: Family) -> "DataFrame":
    """Count for each property the rows on which it was judged; rows that are judged alike are counted before they are multiplied."""
    own = own_families(run)
    answered, lawful, asked = "answered", "lawful", "asked"
    alike = rows.groupBy(
        "target",
        "cell",
        "laws_unjudged",
        f.col("status").isin(*ANSWERED).alias(answered),
        f.col("laws_broken").isNotNull().alias(lawful),
        (f.col("status") != "skipped").alias(asked),
    ).agg(f.count(f.lit(1)).alias("n"))
    kinds = [
        *((name, "invariant", answered) for name in family_.invariants),
        *((name, "law", asked if name == CRASH_FREE else lawful) for name in family_.laws),
    ]
    each = [
        f.struct(
            f.lit(name).alias("property"),
            f.lit(kind).alias("kind"),
            (f.col(when) & f.col("target").isin(*(t for t in run.names if name in own[t].properties))).alias(
                "judged"
            ),
        )
        for name, kind, when in kinds
    ]
    spread = alike.select("target", "cell", "laws_unjudged", "n", f.inline(f.array(*each)))
    judged = spread.where(f.col("judged") & ~f.array_contains("laws_unjudged", f.col("property")))
    return judged.groupBy(*KEYS, "kind").agg(f.sum("n").alias("tried"))


def _broken(rows: "DataFrame", run: Run) -> "DataFrame":
    """Count for each property the rows that break it, and those that break it as known; and find the smallest of both."""
    none = f.array().cast("array<string>")
    names = f.concat(
        f.when(f.col("status").isin(*ANSWERED), f.col("invariants_broken")).otherwise(none),
        f.array_remove(f.coalesce("laws_broken", none), CRASH_FREE),
        f.when(f.col("status").isin(*FAILED), f.array(f.lit(CRASH_FREE))).otherwise(none),
    )
    each_size = [f.col(f"size.{name}") for name in run.sizes]
    size = f.struct(reduce(add, each_size).alias("all"), *each_size, "id", "step")
    broken = rows.select(
        "target",
        "cell",
        "laws_unjudged",
        "known_defects",
        size.alias("size"),
        f.explode(names).alias("property"),
    ).where(~f.array_contains("laws_unjudged", f.col("property")))
    known = f.array_contains("known_defects", f.col("property"))
    return broken.groupBy(*KEYS).agg(
        *_of("broken", ~known),
        *_of("known", known),
    )


def _of(name: str, meant: "Column") -> "list[Column]":
    """Count the rows that are meant, and find the smallest."""
    return [f.count_if(meant).alias(name), f.min(f.when(meant, f.col("size"))).alias(f"least_{name}")]
