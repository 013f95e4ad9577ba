"""Compare assignors on the same groups: what each would do, and what to set."""

import argparse
import shlex
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.live import add_live, as_given, sources
from kassay.cli.options import (
    add_groups,
    add_order,
    add_page,
    add_targets,
    check_page,
    examples,
    leave_out,
    named_targets,
    options,
)
from kassay.cli.progress import progress
from kassay.cli.warning import MACHINE, warned
from kassay.defaults import COMPARED
from kassay.errors import InputError
from kassay.suggesting import meant

if TYPE_CHECKING:
    from kassay.comparison.advice import Advice, Facts
    from kassay.comparison.measured import Measured
    from kassay.comparison.strategies import Restart
    from kassay.family import Family
    from kassay.files.reading import Read
    from kassay.oracles.answers import Dominated
    from kassay.output import Block
    from kassay.targets.target import Target


JUDGES = True
EXAMPLE = "kassay compare --group members.txt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "*")
    add_groups(parser, COMPARED)
    add_live(parser)
    add_order(parser)
    add_page(
        parser,
        "show the given group on a page: as it is now, with each assignor's answer, and with the best possible",
    )
    parser.add_argument(
        "--vary", metavar="SETTING=A,B",
        help="compare values of a setting of the given groups instead of assignors, such as rack.aware.assignment.strategy=none,min_traffic",
    )  # fmt: skip
    parser.add_argument(
        "--weights", metavar="lag|rate|FILE",
        help="also compare what partitions of the given groups weigh: the LAG of the listing, the rate of two listings (kassay import --earlier), "
        'or a file such as {"topics": [{"name": "t", "weights": [3, 1]}], "weight_unit": "bytes/s"}',
    )  # fmt: skip
    parser.add_argument(
        "--in-use", metavar="NAME",
        help="the assignor that the given groups use now, such as consumer/range; default: as a listing of --state says",
    )  # fmt: skip
    swept = parser.add_argument_group("on the rows of a sweep, instead of groups")
    swept.add_argument(
        "--sweep",
        metavar="DIR",
        help="compare on the rows in this folder of `kassay sweep`; no assignor is asked again",
    )
    swept.add_argument(
        "--max-gap", action="append", default=[], metavar="LEVEL=N",
        help="fail (status 1) where an answer is more than N above the best possible, or is not right, in any row, such as balance=0; may be repeated",
    )  # fmt: skip
    swept.add_argument(
        "--not-worse-than", metavar="TARGET",
        help="fail (status 1) where an assignor is worse than this one beyond chance in any number, or wrong on a group on which this one is right",
    )  # fmt: skip
    swept.add_argument(
        "--trust",
        action="store_true",
        help="import the family that the sweep names, where it is none of kassay's",
    )


def run(args: argparse.Namespace) -> "Generator[Block, None, int]":
    """Yield a table for each given group, then the sums over all; 3 where a target fails on one, or no sum is comparable."""
    if args.sweep is not None:
        from kassay.cli.compare_sweep import on_sweep

        return (yield from on_sweep(args))
    from kassay.comparison.across import family_of
    from kassay.comparison.dominance import dominance_of
    from kassay.comparison.measured import comparable, compared
    from kassay.engine.generate import groups
    from kassay.files.reading import Read
    from kassay.oracles.gc_paused import gc_paused
    from kassay.targets import open_target

    refuse_gates(args)
    check_page(args)
    with gc_paused(), ExitStack() as stack:
        how = options(args, args.family)
        args.sources = sources(args)
        names = named_targets(args, None if args.targets else _family_of_groups(args).name)
        targets = [stack.enter_context(open_target(spec, how)) for spec in names]
        of_family = family_of(targets)
        given = given_groups(args, of_family)
        if args.vary is not None:
            return (yield from _on_settings(args, given, of_family, targets))
        number = examples(args, COMPARED)
        drawn = [
            Read(f"generated {n}", group) for n, group in enumerate(groups(of_family, number, args.seed))
        ]
        rows = []
        with progress(["comparing"], len(given) + len(drawn)) as report:
            for done, read in enumerate(given + drawn):
                rows += compared(targets, of_family, [read.value])
                report("comparing", done)
        if not rows:
            raise InputError("there is no group to compare on; give --group FILE or --examples above 0")
        for read, row in zip(given, rows, strict=False):
            yield from _on_group(args, read, row, of_family, targets)
        if len(rows) > 1:
            judged = [
                dominance_of(of_family, read.value, row)
                for read, row in zip(given + drawn, rows, strict=True)
            ]
            yield from over_all(rows, judged, of_family, seed=args.seed if drawn else None)
        failed = any(one.failure for row in rows for one in row)
        return 3 if failed or (len(rows) > 1 and not comparable(rows)) else 0


def _on_group(
    args: argparse.Namespace,
    read: "Read",
    row: "Sequence[Measured]",
    of_family: "Family",
    targets: "Sequence[Target]",
) -> "Iterator[Block]":
    """Show what each target does with one group, say what to change, and make a page where one is asked for."""
    from kassay.cli.saying.comparing.group import advice_record, advised, assumed, blocks, records_of
    from kassay.comparison.advice import advice
    from kassay.comparison.knowing import known
    from kassay.comparison.measured import NOW, present
    from kassay.comparison.strategies import restart
    from kassay.files.reading import called

    order = args.order if of_family.leader_order else "as-given"
    now = present(of_family, read.value)
    facts = known(
        of_family, read.value, row, now, targets,
        in_use=args.in_use or read.in_use, home=read.family, wanted=read.wanted, file=read.file, name=called(read),
        listed=bool(read.listed and read.file), warnings=read.warnings,
    )  # fmt: skip
    if args.weights is not None:
        answers = {NOW: now.assignment} if now is not None else {}
        answers |= {one.target: one.settled for one in facts.answers if one.legal}
        assert of_family.oracles is not None
        assert of_family.oracles.weighing is not None
        facts = replace(facts, weighing=of_family.oracles.weighing(read.value, answers))
    told = advice(facts)
    rolling = restart(of_family, read.value, targets)
    records = records_of(read, row, now, of_family, order, rolling, facts.dominated)
    yield from blocks(facts, told, rolling, records)
    yield from advised(told, advice_record(read, told))
    yield from assumed(facts, rolling, page=args.html is not None)
    if args.html is not None:
        yield on_a_page(Path(args.html), read, facts, told, order, rolling, targets)


def on_a_page(
    path: Path,
    read: "Read",
    known: "Facts",
    told: "Advice",
    order: str,
    rolling: "Restart | None",
    targets: "Sequence[Target]",
) -> "Block":
    """Write the page of one group, and say where it is."""
    from kassay.cli.saying.comparing.group import why
    from kassay.comparison.strategies import restart
    from kassay.output import Block
    from kassay.reports.page.groups.group_page import write_group_page
    from kassay.targets.reference import open_reference

    others = [open_reference(one.target) for one in known.others]
    if others:
        rolling = restart(known.family, read.value, [*targets, *others])
    write_group_page(path, read, known, told, order, rolling, why(known))
    record = {"record": "page", "page": str(path), "sentences": told.sentences}
    return Block(text=f"The page: {path}", records=[record])


def _on_settings(
    args: argparse.Namespace, given: "Sequence[Read]", of_family: "Family", targets: "Sequence[Target]"
) -> "Generator[Block, None, int]":
    """Yield a table and the advice for each group; 3 where the assignor fails on one."""
    from kassay.cli.saying.comparing.group import advice_record, advised, assumed, blocks, records_of
    from kassay.comparison.advice import Facts
    from kassay.comparison.knowing import best_of
    from kassay.comparison.measured import compared, present
    from kassay.comparison.varying import beside, present_value, read_vary, setting_advice, value_text, varied
    from kassay.files.reading import called

    if len(targets) != 1:
        files = as_given(args)
        raise InputError(
            f"--vary {args.vary}: compares settings of one assignor{' of the groups' * (not args.targets)}; name it:",
            [
                f"kassay compare {shlex.quote(targets[0].name)} {files} --vary {shlex.quote(args.vary)}".replace(
                    "  ", " "
                )
            ],
        )
    if not given:
        raise InputError(f"--vary {args.vary}: compares settings of a group; give one with --group FILE")
    asked, (target,), failed = read_vary(args.vary, of_family), targets, False
    order = args.order if of_family.leader_order else "as-given"
    for read in given:
        now = present_value(of_family, read.value, asked)
        setting = beside(asked, now)
        groups = [varied(of_family, read.value, setting.name, value) for value in setting.values]
        said = dict.fromkeys(
            w for group in groups for w in of_family.warnings(group) if w not in read.warnings
        )
        if args.format in MACHINE:
            warned([replace(read, warnings=tuple(said))])
        answers = [compared(targets, of_family, [group])[0][0] for group in groups]
        failed = failed or any(one.failure for one in answers)
        shown = [
            replace(one, target=value_text(value)) for one, value in zip(answers, setting.values, strict=True)
        ]
        told = setting_advice(of_family, target.name, setting, now, shown)
        holds = present(of_family, read.value)
        best = best_of(of_family, read.value) if _alike(answers) else None
        facts = Facts(
            of_family, shown, now=holds, group=read.value, name=called(read), best=best, file=read.file,
            listed=bool(read.listed and read.file), warnings=(*read.warnings, *said),
        )  # fmt: skip
        values = iter(setting.values)
        records = [
            {**each, "target": target.name, "setting": setting.name, "value": next(values)}
            if each["record"] == "compared" else each
            for each in records_of(read, shown, holds, of_family, order)
        ]  # fmt: skip
        yield from blocks(facts, told, None, records, heading=setting.name)
        yield from advised(told, advice_record(read, told))
        yield from assumed(facts, None, page=True)
    return 3 if failed else 0


def _alike(answers: "Sequence[Measured]") -> bool:
    """Say whether the best possible is the same with all values, so that it can stand beside them."""
    return len({tuple((gap.level, gap.optimum) for gap in one.gaps) for one in answers}) == 1


def _family_of_groups(args: argparse.Namespace) -> "Family":
    """Return the family whose assignors are compared where none is named: that of the groups, or else the one that is asked for."""
    from kassay.defaults import FAMILY
    from kassay.families import family
    from kassay.files.reading import groups_of_any_family

    if args.group:
        return groups_of_any_family(args.sources, None if args.family == FAMILY else args.family)[0]
    return family(args.family)


def given_groups(args: argparse.Namespace, of_family: "Family") -> "list[Read]":
    """Read the given groups, in the order that is asked for, and warn of what had to be assumed; refuse options that do not fit them."""
    from kassay.files.reading import read_groups

    if args.vary is not None:
        leave_out(args, "--vary", "compares settings, and --html shows assignors", "html")
    if args.in_use is not None:
        refuse_unset(args.in_use, of_family)
    if args.weights is not None and (not args.group and not args.sources):
        raise InputError("--weights: is of given groups; name one with --group FILE")
    given = read_groups(args.sources, of_family, leader=False)
    if args.weights is not None:
        weighed = of_family.oracles.weighed if of_family.oracles else None
        if weighed is None:
            raise InputError(
                "--weights: partitions of consumer and broker groups weigh something; leave it out"
            )
        given = [replace(read, value=weighed(read.value, args.weights)) for read in given]
    if args.format in MACHINE:  # who reads the rest is told beside it
        warned(given)
    if args.order == "leader" and of_family.leader_order:
        given = [replace(read, value=of_family.leader_order(read.value)) for read in given]
    check_page(args, len(given))
    return given


def refuse_gates(args: argparse.Namespace) -> None:
    """Raise InputError where gates are asked for, or a format that shows nothing else, and there is no sweep."""
    if args.max_gap or args.not_worse_than:
        raise InputError(
            "--max-gap and --not-worse-than are gates of a sweep; name its folder with --sweep DIR"
        )
    if args.format == "junit":
        raise InputError(
            "--format junit: nothing is tested but the gates of a sweep; give --sweep DIR, or another format"
        )


def refuse_unset(in_use: str, of_family: "Family") -> None:
    """Raise InputError where the assignor that a group is said to use is none that can be set."""
    if in_use.partition("@")[0] not in of_family.settable:
        raise InputError(
            f"--in-use {in_use}: cannot be set in Kafka; give one of {', '.join(of_family.settable)}"
            f"{meant(in_use, of_family.settable)}"
        )


def over_all(
    rows: "Sequence[Sequence[Measured]]",
    judged: "Sequence[Mapping[str, Dominated]]",
    of_family: "Family",
    *,
    seed: int | None,
) -> "Iterator[Block]":
    """Show how many answers each target has that are worse than they could be, of the groups that all answer rightly; sums are in JSON."""
    from kassay.cli.saying.comparing.groups import blocks
    from kassay.comparison.dominance import spreads
    from kassay.comparison.measured import comparable, distances, totals

    names = [*of_family.measures, *of_family.run_measures]
    levels = of_family.oracles.levels if of_family.oracles else ()
    sums, summed = totals(rows, names), len(comparable(rows))
    far_off = distances(rows, levels, of_family)
    spread = spreads(judged, [one.target for one in rows[0]])
    records = [
        {
            "record": "sums",
            "target": one.target,
            "family": one.family,
            "groups": len(rows),
            "summed": summed,
            "failed": sum(row[n].failure is not None for row in rows),
            "illegal": sum(not row[n].legal for row in rows),
            "rebalances": max((row[n].rebalances for row in rows if row[n].legal), default=None),
            "unsettled": sum(not row[n].at_rest for row in rows),
            "measures": sums[n],
            "distances": [distance.as_json() for distance in far_off[n].values()],
            "dominated": asdict(spread[one.target]) if one.target in spread else None,
        }
        for n, one in enumerate(rows[0])
    ]
    yield from blocks(rows, of_family, records, seed=seed, spread=spread)
