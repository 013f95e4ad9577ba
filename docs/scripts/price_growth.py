"""How prices grow as an application doubles, and how often they are paid."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from kassay.reports.figures.colours import INK, PAPER
from kassay.reports.figures.style import assign_looks, open_axes, show_percent

COLUMNS = 2
PANEL = 1.6
"""Inches of a panel's height."""


def draw_growth(grown: Mapping[str, Sequence[tuple[int, int, int]]]) -> Axes:
    """Draw a panel for each title: by tasks, what is paid and, hollow, the optimum; returns the first one."""
    rows = -(-len(grown) // COLUMNS)
    with open_axes(None, height=PANEL * rows) as first:
        figure = first.figure
        assert isinstance(figure, Figure)
        first.remove()
        panels = figure.subplots(rows, COLUMNS, squeeze=False, sharex=True).flat
        for (title, look), panel in zip(assign_looks(list(grown)).items(), panels, strict=False):
            tasks, value, optimum = zip(*grown[title], strict=True)
            panel.plot(tasks, value, color=look.colour, marker=look.marker, label="paid")
            panel.plot(
                tasks, optimum, color=INK, marker="o", markerfacecolor=PAPER, linewidth=1, label="optimum"
            )
            panel.set_title(title)
            for axis in (panel.xaxis, panel.yaxis):
                axis.set_major_locator(MaxNLocator(5, integer=True))
            panel.legend()
        for panel in panels:
            panel.set_axis_off()
        figure.supxlabel("tasks")
        figure.supylabel("partitions read across racks")
    return figure.axes[0]


def draw_shares(gaps: Mapping[str, Mapping[int, int]]) -> Axes:
    """Draw for each title the share of applications by what they pay above the optimum."""
    with open_axes(None) as drawn:
        width = 0.8 / len(gaps)
        for n, (title, look) in enumerate(assign_looks(list(gaps)).items()):
            total = sum(gaps[title].values())
            places = [gap - 0.4 + (n + 0.5) * width for gap in gaps[title]]
            shares = [number / total for number in gaps[title].values()]
            drawn.bar(places, shares, width, color=look.colour, label=f"{title} (n = {total:,})")
            for x, share in zip(places, shares, strict=True):
                drawn.annotate(
                    f"{100 * share:.2g} %", (x, share), (0, 2), textcoords="offset points", ha="center"
                )
        show_percent(drawn)
        drawn.xaxis.set_major_locator(MaxNLocator(integer=True))
        drawn.set(xlabel="partitions above the optimum", ylabel="applications")
        drawn.legend()
    return drawn
