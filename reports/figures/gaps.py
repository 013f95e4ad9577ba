"""Plots of a sweep: gaps, performance profiles (Dolan and Moré 2002), differences to a reference, needless cost, timelines, and times."""

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import Formatter, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from kassay.reports.comparison.effects import ALIKE, EQUAL, NOTHING
from kassay.reports.figures.colours import BETTER, INK, RULE, WORSE
from kassay.reports.figures.style import (
    LINE,
    MOST,
    RC,
    WIDTH,
    Look,
    Mark,
    compute_height,
    count_legend_lines,
    cut_label,
    draw_legend,
    format_sample_size,
    from_zero,
    label_marks,
    open_axes,
    resolve_looks,
    show_percent,
)
from kassay.reports.tables.gaps import Fit
from kassay.reports.tables.table import TENTHS, format_share, format_value

Floats: TypeAlias = npt.NDArray[np.float64]
ROW, APART = 0.155, 0.9
"""Inches of a box, and the space between two situations in boxes."""
BAND = 0.15
"""The opacity of an interval: the bands of several targets are visible on each other."""
BOX = 0.45
"""The opacity of a box: median and mean, in ink, are visible on every colour."""


def draw_gap_boxes(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
    items: str = "items",
) -> Axes:
    """Draw columns situation, target, rows, of, mean, p5, p25, p50, p75, p95, greatest: a box for each row, situations from the top.

    A box is from the first to the third quartile, its whiskers from the 5th to the 95th percentile. The line is the median, the mark
    the mean, the small tick the greatest gap. A box has its size next to it if not all rows have a gap. `items` is the unit of a gap.
    """
    known = resolve_looks(looks, list(frame["target"]))
    situations = list(dict.fromkeys(frame["situation"]))
    each = len(known) + APART
    height = 1.3 + ROW * each * len(situations) + LINE * count_legend_lines(known, legend)
    with open_axes(ax, WIDTH, height) as drawn:
        middles = []
        for n, situation in enumerate(situations):
            middles.append(n * each + (len(known) - 1) / 2)
            part = frame[frame["situation"] == situation].set_index("target")
            for k, (target, look) in enumerate(known.items()):
                if target in part.index:
                    _draw_box(drawn, part.loc[target], n * each + k, look)
        drawn.set_ylim(max(1, len(situations)) * each - APART / 2 - 0.5, -0.5 - APART / 2)
        names = [situation.replace("_", " ") or "all groups" for situation in situations]
        drawn.set_yticks(middles, names)
        drawn.tick_params(axis="y", length=0)
        drawn.grid(visible=False, axis="y")
        greatest = max(1.0, float(frame["greatest"].max())) if frame["greatest"].notna().any() else 1.0
        drawn.set_xlim(-0.15, greatest * 1.1)
        from_zero(drawn)
        drawn.set(xlabel=f"gap: {items} above the exact optimum", title=title)
        for look in known.values():
            style: dict[str, Any] = {"marker": look.marker, "markeredgecolor": INK, "label": look.label}
            drawn.add_line(Line2D([], [], color=look.colour, linewidth=5, **style))
        draw_legend(drawn, ax, known, legend)
    return drawn


def _draw_box(ax: Axes, row: "pd.Series[float]", at: float, look: Look) -> None:
    own: dict[str, Any] = {"color": look.colour, "gid": look.gid}
    if row["rows"] < row["of"]:
        size = format_sample_size(int(row["rows"]), int(row["of"]))
        ax.text(1.01, at, size, transform=ax.get_yaxis_transform(), fontsize=6, va="center", gid=look.gid)
    if not row["rows"]:
        return
    ax.plot([row["p5"], row["p95"]], [at, at], linewidth=1, **own)
    ax.barh(at, max(row["p75"] - row["p25"], 0.0), left=row["p25"], height=0.72, alpha=BOX, **own)
    ax.plot([row["p50"]] * 2, [at - 0.42, at + 0.42], color=INK, linewidth=1.4, gid=look.gid)
    ax.plot([row["greatest"]], [at], "|", markersize=4, **own)
    ax.plot([row["mean"]], [at], look.marker, markeredgecolor=INK, markersize=4, clip_on=False, **own)


FINEST = 400
"""The largest number of steps of a line: about one per point of a screen."""


def draw_gap_ecdf(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
    items: str = "items",
) -> Axes:
    """Draw columns target, gap, rows (a histogram); marks at 0 are the shares at the optimum. `items` is the unit of a gap.

    With up to MOST targets, the share at the optimum is next to its mark, and the vertical axis is at the right.
    Rows without a gap (null) count as well: the line of such a target ends below 100 %.
    """
    known = resolve_looks(looks, list(frame["target"]))
    marks = []
    with open_axes(ax, height=compute_height(known, legend)) as drawn:
        greatest = max(1, int(frame["gap"].max())) if frame["gap"].notna().any() else 1
        for target, look in known.items():
            rows = frame[frame["target"] == target]
            if not len(rows):
                continue
            total = int(rows["rows"].sum())
            part = rows.groupby("gap")["rows"].sum()
            shares = np.cumsum(part.to_numpy()) / total
            gaps = part.index.to_numpy(float)
            optimal = shares[0] if len(part) and gaps[0] == 0 else 0.0
            label = f"{look.label} ({format_sample_size(int(part.sum()), total)})"
            _draw_steps(drawn, look, label, (0.0, optimal), gaps, shares, greatest)
            marks.append(
                Mark(look, 0.0, float(optimal), f"{cut_label(look.label)} {format_share(float(optimal))}")
            )
        drawn.set_xlim(-0.15, greatest * 1.05)
        labelled = 0 < len(marks) <= MOST
        from_zero(drawn, 8 if labelled else 9)
        show_percent(drawn)
        drawn.set(xlabel=f"gap: {items} above the exact optimum", ylabel="share of the groups", title=title)
        if labelled:
            drawn.yaxis.tick_right()
            drawn.yaxis.set_label_position("right")
            drawn.spines["left"].set_visible(False)
            drawn.tick_params(axis="y", length=0)
        draw_legend(drawn, ax, known, legend)
        label_marks(drawn, marks, left=True)
    return drawn


def _draw_steps(
    ax: Axes, look: Look, label: str, begins: tuple[float, float], at: Floats, shares: Floats, end: float
) -> None:
    """Draw shares that rise in steps, from a mark at the begin to the end."""
    kept = np.unique(np.ceil(shares * FINEST), return_index=True)[1]
    x = np.concatenate([[begins[0]], at[kept], [end]])
    y = np.concatenate([[begins[1]], shares[kept], shares[-1:] if len(shares) else [0.0]])
    ax.step(x, y, where="post", color=look.colour, linestyle=look.line, label=label, gid=look.gid)
    ax.plot(begins[:1], begins[1:], look.marker, color=look.colour, clip_on=False, gid=look.gid)


WIDEST = 64.0
"""The greatest ratio drawn."""


def draw_profile(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
) -> Axes:
    """Draw columns target, ratio, share (cumulated); marks at 1 are the shares of groups on which a target is the best."""
    known = resolve_looks(looks, list(frame["target"]))
    with open_axes(ax, height=compute_height(known, legend)) as drawn:
        reached = float(frame["ratio"].max()) if len(frame) else 1.0
        widest = min(WIDEST, max(2.0, reached))
        for target, look in known.items():
            part = frame[frame["target"] == target]
            if not len(part):
                continue
            ratios, shares = part["ratio"].to_numpy(), part["share"].to_numpy()
            best = float(shares[ratios == 1].max(initial=0))
            _draw_steps(drawn, look, look.label, (1.0, best), ratios, shares, max(widest, reached))
        drawn.set_xscale("log", base=2)
        drawn.set_xlim(0.97, widest)
        drawn.xaxis.set_major_formatter(FuncFormatter(lambda ratio, _: f"{ratio:g}x"))
        drawn.xaxis.set_minor_locator(NullLocator())
        show_percent(drawn)
        groups = int(frame["groups"].max()) if len(frame) else 0
        drawn.set(
            xlabel="times the best of all targets on the same group, both plus 1",
            ylabel=f"share of the groups (n = {groups:,})",
            title=title,
        )
        draw_legend(drawn, ax, known, legend)
    return drawn


BAR, LOW_BAR, MANY = 0.34, 0.22, 12
"""Inches of a target, and of each of more than MANY targets."""


def draw_needless(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    unit: str = "",
) -> Axes:
    """Draw columns target, value: a bar from 0 for each row, from the top. A null value is unknown. `unit` labels the axis."""
    known = resolve_looks(looks, list(frame["target"]))
    row = BAR if len(frame) <= MANY else LOW_BAR
    with open_axes(ax, WIDTH, 1.0 + row * max(1, len(frame))) as drawn:
        names = drawn.get_yaxis_transform()
        for at, (target, value) in enumerate(zip(frame["target"], frame["value"], strict=True)):
            look = known[target]
            drawn.text(
                -0.02, at, cut_label(look.label), transform=names, ha="right", va="center", gid=look.gid
            )
            length = 0.0 if pd.isna(value) else float(value)
            if not pd.isna(value):
                drawn.barh(at, length, height=0.56, color=look.colour, gid=look.gid)
            drawn.annotate(
                "not known" if pd.isna(value) else Formatter.fix_minus(format_value(length, TENTHS)),
                (length, at), (-4 if length < 0 else 4, 0), textcoords="offset points",
                ha="right" if length < 0 else "left", va="center", gid=look.gid,
            )  # fmt: skip
        drawn.axvline(0, color=INK, linewidth=1)
        drawn.set_ylim(max(1, len(frame)) - 0.5, -0.5)
        drawn.set_yticks([])
        drawn.spines["left"].set_visible(False)
        # Make room for all bars, and for the numbers next to them.
        values = [0.0, *frame["value"].dropna().astype(float)]
        low, high = min(values), max(values)
        digit = 0.024 * (high - low or 1.0)
        drawn.set_xlim(
            low - digit * (len(format_value(low, TENTHS)) + 2) * (low < 0),
            high + digit * (len(format_value(high, TENTHS)) + 2),
        )
        drawn.locator_params(axis="x", nbins=5)
        drawn.xaxis.set_major_formatter("{x:,.10g}")
        drawn.set(xlabel=unit, title=title)
    return drawn


def draw_timeline(
    frame: pd.DataFrame,
    title: str = "",
    unit: str = "mean",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
) -> Axes:
    """Draw columns target, step, mean, low, high, rows, of: the means at each step, over the right answers (rows) of all (of).

    A band is the 95 % interval of the mean.
    """
    known = resolve_looks(looks, list(frame["target"]))
    with open_axes(ax, height=compute_height(known, legend)) as drawn:
        for target, look in known.items():
            part = frame[frame["target"] == target].sort_values("step")
            if len(part):
                _draw_band(drawn, part["step"], part, look)
                of = "" if (part["rows"] == part["of"]).all() else f" of {_format_range(part['of'])}"
                drawn.plot(
                    part["step"], part["mean"], color=look.colour, linestyle=look.line, marker=look.marker,
                    gid=look.gid, label=f"{look.label} (n = {_format_range(part['rows'])}{of})",
                )  # fmt: skip
        drawn.xaxis.set_major_locator(MaxNLocator(integer=True))
        drawn.set_ylim(0, None)
        drawn.set(xlabel="changes made to the group", ylabel=unit, title=title)
        draw_legend(drawn, ax, known, legend)
    return drawn


def _draw_band(ax: Axes, at: "pd.Series[float]", part: pd.DataFrame, look: Look) -> None:
    low, high = part["low"].astype(float), part["high"].astype(float)
    ax.fill_between(at, low, high, color=look.colour, alpha=BAND, linewidth=0, gid=look.gid)


def _format_range(numbers: "pd.Series[int]") -> str:
    fewest, most = int(numbers.min()), int(numbers.max())
    return f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"


def draw_settling(
    frame: pd.DataFrame,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
    most: int | None = None,
    until: str = "rounds until the answers repeat themselves",
) -> Axes:
    """Draw columns target, rounds, rows (a histogram): the shares that converge within 1, 2, ... rounds.

    `until` labels the axis. More than `most` rounds, and rows without rounds (null), count as never.
    """
    known = resolve_looks(looks, list(frame["target"]))
    with open_axes(ax, height=compute_height(known, legend)) as drawn:
        greatest = int(frame["rounds"].max()) if frame["rounds"].notna().any() else 1
        last = greatest if most is None else min(greatest, most)
        within = np.arange(1, last + 1)
        for target, look in known.items():
            rows = frame[frame["target"] == target]
            if len(rows):
                part, total = rows.groupby("rounds")["rows"].sum(), int(rows["rows"].sum())
                shares = part.reindex(within, fill_value=0).to_numpy().cumsum() / total
                drawn.plot(
                    within, shares, color=look.colour, linestyle=look.line, marker=look.marker,
                    label=f"{look.label} ({format_sample_size(int(part.sum()), total)})", clip_on=False,
                    gid=look.gid,
                )  # fmt: skip
        drawn.set_xlim(0.8, max(2, last) + 0.2)
        drawn.xaxis.set_major_locator(MaxNLocator(integer=True))
        show_percent(drawn)
        drawn.set(xlabel=f"{until}, at most", ylabel="share of the groups", title=title)
        draw_legend(drawn, ax, known, legend)
    return drawn


FEW = 3.0
"""The largest number of powers of ten with room for numbers between them on an axis."""


def draw_cost(
    frame: pd.DataFrame,
    size: str,
    laws: Mapping[str, Fit],
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
) -> Axes:
    """Draw columns target, the size of that name, low, median, high (microseconds), with the fitted law of each target.

    A band is the 95 % interval of the median.
    With up to MOST targets, the median of the greatest size is next to its mark.
    """
    known = resolve_looks(looks, list(frame["target"]))
    marks = []
    with open_axes(ax, height=compute_height(known, legend)) as drawn:
        for target, look in known.items():
            part = frame[frame["target"] == target].sort_values(size)
            if not len(part):
                continue
            law = laws.get(target)
            _draw_band(drawn, part[size], part, look)
            drawn.plot(
                part[size], part["median"], look.marker, color=look.colour, markersize=3, alpha=0.75,
                label=None if law else look.label, gid=look.gid,
            )  # fmt: skip
            if law:
                sizes = np.geomspace(part[size].min(), part[size].max(), 100)
                drawn.plot(
                    sizes, law.micros(sizes), color=look.colour, linestyle=look.line,
                    marker=look.marker, markevery=[], label=look.label, gid=look.gid,
                )  # fmt: skip
            last = float(part["median"].iloc[-1])
            name = f"{cut_label(look.label)} {format_value(last, TENTHS)}"
            marks.append(Mark(look, float(part[size].iloc[-1]), last, name))
        drawn.set_xscale("log")
        drawn.set_yscale("log")
        for axis, (low, high) in ((drawn.xaxis, drawn.get_xlim()), (drawn.yaxis, drawn.get_ylim())):
            between = (1, 2, 5) if np.log10(high / low) <= FEW else (1,)
            axis.set_major_locator(LogLocator(subs=between))
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.10g}"))
        drawn.set(
            xlabel=f"{size} of the group, {size[0]}", ylabel="median time of an answer (µs)", title=title
        )
        draw_legend(drawn, ax, known, legend)
        label_marks(drawn, marks, left=False)
    return drawn


DIFFERENCE_ROW, LOW_DIFFERENCE_ROW, MANY_ROWS = 0.72, 0.54, 12
"""Inches of a target, and of each of more than MANY_ROWS targets."""
NAME_ROW = 0.36
"""Height of a row that has only a name, in rows."""
LONGEST_LINE = 76
"""Characters of a line under the axes."""
NUMBERLESS = {ALIKE, EQUAL, NOTHING}
"""Verdicts that replace numbers."""


def draw_differences(
    frame: pd.DataFrame,
    reference: str,
    title: str = "",
    looks: Mapping[str, Look] | None = None,
    ax: Axes | None = None,
    *,
    legend: bool = True,
    items: str = "items",
) -> Axes:
    """Draw columns target, mean, low, high, better, same, worse, verdict: a row for each target, from the top.

    The mark is the mean difference to the reference per group. Its line is the interval, null if it is unknown. The bar splits the
    compared groups into better, equal and worse ones. `items` is the unit.
    """
    known = resolve_looks(looks, list(frame["target"]))
    row = DIFFERENCE_ROW if len(frame) <= MANY_ROWS else LOW_DIFFERENCE_ROW
    heights = [NAME_ROW if verdict == NOTHING else 1.0 for verdict in frame["verdict"]]
    with open_axes(ax, WIDTH, 0.9 + row * max(1.0, sum(heights)) + 0.3 * legend) as drawn:
        shown = frame[frame["verdict"] != NOTHING][["mean", "low", "high"]].astype(float)
        reached = [0.0, *(number for number in shown.to_numpy().ravel() if not math.isnan(number))]
        pad = 0.04 * (max(reached) - min(reached)) or 1.0
        drawn.set_xlim(min(reached) - pad, max(reached) + pad)
        drawn.locator_params(axis="x", nbins=6)
        drawn.xaxis.set_major_formatter(lambda x, _: Formatter.fix_minus(f"{x:+,.10g}") if x else "0")
        for n, each in enumerate(frame.to_dict("records")):
            _draw_row(
                drawn, each, sum(heights[:n]), known[each["target"]], 1.0 if len(frame) <= MANY_ROWS else 0.85
            )
        drawn.set_ylim(max(1.0, sum(heights)), 0)
        drawn.set_yticks([])
        drawn.grid(visible=False)
        drawn.spines["left"].set_visible(False)
        better = cut_label(known[reference].label if reference in known else reference)
        told = f"mean difference in {items} per group; right of 0: {better} is better"
        drawn.set(xlabel=told if len(told) <= LONGEST_LINE else told.replace("; ", ";\n"), title=title)
        if legend:
            _legend(drawn, ax)
    return drawn


def _legend(ax: Axes, own: Axes | None) -> None:
    """Explain marks and bars; the rows have the names of targets."""
    mean = Line2D([], [], color=INK, marker="o", label="mean, 95 % interval")
    bars = [
        Patch(color=colour, label=f"groups: {name}" if name == "better" else name)
        for colour, name in ((BETTER, "better"), (RULE, "same"), (WORSE, "worse"))
    ]
    figure = ax.figure
    if own is None and isinstance(figure, Figure):
        figure.legend(handles=[mean, *bars], loc="outside lower center", ncols=4)
    else:
        ax.legend(handles=[mean, *bars])


def _draw_row(ax: Axes, each: Mapping[Any, Any], top: float, look: Look, scale: float) -> None:
    across = ax.get_yaxis_transform()
    size = RC["font.size"] * scale
    text: dict[str, Any] = {"transform": across, "va": "center", "gid": look.gid}
    ax.text(0, top + 0.16, cut_label(look.label), weight="bold", size=size, **text)
    verdict = each["verdict"]
    said = verdict if verdict in NUMBERLESS else format_interval(each["mean"], each["low"], each["high"])
    ax.text(1, top + 0.16, said, ha="right", size=size, **text)
    if verdict == NOTHING:
        return
    strip = top + 0.4
    ax.plot([0, 1], [strip, strip], color=RULE, linewidth=0.8, transform=across, zorder=1)
    ax.plot([0, 0], [strip - 0.1, strip + 0.1], color=INK, linewidth=1, zorder=1.5)
    own: dict[str, Any] = {"color": look.colour, "gid": look.gid, "clip_on": False}
    if not pd.isna(each["low"]):
        ax.plot([each["low"], each["high"]], [strip, strip], "|-", markersize=6 * scale, **own)
    ax.plot([each["mean"]], [strip], look.marker, markersize=5 * scale, **own)
    counts = [int(each[name]) for name in ("better", "same", "worse")]
    done = 0
    for count, colour in zip(counts, (BETTER, RULE, WORSE), strict=True):
        ax.barh(
            top + 0.6, count / sum(counts), left=done / sum(counts), height=0.1, color=colour,
            transform=across, gid=look.gid,
        )  # fmt: skip
        done += count
    small = size - 1
    ax.text(0, top + 0.78, f"better {counts[0]:,}", size=small, **text)
    ax.text(0.45, top + 0.78, f"same {counts[1]:,}", ha="center", size=small, **text)
    ax.text(1, top + 0.78, f"worse {counts[2]:,} of {sum(counts):,}", ha="right", size=small, **text)


def format_interval(mean: float, low: float | None, high: float | None) -> str:
    """Return a mean with its interval, with as many decimals as give the greatest number two or three digits."""
    numbers = [mean] if low is None or high is None or pd.isna(low) else [mean, low, high]
    greatest = max(map(abs, numbers))
    power = math.floor(math.log10(greatest)) if greatest else 0
    decimals = max(0, 2 - max(0, power)) if power >= -1 else 1 - power
    written = [Formatter.fix_minus(f"{number:+,.{decimals}f}") for number in numbers]
    return written[0] if len(written) == 1 else f"{written[0]} ({written[1]} to {written[2]})"
