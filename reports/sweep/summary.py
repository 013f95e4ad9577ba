"""Sum a sweep's rows up with Spark: group-bys of integers alone, so that every summary is exact and always the same."""

from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as f

from kassay.families import family
from kassay.files.writing import usable_folder
from kassay.reports.sweep.manifest import Run, wave_folder
from kassay.reports.sweep.rows import ANSWERED, CRASH_FREE, FAILED, WHOLE, field, spark_schema
from kassay.reports.sweep.wave_parts import verified_waves
from kassay.reports.tables.summaries import SUMMARIES, mark_whole

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

Names: TypeAlias = Sequence[str]


def summarise(spark: "SparkSession", folder: Path, run: Run) -> None:
    """Write the summaries of all complete waves into ``summary/``, and last a note of which waves these are."""
    waves = verified_waves(folder, run)
    rows = spark.read.schema(spark_schema(run.measures, run.levels)).parquet(
        *(str(wave_folder(folder, run, wave)) for wave in waves)
    )
    into = usable_folder(folder / "summary")
    (into / "done.json").unlink(missing_ok=True)
    for name, summed in tables(rows, run).items():
        schema = pa.schema(list(SUMMARIES[name].items()))
        table = summed.select(*schema.names).toArrow().cast(schema)
        keys = [(column, "ascending") for column in schema.names]
        draft = into / f".{name}.parquet"
        pq.write_table(table.sort_by(keys), draft)
        draft.replace(into / f"{name}.parquet")
    mark_whole(folder, run, waves)


def tables(rows: "DataFrame", run: Run) -> Mapping[str, "DataFrame"]:
    """Return the group-bys that give each of :data:`SUMMARIES`."""
    count = f.count(f.lit(1)).alias("rows")
    answered, whole = (f.col("status").isin(*statuses) for statuses in (ANSWERED, WHOLE))
    first = (f.col("step") == 0).alias("first")
    measures = {name: f.when(whole, f.col(f"measures.{name}")) for name in run.measures}
    moves = measures.get("moves", f.lit(None).cast("bigint")).alias("moves")
    rounds = f.when(whole, f.col("rounds")).alias("rounds")
    return {
        "statuses": rows.groupBy("target", "cell", first, "status").agg(count),
        "properties": _properties(rows, run),
        "gaps": _in_situations(_gaps(rows, run.levels)),
        "profile": _profile(rows, run.levels),
        "steps": rows.groupBy("target", "cell", "step", moves, rounds).agg(count),
        "costs": _costs(rows.where(answered)),
        "measures": _pairs(rows, "measure", measures)
        .groupBy("target", "cell", "measure", "value")
        .agg(count),
        "racks": _racks(rows, run.levels),
        "proofs": rows.where("certified is not null")
        .groupBy("target", "cell", "certified", "program")
        .agg(count),
    }


def _pairs(rows: "DataFrame", kind: str, columns: Mapping[str, "Column"]) -> "DataFrame":
    """Turn columns into rows: `kind` says which one each is, `value` what was in it."""
    parts = [f.struct(f.lit(name).alias(kind), column.alias("value")) for name, column in columns.items()]
    return rows.select("*", f.explode(f.array(*parts)).alias("pair")).select("*", "pair.*").drop("pair")


def _properties(rows: "DataFrame", run: Run) -> "DataFrame":
    """Judge invariants on answers, laws where they were tried, and whether the target answers at all on every row."""
    forms = family(run.family)
    crash_free = [name for name in forms.laws if name == CRASH_FREE]
    failed = f.when(f.col("status").isin(*FAILED), f.array(f.lit(CRASH_FREE))).otherwise(
        f.array().cast("array<string>")
    )
    parts = [
        _judged(rows.where(f.col("status").isin(*ANSWERED)), "invariant", "broken", list(forms.invariants)),
        _judged(
            rows.where(f.col("laws_broken").isNotNull()), "law", "laws_broken",
            [name for name in forms.laws if name not in crash_free],
        ),
        _judged(rows.where("status != 'skipped'").withColumn("failed", failed), "law", "failed", crash_free),
    ]  # fmt: skip
    return reduce(lambda one, other: one.unionByName(other), parts)


def _judged(rows: "DataFrame", kind: str, column: str, names: Names) -> "DataFrame":
    """Count for each property the rows on which it was judged, broken, and broken as known; and find the smallest of both."""
    size = f.struct(f.col("members") + f.col("partitions"), "members", "id", "step", "partitions")
    counts = []
    for n, name in enumerate(names):
        judged = ~f.array_contains("unjudged", name)
        breaks = judged & f.array_contains(column, name)
        known = f.array_contains("known", name)
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
                for which in ("broken", "known")
                for field_ in ("id", "step", "members", "partitions")
            ),
        )
        for n, name in enumerate(names)
    ]
    kinds = f.lit(kind).alias("kind")
    return summed.select("target", "cell", kinds, f.inline(f.array(*each))).where(f.col("tried") > 0)


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


def _in_situations(gaps: "DataFrame") -> "DataFrame":
    """Count by situation; equal rows are counted before they are multiplied."""
    counted = gaps.groupBy(*gaps.columns).agg(f.count(f.lit(1)).alias("n"))
    everywhere = f.array(f.struct(f.lit("").alias("situation"), f.col("cell").alias("cell")))
    named = f.transform(
        "situations", lambda name: f.struct(name.alias("situation"), f.lit(-1).cast("int").alias("cell"))
    )
    places = f.when(f.col("first"), f.concat(everywhere, named)).otherwise(everywhere)
    spread = counted.select("target", "first", "level", "value", "optimum", "n", f.inline(places))
    keys = ["target", "cell", "situation", "first", "level", "value", "optimum"]
    return spread.groupBy(*keys).agg(f.sum("n").alias("rows"))


def _profile(rows: "DataFrame", levels: Names) -> "DataFrame":
    """Set each target's value beside the best of any target on the same first group; both are null where there is none."""
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


def _costs(rows: "DataFrame") -> "DataFrame":
    """Sum times up by size; equal times are counted before their median is taken."""
    size = ("target", "members", "partitions")
    counted = rows.groupBy(*size, "micros").agg(f.count(f.lit(1)).alias("n"))
    return counted.groupBy(*size).agg(
        f.sum("n").alias("rows"),
        f.sum(f.col("n") * f.col("micros")).alias("micros"),
        f.floor(f.percentile("micros", 0.5, f.col("n"))).alias("median"),
    )


def _racks(rows: "DataFrame", levels: Names) -> "DataFrame":
    level = "cross-rack"
    value, optimum = (
        (f.col(f"{column}.{field(level)}") if level in levels else f.lit(None).cast("bigint"))
        for column in ("values", "optima")
    )
    known = rows.where("step = 0").where(f.array_contains("situations", "racks"))
    known = known.where(~f.array_contains("situations", "unread_topic")).where(f.lit(level in levels))
    sums = {"partitions": f.when(value.isNotNull(), f.col("partitions")), "value": value, "optimum": optimum}
    return known.groupBy("target", "cell").agg(
        f.count(f.lit(1)).alias("groups"),
        f.count(value).alias("rows"),
        *(f.coalesce(f.sum(column), f.lit(0)).alias(name) for name, column in sums.items()),
    )
