"""The figure of an assignment for papers: members by partitions, with old and new owners, and the table it is drawn from."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from kassay.model import Assignment, Group
from kassay.model.hosts import locate_racks
from kassay.reports.figures.colours import INK, RULE
from kassay.reports.figures.style import open_axes
from kassay.reports.shapes.layout import LEAVES, STAYS, cut_name
from kassay.reports.shapes.partitions import mark_partitions

COLUMNS = ("member", "rack", "topic", "partition", "exists", "subscribed", "owned", "given", "crossing")


def list_pairs(group: Group, assignment: Assignment) -> pd.DataFrame:
    """Return a row for every pair of a member and a partition, also if one of them is named but does not exist.

    `given` is how often the member gets the partition, `owned` is true for its valid owners, and `crossing` if its rack has no
    replica of the partition.
    """
    found = mark_partitions(group, assignment)
    existing = {partition for topic in group.topics for partition in topic}
    known = {member.id: member for member in group.members}
    rows = []
    racks = {member.id: member.rack or "" for member in locate_racks(group).members}
    for name in found.rows:
        for topic, partitions in found.columns.items():
            subscribed = name in known and (name, topic) not in found.unread
            for partition in partitions:
                mark = found.at.get((name, partition))
                rows.append(
                    (
                        name, racks.get(name, ""), topic, partition.partition, partition in existing, subscribed,
                        mark is not None and mark.kind in (STAYS, LEAVES), mark.times if mark else 0, mark is not None and mark.crossing,
                    )
                )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


WRONG = "#d55e00"
COLOURS = {"kept": "#56b4e9", "gained": "#e69f00", "wrong": WRONG}
CELL = 0.3
"""Inches."""
LABELS = {
    "kept": "owned, and gets again",
    "gained": "gets, did not own",
    "parted": "owned, does not get",
    "wrong": "gets, does not subscribe to",
    "unread": "does not subscribe to",
}


def draw_holding(frame: pd.DataFrame, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw the columns of :func:`list_pairs`; lost partitions and those assigned twice are marked below.

    A plus marks gained partitions, an R reads across racks; the number of partitions of each member is at the right.
    """
    members = list(dict.fromkeys(frame["member"]))
    columns = list(dict.fromkeys(zip(frame["topic"], frame["partition"], strict=True)))
    longest = max((len(_name(frame, member)) for member in members), default=0)
    width = max(3.2, 0.075 * longest + CELL * (len(columns) + 2.2) + 0.2)
    height = 1.5 + CELL * (len(members) + 1.6)
    with open_axes(ax, width, height) as drawn:
        drawn.grid(visible=False)
        seen: set[str] = set()
        for row in frame.to_dict("records"):
            at = (columns.index((row["topic"], row["partition"])), members.index(row["member"]))
            seen |= set(_draw_cell(drawn, row, *at))
        loads = frame.groupby("member", sort=False)["given"].sum()
        for n, member in enumerate(members):
            drawn.text(len(columns) + 0.1, n, f"= {loads[member]}", va="center", fontsize=8)
        given = frame.groupby(["topic", "partition"])["given"].sum()
        wanted = (frame["exists"] & frame["subscribed"]).groupby([frame["topic"], frame["partition"]]).any()
        for n, column in enumerate(columns):
            times = int(given[column])
            sign = "lost" if not times and wanted[column] else f"{times}x" if times > 1 else ""
            drawn.text(
                n, len(members) - 0.1, sign, ha="center", va="center", color=WRONG, fontsize=8, weight="bold"
            )
        _frame(drawn, frame, members, columns, title)
        if ax is None and isinstance(drawn.figure, Figure):
            handles = [_handle(kind) for kind in LABELS if kind in seen]
            drawn.figure.legend(
                handles=handles, loc="outside lower left", ncols=2, fontsize=7, handlelength=1.2
            )
    return drawn


def _draw_cell(ax: Axes, row: Mapping[Hashable, Any], x: int, y: int) -> Iterator[str]:
    owned, given = bool(row["owned"]), int(row["given"])
    legal = bool(row["subscribed"]) and bool(row["exists"])
    corner = (x - 0.4, y - 0.4)
    if not legal:
        yield "unread"
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=RULE, alpha=0.45, linewidth=0))
    if given:
        kind = "wrong" if not legal else "kept" if owned else "gained"
        yield kind
        ax.add_patch(Rectangle(corner, 0.8, 0.8, facecolor=COLOURS[kind], edgecolor=INK, linewidth=0.6))
        sign = "x" if kind == "wrong" else "+" if kind == "gained" else ""
        sign += "R" if row["crossing"] else ""
        sign += f"{given}" if given > 1 else ""
        ax.text(x, y, sign, ha="center", va="center_baseline", fontsize=8, color="#101010")
    elif owned:
        yield "parted"
        ax.add_patch(
            Rectangle(corner, 0.8, 0.8, fill=False, edgecolor=INK, linewidth=1, linestyle=(0, (2, 1.5)))
        )


def _frame(
    ax: Axes, frame: pd.DataFrame, members: list[str], columns: list[tuple[str, int]], title: str
) -> None:
    ax.set_xlim(-0.6, len(columns) + 1.2)
    ax.set_ylim(len(members) + 0.2, -0.6)
    ax.set_yticks(range(len(members)), [_name(frame, member) for member in members])
    ax.set_xticks(range(len(columns)), [str(number) for _, number in columns])
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    for side in ("left", "bottom", "top", "right"):
        ax.spines[side].set_visible(False)
    start = 0
    for n in range(1, len(columns) + 1):
        if n == len(columns) or columns[n][0] != columns[start][0]:
            topic = columns[start][0]
            room = max(3, int((n - start) * CELL / 0.08))
            ax.text((start + n - 1) / 2, -1.2, cut_name(topic, room), ha="center", va="bottom", fontsize=8)
            if n < len(columns):
                ax.plot([n - 0.5] * 2, [-0.6, len(members) - 0.5], color=INK, linewidth=0.8)
            start = n
    ax.set_aspect("equal", anchor="W")
    ax.set_title(title, pad=36)


def _name(frame: pd.DataFrame, member: str) -> str:
    rack = frame[frame["member"] == member]["rack"].iloc[0]
    return f"{cut_name(member, 24)} ({cut_name(rack, 8)})" if rack else cut_name(member, 24)


def _handle(kind: str) -> Patch | Line2D:
    if kind == "parted":
        return Patch(fill=False, edgecolor=INK, linestyle=(0, (2, 1.5)), label=LABELS[kind])
    if kind == "unread":
        return Patch(facecolor=RULE, alpha=0.45, label=LABELS[kind])
    sign = {"kept": "", "gained": " (+)", "wrong": " (x)"}[kind]
    return Patch(facecolor=COLOURS[kind], edgecolor=INK, linewidth=0.6, label=LABELS[kind] + sign)
