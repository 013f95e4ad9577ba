"""Count with Spark on how many rows each property was judged and broken, and find the smallest row that breaks it."""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, TypeAlias

from pyspark.sql import functions as f

from kassay.family import Family
from kassay.reports.sweep.manifest import Run, own_families
from kassay.reports.sweep.rows import ANSWERED, CRASH_FREE, FAILED
from kassay.reports.tables.summaries import SMALLEST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Names: TypeAlias = Sequence[str]


def properties(rows: "DataFrame", run: Run, family_: Family) -> "DataFrame":
    """Judge invariants on answers, laws where they were tried, and whether the target answers at all on every row.

    A target is judged by the properties that its own family has.
    """
    own = own_families(run)
    judged = partial(
        _judged, run=run, judges=lambda name: [t for t in run.names if name in own[t].properties]
    )
    crash_free = [name for name in family_.laws if name == CRASH_FREE]
    failed = f.when(f.col("status").isin(*FAILED), f.array(f.lit(CRASH_FREE))).otherwise(
        f.array().cast("array<string>")
    )
    parts = [
        judged(rows.where(f.col("status").isin(*ANSWERED)), "invariant", "invariants_broken", list(family_.invariants)),
        judged(
            rows.where(f.col("laws_broken").isNotNull()), "law", "laws_broken",
            [name for name in family_.laws if name not in crash_free],
        ),
        judged(rows.where("status != 'skipped'").withColumn("failed", failed), "law", "failed", crash_free),
    ]  # fmt: skip
    return reduce(lambda one, other: one.unionByName(other), parts)


def _judged(
    rows: "DataFrame", kind: str, column: str, names: Names, *, run: Run, judges: Callable[[str], Names]
) -> "DataFrame":
    """Count for each property the rows on which it was judged, broken, and broken as known; and find the smallest of both.

    `judges` says of which targets a property is judged.
    """
    sizes = run.sizes
    each_size = [f.col(f"size.{name}") for name in sizes]
    size = f.struct(reduce(add, each_size).alias("all"), *each_size, "id", "step")
    counts = []
    for n, name in enumerate(names):
        judged = f.col("target").isin(*judges(name)) & ~f.array_contains("laws_unjudged", name)
        breaks = judged & f.array_contains(column, name)
        known = f.array_contains("known_defects", name)
        counts += [
            f.count_if(judged).alias(f"tried{n}"),
            f.count_if(breaks & ~known).alias(f"broken{n}"),
            f.count_if(breaks & known).alias(f"known{n}"),
            f.min(f.when(breaks & ~known, size)).alias(f"least_broken{n}"),
            f.min(f.when(breaks & known, size)).alias(f"least_known{n}"),
        ]
    summed = rows.groupBy("target", "cell").agg(*counts)
    each = [
        f.struct(
            f.lit(name).alias("property"),
            f.col(f"tried{n}").alias("tried"),
            f.col(f"broken{n}").alias("broken"),
            f.col(f"known{n}").alias("known"),
            *(
                f.col(f"least_{which}{n}.{field_}").alias(f"{which}_{field_}")
                for which in SMALLEST
                for field_ in ("id", "step", *sizes)
            ),
        )
        for n, name in enumerate(names)
    ]
    kinds = f.lit(kind).alias("kind")
    return summed.select("target", "cell", kinds, f.inline(f.array(*each))).where(f.col("tried") > 0)
