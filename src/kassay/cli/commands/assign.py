"""Print the assignment of each group."""

import argparse
import json
import shlex
from collections.abc import Generator

from kassay.cli.options import (
    LISTINGS,
    add_targets,
    build_options,
    get_option_group,
    print_warnings,
    shows_tables,
)
from kassay.errors import InputError, SkippedError
from kassay.model import AssignorError
from kassay.output import Block, JUnitCase
from kassay.output.telling import tell
from kassay.sentences import format_count

EXAMPLE = "kassay assign consumer/range group.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "1")
    get_option_group(parser, "target").add_argument(
        "files",
        nargs="*",
        default=["-"],
        metavar="FILE",
        help=f"groups: {LISTINGS} (default: - for standard input)",
    )
    parser.set_defaults(usual_format="json")


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield one assignment for each group; in the end, status 2 where a group among others was refused, 3 where the target failed."""
    from kassay.families import family
    from kassay.files.reading import read_groups_or_refusals
    from kassay.oracles.gc_paused import pause_gc
    from kassay.targets import open_target

    status, failed, refused = 0, 0, 0
    with pause_gc(), open_target(args.target, build_options(args, args.family)) as target:
        of_family = family(target.family)
        reads = read_groups_or_refusals(args.files, of_family)
        print_warnings([read for read in reads if not isinstance(read, InputError)])
        for read in reads:
            if isinstance(read, InputError):
                status, said, refused = 2, str(read), refused + 1
                tell(said)
                case = JUnitCase(target.name, said.partition(": ")[0], "errored", said)
                yield Block(prose=True, text=said, records=[{"error": said}], cases=[case])
                continue
            try:
                assignment = target.assign(read.value)
            except (AssignorError, SkippedError) as failure:
                failed += 1
                said = f"{read.where}: {target.name} gives no assignment: {failure}"
                case = JUnitCase(target.name, read.where, "errored", said)
                yield Block(prose=True, text=said, records=[{"error": said}], cases=[case])
                continue
            grid = of_family.shape.show(read.value, {target.name: assignment}) if shows_tables(args) else None
            shape = of_family.shape
            further = shape.write_beside(assignment)
            whole = shape.goes_on or further
            record = shape.write_answer(assignment) if whole else shape.write_without_copies(assignment)
            beside = {} if shape.goes_on else further
            text = ", ".join(f"{name}: {json.dumps(value)}" for name, value in beside.items())
            title = f"{read.where}: the assignment of {target.name}." if grid is not None else read.where
            yield Block(title, text, grid, records=[record], prose=True)
    groups = format_count(len(reads), "group")
    if refused:
        yield Block(status=f"Exit status 2: {refused:,} of {groups} cannot be read.")
    elif failed:
        status = 3
        yield Block(status=f"Exit status 3: {target.name} gave no assignment for {failed:,} of {groups}.")
    else:
        next_command = f"kassay compare {shlex.quote(args.target)} --group {shlex.quote(args.files[0])}"
        yield Block(
            commands=[(next_command, "")] * (args.files[:1] not in ([], ["-"])),
            status=f"Exit status 0: {target.name} gave an assignment for {groups}.",
        )
    return status
