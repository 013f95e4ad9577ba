"""Show the trade-off between moves, balance and cross-rack reads."""

import argparse
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.cli.options import (
    LISTINGS,
    add_assignor_name,
    add_http,
    add_limits,
    build_options,
    collect_caveats,
    get_option_group,
    parse_seconds,
    refuse_options,
    require_extra,
    shows_tables,
)
from kassay.errors import InputError
from kassay.files.output import is_stream
from kassay.output import Block

if TYPE_CHECKING:
    from kassay.families.family import Family
    from kassay.files.reading import Read
    from kassay.oracles.answers import Frontier, Placed

EXAMPLE = "kassay frontier group.json --target consumer/sticky --plot frontier.svg"
SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's own arguments."""
    parser.add_argument("file", metavar="FILE", help=f"one group: {LISTINGS} (- for standard input)")
    group = get_option_group(parser, "groups")
    group.add_argument(
        "--family", metavar="NAME", help="family of the group (default: as stated, or consumer)"
    )
    group.add_argument(
        "--target", action="append", default=[], metavar="TARGET",
        help="also locate the assignment of this assignor (repeatable)",
    )  # fmt: skip
    get_option_group(parser, "search").add_argument(
        "--time-limit", type=parse_seconds, default=SECONDS, metavar="SECONDS",
        help=f"time for the proofs, in seconds (default: {SECONDS:.0f})",
    )  # fmt: skip
    output = get_option_group(parser, "output")
    output.add_argument("--plot", metavar="FILE", help="draw the frontier into FILE (.svg or .png)")
    output.add_argument(
        "--verify", metavar="FRONTIERS", help="verify the proofs in the JSON output FRONTIERS of this group"
    )
    add_assignor_name(parser)
    add_limits(parser)
    add_http(parser)


def run(args: argparse.Namespace) -> Generator[Block, None, int]:
    """Yield a table for each frontier of the group; return 3 if points may be missing, or a target fails."""
    from kassay.cli.render.optimum import has_racks
    from kassay.cli.verify import verify_frontiers
    from kassay.families import families_with
    from kassay.files.reading import read_groups_of_any_family

    if args.verify is not None:
        refuse_options(args, "--verify", "verifies existing output", "target", "plot", "assignor_name")
    path = None if args.plot is None else Path(args.plot)
    if path is not None:
        _refuse_bad_path(path)
    of_family, groups = read_groups_of_any_family([args.file], args.family)
    oracles = of_family.oracles
    if oracles is None or oracles.frontiers is None:
        known = families_with(lambda oracles: oracles.frontiers)
        raise InputError(
            f"{args.file}: no frontier is known for the {of_family.name} family. Use groups of {known}."
        )
    if len(groups) != 1:
        raise InputError(f"{args.file}: has {len(groups)} groups. Give one.")
    (read,), caveats = groups, collect_caveats(args, groups)
    if not has_racks(of_family, read.value):
        caveats.append("Not considered: reads across racks. The group has no racks.")
    if args.verify is not None:
        return (yield from verify_frontiers(args.verify, read, oracles))
    answers, failures = _collect_answers(args, of_family, read.value)
    found = oracles.frontiers(read.value, args.time_limit)
    yield from _render_frontiers(args, read, found, answers, of_family)
    for name, failure in failures.items():
        record = {"record": "failed", "target": name, "failure": failure}
        yield Block(prose=True, text=f"{name} returned no assignment: {failure}", records=[record])
    if path is not None:
        from kassay.cli.render.optimum import can_trade
        from kassay.reports.figures.frontier import draw_frontier
        from kassay.reports.figures.style import save_as

        drawn = next((each for each in found[:-1] if can_trade(each, of_family, read.value)), found[0])
        counts = of_family.level(drawn.levels[-1]).many
        others = [each for each in found if each is not drawn and drawn.levels[-1] in each.levels]
        save_as(draw_frontier(drawn, answers, read.where, counts=counts, others=others), path)
        yield Block(prose=True, text=f"Plot: {path}", records=[{"record": "plot", "plot": str(path)}])
    return (yield from _render_end(args, [each.whole for each in found], caveats, failed=bool(failures)))


def _render_end(
    args: argparse.Namespace, complete: Sequence[bool], caveats: Sequence[str], *, failed: bool
) -> Generator[Block, None, int]:
    """Yield the caveats and the exit status."""
    open_, said = not all(complete), [*caveats]
    if open_:
        more = max(300, 5 * args.time_limit)
        limit = f"{args.time_limit:g} seconds (--time-limit {more:g})"
        said.append(f"Rows may be missing: not all is proven in {limit}.")
    why = ": rows may be missing" if open_ else ": a target failed" if failed else ""
    status = 3 if why else 0
    if shows_tables(args):
        yield Block(caveats=said)
        yield Block(status=f"Exit status {status}{why}.")
    return status


def _render_frontiers(
    args: argparse.Namespace,
    read: "Read",
    found: "Sequence[Frontier]",
    answers: dict[str, Any],
    of_family: "Family",
) -> Iterator[Block]:
    """Yield the headline, and a table of each frontier that has a trade-off."""
    from kassay.cli.render.optimum import can_trade, render_frontier, render_frontier_headline
    from kassay.files.reading import find_group_name

    for n, frontier in enumerate(found):
        placed = {name: frontier.place(answer) for name, answer in answers.items()}
        says = "" if n else render_frontier_headline(find_group_name(read), found, of_family, read.value)
        yield Block(says=says, prose=True, records=_build_records(read, frontier, placed, of_family))
        free = n == len(found) - 1
        if shows_tables(args) and (free or can_trade(frontier, of_family, read.value)):
            yield from render_frontier(frontier, placed, of_family, read.value)


def _refuse_bad_path(path: Path) -> None:
    require_extra("reports")
    if is_stream(path):
        return
    if path.suffix not in {".svg", ".png"}:
        raise InputError(
            f"--plot {path}: ends with {path.suffix!r}. Give a name that ends with .svg or .png."
        )
    if not path.parent.is_dir():
        raise InputError(f"--plot {path}: there is no folder {path.parent}. Create it first.")


def _collect_answers(
    args: argparse.Namespace, of_family: "Family", group: Any
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the assignments to locate, by name, and the failures of targets."""
    from kassay.comparison.measured import NOW, measure_answer
    from kassay.targets import open_target

    now = of_family.shape.present(group)
    answers = {} if now is None else {NOW: now}
    failures = {}
    with ExitStack() as stack:
        for spec in args.target:
            target = stack.enter_context(open_target(spec, build_options(args, of_family.name)))
            if target.family != of_family.name:
                raise InputError(
                    f"--target {spec}: belongs to the {target.family} family, the group to {of_family.name}. Name another target."
                )
            own = measure_answer(target, of_family, group)
            if own.failure is None:
                answers[target.name] = own.settled
            else:
                failures[target.name] = own.failure
    return answers, failures


def _build_records(
    read: "Read", frontier: "Frontier", placed: "Mapping[str, Placed]", of_family: "Family"
) -> list[dict[str, Any]]:
    record = {
        "record": "frontier",
        "where": read.where,
        "title": frontier.title,
        "levels": frontier.levels,
        "points": [
            {
                "values": point.values,
                "supported": point.supported,
                "proved_by": point.proved_by,
                "proof": point.proof,
                **of_family.shape.write_answer(point.assignment),
            }
            for point in frontier.points
        ],
        "proofs": frontier.proofs,
        "extreme": frontier.extreme,
        "whole": frontier.whole,
        "open": frontier.open_,
        "bought": [asdict(each) for each in frontier.bought],
        "sentences": frontier.sentences,
    }
    places = [
        {"record": "placed", "title": frontier.title, "target": name, **asdict(place)}
        for name, place in placed.items()
    ]
    return [record, *places]
