"""What a sweep costs on 1, 2, 4 and 8 executors of Spark's local-cluster mode, and what follows for 10⁹ groups; Linux, Java.

``python benchmarks/scale.py [GROUPS] [--write]``: CPU seconds of all processes, for groups of the kinds of grids/quick.toml; a bare loop
judges GROUPS of them, executors a tenth, whose rows have to be equal. ``--write`` puts the tables into docs/results/speed.md. Executors on one machine share its cores, so
walls say nothing here; CPU times say what one more executor costs.
"""

import os
import re
import sys
import tempfile
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from spark import bare, below, cpu_of, run_of

from kassay.reports.sweep.judge_rows import Judge, open_limited
from kassay.reports.sweep.manifest import Run, wave_folder
from kassay.reports.sweep.spark.jobs import create_jobs
from kassay.reports.sweep.spark.session import open_session
from kassay.reports.sweep.spark.summary import summarise
from kassay.reports.sweep.sweeping import sweep_waves

PAGE = Path(__file__).parents[1] / "docs" / "results" / "speed.md"
EXECUTORS = (1, 2, 4, 8)
TASKS_HERE = 16
GROUPS, CORES, WAVES, TASKS = 10**9, 100 * 32, 50, 6_400
"""What is projected: groups, cores, waves, and tasks in each."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A sweep: CPU seconds of judging and of summing up, and its rows: how many, their bytes, and a digest of all but times."""

    judged: float
    summed: float
    rows: int
    size: int
    digest: str


def swept(executors: int, run: Run) -> Measured:
    """Sweep a run on so many executors of one core each, which are warm."""
    with (
        open_session(f"local-cluster[{executors},1,1024]") as spark,
        tempfile.TemporaryDirectory() as folder,
    ):
        named = create_jobs(spark)
        for name, each in (("warm", run_of(40)), ("measured", run)):
            before = cpu_of(below(os.getpid()))
            for _ in sweep_waves(spark, named, Path(folder, name), each, TASKS_HERE, lambda _: None):
                pass
            judged = cpu_of(below(os.getpid())) - before
        summarise(spark, Path(folder, "measured"), run)
        parts = sorted(wave_folder(Path(folder, "measured"), run, 0).glob("*.parquet"))
        table = pa.concat_tables([pq.read_table(part, partitioning=None) for part in parts])
        ordered = table.drop_columns(["micros"]).sort_by(
            [(key, "ascending") for key in ("id", "target", "step")]
        )
        return Measured(
            judged,
            cpu_of(below(os.getpid())) - before - judged,
            table.num_rows,
            sum(part.stat().st_size for part in parts),
            blake2b(repr(ordered.to_pylist()).encode(), digest_size=8).hexdigest(),
        )


def shown(run: Run, alone: float, each: float, found: dict[int, Measured]) -> str:
    """Write the tables: what was measured, and what follows, of `each` group's CPU seconds, from the most executors."""
    lines = [
        "| judged by | CPU milliseconds a group | relative to a bare loop | rows | summing up, CPU seconds |",
        "| --- | ---: | ---: | --- | ---: |",
        f"| a bare loop | {alone / run.groups * 1e3:.1f} | 1 | | |",
    ]
    for executors, one in found.items():
        equal = "equal" if one.digest == found[EXECUTORS[0]].digest else "DIFFERENT"
        lines.append(
            f"| {executors} executor{'s' * (executors > 1)} | {one.judged / run.groups * 1e3:.1f} | {one.judged / alone:.2f} "
            f"| {equal} | {one.summed:.0f} |"
        )
    last = found[EXECUTORS[-1]]
    rows, judging = GROUPS / run.groups * last.rows, GROUPS * each * last.judged / alone
    lines += [
        "",
        f"| {GROUPS:,} groups, {len(run.names)} targets, {CORES:,} cores | value |",
        "| --- | ---: |",
        f"| a group in a bare loop, of more groups | {each * 1e3:.1f} CPU milliseconds |",
        f"| judging at that rate | {GROUPS * each / 3600:,.0f} core hours: {GROUPS * each / CORES / 60:.0f} minutes |",
        f"| with all the overhead of {EXECUTORS[-1]} executors, of tasks of {run.groups // TASKS_HERE} groups | {judging / 3600:,.0f} core hours: {judging / CORES / 60:.0f} minutes |",
        f"| one of {TASKS:,} tasks of one of {WAVES} waves, {GROUPS // WAVES // TASKS:,} groups | {GROUPS * each / WAVES / TASKS:.0f} to {judging / WAVES / TASKS:.0f} seconds |",
        f"| rows | {rows / 1e9:.1f} billion: {rows / last.rows * last.size / 1e9:,.0f} GB in {WAVES * TASKS:,} files |",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write where that is asked."""
    given = [word for word in sys.argv[1:] if word != "--write"]
    groups = int(given[0]) if given else 3000
    many, run = run_of(groups), run_of(groups // 10)
    judge = Judge(
        run,
        [open_limited(name, run.family, run.timeout_s, run.memory_mb) for name in run.names],
    )
    bare(run_of(60), judge)
    alone, of_many = (bare(each, judge)[1] for each in (run, many))
    found = {}
    for executors in EXECUTORS:
        found[executors] = swept(executors, run)
        print(f"{executors}: {found[executors]}", file=sys.stderr)
    text = shown(run, alone, of_many / many.groups, found)
    print(text)
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        part = re.compile(
            r"(<!-- measured: python benchmarks/scale.py -->\n).*?(<!-- end -->)",
            re.DOTALL,
        )
        PAGE.write_text(part.sub(lambda old: f"{old[1]}{text}{old[2]}", page), encoding="utf-8")
    if "DIFFERENT" in text:
        raise SystemExit("the rows of some executors differ")


if __name__ == "__main__":
    main()
