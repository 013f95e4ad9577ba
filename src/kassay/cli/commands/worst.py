"""Search for groups with the largest distance to the optimum."""

import argparse
import hashlib
import shlex
from collections.abc import Generator
from pathlib import Path

from kassay.cli.options import (
    add_targets,
    add_with_old_name,
    build_options,
    get_option_group,
    parse_natural,
    shows_tables,
)
from kassay.errors import InputError, UnwritableError
from kassay.files.output import make_folder, write_whole
from kassay.output import Block
from kassay.output.block import json_line
from kassay.sentences import refuse_unknown

EXAMPLE = "kassay worst consumer/range --measure balance"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "1")
    search = get_option_group(parser, "search")
    search.add_argument(
        "--measure", required=True, metavar="MEASURE", help="balance, moves or another measure of the family"
    )
    add_with_old_name(
        search, "--groups-per-stage", "--tries", type=parse_natural, default=4000, metavar="N",
        help="groups per search stage (default: 4000); tiny groups: up to 80 x N",
    )  # fmt: skip
    search.add_argument(
        "--seed", type=parse_natural, default=0, metavar="N", help="seed of the search (default: 0)"
    )


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the group with the largest distance that was found, and whether the distance grows without bound."""
    from kassay.cli.render.optimum import render_worst
    from kassay.families import families_with, family
    from kassay.targets import open_target

    with open_target(args.target, build_options(args, args.family)) as target:
        of_family = family(target.family)
        if of_family.oracles is None or not of_family.oracles.worst_questions:
            known = families_with(lambda oracles: oracles.worst_questions)
            raise InputError(
                f"worst: no measure is known for the {of_family.name} family. Name an assignor of {known}."
            )
        questions = of_family.oracles.worst_questions
        refuse_unknown("--measure", args.measure, questions, "kassay worst --help")
        question = questions[args.measure]
        found = of_family.oracles.worst(target.assign, question, args.seed, args.groups_per_stage)
        record = {
            "record": "worst",
            "target": target.name,
            "measure": args.measure,
            "sentences": found.sentences,
        }
        own = best = None
        if found.group is not None and found.gap is not None:
            own = target.assign(found.group)
            best = of_family.oracles.optimum(question, found.group, None)
            written = of_family.write_group(found.group)
            record |= {"value": found.gap.value, "optimum": found.gap.optimum, "group": written}
    again, unwritable = list[str](), None
    if "group" in record and shows_tables(args):
        text = json_line(record["group"])
        name = f"worst-{hashlib.sha256(text.encode()).hexdigest()[:10]}.json"
        try:
            path = make_folder(Path(args.folder or "kassay-findings")) / name
            write_whole(path, text + "\n")
            again = [f"kassay compare {shlex.quote(target.name)} --group {shlex.quote(str(path))}"]
        except UnwritableError as wrong:  # the answer comes first
            unwritable = wrong
    yield from render_worst(target.name, args.measure, found, of_family, own, best, record, again, args.seed)
    if unwritable is not None:
        raise unwritable
    return 0
