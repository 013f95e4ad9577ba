"""Search for the smallest groups on which a target is furthest from the optimum."""

import argparse
from collections.abc import Generator
from typing import TYPE_CHECKING

from kassay.cli.options import add_targets, natural, options

if TYPE_CHECKING:
    from kassay.output import Block

EXAMPLE = "kassay worst consumer/range --measure balance"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "1")
    parser.add_argument(
        "--measure",
        required=True,
        metavar="MEASURE",
        help="balance, moves or another of the family; an unknown one is answered with all",
    )
    parser.add_argument(
        "--tries",
        type=natural,
        default=4000,
        metavar="N",
        help="groups judged in each stage, and up to 80 times as many tiny ones; default: 4000",
    )
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="seed of the search; default: 0")


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield what exhaustion proved, the worst group found, and whether the ratio stays bounded as the group grows."""
    import json

    from kassay.errors import InputError
    from kassay.families import families_with, family
    from kassay.output import Block
    from kassay.suggesting import meant
    from kassay.targets import open_target

    with open_target(args.target, options(args, args.family)) as target:
        of_family = family(target.family)
        if of_family.oracles is None or not of_family.oracles.worst_questions:
            known = families_with(lambda oracles: oracles.worst_questions)
            raise InputError(
                f"the worst of the {of_family.name} family cannot be searched for yet; name an assignor of one of {known}"
            )
        if args.measure not in of_family.oracles.worst_questions:
            known = ", ".join(of_family.oracles.worst_questions)
            raise InputError(
                f"--measure {args.measure!r}: there is no such measure; known are {known}{meant(args.measure, of_family.oracles.worst_questions)}"
            )
        question = of_family.oracles.worst_questions[args.measure]
        found = of_family.oracles.worst(target.assign, question, args.seed, args.tries)
        title = f"{target.name}, worst {args.measure} (question {question}, seed {args.seed})"
        record = {
            "record": "worst",
            "target": target.name,
            "measure": args.measure,
            "sentences": found.sentences,
        }
        if found.group is None or found.gap is None:
            yield Block(title, "\n".join(found.sentences), records=[record])
            return 0
        best = of_family.oracles.optimum(question, found.group, None)
        answers = {target.name: target.assign(found.group), "optimum": best.assignment}
        written = of_family.write_group(found.group)
    record |= {"value": found.gap.value, "optimum": found.gap.optimum, "group": written}
    text = "\n".join([*found.sentences, *best.words])
    code = [f"worst group, as JSON: {json.dumps(written)}"]
    yield Block(title, text, of_family.shape.show(found.group, answers), code, [record])
    return 0
