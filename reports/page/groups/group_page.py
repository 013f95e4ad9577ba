"""The pages of one group: its present assignment with the answers and what to change, and a sequence of its rebalances."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from kassay import __version__
from kassay.comparison.advice import Advice
from kassay.comparison.facts import Facts
from kassay.comparison.group_facts import find_best
from kassay.comparison.headline import label_targets_uniquely
from kassay.comparison.measured import (
    Held,
    Measured,
    Step,
    compute_holdings,
    compute_loads,
    format_load_range,
    has_lag,
    list_roles,
    name_role,
)
from kassay.comparison.strategies import Restart
from kassay.families.family import Family
from kassay.families.names import within
from kassay.families.shape import TextTable
from kassay.files.output import write_whole
from kassay.oracles.answers import Answer, Weighing
from kassay.playground.link import link
from kassay.reports.page.groups.holders import (
    COLUMNS,
    build_bars,
    build_weight_bars,
    draw_columns,
    list_moves,
    short_names,
)
from kassay.reports.page.groups.one_group import (
    ANSWER,
    BEST,
    PRESENT,
    draw_assignments,
    draw_better_answers,
    list_strategies,
    render_column_heads,
)
from kassay.reports.page.groups.one_group import join_reasons as as_sentences
from kassay.reports.page.inline import as_script, mark_trusted, render_page
from kassay.reports.shapes import find_picture

if TYPE_CHECKING:
    from kassay.files.reading import Read


def write_group_page(
    path: Path, read: "Read", known: Facts, told: Advice, order: str, restarted: Restart | None, fewest: str
) -> None:
    """Write the page into a file: the present problem, the recommended change, and its cost.

    Raises InputError if the file cannot be written, OracleError if no optimum is proven.
    """
    family, group, row = known.family, read.value, known.answers
    names = [one.target for one in row]
    labels = label_targets_uniquely(names)
    optima = family.oracles.optima(group) if family.oracles else None
    best = find_best(family, group, optima)
    now, answers = known.now, [(labels[one.target], one) for one in row]
    picture = find_picture(family.shape)
    sizes = [(name, f"{count(group):,}") for name, count in family.shape.sizes.items()]
    as_given = " --order as-given" if order == "as-given" and family.leader_order else ""
    command = f"kassay compare {' '.join(map(quote, names))} --group {known.file}{as_given}"
    have, get = _find_assignments(known, told)
    shown = list(draw_assignments(family, group, now, answers, best, optima))
    if len(shown) > 3:
        # The optimum follows the present assignment, so that both are next to each other.
        shown.sort(key=lambda one: [PRESENT, BEST, ANSWER].index(one.look))
    restarts = []
    if restarted is not None:
        who = next(iter(family.shape.sizes))
        restarts.append(f"Assumed: in a rolling restart, {who} restart one by one, with new ids.")
        if restarted.unknown:
            restarts.append(f"The minimum of a rolling restart is unknown: {restarted.unknown}.")
    page = {
        "title": f"{read.where}: {told.headline}",
        "headline": told.headline,
        "change": told.says,
        "lines": told.lines,
        "where": read.where,
        "meta": [
            ("kassay", __version__),
            ("family", ", ".join(dict.fromkeys(one.family for one in row))),
            *sizes,
            ("order", order),
        ],
        "assumed": [
            *read.warnings,
            *list_unconsidered(family, group, weighed=known.weighing is not None),
            *restarts,
        ],
        "command": command,
        "ask": [f"kassay optimum {best.question} {known.file} --json"] if best is not None else [],
        "lead": picture.lead,
        "legend": picture.legend,
        "noun": next(iter(family.shape.sizes)).removesuffix("s"),
        "price": told.price,
        "then": _describe_change(family, have, get),
        "changes": have != get and bool(have),
        "bars": list(build_bars(family.shape, have, get)),
        "flow": list_moves(have, get) if have else [],
        "heads": render_column_heads(restarted, family, next(iter(family.shape.sizes.values()))(group)),
        "strategies": list_strategies(known, told.assignor, restarted),
        "better": draw_better_answers(known),
        "weighed": compare_weights(known, labels, have) if known.weighing is not None else None,
        "drawings": shown,
        "why": _explain_optimum(family, best, fewest) if best is not None else "",
        "compared": f"{family.oracles.compared}." if family.oracles and family.oracles.compared else "",
        "measures": _list_measures(now, answers, family),
        "json": as_script(family.write_group(group)),
        "play": link(family.write_group(group), told.assignor),
        "style": mark_trusted(picture.style),
        "foot": f"kassay {__version__}. Names are shortened; point at a name to see all of it. This page needs no network.",
    }
    write_whole(path, render_page("group", page))


def _find_assignments(known: Facts, told: Advice) -> tuple[Held, Held]:
    """Return the assignment now and after following the advice; both are equal if the advice changes nothing."""
    shape = known.family.shape
    have = compute_holdings(shape, known.now.assignment) if known.now is not None else {}
    if told.shown is not None and told.shown.legal:
        return have, compute_holdings(shape, told.shown.settled)
    if not told.compare and known.wanted is not None and known.wanted.legal:
        return have, compute_holdings(shape, known.wanted.assignment)
    return have, have or compute_holdings(
        shape, next((one.settled for one in known.answers if one.legal), None)
    )


def _describe_change(family: Family, have: Held, get: Held) -> str:
    """Return how many items move and the loads after the change, or "" if nothing moves."""
    if not have or have == get:
        return ""
    told = []
    for role in list_roles(have, get):
        owned = {item for own in have.values() for item in own.get(role, ())}
        arrives = [{*own.get(role, ())} - {*have.get(owner, {}).get(role, ())} for owner, own in get.items()]
        moved, given = (sum(len(one & owned) for one in arrives), sum(len(one - owned) for one in arrives))
        after, what = compute_loads(get, list(get), role), name_role(family.shape, role)
        parts = [f"{moved:,} of {sum(after):,} {what} move{'s' * (moved == 1)}"] * bool(moved)
        parts += [f"{given:,} without an owner {'are' if given > 1 else 'is'} assigned"] * bool(given)
        if parts:
            told.append(
                f"{', '.join(parts)}, and each {next(iter(family.shape.sizes)).removesuffix('s')} has {format_load_range(after)}"
            )
    return "; ".join(told) + "." if told else ""


def compare_weights(known: Facts, labels: Mapping[str, str], have: Held) -> dict[str, Any]:
    """Return the weights of answers: bars of the present and the best known assignment, and a row for each answer."""
    of: Weighing = known.weighing
    best = compute_holdings(known.family.shape, of.best.assignment)
    most = max((max(each.values(), default=0) for each in of.held.values()), default=0)
    rows = [
        (labels.get(name, name), draw_columns([*of.held[name].values()], [*of.held[name].values()], most), f"{heavy:,}", f"{light:,}")
        for name, heavy, light in of.rows
    ]  # fmt: skip
    rows.append(("the best possible", draw_columns(of.best_held, of.best_held, most), f"{of.level.value:,}", f"{min(of.best_held, default=0):,}"))  # fmt: skip
    return {
        "says": of.says, "unit": of.unit, "rows": rows, "bars": build_weight_bars(of.unit, of.weights, have, best), "changes": bool(have),
    }  # fmt: skip


def list_unconsidered(family: Family, group: Any, *, weighed: bool = False) -> list[str]:
    """Return the facts that no listing has, and that all answers assume."""
    said = []
    if has_lag(family.shape) and not weighed:
        said.append(f"Not considered: lag. kassay counts {family.shape.items}, not messages.")
    if "racks" in family.situations and not family.situations["racks"](group):
        said.append("Not considered: reads across racks, since the racks are unknown.")
    return said


def _explain_optimum(family: Family, best: Answer, fewest: str) -> str:
    """Return why no assignment is better: the arithmetic of the fewest moves if that is the proof, else the oracle's reasons."""
    given = compute_holdings(family.shape, best.assignment)
    if fewest and list_roles(given) == [""]:
        after, noun = compute_loads(given, [*given], ""), next(iter(family.shape.sizes))
        return f"{sum(after):,} {family.shape.items} for {len(after):,} {noun} are {format_load_range(after)} each. {fewest}"
    told = as_sentences(best.words)
    return within(told, short_names([*given]))


def _list_measures(
    now: Measured | None, answers: Sequence[tuple[str, Measured]], family: Family
) -> tuple[list[str], list[list[str]]]:
    """Return the columns and rows of a table of all measures."""
    known = [*([("now", now)] if now is not None else []), *answers]
    names = [*family.measures, *family.run_measures]
    rows = [
        [name, *(f"{one.measures[name]:,}" if name in one.measures else "-" for _, one in known)]
        for name in names
    ]
    return ["measure", *(label for label, _ in known)], rows


DRAWN = 20_000
"""The total number of columns of all small pictures."""
FEWEST = 8
"""The least number of columns of a small picture."""
NAMED = 4
"""The number of owners that a rebalance names."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The steps of one strategy, or of the best possible, up to the first rebalance without a right answer."""

    name: str
    steps: Sequence[Step]
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One strategy at one rebalance: moves, loads of members, remarks and a picture."""

    moves: str
    loads: str = ""
    says: Sequence[str] = ()
    picture: Markup | str = ""
    uneven: bool = False


def write_over_time_page(
    path: Path,
    says: str,
    where: str,
    words: str,
    summary: TextTable,
    lanes: Sequence[Lane],
    family: Family,
    group: Any,
    assumed: str,
    command: str,
    reads: Mapping[str, str],
) -> None:
    """Write the page into a file; raise InputError if it cannot be written.

    `reads` maps the levels of the steps' totals that are shown next to the moves to their titles.
    """
    rebalances = max((len(lane.steps) for lane in lanes), default=0)
    longest = max(lanes, key=lambda lane: len(lane.steps)).steps if lanes else []
    owners = list(dict.fromkeys(owner for step in longest for owner in step.holds))
    short = short_names(owners)
    most = max((sum(own) for lane in lanes for step in lane.steps for own in step.holds.values()), default=1)
    columns_each = max(FEWEST, min(COLUMNS, DRAWN // max(1, rebalances * len(lanes))))
    # One column for each rebalance, with the same scale for all strategies.
    most_moves = max((step.moves for lane in lanes for step in lane.steps), default=1)
    progress = {
        lane.name: draw_columns(
            [0] * len(lane.steps),
            [step.moves for step in lane.steps],
            most_moves,
            limit=max(COLUMNS, len(lane.steps)),
        )
        for lane in lanes
    }
    page = {
        "title": says,
        "headline": says,
        "where": where,
        "words": words,
        "noun": next(iter(family.shape.sizes)),
        "things": name_role(family.shape, longest[0].most_least[0][0] if longest else ""),
        "meta": [
            ("kassay", __version__),
            ("family", family.name),
            *((name, f"{count(group):,}") for name, count in family.shape.sizes.items()),
        ],
        "columns": summary.columns,
        "rows": summary.rows,
        "progress": progress,
        "lanes": [lane.name for lane in lanes],
        "steps": [
            {
                "number": n + 1,
                "what": ", ".join(
                    [*_describe_owners(longest[n].left, "leaves", "leave", short), *_describe_owners(longest[n].joined, "joins", "join", short)]
                ) or "at the start",
                "full": ", ".join((*longest[n].left, *longest[n].joined)),
                "cells": [_build_cell(lane, n, owners, most, columns_each, reads) for lane in lanes],
            }
            for n in range(rebalances)
        ],
        "trouble": [f"{lane.name}: {lane.trouble}." for lane in lanes if lane.trouble],
        "assumed": [*filter(None, [assumed[:1].upper() + assumed[1:]]), *list_unconsidered(family, group)],
        "command": command,
        "style": "",
        "foot": f"kassay {__version__}. Names are shortened; point at a name to see all of it. This page needs no network.",
    }  # fmt: skip
    write_whole(path, render_page("over-time", page))


def _describe_owners(owners: Sequence[str], one: str, many: str, short: Mapping[str, str]) -> Iterator[str]:
    if owners:
        named = ", ".join(short.get(owner, owner) for owner in owners[:NAMED])
        more = f" and {len(owners) - NAMED:,} more" if len(owners) > NAMED else ""
        yield f"{named}{more} {one if len(owners) == 1 else many}"


def _build_cell(
    lane: Lane, n: int, owners: Sequence[str], most: int, limit: int, reads: Mapping[str, str]
) -> Cell:
    if n >= len(lane.steps):
        return Cell("\N{EN DASH}", says=["no right answer"] if n == len(lane.steps) and lane.trouble else [])
    step = lane.steps[n]
    own = [step.holds.get(owner, (0, 0)) for owner in owners]
    said = [f"{step.totals[level]:,} {name}" for level, name in reads.items() if level in step.totals]
    if step.rounds > 1:
        said.append(f"converges in {step.rounds} rebalances")
    if step.waiting:
        said.append(f"{step.waiting:,} without an owner until then")
    if step.uneven:
        said.append("not balanced")
    stays, full = [a for a, _ in own], [a + b for a, b in own]
    loads = ", ".join(
        f"{role + ' ' if len(step.most_least) > 1 else ''}{high:,} \N{MIDDLE DOT} {low:,}" for role, high, low in step.most_least
    )  # fmt: skip
    return Cell(
        f"{step.moves:,}", loads, said, draw_columns(stays, full, most, limit), step.uneven
    )  # fmt: skip
