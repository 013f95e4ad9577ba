"""The frontier of two levels, with where assignors' answers lie."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kassay.oracles.answers import Frontier
from kassay.reports.figures.style import INK, PAPER, RULE, axes, looks


def draw_frontier(
    frontier: Frontier, answers: Mapping[str, Any], title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw a frontier of two levels, what is proved to be impossible below it, and the answers that can be placed.

    Supported points are filled, others are hollow; where points may be missing, the line between those known is dashed. Answers at
    less even loads are hollow, too: their points are no measure of them.
    """
    first, second = frontier.levels
    points = [(point.values[first], point.values[second]) for point in frontier.points]
    with axes(ax) as drawn:
        columns = [x for x, _ in points], [y for _, y in points]
        drawn.plot(
            *columns,
            drawstyle="steps-post",
            color=INK,
            linewidth=1.2,
            linestyle="-" if frontier.whole else "--",
            zorder=2,
        )
        floor = [step.moves for step in frontier.bought], [step.least for step in frontier.bought]
        drawn.fill_between(*floor, -1, step="post", color=RULE, alpha=0.45, linewidth=0, zorder=1)
        for supported, face, label in (
            (True, INK, "best for some weights"),
            (False, PAPER, "best for no weights"),
        ):
            some = [
                point for point, of in zip(points, frontier.points, strict=True) if of.supported == supported
            ]
            if some:
                columns = [x for x, _ in some], [y for _, y in some]
                drawn.scatter(*columns, s=28, color=face, edgecolors=INK, zorder=3, label=label)
        for name, look in looks(list(answers)).items():
            place = frontier.place(answers[name])
            if place.values is not None:
                even = place.on_it is not False or place.better is not None
                drawn.scatter(
                    [place.values[first]], [place.values[second]], s=60, marker=look.marker, zorder=4, gid=look.gid,
                    facecolors=look.colour if even else "none", edgecolors=look.colour,
                    label=look.label if even else f"{look.label} (less even)",
                )  # fmt: skip
        drawn.set(xlabel=first, ylabel=f"{second}: partitions", title=title)
        drawn.set_ylim(bottom=-0.4)
        for axis in (drawn.xaxis, drawn.yaxis):
            axis.set_major_locator(MaxNLocator(integer=True))
        if drawn.get_legend_handles_labels()[0]:
            drawn.legend()
    return drawn
