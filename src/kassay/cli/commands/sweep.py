"""Evaluate assignors on a grid of groups with Spark (resumable)."""

import argparse
import re
import sys
from collections.abc import Generator
from pathlib import Path

from kassay.cli.options import add_http, allow_http, get_option_group, parse_natural
from kassay.errors import InputError
from kassay.output import Block

EXAMPLE = "kassay sweep grids/quick.toml -o build/quick"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument("grid", metavar="GRID", help="a grid file, such as grids/quick.toml")
    what = get_option_group(parser, "target")
    what.add_argument(
        "--target", action="append", default=[], metavar="TARGET",
        help="evaluate this assignor instead of those in the grid (repeatable)",
    )  # fmt: skip
    what.add_argument("--trust", action="store_true", help="run the third-party code that the grid names")
    spark = get_option_group(parser, "Spark")
    spark.add_argument(
        "--master",
        metavar="MASTER",
        help="Spark master, or sc://HOST:PORT (default: local cores, or SPARK_REMOTE)",
    )
    spark.add_argument(
        "--conf", action="append", default=[], metavar="KEY=VALUE",
        help="Spark setting, such as spark.executor.memory=4g (repeatable)",
    )  # fmt: skip
    spark.add_argument(
        "--tasks", type=parse_natural, default=0, metavar="N", help="tasks per wave (default: 8 per core)"
    )
    spark.add_argument(
        "--rows", metavar="ADDRESS", default="", help="write the rows to an object store, s3a://BUCKET/PREFIX"
    )
    add_http(parser)


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the number of answers of each target by status; return 130 after an interruption."""
    from kassay.cli.render.report import render_sweep
    from kassay.reports.requirements import require_spark
    from kassay.reports.sweep.grid import read_grid

    if args.folder is None:
        raise InputError(
            "-o: the folder for the rows is missing. Give one, or the folder of a stopped sweep to continue it. For example:",
            [EXAMPLE],
        )
    allow_http(args)
    if args.rows and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s]+(/[^\s]*)?", args.rows):
        raise InputError(
            f"--rows: {args.rows!r} is no address of an object store. Give one such as s3a://BUCKET/PREFIX"
        )
    conf = dict(each.partition("=")[::2] for each in args.conf)
    for key, value in conf.items():
        if not re.fullmatch(r"spark\.\S+", key) or not value:
            raise InputError(
                f"--conf: {key!r} with the value {value!r} is no setting of Spark's. "
                "Give one such as spark.executor.memory=4g"
            )
    grid = read_grid(Path(args.grid), args.target, trust=args.trust)
    require_spark()
    from kassay.reports.sweep.sweeping import count_statuses, sweep

    folder = Path(args.folder)
    try:
        done = sweep(grid, folder, args.master, args.tasks or None, args.rows.rstrip("/"), conf)
    except KeyboardInterrupt:
        print(
            "kassay: interrupted; complete waves are kept, run the same command again to go on",
            file=sys.stderr,
        )
        return 130
    yield from render_sweep(folder, done.groups, done.id, count_statuses(folder, done))
    return 0
