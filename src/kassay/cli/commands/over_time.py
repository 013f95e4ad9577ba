"""Simulate a rolling restart or scale-out and compare the moves with the minimum."""

import argparse
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from kassay.cli.options import (
    LISTINGS,
    add_listing_options,
    add_order,
    add_page,
    add_targets,
    build_options,
    check_page,
    collect_caveats,
    expand_targets,
    find_stated_family,
    get_option_group,
    parse_positive,
    parse_seconds,
    refuse_options,
)
from kassay.defaults import FAMILY
from kassay.errors import InputError
from kassay.output import Block
from kassay.output.telling import tell

if TYPE_CHECKING:
    from kassay.cli.render.over_time import Course
    from kassay.comparison.measured import PlayedSequence
    from kassay.families.family import Family, Rounds, Sequences
    from kassay.files.reading import Read
    from kassay.oracles.answers import OverTime, Total
    from kassay.targets import Target

EXAMPLE = "kassay over-time consumer/sticky consumer/cooperative-sticky --group group.json --restart 3"
STATUSES = {
    0: "Exit status 0.",
    2: "Exit status 2: a group cannot be used.",
    3: "Exit status 3: a minimum is not proven, or an assignor failed.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "*", "the assignors that Kafka has for the groups")
    get_option_group(parser, "groups").add_argument(
        "--group",
        action="append",
        required=True,
        metavar="FILE",
        help=f"groups: {LISTINGS} (- for standard input)",
    )
    add_listing_options(parser)
    add_order(parser)
    what = get_option_group(parser, "sequence").add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--restart", type=parse_positive, metavar="N", help="N members leave and join again, one by one"
    )
    what.add_argument(
        "--bounce", type=parse_positive, metavar="N",
        help="N members leave together, then join again (Connect: within the delay)",
    )  # fmt: skip
    what.add_argument("--scale-out", type=parse_positive, metavar="K", help="K new members join, one by one")
    search = get_option_group(parser, "search")
    search.add_argument(
        "--question",
        metavar="QUESTION",
        help="objectives, most important first (default: first of the family)",
    )
    search.add_argument(
        "--time-limit",
        type=parse_seconds,
        metavar="SECONDS",
        help="print bounds after SECONDS (default: none)",
    )
    get_option_group(parser, "output").add_argument(
        "--verify", metavar="ANSWERS", help="verify the proofs in the JSON output ANSWERS of these groups"
    )
    add_page(parser, "each rebalance of each assignor and of the optimum")


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield a table for each group; return 3 if a minimum is not proven, or a target fails."""
    from kassay.cli.render.over_time import add_upper_end, render_sequence
    from kassay.cli.verify import verify_over_time
    from kassay.comparison.measured import play_steps, replay_steps
    from kassay.oracles.gc_paused import pause_gc

    if args.verify is not None:
        others = ("targets", "question", "time_limit", "html")
        refuse_options(args, "--verify", "verifies existing output", *others)
    check_page(args)
    with pause_gc(), ExitStack() as stack:
        targets, of_family, groups = _open_targets(args, stack)
        check_page(args, len(groups))
        known = _get_sequences(of_family)
        question = known.questions[0] if args.question is None else args.question
        asked = {"restart": args.restart, "bounce": args.bounce, "scale-out": args.scale_out}
        ((kind, number),) = [(kind, number) for kind, number in asked.items() if number is not None]
        courses, timelines, unplayed, caveats = yield from _plan_sequences(
            args, groups, of_family, kind, number
        )
        if args.verify is not None:
            titled = [(title, course.group) for course, (title, _) in zip(courses, timelines, strict=True)]
            return (yield from verify_over_time(args.verify, of_family, (kind, number), titled))
        status = 0
        for course, (title, timeline) in zip(courses, timelines, strict=True):
            best = known.optimum(question, timeline, args.time_limit)
            done = [play_steps(target, of_family, known, timeline) for target in targets]
            rows = [row for row, _ in done]
            records = _build_records(title, known.members(course.group), best, rows, of_family)
            own = replay_steps(best.assignments, of_family, known, timeline)
            shown = add_upper_end(best, rows)
            yield from render_sequence(course, shown, rows, of_family, records, own[0].totals)
            if args.html is not None:
                yield _write_page(args, course, shown, own, done, of_family)
            status = status if best.proved and not any(row.trouble for row in rows) else 3
        status = 2 if unplayed else status
        if courses and known.assumed.get(kind):
            caveats.append(f"Assumed: {known.assumed[kind]}")
        yield Block(caveats=caveats)
        files = " ".join(f"--group {quote(file)}" for file in args.group)
        yield Block(commands=[(f"kassay compare {files}", "")] * bool(courses), status=STATUSES[status])
        return status


def _plan_sequences(
    args: argparse.Namespace, groups: "Sequence[Read]", of_family: "Family", kind: str, number: int
) -> "Generator[Block, None, tuple[list[Course], list[tuple[str, Any]], bool, list[str]]]":
    """Return the sequence of each group, True if a group has none, and caveats; show the groups in which nothing happens."""
    from kassay.cli.render.compare import render_unusable
    from kassay.cli.render.over_time import Course
    from kassay.comparison.strategies import is_static
    from kassay.files.reading import find_group_name

    courses: list[Course] = []
    used = []
    timelines: list[tuple[str, Any]] = []
    unplayed = False
    for read in groups:
        if args.verify is None and (unusable := render_unusable(read, many=len(groups) > 1)):
            yield from unusable
            continue
        used.append(read)
        group = read.value
        if args.order == "leader" and of_family.leader_order:
            group = of_family.leader_order(group)
        if kind == "restart" and args.verify is None and is_static(group):
            record = {
                "record": "over-time", "group": f"{read.where}, restart of {number}", "static": True, "rebalances": 0, "totals": [],
            }  # fmt: skip
            yield Block(says=STATIC.format(find_group_name(read)), records=[record])
            continue
        try:
            timeline = _get_sequences(of_family).kinds[kind](group, number)
        except InputError as wrong:
            if len(groups) == 1:
                raise
            tell(f"{find_group_name(read)}: {wrong}")  # it hides no other group
            unplayed = True
            continue
        courses.append(Course(find_group_name(read), kind, number, group))
        timelines.append((f"{read.where}, {kind} of {number}", timeline))
    return courses, timelines, unplayed, collect_caveats(args, used)


STATIC = (
    "{}: a rolling restart moves nothing and causes no rebalance. All members are static (group.instance.id) and keep their "
    "partitions if they return within session.timeout.ms."
)


def _write_page(
    args: argparse.Namespace,
    course: "Course",
    best: "OverTime",
    own: "tuple[PlayedSequence, Sequence[Rounds]]",
    done: "Sequence[tuple[PlayedSequence, Sequence[Rounds]]]",
    of_family: "Family",
) -> Block:
    """Write the page of one sequence, and return where it is."""
    from kassay.cli.render.over_time import (
        BEST,
        build_table,
        render_headline,
        select_levels,
        shorten_target,
        sort_rows,
    )
    from kassay.comparison.measured import build_steps
    from kassay.reports.page.groups.group_page import Lane, write_over_time_page

    known, rows = _get_sequences(of_family), [row for row, _ in done]
    rounds = {row.target: own for row, own in done}
    lanes = [
        Lane(
            shorten_target(row.target, of_family),
            [*build_steps(of_family, known, rounds[row.target])],
            row.trouble,
        )
        for row in sort_rows(course, best, rows, of_family)
    ]
    if best.assignments:
        lanes.append(Lane(BEST, [*build_steps(of_family, known, own[1])]))
    says = render_headline(course, best, rows, of_family)
    reads = {
        name: words
        for name, words in select_levels(course, best, rows, of_family).items()
        if of_family.level(name).counts != "moving"
    }
    named = " ".join(quote(row.target) for row in rows)
    what = f"--{course.kind} {course.number}"
    order = " --order as-given" if args.order == "as-given" and of_family.leader_order else ""
    question = f" --question {quote(args.question)}" if args.question else ""
    command = f"kassay over-time {named} --group {quote(args.group[0])} {what}{question}{order}"
    write_over_time_page(
        Path(args.html), says, course.name, course.words(of_family), build_table(course, best, rows, of_family, own[0].totals), lanes,
        of_family, course.group, known.assumed.get(course.kind, ""), command, reads,
    )  # fmt: skip
    return Block(
        prose=True, text=f"Page: {args.html}", records=[{"record": "page", "page": args.html, "says": says}]
    )


def _open_targets(
    args: argparse.Namespace, stack: ExitStack
) -> "tuple[list[Target], Family, Sequence[Read]]":
    """Return the targets, by default Kafka's configurable assignors of the family of the groups, and the groups."""
    from kassay.api.compare import find_common_family
    from kassay.families import family
    from kassay.files.reading import find_group_name, read_listed_groups
    from kassay.targets import open_target

    how = build_options(args, args.family)
    targets = [stack.enter_context(open_target(spec, how)) for spec in expand_targets(args)]
    stated = (
        find_common_family(targets) if targets else None if args.family == FAMILY else family(args.family)
    )
    groups = read_listed_groups(
        args.group, find_stated_family(args, stated), subscriptions=args.subscriptions or "all", consumer_group=args.consumer_group, leader=False,
    )  # fmt: skip
    families = list(dict.fromkeys(read.family for read in groups))
    if stated is None and len(families) > 1:
        names = ", ".join(f"{find_group_name(read)} ({read.family})" for read in groups)
        raise InputError(
            f"over-time: the input has groups of several families: {names}. Choose one: --consumer-group NAME"
        )
    of_family = stated or family(families[0])
    if targets:
        return targets, of_family, groups
    if args.verify is None:
        targets = [
            stack.enter_context(open_target(name, how)) for name in expand_targets(args, of_family.name)
        ]
    return targets, of_family, groups


def _get_sequences(of_family: "Family") -> "Sequences":
    from kassay.families import families_with

    known = of_family.oracles.over_time if of_family.oracles else None
    if known is None:
        others = families_with(lambda oracles: oracles.over_time)
        raise InputError(
            f"over-time: no optimum of a sequence is known for the {of_family.name} family. Use groups of {others}."
        )
    return known


def _build_records(
    title: str, order: Sequence[str], best: "OverTime", rows: "Sequence[PlayedSequence]", of_family: "Family"
) -> list[dict[str, Any]]:
    def compute_ratio(row: "PlayedSequence", total: "Total") -> str | None:
        """Return a total as a fraction of the least; None if there is none, as the least is 0."""
        if row.trouble or not total.least:
            return None
        return str(Fraction(row.totals[total.name], total.least))

    return [
        {
            "record": "over-time", "group": title, "question": best.question, "rebalances": best.rebalances, "order": order,
            "totals": [{**asdict(total), "proved": total.proved} for total in best.totals],
            "assignments": [of_family.shape.write_answer(each) for each in best.assignments], "certificate": best.certificate,
        },
        *(
            {
                "record": "played", "group": title, **asdict(row),
                "ratios": {total.name: compute_ratio(row, total) for total in best.totals[:1]},
            }
            for row in rows
        ),
    ]  # fmt: skip
