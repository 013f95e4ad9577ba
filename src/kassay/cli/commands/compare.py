"""Measure targets side by side on the same groups."""

import argparse
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from kassay.cli.options import add_groups, add_order, add_targets, examples, options, tables
from kassay.cli.progress import progress
from kassay.cli.warning import warned
from kassay.defaults import COMPARED

if TYPE_CHECKING:
    from kassay.comparison.measured import Measured
    from kassay.family import Family
    from kassay.files.reading import Read
    from kassay.output import Block
    from kassay.shape import TextTable


JUDGES = True
EXAMPLE = "kassay compare consumer/range consumer/sticky --group group.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "+")
    add_groups(parser, COMPARED)
    add_order(parser)
    swept = parser.add_argument_group("on the rows of a sweep, instead of groups")
    swept.add_argument(
        "--sweep",
        metavar="DIR",
        help="compare on the rows in this folder of `kassay sweep`; no target is asked again",
    )
    swept.add_argument(
        "--max-gap", action="append", default=[], metavar="LEVEL=N",
        help="fail (status 1) where a gap to the optimum is greater, or an answer not whole, in any row, such as balance=0; may be repeated",
    )  # fmt: skip
    swept.add_argument(
        "--not-worse-than", metavar="TARGET",
        help="fail (status 1) where a target is worse than this one beyond chance in any level, or on a group that only this one answers whole",
    )  # fmt: skip


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield a table for each given group, then the sums over all; 3 where a target fails on one, or no sum is comparable."""
    if args.sweep is not None:
        from kassay.cli.commands.compare_sweep import on_sweep

        return (yield from on_sweep(args))
    from kassay.api.compare import common_family
    from kassay.cli.collect import uncollected
    from kassay.comparison.measured import comparable, compared
    from kassay.engine.generate import groups
    from kassay.errors import InputError
    from kassay.files.reading import Read, read_groups
    from kassay.targets import expand, open_target

    if args.max_gap or args.not_worse_than:
        raise InputError("--max-gap and --not-worse-than judge a sweep; give its folder with --sweep DIR")
    if args.format == "junit":
        raise InputError(
            "--format junit: nothing is judged but the gates of a sweep; give --sweep DIR, or another format"
        )
    with ExitStack() as stack:
        how = options(args, args.family)
        targets = [stack.enter_context(open_target(spec, how)) for spec in expand(args.targets)]
        forms = common_family(targets)
        given = [*warned(read_groups(args.group, forms, leader=False))]
        if args.order == "leader":
            given = [replace(read, value=forms.leader_order(read.value)) for read in given]
        number = examples(args, COMPARED)
        drawn = [Read(f"generated {n}", group) for n, group in enumerate(groups(forms, number, args.seed))]
        rows = []
        with progress(["comparing"], len(given) + len(drawn)) as report:
            for done, read in enumerate(given + drawn):
                with uncollected():
                    rows += compared(targets, forms, [read.value])
                report("comparing", done)
        if not rows:
            raise InputError("there is no group to compare on; give --group FILE or --examples above 0")
        for read, row in zip(given, rows, strict=False):
            yield of_group(read, row, forms, args.order, shown=tables(args))
        if len(rows) > 1:
            yield over_all(rows, forms)
        failed = any(one.failure for row in rows for one in row)
        return 3 if failed or (len(rows) > 1 and not comparable(rows)) else 0


def of_group(read: "Read", row: "Sequence[Measured]", forms: "Family", order: str, *, shown: bool) -> "Block":
    """Say what each target gives the members of one group, with measures and gaps to the optimum; as a table where shown."""
    from kassay.kafka_tools.listed import ORDERED
    from kassay.output import Block

    said = [f"{one.target} {_trouble(one)}" for one in row if _trouble(one)]
    said += [ORDERED] * (order == "leader")
    records = [
        {
            "record": "compared", "where": read.where, "order": order, "target": one.target, "measures": one.measures, "failure": one.failure,
            "assignment": None if one.failure else forms.shape.write_assignment(one.assignment),
            "whole": one.whole, "broken": one.broken, "gaps": [asdict(gap) for gap in one.gaps],
        }
        for one in row
    ]  # fmt: skip
    return Block(read.where, "\n".join(said), _table(read, row, forms) if shown else None, records=records)


def _table(read: "Read", row: "Sequence[Measured]", forms: "Family") -> "TextTable":
    """Make a table of what each target gives the members of a group, with measures and gaps to the optimum below."""
    from kassay.shape import TextTable

    answered = [one for one in row if one.failure is None]
    shown = forms.shape.show(read.value, {one.target: one.assignment for one in answered})
    blank = [""] * (len(shown.columns) - len(answered) - 1)
    names = [*forms.measures, *forms.run_measures]
    numbers = [[name, *blank, *(str(one.measures[name]) for one in answered)] for name in names]
    numbers += [
        [f"gap in {level}", *blank, *(_gap(one, level) for one in answered)] for level in levels(forms)
    ]
    return TextTable(shown.columns, [*shown.rows, *numbers], shown.note)


def over_all(rows: "Sequence[Sequence[Measured]]", forms: "Family") -> "Block":
    """Show the sums over the groups which all answered whole, each beside its ratio to the first target's."""
    from kassay.comparison.measured import comparable, distances, totals
    from kassay.output import Block
    from kassay.reports.matrix import far
    from kassay.shape import TextTable

    names = [*forms.measures, *forms.run_measures]
    sums, summed = totals(rows, names), len(comparable(rows))
    table = [
        [name, *(_beside(one[name], sums[0][name], n) if summed else "-" for n, one in enumerate(sums))]
        for name in names
    ]
    failed = [sum(row[n].failure is not None for row in rows) for n in range(len(sums))]
    illegal = [sum(not row[n].whole for row in rows) for n in range(len(sums))]
    far_off = distances(rows, levels(forms))
    table += [[f"gap in {level}", *(far(column[level]) for column in far_off)] for level in levels(forms)]
    table.append(["groups without a whole answer", *map(str, illegal)])
    table.append(["groups without an answer", *map(str, failed)])
    records = [
        {
            "record": "sums",
            "target": one.target,
            "groups": len(rows),
            "summed": summed,
            "failed": failed[n],
            "illegal": illegal[n],
            "measures": sums[n],
            "distances": [asdict(distance) for distance in far_off[n].values()],
        }
        for n, one in enumerate(rows[0])
    ]
    text = (
        f"summed over {summed} of {len(rows)} groups, which all of them answered whole; in brackets: times the first.\n"
        "gap: share of a target's whole answers that are above the exact optimum, in brackets the worst: its value for its optimum;\n"
        "where an answer only withholds what members have yet to give up, that of the next round counts"
    )
    return Block(
        f"{len(rows)} groups",
        text,
        TextTable(["measure", *(one.target for one in rows[0])], table),
        records=records,
    )


def levels(forms: "Family") -> "Sequence[str]":
    """Name the levels in which answers are compared with the exact optimum."""
    return forms.oracles.levels if forms.oracles else ()


def _trouble(one: "Measured") -> str:
    """Say why there is nothing to measure, or what the numbers are of; "" where they are of a whole answer at once."""
    if one.failure is not None:
        return f"gives no assignment: {one.failure}"
    if one.broken:
        return f"gives no whole answer, it breaks {', '.join(one.broken)}; its measures are not comparable"
    if one.settled != one.assignment:
        return "withholds what members have yet to give up; measures and gaps are of its next answer"
    return ""


def _gap(one: "Measured", level: str) -> str:
    gaps = {gap.level: gap for gap in one.gaps}
    if level not in gaps:
        return "-"
    value, optimum = gaps[level].value, gaps[level].optimum
    return "0" if value == optimum else f"{value} for {optimum}"


def _beside(value: int, first: int, column: int) -> str:
    return str(value) if not column or not first else f"{value} ({value / first:.2f}x)"
