"""Hold targets against their promises, and show the smallest group that breaks each property."""

import argparse
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import add_groups, add_targets, examples, natural
from kassay.cli.progress import progress

if TYPE_CHECKING:
    from kassay.output import Block

USUAL_EXAMPLES = 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "+")
    add_groups(parser, USUAL_EXAMPLES)
    parser.add_argument(
        "--property",
        action="append",
        default=[],
        metavar="PATTERN",
        help="judge only these properties; may be repeated",
    )
    parser.add_argument(
        "--promise", action="append", metavar="PATTERN",
        help="hold the targets to these properties instead of what they promise; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--against", metavar="TARGET", help="demand also that the targets answer exactly as this one"
    )
    parser.add_argument(
        "-j", dest="jobs", type=natural, default=0, metavar="N", help="targets at a time; default: one a core"
    )


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield findings as they are made, then what was kept and broken; see the contract for the status."""
    import os

    from kassay.check import Tally, Verdict, exit_status
    from kassay.cli.verdicts import finding_block, finding_line, told
    from kassay.distance import Distance
    from kassay.files import usable_folder
    from kassay.finding import Finding
    from kassay.gate import Plan, check_targets
    from kassay.reading import read_json
    from kassay.targets import Options, expand

    specs = expand(args.targets)
    given = [read for path in args.group for read in read_json(path)]
    number = examples(args, USUAL_EXAMPLES)
    folder = usable_folder(Path(args.folder or "kassay-findings"))
    plan = Plan(
        number, args.seed, tuple(args.property), None if args.promise is None else frozenset(args.promise),
        Options(args.timeout, args.assignor, args.family),
        args.against,
    )  # fmt: skip
    verdicts: list[Verdict] = []
    distances: list[Distance] = []
    tallies: list[Tally] = []
    files: dict[tuple[str, str], str] = {}
    with progress(specs, number) as report:
        for item in check_targets(specs, plan, given, args.jobs or os.cpu_count() or 1, report):
            match item:
                case Finding():
                    path = item.save(folder)
                    files[item.target, item.property] = str(path)
                    yield finding_block(item, path) if item.promised else finding_line(item, path)
                case Verdict():
                    verdicts.append(item)
                case Distance():
                    distances.append(item)
                case Tally():
                    tallies.append(item)
    yield from told(specs, verdicts, distances, tallies, files, args.seed)
    return exit_status(verdicts)
