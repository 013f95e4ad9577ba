"""Play a rolling restart or a scale-out of a group with targets, and compare their totals with the exact optimum of the whole."""

import argparse
from collections.abc import Generator, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING

from kassay.cli.options import LISTINGS, add_order, add_targets, options, positive, seconds
from kassay.cli.warning import warned
from kassay.defaults import FAMILY

if TYPE_CHECKING:
    from kassay.comparison.over_time import Played
    from kassay.family import Family
    from kassay.oracles.answers import OverTime, Total
    from kassay.output import Block

EXAMPLE = "kassay over-time consumer/sticky consumer/cooperative-sticky --group group.json --restart 3"
NOTE = (
    "least: what no sequence has less than that is as even as can be at every rebalance, each level among those that are best in the "
    "levels before it; ratio: times the least, for the first level; less even answers may be below it"
)


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

    from kassay.api.compare import common_family
    from kassay.cli.commands.verify import verify_over_time
    from kassay.comparison.over_time import played
    from kassay.errors import InputError
    from kassay.families import families_with
    from kassay.files.reading import groups_of_any_family, read_groups
    from kassay.oracles.collecting import uncollected
    from kassay.targets import expand, open_target

    if bool(args.targets) == (args.verify is not None):
        raise InputError(
            "TARGET: give one or more; with --verify none, as answers of assignors are not checked"
        )
    for option in ("question", "time_limit") if args.verify is not None else ():
        if getattr(args, option):
            raise InputError(f"--{option.replace('_', '-')}: has no meaning with --verify; leave it out")
    with uncollected(), ExitStack() as stack:
        how = options(args, args.family)
        targets = [stack.enter_context(open_target(spec, how)) for spec in expand(args.targets)]
        if targets:
            of_family = common_family(targets)
            groups = read_groups(args.group, of_family, leader=False)
        else:
            of_family, groups = groups_of_any_family(
                args.group, None if args.family == FAMILY else args.family
            )
        known = of_family.oracles.over_time if of_family.oracles else None
        if known is None:
            others = families_with(lambda oracles: oracles.over_time)
            raise InputError(
                f"there are no oracles over time for the {of_family.name} family yet; give a group of one of {others}"
            )
        question = known.questions[0] if args.question is None else args.question
        kind, number = ("restart", args.restart) if args.restart else ("scale-out", args.scale_out)
        timelines = []
        for read in warned(groups):
            group = read.value
            if args.order == "leader" and of_family.leader_order:
                group = of_family.leader_order(group)
            timelines.append((f"{read.where}, {kind} of {number}", known.kinds[kind](group, number)))
        if args.verify is not None:
            return (yield from verify_over_time(args.verify, of_family, known, timelines))
        status = 0
        for title, timeline in timelines:
            best = known.optimum(question, timeline, args.time_limit)
            rows = [played(target, of_family, known, timeline) for target in targets]
            yield _block(title, best, rows, of_family)
            status = status if best.proved and not any(row.trouble for row in rows) else 3
        return status


def _block(title: str, best: "OverTime", rows: "Sequence[Played]", of_family: "Family") -> "Block":
    from kassay.output import Block
    from kassay.shape import TextTable

    said = [
        f"{best.question}, over {best.rebalances} rebalances",
        *(f"{row.target}: {row.trouble}" for row in rows if row.trouble),
    ]
    table = [
        [total.name, _least(total), *(_beside(row, total, first=not n) for row in rows)]
        for n, total in enumerate(best.totals)
    ]
    known = {total.name for total in best.totals}
    beside = dict.fromkeys(name for row in rows for name in row.totals if name not in known)
    table += [[name, "-", *(str(row.totals.get(name, "-")) for row in rows)] for name in beside]
    table += [
        [
            name,
            "0" if name != "rounds" else "-",
            *("-" if row.trouble else str(getattr(row, of)) for row in rows),
        ]
        for name, of in (("uneven rebalances", "uneven"), ("rounds", "rounds"))
    ]
    records = [
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
    columns = ["level", "least", *(row.target for row in rows)]
    return Block(title, "\n".join(said), TextTable(columns, table, NOTE), records=records)


def _least(total: "Total") -> str:
    if total.proved:
        return str(total.least)
    return f"at least {total.least}" if total.value is None else f"{total.least} to {total.value}"


def _beside(row: "Played", total: "Total", *, first: bool) -> str:
    if row.trouble:
        return "-"
    ratio = _ratio(row, total) if first else None
    own = str(row.totals[total.name])
    if ratio is None:
        return own
    most = "" if total.proved else "at most "
    return f"{own} ({most}{ratio} = {float(Fraction(ratio)):.2f}x)"


def _ratio(row: "Played", total: "Total") -> str | None:
    """Return a total as a fraction of the least; None where there is none, as the least is 0."""
    if row.trouble or not total.least:
        return None
    return str(Fraction(row.totals[total.name], total.least))
