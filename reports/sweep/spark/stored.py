"""Rows in an object store: counted, hashed and verified by Spark, whose connector knows the store, in its workers."""

from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from kassay.reports.sweep.manifest import Run, complete_waves, wave_folder
from kassay.reports.sweep.rows import spark_schema
from kassay.reports.sweep.wave_parts import Part, double, noted_parts, refuse_changed, refuse_few

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def stored_parts(spark: "SparkSession", run: Run, place: str, wave: int) -> dict[str, Part]:
    """Return the parts of a wave that was just written.

    Raises TargetGoneError where it lacks a group for some target, InputError where it has a row twice.
    """
    rows = spark.read.schema(spark_schema(run)).parquet(place)
    each = rows.groupBy("id", "step", "target").agg(f.count(f.lit(1)).alias("count_all"))
    for row in each.where("count_all > 1").limit(1).collect():
        raise double(place, row.asDict())
    counted = rows.groupBy(f.col("_metadata.file_name").alias("name")).agg(
        f.count(f.lit(1)).alias("rows"), f.count_if(f.col("step") == 0).alias("first")
    )
    counts = {row["name"]: (row["rows"], row["first"]) for row in counted.collect()}
    refuse_few(place, run, wave, sum(first for _, first in counts.values()))
    names = {path.rpartition("/")[2]: sha256 for path, sha256 in _digests(spark, place).items()}
    return {name: Part(counts.get(name, (0, 0))[0], sha256) for name, sha256 in names.items()}


def verified_stored(spark: "SparkSession", folder: Path, run: Run) -> list[int]:
    """Return the waves that are complete; raises InputError where a part of one is not as it was written."""
    waves = complete_waves(folder, run)
    base = f"{run.rows}/run={run.id}"
    found: dict[str, dict[str, str]] = {}
    for path, sha256 in _digests(spark, base).items():
        *_, of_wave, part = path.split("/")
        found.setdefault(of_wave, {})[part] = sha256
    for wave in waves:
        place = wave_folder(folder, run, wave)
        refuse_changed(
            f"{base}/{place.name}", place, noted_parts(folder, run, wave), found.get(place.name, {})
        )
    return waves


def _digests(spark: "SparkSession", place: str) -> dict[str, str]:
    """Hash all Parquet files of a place, and of folders in it, where they are read: in the workers."""
    files = spark.read.format("binaryFile").option("pathGlobFilter", "*.parquet")
    hashed = (
        files.option("recursiveFileLookup", "true")
        .load(place)
        .select("path", f.sha2("content", 256).alias("sha256"))
    )
    return {row["path"]: row["sha256"] for row in hashed.collect()}
