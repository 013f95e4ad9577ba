"""Compute the proven optimum of each group."""

import argparse
import shlex
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from kassay.cli.options import LISTINGS, collect_caveats, get_option_group, parse_seconds, shows_tables
from kassay.errors import InputError
from kassay.output import Block, JUnitCase

JUDGES = True
EXAMPLE = "kassay optimum balance,moves,cross-rack group.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument(
        "question", nargs="?", metavar="QUESTION",
        help="objectives, most important first, such as balance,moves,cross-rack (not with --verify)",
    )  # fmt: skip
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help=f"groups: {LISTINGS} (default: - for standard input)"
    )
    get_option_group(parser, "groups").add_argument(
        "--family", metavar="NAME", help="family of the groups (default: as stated, or consumer)"
    )
    get_option_group(parser, "search").add_argument(
        "--time-limit",
        type=parse_seconds,
        metavar="SECONDS",
        help="print bounds after SECONDS (default: none)",
    )
    output = get_option_group(parser, "output")
    output.add_argument("--all", action="store_true", help="show all members whose assignment changes")
    output.add_argument(
        "--verify", metavar="ANSWERS", help="verify the proofs in the JSON output ANSWERS of these groups"
    )


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the optimum of each group; 3 where a level was not proved in time."""
    from kassay.cli.verify import verify
    from kassay.oracles.gc_paused import pause_gc

    if args.verify is None and args.question and not args.files and Path(args.question).is_file():
        raise InputError(
            "optimum: the objectives are missing. Write them before the file:",
            [f"kassay optimum balance,moves {shlex.quote(args.question)}"],
        )
    if args.question is None and args.verify is None:
        raise InputError("QUESTION: is missing. Give objectives such as balance,moves,cross-rack.")
    with pause_gc():
        return (yield from (_find_optima if args.verify is None else verify)(args))


def _find_optima(args: argparse.Namespace) -> Generator[Block, None, int]:

    from kassay.cli.render.optimum import render_headline, render_optimum
    from kassay.files.reading import find_group_name, read_groups_of_any_family

    of_family, groups = read_groups_of_any_family(args.files or ["-"], args.family)
    if of_family.oracles is None:
        raise InputError(
            f"optimum: no oracle is known for the {of_family.name} family. Use groups of another family."
        )
    status = 0
    next_commands: Sequence[tuple[str, str]] = ()
    caveats = collect_caveats(args, groups)
    for read in groups:
        best = of_family.oracles.optimum(args.question, read.value, args.time_limit)
        proved = best.proved
        status = status if proved else 3
        says = render_headline(
            find_group_name(read), best, of_family, read.value
        )  # before the assignment is there a second time
        assignment = of_family.shape.write_without_copies(best.assignment)
        record = {"where": read.where, **best.record(assignment), "question": args.question}
        case = JUnitCase(
            args.question, read.where, "kept" if proved else "errored", "" if proved else "not proven in time"
        )
        if shows_tables(args):
            file = (
                args.files[0] if len(groups) == 1 and len(args.files) == 1 and args.files[0] != "-" else None
            )
            for block in render_optimum(
                find_group_name(read), best, of_family, read.value, record, whole=args.all, file=file
            ):
                if block.commands:
                    next_commands = block.commands
                else:
                    yield block if block.says == "" else replace(block, cases=[case])
        else:
            yield Block(says=says, records=[record], cases=[case])
    if shows_tables(args):
        ends = "Exit status 3: not all of it is proven." if status else "Exit status 0."
        yield Block(caveats=caveats)
        yield Block(commands=next_commands, status=ends)
    return status
