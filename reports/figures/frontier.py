"""The plot of the Pareto frontier of two objectives, with the answers of assignors."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kassay.oracles.answers import Frontier
from kassay.reports.figures.colours import INK, PAPER, RULE
from kassay.reports.figures.style import Look, assign_looks, open_axes


def draw_frontier(
    frontier: Frontier,
    answers: Mapping[str, Any],
    title: str = "",
    *,
    counts: str = "partitions read across racks",
    others: Sequence[Frontier] = (),
) -> Axes:
    """Draw a frontier of two objectives, the proven impossible area below it, and the answers that can be located.

    Supported points are filled, others are hollow. The line is dashed if points may be missing. Answers with less balanced loads are
    hollow too, since the frontier does not measure them. `counts` is the unit of the second objective. Each of the `others`, which
    compare more, is a dotted line: the least of the second objective for each value of the first.
    """
    first, second = frontier.levels
    with open_axes(None) as drawn:
        _draw_points(drawn, frontier, first, second)
        for other in others:
            steps = _select_minimal([(point.values[first], point.values[second]) for point in other.points])
            if steps:
                known = "the least" if other.whole else "the least known"
                drawn.plot(
                    *zip(*steps, strict=True),
                    drawstyle="steps-post", color=INK, linewidth=1.2, linestyle=":", label=f"{known} {other.title}",
                )  # fmt: skip
        _draw_answers(drawn, frontier, answers)
        drawn.set(xlabel=first, ylabel=f"{second}: {counts}", title=title)
        for axis in (drawn.xaxis, drawn.yaxis):
            axis.set_major_locator(MaxNLocator(integer=True))
        drawn.set_ylim(-0.4, max(1.4, drawn.get_ylim()[1] + 0.2))
        left, right = drawn.get_xlim()
        drawn.set_xlim(left - 0.1, max(right + 0.1, left + 1.4))
        _draw_impossible(drawn, frontier)
        if drawn.get_legend_handles_labels()[0]:
            drawn.legend()
    return drawn


def _draw_answers(drawn: Axes, frontier: Frontier, answers: Mapping[str, Any]) -> None:
    """Draw the answers; later ones at the same place are smaller, so that all are visible."""
    first, second = frontier.levels
    found: dict[tuple[int, int], list[tuple[Look, bool]]] = {}
    for name, look in assign_looks(list(answers)).items():
        place = frontier.place(answers[name])
        if place.values is not None:
            even = place.on_it is not False or place.better is not None
            found.setdefault((place.values[first], place.values[second]), []).append((look, even))
    for (x, y), here in found.items():
        for size, (look, even) in zip(range(len(here), 0, -1), here, strict=True):
            drawn.scatter(
                [x], [y], s=60 * size, marker=look.marker, zorder=4, gid=look.gid,
                facecolors=look.colour if even else "none", edgecolors=look.colour,
                label=look.label if even else f"{look.label} (less balanced)",
            )  # fmt: skip


def _draw_points(drawn: Axes, frontier: Frontier, first: str, second: str) -> None:
    """Draw the line and the points of a frontier."""
    points = [((point.values[first], point.values[second]), point.supported) for point in frontier.points]
    if points:
        drawn.plot(
            *zip(*(point for point, _ in points), strict=True),
            drawstyle="steps-post", color=INK, linewidth=1.2, linestyle="-" if frontier.whole else "--", zorder=2,
        )  # fmt: skip
    for supported, face, label in (
        (True, INK, "on the frontier"),
        (False, PAPER, "on the frontier, not supported"),
    ):
        some = [point for point, of in points if of == supported]
        if some:
            columns = [x for x, _ in some], [y for _, y in some]
            drawn.scatter(*columns, s=28, color=face, edgecolors=INK, zorder=3, label=label)


def _draw_impossible(drawn: Axes, frontier: Frontier) -> None:
    """Shade the impossible area: fewer moves than the minimum, and less than the least for each number of moves.

    If extreme points may be missing, the area ends at the last known point.
    """
    if not frontier.bought:
        return
    (left, right), (bottom, top) = drawn.get_xlim(), drawn.get_ylim()
    last = frontier.bought[-1]
    moves = [left, *(step.moves for step in frontier.bought), right if frontier.extreme else last.moves]
    least = [top, *(step.least for step in frontier.bought), last.least]
    drawn.fill_between(
        moves, least, bottom, step="post", color=RULE, alpha=0.45, linewidth=0, zorder=1,
        label=f"impossible {frontier.title}",
    )  # fmt: skip
    drawn.set(xlim=(left, right), ylim=(bottom, top))


def _select_minimal(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the Pareto-optimal points: each has less of the second number than all points before it."""
    found: list[tuple[int, int]] = []
    for point in sorted(points):
        if not found or point[1] < found[-1][1]:
            found.append(point)
    return found
