"""Show the next rebalance if members join or leave, or topics grow."""

import argparse
import re
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.cli.commands.compare import refuse_unset
from kassay.cli.options import (
    LISTINGS,
    add_listing_options,
    add_live,
    add_order,
    add_page,
    add_targets,
    build_options,
    check_page,
    expand_targets,
    find_stated_family,
    get_option_group,
    parse_positive,
    print_warnings,
    read_sources,
    write_source_options,
)
from kassay.defaults import FAMILY
from kassay.errors import InputError
from kassay.output import Block

if TYPE_CHECKING:
    from kassay.comparison.what_if import Change
    from kassay.families.family import Family

EXAMPLE = "kassay what-if --group members.txt --join 2 --leave m3"
STAND_STILL = "stand still: partitions without processing during the rebalance. Eager: all; cooperative: those that move."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    add_targets(parser, "*", "the assignors that Kafka has for the group")
    group = get_option_group(parser, "groups")
    group.add_argument(
        "--group", action="append", default=[], metavar="FILE",
        help=f"the group: {LISTINGS}, or its name with --bootstrap-server",
    )  # fmt: skip
    group.add_argument(
        "--in-use", metavar="NAME", help="assignor that the group uses now (default: as listed)"
    )
    add_listing_options(parser)
    add_order(parser)
    add_live(parser)
    change = get_option_group(parser, "change", "before the next rebalance, all at once")
    change.add_argument(
        "--join",
        type=parse_positive,
        metavar="N",
        help="N members join, with subscriptions and racks of the first N",
    )
    change.add_argument(
        "--leave", action="append", default=[], metavar="MEMBER",
        help="MEMBER leaves: member id, a unique part of it, or instance id (repeatable)",
    )  # fmt: skip
    change.add_argument(
        "--add-partitions", type=_parse_growth, action="append", default=[], metavar="TOPIC:N",
        help="TOPIC grows to N partitions; streams groups: SUBTOPOLOGY:N tasks (repeatable)",
    )  # fmt: skip
    add_page(parser, "the assignment of each strategy and the optimum")


def _parse_growth(text: str) -> tuple[str, int]:
    topic, colon, number = text.rpartition(":")
    if not colon or not topic or not re.fullmatch(r"[0-9]{1,8}", number) or not 0 < int(number) <= 10**7:
        raise argparse.ArgumentTypeError(f"{text!r} is not TOPIC:N. Give a value such as orders:12")
    return topic, int(number)


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield the next rebalance under each strategy; return 3 if a target fails."""
    from kassay.cli.group_comparison import write_page
    from kassay.cli.render.compare import build_records, render_caveats, render_comparison, render_unusable
    from kassay.comparison.advice import Advice
    from kassay.comparison.group_facts import gather_facts
    from kassay.comparison.measured import measure_all, measure_current_assignment
    from kassay.comparison.strategies import Column, find_common_family
    from kassay.comparison.what_if import (
        apply_change,
        count_processed,
        count_stopped,
        describe_change,
        find_first_answer,
        resolve_members,
    )
    from kassay.families import family
    from kassay.files.reading import find_group_name, read_listed_groups
    from kassay.oracles.gc_paused import pause_gc
    from kassay.targets import open_target

    change = _build_change(args)
    check_page(args)
    with pause_gc(), ExitStack() as stack:
        how, given = build_options(args, args.family), read_sources(args)
        if not given:
            raise InputError(
                "what-if: no group is given. Add --group FILE, or --bootstrap-server HOST:PORT --group NAME. For example:",
                [EXAMPLE],
            )
        named = expand_targets(args) if args.targets else []
        targets = [stack.enter_context(open_target(spec, how)) for spec in named]
        stated = (
            find_common_family(targets) if targets else None if args.family == FAMILY else family(args.family)
        )
        groups = read_listed_groups(
            given, find_stated_family(args, stated), subscriptions=args.subscriptions or "all", consumer_group=args.consumer_group, leader=False,
        )  # fmt: skip
        if len(groups) != 1:
            names = ", ".join(find_group_name(one) for one in groups)
            raise InputError(
                f"what-if: the input has {len(groups)} groups ({names}). Choose one: --consumer-group NAME"
            )
        (read,) = groups
        of_family = stated or family(read.family)
        if unusable := render_unusable(read, many=False):
            yield from unusable
            return 0
        targets = targets or [
            stack.enter_context(open_target(spec, how)) for spec in expand_targets(args, of_family.name)
        ]
        if args.in_use is not None:
            refuse_unset(args.in_use, of_family)
        words, change = change.words(of_family), resolve_members(of_family, read.value, change)
        group = apply_change(of_family, read.value, change)
        if args.order == "leader" and of_family.leader_order:
            group = of_family.leader_order(group)
        read = replace(read, warnings=(*read.warnings, *_list_assumptions(of_family, group, change)))
        if args.format == "json":
            print_warnings([read])
        (row,) = measure_all(targets, of_family, [group])
        now, before = measure_current_assignment(of_family, group), of_family.shape.present(read.value)
        facts = gather_facts(
            of_family, group, row, now, targets, in_use=args.in_use or read.in_use, home=read.family, file=read.file,
            name=find_group_name(read), warnings=read.warnings, restarts=0,
        )  # fmt: skip
        stops = {one.target: count_stopped(of_family, before, one) for one in row}
        first = find_first_answer(facts)
        headline = describe_change(facts, words, first, stops.get(first.target) if first else None)
        order = args.order if of_family.leader_order else "as-given"
        happens = {
            "record": "what-if", "where": read.where, "says": headline,
            "change": {"join": change.join, "leave": list(change.leave), "partitions": dict(change.partitions)},
            "group": of_family.write_group(group),
        }  # fmt: skip
        records = [
            {**each, "stand_still": stops[each["target"]]} if each["record"] == "compared" else each
            for each in build_records(
                replace(read, value=group), row, now, of_family, order, None, facts.dominated
            )
        ]
        told = Advice(headline, "No recommendation: this is the next rebalance.", shown=first)
        number = count_processed(of_family, before)
        column = Column(
            f"stand still,\nof {number:,}",
            lambda row: "-" if (stop := stops.get(row.target)) is None else f"{stop:,}",
            (),
        )
        yield from render_comparison(facts, told, [happens, *records], more=column if number else None)
        if any(number is not None for number in stops.values()):
            yield Block(prose=True, text=STAND_STILL)
        if args.html is not None:
            yield write_page(Path(args.html), replace(read, value=group), facts, told, order)
        yield from render_caveats(facts)
        status = 3 if any(one.failure for one in row) else 0
        commands = [(f"kassay compare {write_source_options(args)}", "the group as it is now")]
        ends = f"Exit status {status}{': a strategy failed' if status else ''}."
        yield Block(commands=commands, status=ends)
        return status


def _list_assumptions(family: "Family", group: Any, change: "Change") -> Iterator[str]:
    """Yield the assumptions about the change of a group."""
    from kassay.comparison.strategies import has_known_racks
    from kassay.listings.location import Assumed

    who = next(iter(family.shape.sizes))
    if change.join and "workers" not in family.shape.sizes:
        one = change.join == 1
        alike = f"the group's first {who.removesuffix('s') if one else who}"
        yield Assumed(
            f"{'the new member has' if one else 'new members have'} the subscriptions and racks of {alike}, and no state"
        )
    if change.partitions:
        if has_known_racks(family, group):
            yield Assumed("new partitions have their replicas in the racks of the first ones, in turn")
        if family.shape.items == "tasks":
            yield Assumed(
                "the changelog topics get the same number of partitions; Kafka Streams stops until then"
            )


def _build_change(args: argparse.Namespace) -> "Change":
    """Return the change; raise InputError if there is none, or a topic is named twice."""
    from kassay.comparison.what_if import Change

    if not args.join and not args.leave and not args.add_partitions:
        raise InputError(
            "what-if: no change is given. Add --join N, --leave MEMBER or --add-partitions TOPIC:N. For example:",
            [EXAMPLE],
        )
    partitions: dict[str, int] = {}
    for topic, number in args.add_partitions:
        if topic in partitions:
            raise InputError(f"--add-partitions {topic}:{number}: {topic} is named twice. Give it once.")
        partitions[topic] = number
    return Change(args.join or 0, tuple(args.leave), partitions)
