"""The summaries of a sweep's rows, computed by Spark: group-bys of integers only, so that they are exact and reproducible."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add, and_
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Window
from pyspark.sql import functions as f

from kassay.families.family import Crossing, Family, Where
from kassay.files.output import make_folder
from kassay.reports.sweep.folder import verify_waves
from kassay.reports.sweep.manifest import Run, find_family, find_own_families, wave_rows
from kassay.reports.sweep.rows import ANSWERED, CRASH_FREE, FAILED, LEGAL, field, spark_schema
from kassay.reports.sweep.spark.jobs import verify_stored
from kassay.reports.tables.table import (
    SMALLEST,
    cost_sizes,
    list_exceptions,
    mark_whole,
    summary_columns,
    time_steps,
)
from kassay.reports.tables.verdicts import select_criteria

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, GroupedData, SparkSession

LONGEST = 160
"""The number of characters of a reason."""
MEDIAN_WIDTH = 1.96
"""The width of the interval of a median's rank, in square roots of the sample size, from the normal distribution."""


def filter_groups(rows: "DataFrame", of: Where) -> "DataFrame":
    """Keep the rows of the groups in `of`."""
    return rows.where(_match_groups(of))


def count_gaps(rows: "DataFrame", run: Run) -> "DataFrame":
    """Count the groups by target, question and gap, among the groups that the question applies to."""
    criteria = select_criteria(run)
    gaps = {
        each.name: _compute_gap(each.level) if each.level else _count_broken(each.keeps)
        for each in criteria
        if not each.joins
    }
    # The gap of all criteria together is the number that a group misses; null if one that applies has no gap.
    missed = [
        f.when(_match_groups(each.of), (gaps[each.name] > 0).cast("bigint")).otherwise(
            f.lit(0).cast("bigint")
        )
        for each in criteria
        if not each.joins
    ]
    each = [
        f.struct(
            f.lit(question.name).alias("question"),
            (reduce(add, missed) if question.joins else gaps[question.name]).alias("gap"),
            _match_groups(question.of).alias("asked"),
        )
        for question in criteria
    ]
    told = rows.where("step = 0").select("target", f.inline(f.array(*each))).where("asked")
    return told.groupBy("target", "question", "gap").agg(f.count(f.lit(1)).alias("rows"))


def count_failures(rows: "DataFrame", run: Run, family_: Family) -> "DataFrame":
    """Count the rows without a complete and legal answer by reason: the broken invariants, or the first words of the message."""
    broken = f.array_intersect("invariants_broken", f.array(*map(f.lit, sorted(family_.legal))))
    words = f.regexp_replace(f.substring_index(f.coalesce("message", f.lit("")), ":", 2), "[0-9]+", "#")
    reason = f.when(f.col("status") == "illegal", f.concat_ws(", ", broken)).otherwise(words)
    failed = rows.where(~f.col("status").isin(*LEGAL)).select(
        "*",
        (f.col("step") == 0).alias("first"),
        f.substring(reason, 1, LONGEST).alias("reason"),
    )
    return _find_smallest(failed.groupBy("target", "first", "status", "reason"), run, ("id", "step"))


def find_telling_groups(rows: "DataFrame", run: Run, family_: Family) -> "DataFrame":
    """Find the smallest groups on which a target misses optima or breaks invariants of questions, by their number and by size.

    The family's telling groups are counted separately.
    """
    gaps = [
        *map(_compute_gap, run.levels),
        *(_count_broken(question.keeps) for question in select_criteria(run) if question.keeps),
    ]
    missed = [f.coalesce((gap > 0).cast("int"), f.lit(0)) for gap in gaps]
    counted = (
        rows.where("step = 0")
        .where(f.col("status").isin(*LEGAL))
        .select(
            "*",
            _match_groups(family_.telling).alias("telling"),
            reduce(add, missed, f.lit(0)).alias("missed"),
            _all(run).alias("all"),
        )
    )
    return _find_smallest(
        counted.where("missed > 0").groupBy("target", "telling", "missed", "all"), run, ("id",)
    )


def _find_smallest(grouped: "GroupedData", run: Run, names: tuple[str, ...]) -> "DataFrame":
    """Count each group of rows, and find its smallest row."""
    sizes = [f.col(f"size.{name}").alias(name) for name in run.sizes]
    least = f.min(f.struct(_all(run).alias("whole"), *sizes, *names)).alias("least")
    summed = grouped.agg(f.count(f.lit(1)).alias("rows"), least)
    kept = [name for name in summed.columns if name != "least"]
    return summed.select(*kept, *(f.col(f"least.{name}").alias(name) for name in (*run.sizes, *names)))


def _all(run: Run) -> "Column":
    return reduce(add, [f.col(f"size.{name}") for name in run.sizes])


def _compute_gap(level: str) -> "Column":
    """Return the gap of a value, or null without one; less balanced answers may be below the optimum, which counts as 0."""
    over = f.col(f"values.{field(level)}") - f.col(f"optima.{field(level)}")
    return f.when(over.isNotNull(), f.greatest(over, f.lit(0).cast("bigint")))


def _count_broken(keeps: Sequence[str]) -> "Column":
    """Return 1 if a complete and legal answer breaks one of these invariants, 0 if it keeps them, and null without such an answer."""
    broken = f.arrays_overlap("invariants_broken", f.array(*map(f.lit, keeps)).cast("array<string>"))
    return f.when(f.col("status").isin(*LEGAL), broken.cast("bigint"))


def _match_groups(of: Where) -> "Column":
    wanted = [f.array_contains("situations", name) for name in of.within]
    return reduce(
        lambda one, other: one & other,
        [*wanted, *(~f.array_contains("situations", name) for name in of.outside)],
        f.lit(True),
    )


KEYS = ["target", "cell", "property"]


def count_properties(rows: "DataFrame", run: Run, family_: Family) -> "DataFrame":
    """Count invariants on answers, laws on the sample, and crash_free on every row.

    A target is checked against the properties of its own family.
    """
    broken = _find_broken(rows, run)
    summed = _count_checked(rows, run, family_).join(broken, KEYS, "left")
    counts = [f.coalesce(which, f.lit(0)).alias(which) for which in ("broken", "known")]
    least = [
        f.col(f"least_{which}.{name}").alias(f"{which}_{name}")
        for which in SMALLEST
        for name in ("id", "step", *run.sizes)
    ]
    return summed.select(*KEYS, "kind", "tried", *counts, *least)


def _count_checked(rows: "DataFrame", run: Run, family_: Family) -> "DataFrame":
    """Count for each property the rows on which it was checked; equal rows are counted before they are multiplied."""
    own = find_own_families(run)
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


def _find_broken(rows: "DataFrame", run: Run) -> "DataFrame":
    """Count for each property the rows that break it as new and as known defects, and find the smallest of both."""
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
    kinds = {"broken": ~known, "known": known}
    counts = [f.count_if(kind).alias(name) for name, kind in kinds.items()]
    smallest = [f.min(f.when(kind, f.col("size"))).alias(f"least_{name}") for name, kind in kinds.items()]
    return broken.groupBy(*KEYS).agg(*counts, *smallest)


Names: TypeAlias = Sequence[str]


def summarise(spark: "SparkSession", folder: Path, run: Run) -> None:
    """Write the summaries of all complete waves into ``summary/``, and at the end the list of these waves."""
    waves = verify_stored(spark, folder, run) if run.rows else verify_waves(folder, run)
    rows = spark.read.schema(spark_schema(run)).parquet(*(wave_rows(folder, run, wave) for wave in waves))
    into = make_folder(folder / "summary")
    (into / "done.json").unlink(missing_ok=True)
    for name, summed in build_summaries(rows, run).items():
        schema = pa.schema(list(summary_columns(run)[name].items()))
        table = summed.select(*schema.names).toArrow().cast(schema)
        keys = [(column, "ascending") for column in schema.names]
        draft = into / f".{name}.parquet"
        pq.write_table(table.sort_by(keys), draft)
        draft.replace(into / f"{name}.parquet")
    mark_whole(folder, run, waves)


def build_summaries(rows: "DataFrame", run: Run) -> Mapping[str, "DataFrame"]:
    """Return the group-by of each summary."""
    family_ = find_family(run)
    count = f.count(f.lit(1)).alias("rows")
    answered, legal = (f.col("status").isin(*statuses) for statuses in (ANSWERED, LEGAL))
    first = (f.col("step") == 0).alias("first")
    measures = {name: f.when(legal, f.col(f"measures.{name}")) for name in run.measures}
    over_time = {name: measures[name] for name in family_.timeline_measures if name in measures}
    return {
        "statuses": rows.groupBy("target", "cell", first, "status").agg(count),
        "properties": count_properties(rows, run, family_),
        "gaps": _count_by_situation(_gaps(rows, run.levels))
        if run.levels
        else _make_empty(rows, summary_columns(run)["gaps"]),
        "profile": _compare_with_best(rows, run.levels)
        if run.levels
        else _make_empty(rows, summary_columns(run)["profile"]),
        "steps": _list_values(rows, "measure", over_time)
        .groupBy("target", "cell", "step", "measure", "value")
        .agg(count),
        "rounds": rows.where(legal & f.col("rounds").isNotNull())
        .groupBy("target", "cell", "rounds")
        .agg(count),
        "rebalances": rows.where("step = 0").groupBy("target", "cell", "rebalances").agg(count),
        "costs": _sum_costs(rows.where(answered), cost_sizes(run)),
        "times": _summarise_times(rows.where(answered), run),
        "excused": _count_excused(rows, run),
        "measures": _list_values(rows, "measure", measures)
        .groupBy("target", "cell", "measure", "value")
        .agg(count),
        "questions": count_gaps(rows, run),
        "failures": count_failures(rows, run, family_),
        "telling": find_telling_groups(rows, run, family_),
        "racks": _sum_crossing(rows, run.levels, family_.crossing),
        "proofs": rows.where("proved is not null")
        .groupBy("target", "cell", "proved", "linear_program")
        .agg(count),
    }


def _list_values(rows: "DataFrame", kind: str, columns: Mapping[str, "Column"]) -> "DataFrame":
    """Convert columns to rows: `kind` is the name of the column, `value` its value."""
    parts = [f.struct(f.lit(name).alias(kind), column.alias("value")) for name, column in columns.items()]
    pairs = f.array(*parts) if parts else f.array().cast(f"array<struct<{kind}: string, value: bigint>>")
    return rows.select("*", f.explode(pairs).alias("pair")).select("*", "pair.*").drop("pair")


def _make_empty(rows: "DataFrame", names: Iterable[str]) -> "DataFrame":
    """Return columns without rows."""
    return rows.where(f.lit(False)).select(*(f.lit(None).cast("string").alias(name) for name in names))


def _gaps(rows: "DataFrame", levels: Names) -> "DataFrame":
    each = [
        f.struct(
            f.lit(level).alias("level"),
            f.col(f"values.{field(level)}").alias("value"),
            f.col(f"optima.{field(level)}").alias("optimum"),
        )
        for level in levels
    ]
    first = (f.col("step") == 0).alias("first")
    return rows.select("target", "cell", "situations", first, f.inline(f.array(*each)))


def _count_by_situation(gaps: "DataFrame") -> "DataFrame":
    """Count the rows by situation; equal rows are counted before they are multiplied."""
    counted = gaps.groupBy(*gaps.columns).agg(f.count(f.lit(1)).alias("n"))
    everywhere = f.array(f.struct(f.lit("").alias("situation"), f.col("cell").alias("cell")))
    named = f.transform(
        "situations", lambda name: f.struct(name.alias("situation"), f.lit(-1).cast("int").alias("cell"))
    )
    places = f.when(f.col("first"), f.concat(everywhere, named)).otherwise(everywhere)
    spread = counted.select("target", "first", "level", "value", "optimum", "n", f.inline(places))
    keys = ["target", "cell", "situation", "first", "level", "value", "optimum"]
    return spread.groupBy(*keys).agg(f.sum("n").alias("rows"))


def _compare_with_best(rows: "DataFrame", levels: Names) -> "DataFrame":
    """Compare each target's value with the best of any target on the same first group; both may be null."""
    least = [f.min(f"values.{field(level)}").alias(field(level)) for level in levels]
    beside = rows.where("step = 0").groupBy("id")
    answers = beside.agg(*least, f.collect_list(f.struct("target", "values")).alias("answers"))
    each = [
        f.struct(
            f.lit(level).alias("level"),
            f.col(f"answer.values.{field(level)}").alias("value"),
            f.col(field(level)).alias("best"),
        )
        for level in levels
    ]
    answer = answers.withColumn("answer", f.explode("answers"))
    values = answer.select("answer.target", f.inline(f.array(*each)))
    return values.groupBy("level", "target", "value", "best").agg(f.count(f.lit(1)).alias("rows"))


def _sum_costs(rows: "DataFrame", sizes: Names) -> "DataFrame":
    """Sum the times by size; equal times are counted before the median is computed."""
    of_size = [f.col(f"size.{name}").alias(name) for name in sizes]
    counted = rows.groupBy("target", *of_size, "micros").agg(f.count(f.lit(1)).alias("n"))
    return counted.groupBy("target", *sizes).agg(
        f.sum("n").alias("rows"),
        f.sum(f.col("n") * f.col("micros")).alias("micros"),
        f.floor(f.percentile("micros", 0.5, f.col("n"))).alias("median"),
    )


def _summarise_times(rows: "DataFrame", run: Run) -> "DataFrame":
    """Return the median time of each step of sizes, with its interval, from the exact histogram."""
    names, steps = cost_sizes(run), time_steps(run)
    sizes = [f.col(f"size.{name}") for name in names]
    positive = rows.where(reduce(and_, [size > 0 for size in sizes])).select(
        "target",
        "micros",
        *(size.alias(name) for name, size in zip(names, sizes, strict=True)),
        *(f.round(4 * f.log2(size)).cast("int").alias(step) for step, size in zip(steps, sizes, strict=True)),
    )
    alone = positive
    for step in steps[1:]:
        alone = alone.withColumn(step, f.lit(None).cast("int"))
    return reduce(
        lambda one, other: one.unionByName(other),
        [_find_medians(each, ["target", *steps], names) for each in (alone, positive)[: len(steps)]],
    )


def _find_medians(rows: "DataFrame", keys: Names, sizes: Names) -> "DataFrame":
    counted = rows.groupBy(*keys, "micros").agg(
        f.count(f.lit(1)).alias("n"), *(f.sum(size).alias(size) for size in sizes)
    )
    ranked = counted.select(
        "*",
        f.sum("n").over(Window.partitionBy(*keys).orderBy("micros")).alias("reached"),
        f.sum("n").over(Window.partitionBy(*keys)).alias("total"),
    )
    half = MEDIAN_WIDTH * f.sqrt(f.col("total").cast("double"))
    # The ranks between which the median is with 95 % confidence, rounded outwards and within the sample. Source: Campbell and Gardner, BMJ 296,
    # 1988, 1454-1456.
    low = f.greatest(f.lit(1), f.floor((f.col("total") - half) / 2))
    high = f.least(f.col("total"), f.ceil(1 + (f.col("total") + half) / 2))
    ranks = {"low": low, "median": f.ceil(f.col("total") / 2), "high": high}
    return ranked.groupBy(*keys).agg(
        f.sum("n").alias("rows"),
        *(f.sum(size).alias(size) for size in sizes),
        *(
            f.min(f.when(f.col("reached") >= rank, f.col("micros"))).alias(name)
            for name, rank in ranks.items()
        ),
    )


def _count_excused(rows: "DataFrame", run: Run) -> "DataFrame":
    """Count the violations of known defects by the declared exceptions whose situations the row is in."""
    declared = list_exceptions(run)
    if not declared:
        return _make_empty(rows, ("target", "property", "situation", "rows"))
    each = [
        f.struct(
            f.lit(promise).alias("property"),
            f.lit(situation).alias("situation"),
            ((f.col("target") == name) & f.array_contains("known_defects", promise) & _match_groups(Where(tuple(situation.split("+"))))).alias("meets"),
        )
        for (name, promise), situations in declared.items()
        for situation in situations
    ]  # fmt: skip
    met = rows.where(f.size("known_defects") > 0).select("target", f.inline(f.array(*each))).where("meets")
    return met.groupBy("target", "property", "situation").agg(f.count(f.lit(1)).alias("rows"))


def _sum_crossing(rows: "DataFrame", levels: Names, crossing: Crossing | None) -> "DataFrame":
    """Sum the reads across racks; empty if the family has none, or if their objective is not compared."""
    if crossing is None or crossing.level not in levels:
        return _make_empty(rows, ("target", "cell", "groups", "rows", "size", "value", "optimum"))
    value, optimum = (f.col(f"{column}.{field(crossing.level)}") for column in ("values", "optima"))
    known = filter_groups(rows.where("step = 0"), crossing.of)
    size = f.when(value.isNotNull(), f.col(f"size.{crossing.size}"))
    return known.groupBy("target", "cell").agg(
        f.count(f.lit(1)).alias("groups"),
        f.count(value).alias("rows"),
        *(
            f.coalesce(f.sum(column), f.lit(0)).alias(name)
            for name, column in (("size", size), ("value", value), ("optimum", optimum))
        ),
    )
