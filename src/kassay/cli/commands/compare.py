"""Compare assignors on the same groups and recommend a setting."""

import argparse
import shlex
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kassay.cli.options import (
    add_groups,
    add_listing_options,
    add_live,
    add_order,
    add_page,
    add_targets,
    build_options,
    check_page,
    count_examples,
    expand_targets,
    find_stated_family,
    get_option_group,
    print_warnings,
    read_sources,
    refuse_options,
    require_extra,
    write_source_options,
)
from kassay.cli.progress import show_progress
from kassay.defaults import COMPARED, FAMILY
from kassay.errors import InputError
from kassay.output import Block
from kassay.sentences import suggest_name

if TYPE_CHECKING:
    from kassay.families.family import Family
    from kassay.files.reading import Read
    from kassay.targets import Options


JUDGES = True
EXAMPLE = "kassay compare --group members.txt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "*", "the assignors that Kafka has for the groups")
    add_groups(parser, COMPARED)
    add_live(parser)
    add_order(parser)
    add_page(parser, "the group now, with each assignor and with the optimum")
    groups = get_option_group(parser, "groups")
    groups.add_argument(
        "--vary", metavar="SETTING=A,B",
        help="compare values of a setting instead of assignors, such as rack.aware.assignment.strategy=none,min_traffic",
    )  # fmt: skip
    groups.add_argument(
        "--weights", metavar="lag|rate|FILE",
        help="also compare the weights of partitions: lag, rate, or a JSON file",
    )  # fmt: skip
    groups.add_argument(
        "--in-use", metavar="NAME",
        help="assignor that the groups use now, such as consumer/range (default: as listed)",
    )  # fmt: skip
    groups.add_argument(
        "--client", metavar="NAME", help="client of the members, such as java (default: by CLIENT-ID)"
    )
    add_listing_options(parser)
    swept = get_option_group(parser, "sweep", "compare the rows of a sweep instead of groups")
    swept.add_argument("--sweep", metavar="DIR", help="folder of `kassay sweep`; no assignor runs again")
    swept.add_argument(
        "--max-gap", action="append", default=[], metavar="LEVEL=N",
        help="fail if an assignment is incorrect, or more than N above the optimum (repeatable)",
    )  # fmt: skip
    swept.add_argument(
        "--not-worse-than", metavar="TARGET", help="fail if an assignor is significantly worse than TARGET"
    )
    get_option_group(parser, "output").add_argument(
        "--tables", metavar="DIR",
        help="write differences, intervals and effect sizes as CSV, Markdown and LaTeX",
    )  # fmt: skip
    swept.add_argument("--trust", action="store_true", help="import the family that the sweep names")


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the result for each given group, then the sums; 3 if a target fails on one, or no sum is comparable."""
    if args.sweep is not None:
        from kassay.cli.sweep_comparison import compare_sweep

        return (yield from compare_sweep(args))
    from kassay.cli.group_comparison import compare_groups
    from kassay.comparison.strategies import find_common_family
    from kassay.families import family
    from kassay.oracles.gc_paused import pause_gc
    from kassay.reference import ASSIGNORS
    from kassay.targets import open_target

    if args.max_gap or args.not_worse_than:
        raise InputError(
            "--max-gap, --not-worse-than: are gates of a sweep. Name its folder with --sweep DIR"
        )
    if args.format == "junit":
        raise InputError(
            "--format junit: nothing is tested but the gates of a sweep. Give --sweep DIR, or another format"
        )
    if args.tables is not None:
        why = "needs many groups: generated ones, or a sweep"
        refuse_options(args, "--tables", why, "group", "vary", "bootstrap_server")
    check_page(args)
    with pause_gc(), ExitStack() as stack:
        how = build_options(args, args.family)
        if args.client is not None:
            from kassay.comparison.client_settings import find_client

            args.client = find_client(args.client)
        args.sources = read_sources(args)
        # Targets are in the order of their families' tables, so that no result depends on the order of arguments.
        places = {name: place for place, name in enumerate(ASSIGNORS)}
        names = sorted(
            dict.fromkeys(expand_targets(args) if args.targets else ()),
            key=lambda name: (places.get(name, len(places)), name),
        )
        of_family = None
        if names:
            of_family = find_common_family([stack.enter_context(open_target(spec, how)) for spec in names])
        elif args.family != FAMILY:
            of_family = family(args.family)
        given = _read_given_groups(args, of_family)
        if args.vary is not None:
            return (yield from _compare_settings(args, given, names, how, stack))
        status = (yield from compare_groups(args, given, names, how, stack)) if given else 0
        number = count_examples(args, COMPARED)
        if number or not given:
            found = yield from _compare_generated(args, names, number, how, stack)
            status = status or found
        return status


def _compare_generated(
    args: argparse.Namespace, names: Sequence[str], number: int, how: "Options", stack: ExitStack
) -> Generator[Block, None, int]:
    """Yield the sums over generated groups."""
    from kassay.cli.group_comparison import end_without_conclusion
    from kassay.cli.render.many_groups import render_sums
    from kassay.comparison.measured import explain_no_conclusion, measure_all
    from kassay.comparison.ranking import compute_dominance
    from kassay.comparison.strategies import find_common_family
    from kassay.engine.generate import draw_groups
    from kassay.targets import list_default_targets, open_target

    names = names or list_default_targets(args.family, studies=args.include_research)
    targets = [stack.enter_context(open_target(spec, how)) for spec in names]
    of_family = find_common_family(targets)
    drawn = list(draw_groups(of_family, number, args.seed))
    if not drawn:
        raise InputError("compare: there is no group. Give --group FILE or --examples above 0")
    if args.tables is not None:
        require_extra("reports")
        if len(targets) == 1:
            raise InputError(f"--tables {args.tables}: compares with the first assignor. Name another one.")
    rows = []
    with show_progress(["comparing"], len(drawn)) as report:
        for done, group in enumerate(drawn):
            rows += measure_all(targets, of_family, [group])
            report("comparing", done)
    if args.tables is not None:
        from kassay.reports.comparison.effect_table import write_effects
        from kassay.reports.comparison.effects import compute_effects, count_measured

        first, *others = (target.name for target in targets)
        counted = count_measured(rows, others, first)
        what = list(dict.fromkeys(name for _, name in counted.differences))
        write_effects(
            (one for other in others for one in compute_effects(counted, other, what)),
            Path(args.tables),
        )
    if len(rows) > 1:
        judged = [compute_dominance(of_family, group, row) for group, row in zip(drawn, rows, strict=True)]
        yield from render_sums(rows, judged, of_family, seed=args.seed)
    return (yield from end_without_conclusion(explain_no_conclusion(rows, summed=len(rows) > 1)))


def _compare_settings(
    args: argparse.Namespace,
    given: "Sequence[Read]",
    names: Sequence[str],
    how: "Options",
    stack: ExitStack,
) -> Generator[Block, None, int]:
    """Yield a table and the advice for each group; 3 if the assignor fails on one."""
    from kassay.cli.group_comparison import end_without_conclusion
    from kassay.cli.render.compare import (
        build_advice_record,
        build_records,
        render_advice,
        render_caveats,
        render_comparison,
    )
    from kassay.comparison.facts import Facts, add_rows
    from kassay.comparison.group_facts import find_best
    from kassay.comparison.measured import explain_no_conclusion, measure_all, measure_current_assignment
    from kassay.comparison.what_if import (
        add_present_value,
        advise_setting,
        apply_setting,
        format_value,
        read_present_value,
        read_vary,
    )
    from kassay.families import family
    from kassay.files.reading import find_group_name
    from kassay.targets import list_default_targets, open_target

    if not given:
        raise InputError(f"--vary {args.vary}: compares settings of a group. Name one: --group FILE")
    of_family = family(given[0].family)
    names = names or list_default_targets(of_family.name, studies=args.include_research)
    targets = [stack.enter_context(open_target(spec, how)) for spec in names]
    if len(targets) != 1:
        files = write_source_options(args)
        copy = f"kassay compare {shlex.quote(targets[0].name)} {files} --vary {shlex.quote(args.vary)}"
        raise InputError(
            f"--vary {args.vary}: compares settings of one assignor{' of the groups' * (not args.targets)}. Name it:",
            [copy.replace("  ", " ")],
        )
    asked, (target,), rows = read_vary(args.vary, of_family), targets, []
    order = args.order if of_family.leader_order else "as-given"
    for read in given:
        now = read_present_value(of_family, read.value, asked)
        setting = add_present_value(asked, now)
        groups = [apply_setting(of_family, read.value, setting.name, value) for value in setting.values]
        said = dict.fromkeys(
            w for group in groups for w in of_family.warnings(group) if w not in read.warnings
        )
        if args.format == "json":
            print_warnings([replace(read, warnings=tuple(said))])
        answers = [measure_all(targets, of_family, [group])[0][0] for group in groups]
        rows.append(answers)
        shown = [
            replace(one, target=format_value(value))
            for one, value in zip(answers, setting.values, strict=True)
        ]
        advice = advise_setting(of_family, target.name, setting, now, shown)
        holds = measure_current_assignment(of_family, read.value)
        # One row can show the optimum if it is the same with all values.
        alike = len({tuple((gap.level, gap.optimum) for gap in one.gaps) for one in answers}) == 1
        best = find_best(of_family, read.value) if alike else None
        facts = add_rows(
            Facts(
                of_family, shown, now=holds, group=read.value, name=find_group_name(read), best=best, file=read.file,
                listed=bool(read.listed and read.file), warnings=(*read.warnings, *said),
            )
        )  # fmt: skip
        values = iter(setting.values)
        records = [
            {**each, "target": target.name, "setting": setting.name, "value": next(values)}
            if each["record"] == "compared" else each
            for each in build_records(read, shown, holds, of_family, order)
        ]  # fmt: skip
        yield from render_comparison(facts, advice, records, heading=setting.name)
        yield from render_caveats(facts)
        yield from render_advice(advice, build_advice_record(read, advice))
    return (yield from end_without_conclusion(explain_no_conclusion(rows, summed=False)))


def _read_given_groups(args: argparse.Namespace, of_family: "Family | None") -> "list[Read]":
    """Read the given groups, each of its own family if none is stated, in the order that is asked for.

    Raises InputError if options do not fit them.
    """
    from kassay.families import family
    from kassay.files.reading import read_listed_groups

    if args.vary is not None:
        refuse_options(args, "--vary", "compares settings, and --html shows assignors", "html")
    if args.in_use is not None and of_family is not None:
        refuse_unset(args.in_use, of_family)
    if args.weights is not None and not args.sources:
        raise InputError("--weights: is of given groups. Name one: --group FILE")
    given = read_listed_groups(
        args.sources, find_stated_family(args, of_family),
        subscriptions=args.subscriptions or "all", consumer_group=args.consumer_group, leader=False,
    )  # fmt: skip
    if args.in_use is not None:
        for read in given:
            refuse_unset(args.in_use, family(read.family))
    found = [
        _prepare_group(args, read, of_family or family(read.family)) if read.value is not None else read
        for read in given
    ]
    if args.format == "json":  # a reader of JSON is told on standard error
        print_warnings([read for read in found if read.value is not None])
    check_page(args, len(found))
    return found


def _prepare_group(args: argparse.Namespace, read: "Read", of: "Family") -> "Read":
    """Return a group with the weights and in the order that are asked for; raise InputError if the family does not answer it."""
    value = read.value
    if (why := of.refused(value)) is not None:
        raise InputError(f"{read.where}: {why}")
    if args.weights is not None:
        if of.oracles is None or of.oracles.weighing is None:
            raise InputError(
                "--weights: only partitions of consumer and broker groups have weights. Leave it out."
            )
        from kassay.files.reading import read_json
        from kassay.listings.listed_groups import WAYS, weigh

        file = [] if args.weights in WAYS else [each.value for each in read_json(args.weights)]
        value = weigh(value, args.weights, read.where, file)
    if args.order == "leader" and of.leader_order:
        value = of.leader_order(value)
    return replace(read, value=value)


def refuse_unset(in_use: str, of_family: "Family") -> None:
    """Raise InputError if the assignor of --in-use is not configurable in Kafka."""
    if in_use.partition("@")[0] not in of_family.settable:
        raise InputError(
            f"--in-use {in_use}: cannot be set in Kafka. Give one of {', '.join(of_family.settable)}"
            f"{suggest_name(in_use, of_family.settable)}"
        )
