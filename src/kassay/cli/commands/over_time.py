"""Play a rolling restart or a scale-out of a group with targets, and compare their totals with the exact optimum of the whole."""

import argparse
from collections.abc import Generator, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from kassay.cli.options import (
    LISTINGS,
    add_order,
    add_targets,
    named_targets,
    options,
    positive,
    seconds,
)
from kassay.cli.warning import warned
from kassay.defaults import FAMILY

if TYPE_CHECKING:
    from contextlib import ExitStack

    from kassay.comparison.over_time import Played
    from kassay.family import Family, Sequences
    from kassay.files.reading import Read
    from kassay.oracles.answers import OverTime, Total
    from kassay.output import Block
    from kassay.targets import Target

EXAMPLE = "kassay over-time consumer/sticky consumer/cooperative-sticky --group group.json --restart 3"
NOT_TOLD = "Exit status 3: could not tell all, as a sum is not proved to be the least, or an assignor does not come through."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "*")
    parser.add_argument(
        "--group", action="append", required=True, metavar="FILE", help=f"the groups: {LISTINGS}"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--restart", type=positive, metavar="N",
        help="the first N of a group leave and join again, one after the other: two rebalances each",
    )  # fmt: skip
    what.add_argument("--scale-out", type=positive, metavar="K", help="K join a group, one rebalance each")
    parser.add_argument(
        "--question", metavar="QUESTION", help="levels in order; default: the first that the family knows"
    )
    parser.add_argument(
        "--time-limit", type=seconds, metavar="SECONDS", help="give an interval where the time is over"
    )
    parser.add_argument(
        "--verify", metavar="ANSWERS",
        help="check what --json printed of the optimum of each group, without targets; 1 where something is not so, 3 where there is a bound alone",
    )  # fmt: skip
    add_order(parser)


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield a table for each group; 3 where a sum is not proved to be the least, or a target does not come through."""
    from contextlib import ExitStack

    from kassay.cli.commands.verify import verify_over_time
    from kassay.cli.saying.over_time import Course, blocks
    from kassay.comparison.over_time import played
    from kassay.oracles.collecting import uncollected
    from kassay.output import Block

    _refuse_with_verify(args)
    with uncollected(), ExitStack() as stack:
        targets, of_family, groups = _opened(args, stack)
        known = _sequences(of_family)
        question = known.questions[0] if args.question is None else args.question
        kind, number = ("restart", args.restart) if args.restart else ("scale-out", args.scale_out)
        courses, timelines = [], []
        for read in warned(groups):
            group = read.value
            if args.order == "leader" and of_family.leader_order:
                group = of_family.leader_order(group)
            courses.append(Course(read.where, kind, number, group))
            timelines.append((f"{read.where}, {kind} of {number}", known.kinds[kind](group, number)))
        if args.verify is not None:
            return (yield from verify_over_time(args.verify, of_family, known, timelines))
        status = 0
        for course, (title, timeline) in zip(courses, timelines, strict=True):
            best = known.optimum(question, timeline, args.time_limit)
            rows = [played(target, of_family, known, timeline) for target in targets]
            records = _records(title, best, rows, of_family)
            yield from blocks(course, best, rows, of_family, records, known.assumed.get(kind, ""))
            status = status if best.proved and not any(row.trouble for row in rows) else 3
        if status:
            yield Block(prose=True, text=NOT_TOLD)
        return status


def _refuse_with_verify(args: argparse.Namespace) -> None:
    """Raise InputError where --verify is given with what it does not look at."""
    from kassay.errors import InputError

    if args.verify is None:
        return
    if args.targets:
        raise InputError("TARGET: give none with --verify, as answers of assignors are not checked")
    for option in ("question", "time_limit"):
        if getattr(args, option):
            raise InputError(f"--{option.replace('_', '-')}: has no meaning with --verify; leave it out")


def _opened(args: argparse.Namespace, stack: "ExitStack") -> "tuple[list[Target], Family, Sequence[Read]]":
    """Return the targets, by default those of Kafka's that can be set in the family of the groups, and the groups."""
    from kassay.api.compare import common_family
    from kassay.files.reading import groups_of_any_family, read_groups
    from kassay.targets import open_target

    how = options(args, args.family)
    targets = [stack.enter_context(open_target(spec, how)) for spec in named_targets(args)]
    if targets:
        of_family = common_family(targets)
        return targets, of_family, read_groups(args.group, of_family, leader=False)
    of_family, groups = groups_of_any_family(args.group, None if args.family == FAMILY else args.family)
    if args.verify is None:
        targets = [
            stack.enter_context(open_target(name, how)) for name in named_targets(args, of_family.name)
        ]
    return targets, of_family, groups


def _sequences(of_family: "Family") -> "Sequences":
    from kassay.errors import InputError
    from kassay.families import families_with

    known = of_family.oracles.over_time if of_family.oracles else None
    if known is None:
        others = families_with(lambda oracles: oracles.over_time)
        raise InputError(
            f"there are no oracles over time for the {of_family.name} family yet; give a group of one of {others}"
        )
    return known


def _records(
    title: str, best: "OverTime", rows: "Sequence[Played]", of_family: "Family"
) -> list[dict[str, Any]]:
    return [
        {
            "record": "over-time", "group": title, "question": best.question, "rebalances": best.rebalances,
            "totals": [{**asdict(total), "proved": total.proved} for total in best.totals],
            "assignments": [of_family.shape.write_answer(each) for each in best.assignments], "certificate": best.certificate,
        },
        *(
            {
                "record": "played", "group": title, **asdict(row),
                "ratios": {total.name: _ratio(row, total) for total in best.totals[:1]},
            }
            for row in rows
        ),
    ]  # fmt: skip


def _ratio(row: "Played", total: "Total") -> str | None:
    """Return a total as a fraction of the least; None where there is none, as the least is 0."""
    if row.trouble or not total.least:
        return None
    return str(Fraction(row.totals[total.name], total.least))
