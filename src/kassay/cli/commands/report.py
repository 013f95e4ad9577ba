"""Write the HTML report of a sweep."""

import argparse
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import add_http, add_with_old_name, allow_http, get_option_group, require_extra
from kassay.errors import InputError
from kassay.output import Block

if TYPE_CHECKING:
    from kassay.reports.sweep.manifest import Run
    from kassay.reports.tables.table import Table

EXAMPLE = "kassay report build/quick"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument("sweep", metavar="DIR", help="folder of `kassay sweep` (report: DIR/report, or -o)")
    contents = get_option_group(parser, "output")
    contents.add_argument(
        "--price-per-gb", type=parse_amount, default=0.02, metavar="MONEY",
        help="price per GB between racks, both directions (default: 0.02)",
    )  # fmt: skip
    contents.add_argument(
        "--tb-per-month",
        type=parse_amount,
        default=100.0,
        metavar="TB",
        help="traffic read per month (default: 100)",
    )
    add_with_old_name(
        contents, "--compare-with", "--beside", metavar="TARGET",
        help="compare every other assignor with this one (default: most often correct)",
    )  # fmt: skip
    more = get_option_group(parser, "more")
    more.add_argument("--trust", action="store_true", help="run the third-party code that the sweep names")
    more.add_argument(
        "--master", metavar="MASTER", help="Spark master, if the sweep was interrupted (default: local cores)"
    )
    add_http(parser)


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield what the page starts with, and where it is."""
    from kassay.files.writing import refuse_foreign

    require_extra("reports")
    from kassay.cli.render.report import render_report
    from kassay.reports.page.report import WRITTEN, write_report
    from kassay.reports.sweep.folder import verify_waves
    from kassay.reports.sweep.judge_rows import group_of
    from kassay.reports.sweep.manifest import read_run
    from kassay.reports.tables.gaps import Assumed
    from kassay.reports.tables.table import has_fresh_summaries, read_summaries
    from kassay.reports.tables.verdicts import select_compared, select_criteria

    allow_http(args)
    folder = Path(args.sweep)
    settings = read_run(folder, trust=args.trust)
    into = Path(args.folder) if args.folder else folder / "report"
    refuse_foreign(into, WRITTEN)
    if args.compare_with not in (None, *settings.names):
        raise InputError(
            f"--compare-with {args.compare_with}: is not in the sweep. It has {', '.join(settings.names)}"
        )
    verify_waves(folder, settings)
    if not has_fresh_summaries(folder, settings):
        _sum_rows(folder, settings, args.master)
    assumed = Assumed(args.price_per_gb, args.tb_per_month)
    summaries = read_summaries(folder, settings)
    made = write_report(
        summaries, folder, into, assumed, group_of, trust=args.trust, beside=args.compare_with
    )
    record = {
        "record": "report",
        **({"page": str(made.page)} if made.unwritable is None else {}),
        "sentences": list(made.sentences),
        "verdicts": _build_records(made.verdicts),
        "questions": _build_records(made.questions),
    }
    studies = [name for name in settings.names if name not in select_compared(settings.names)]
    yield from render_report(made, select_criteria(settings), studies, folder, record)
    if made.unwritable is not None:
        raise made.unwritable
    return 0


def _build_records(table: "Table") -> list[dict[str, object]]:
    frame = table.frame
    return [
        {str(k): v for k, v in row.items()}
        for row in frame.astype(object).where(frame.notna(), None).to_dict("records")
    ]


def _sum_rows(folder: Path, settings: "Run", master: str | None) -> None:
    """Sum the rows up with Spark; raises InputError where no wave is complete."""
    from kassay.reports.requirements import require_spark
    from kassay.reports.sweep.manifest import complete_waves
    from kassay.reports.sweep.spark.session import open_session

    if not complete_waves(folder, settings):
        raise InputError(f"{folder}: no wave is complete yet. Run the same `kassay sweep` again to go on")
    if settings.rows:
        raise InputError(
            f"{folder}: its rows are in {settings.rows} and are not summed up. Run the same `kassay sweep` again"
        )
    require_spark()
    from kassay.reports.sweep.spark.summary import summarise

    with open_session(master) as spark:
        summarise(spark, folder, settings)


def parse_amount(text: str) -> float:
    """Read a number from 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e12:
        raise argparse.ArgumentTypeError(f"{text!r} is no amount. Give a number from 0 such as 0.02")
    return value
