"""The part of docs/results/kip-848.md on racks and the uniform assignor: tables, findings and a picture of the data of :mod:`racks`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TypeAlias

from matplotlib.axes import Axes
from racks import (
    BEFORE,
    CLASSIC,
    DRAWN,
    EACH,
    FEW,
    KINDS,
    LEAST,
    MEMBERS,
    NEAR,
    PLACED,
    TARGETS,
    TODAY,
    Changed,
    Fresh,
    Kind,
    assign_changed_groups,
    assign_new_groups,
)

from kassay.families.shape import TextTable
from kassay.output import Block
from kassay.reports.figures.style import INK, RULE, as_svg, assign_looks, open_axes
from kassay.reports.tables.gaps import GB_PER_TB, Assumed
from kassay.reports.tables.table import format_share


def build_blocks(folder: Path) -> Iterator[Block]:
    """Assign and prove everything, write the picture into a folder, and yield what the page says."""
    starts = [one for kind in KINDS for one in assign_new_groups(kind)]
    changes = {
        (near, event): [
            one for kind in KINDS if _is_chosen(kind) for one in assign_changed_groups(kind, event, near=near)
        ]
        for near, event in product(STATES, EVENTS)
    }
    yield Block(grid=_build_placement_table(starts))
    (folder / "racks.svg").write_text(as_svg(_draw_picture(starts), "racks"))
    yield Block("By size", grid=_build_size_table(starts))
    yield Block("What it takes in moves", grid=_build_change_table(changes))
    yield Block(
        "Conclusions for the pull request",
        "\n".join(f"- {said}" for said in _write_findings(starts, changes)),
    )


def _compute_share(name: str, found: Sequence[Fresh]) -> float:
    """Return the share of partitions read across racks, over the groups that have an answer."""
    of = [(count, one.partitions) for one in found if (count := one.read[name]) is not None]
    return sum(count for count, _ in of) / sum(size for _, size in of)


def _write_price(part: float) -> str:
    assumed = Assumed()
    return f"{part * assumed.price_per_gb * GB_PER_TB * assumed.tb_per_month:,.0f}"


COLUMNS = (TODAY, BEFORE, CLASSIC, LEAST, "price now", "least price", "saved")


def _write_cells(found: Sequence[Fresh]) -> list[str]:
    now, least = _compute_share(TODAY, found), _compute_share(LEAST, found)
    shares = []
    for name in (*TARGETS, LEAST):
        number = sum(one.read[name] is not None for one in found)
        partly = f" (of {number})" if number < len(found) else ""
        shares.append(f"{format_share(_compute_share(name, found))}{partly}" if number else "no answer")
    return [*shares, _write_price(now), _write_price(least), _write_price(now - least)]


SPREAD = {
    (True, True): "members evenly in racks",
    (False, True): "members in racks at random",
    (True, False): "evenly, each reads up to 3 of 5 topics",
}


def _build_placement_table(starts: Sequence[Fresh]) -> TextTable:
    rows = []
    for (racks, replicas), (key, says) in product(PLACED, SPREAD.items()):
        of = [
            one
            for one in starts
            if (one.kind.racks, one.kind.replicas, (one.kind.even, one.kind.alike)) == (racks, replicas, key)
        ]
        rows.append([f"{racks} / {replicas}", says, *_write_cells(of)])
    kinds = len(MEMBERS) * len(EACH) * DRAWN
    uneven = sum(one.uneven > 0 for one in starts)
    note = (
        f"{kinds} groups a row, {len(starts):,} in all; {TODAY} is balanced as far as possible on {len(starts) - uneven:,} of them. Prices a month, at "
        f"{Assumed().tb_per_month:g} TB read and {Assumed().price_per_gb:g} a GB between racks."
    )
    return TextTable(["racks / replicas", "groups", *COLUMNS], rows, note)


def _build_size_table(starts: Sequence[Fresh]) -> TextTable:
    rows = []
    for members, each in product(MEMBERS, EACH):
        of = [
            one
            for one in starts
            if (one.kind.members, one.kind.each, one.kind.racks, one.kind.replicas) == (members, each, 3, 2)
        ]
        rows.append([f"{members}", f"{members * each:,}", *_write_cells(of)])
    return TextTable(
        ["members", "partitions", *COLUMNS],
        rows,
        "3 racks, 2 replicas; the three kinds of groups above together.",
    )


WAYS = {TODAY: "uniform", FEW: "fewest moves, then nearest", NEAR: "nearest, then fewest moves"}
STATES = {False: "by uniform", True: "with the fewest cross-rack reads"}


EVENTS = {"nothing": "no change", "joins": "one member joins", "leaves": "one member leaves"}
Changes: TypeAlias = Mapping[tuple[bool, str], Sequence[Changed]]


def _is_chosen(kind: Kind) -> bool:
    return (kind.racks, kind.replicas, kind.alike) == (3, 2, True)


def _ways(found: Sequence[Changed]) -> dict[str, tuple[float, float]]:
    """Return for each way the shares of partitions moved, and read across racks afterwards."""
    size = sum(one.partitions for one in found)
    return {
        way: (sum(one.ways[way][0] for one in found) / size, sum(one.ways[way][1] for one in found) / size)
        for way in WAYS
    }


def _build_change_table(changes: Changes) -> TextTable:
    rows = [
        [
            STATES[near],
            EVENTS[event],
            *(format_share(part) for pair in _ways(found).values() for part in pair),
        ]
        for (near, event), found in changes.items()
    ]
    columns = [f"{says}: {what}" for says in WAYS.values() for what in ("moved", "across racks")]
    number = len(next(iter(changes.values())))
    note = f"3 racks, 2 replicas, all members read the same topics; {number} groups a row. Shares of all partitions."
    return TextTable(["assigned", "then", *columns], rows, note)


def _write_findings(starts: Sequence[Fresh], changes: Changes) -> Iterator[str]:
    """Yield the results of the tables, with their numbers."""
    lacking = [one for one in starts if one.kind.replicas < one.kind.racks]
    alike, answers = ([one for one in lacking if one.kind.alike is kind] for kind in (True, False))
    even, random = ([one for one in alike if one.kind.even is kind] for kind in (True, False))
    reached = sum(one.read[BEFORE] == one.read[LEAST] for one in even)
    legal = sum(one.read[BEFORE] is not None for one in answers)
    first, joins, leaves = (
        _ways(changes[key]) for key in ((False, "nothing"), (True, "joins"), (True, "leaves"))
    )
    blind = _ways(changes[False, "joins"])
    yield (
        "Uniform has as many cross-rack reads as a random assignment, 1 - replicas / racks, in groups of every size. Groups with a replica "
        "of each partition in each rack are not counted below."
    )
    yield (
        f"Equal subscriptions, members divided equally over racks: the builder of 3.7.0 was optimal on {reached} of {len(even)} groups. "
        f"With members in random racks it reads {format_share(_compute_share(BEFORE, random))} across racks (minimum {format_share(_compute_share(LEAST, random))}, cooperative-sticky "
        f"{format_share(_compute_share(CLASSIC, random))})."
    )
    yield (
        f"Different subscriptions: the builder of 3.7.0 gave a correct answer to {legal} of {len(answers)} groups. On the others it assigned partitions to "
        "members without a subscription, or failed. A builder for equal subscriptions alone does not change these groups: "
        f"{format_share(_compute_share(TODAY, answers))} (minimum {format_share(_compute_share(LEAST, answers))})."
    )
    yield (
        f"The moves are needed once, not at each rebalance. The first rack-aware answer moves {format_share(first[NEAR][0])}. If a member then joins, the optimum moves "
        f"{format_share(joins[NEAR][0])} (minimum {format_share(joins[FEW][0])}). If a member leaves, it moves {format_share(leaves[NEAR][0])} (minimum {format_share(leaves[FEW][0])})."
    )
    yield (
        f"Without more moves there is little to gain. If a member joins a group of uniform, the best answer with minimal moves still reads "
        f"{format_share(blind[FEW][1])} across racks, and uniform {format_share(blind[TODAY][1])}."
    )


APART = 0.22
"""How far apart the marks of a placement are, in rows."""


def _draw_picture(starts: Sequence[Fresh]) -> Axes:
    """Draw for each placement the share read across racks, by each way of assigning."""
    names = assign_looks([TODAY, BEFORE, CLASSIC])
    with open_axes(None, height=4.2) as drawn_on:
        for at, (racks, replicas) in enumerate(PLACED):
            of = [
                one
                for one in starts
                if (one.kind.racks, one.kind.replicas) == (racks, replicas) and one.kind.alike
            ]
            part = {name: _compute_share(name, of) for name in (*TARGETS, LEAST)}
            drawn_on.plot([part[LEAST], part[TODAY]], [at, at], color=RULE, linewidth=3, zorder=1)
            for n, (name, look) in enumerate(names.items()):
                label = look.label if not at else None
                place = at + APART * (n - (len(names) - 1) / 2)  # else those that are as good hide each other
                drawn_on.plot(
                    [part[name]], [place], look.marker, color=look.colour, label=label, clip_on=False
                )
            drawn_on.plot(
                [part[LEAST]] * 2, [at - 1.6 * APART, at + 1.6 * APART], color=INK, linewidth=1.4, zorder=1.5,
                label=None if at else LEAST, clip_on=False,
            )  # fmt: skip
        drawn_on.set_yticks(
            range(len(PLACED)), [f"{racks} racks, {n} replica{'s' * (n > 1)}" for racks, n in PLACED]
        )
        drawn_on.set_ylim(len(PLACED) - 0.5, -0.5)
        drawn_on.set_xlim(0, 1)
        drawn_on.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
        drawn_on.set(xlabel="partitions read across racks")
        drawn_on.figure.legend(loc="outside lower center", ncols=2)  # type: ignore[union-attr]
    return drawn_on
