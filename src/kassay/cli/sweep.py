"""Sweep a grid of groups with Spark: every target judged on every group, into Parquet; goes on where it stopped."""

import argparse
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import natural

if TYPE_CHECKING:
    from kassay.output import Block


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument("grid", metavar="GRID", help="a grid file, such as grids/quick.toml")
    parser.add_argument(
        "--master",
        metavar="MASTER",
        help="a Spark master, or sc://HOST:PORT for Spark Connect; default: all cores of this machine, "
        "or what spark-submit or SPARK_REMOTE say",
    )
    parser.add_argument(
        "--tasks",
        type=natural,
        default=0,
        metavar="N",
        help="cut each wave into so many tasks; default: 8 for each core",
    )


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield where the rows are and what became of the targets' answers; status 130 where it was interrupted."""
    from kassay.errors import InputError
    from kassay.output import Block
    from kassay.reports.sweep.grid import read_grid
    from kassay.reports.sweep.needs import require_spark

    if args.folder is None:
        raise InputError(
            "-o: give the folder for the rows, as in -o sweep; a sweep that stopped goes on in its folder"
        )
    grid = read_grid(Path(args.grid))
    require_spark()
    from kassay.reports.sweep.sweeping import sweep

    try:
        done = sweep(grid, Path(args.folder), args.master, args.tasks or None)
    except KeyboardInterrupt:
        print(
            "kassay: interrupted; complete waves are kept, run the same command again to go on",
            file=sys.stderr,
        )
        return 130
    record = {
        "record": "sweep",
        "folder": args.folder,
        "run": done.id,
        "groups": done.groups,
        "waves": done.waves,
    }
    yield Block(text=f"{args.folder}: {done.groups:,} groups x {len(done.targets)} targets", records=[record])
    return 0
