"""A target's line and mark beside its name, as its series looks in the figures."""

from markupsafe import Markup

from kassay.reports.figures.colours import COLOURS
from kassay.reports.figures.style import Look

_DASHES = {"-": "", "--": "8 3", "-.": "6 2 2 2", ":": "2 3"}
_MARKS = {
    "o": "M13 7a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "s": "M13.4 3.4h7.2v7.2h-7.2z",
    "^": "M17 2.4l4.6 8.4h-9.2z",
    "D": "M17 2l5 5l-5 5l-5 -5z",
    "v": "M17 11.6l4.6 -8.4h-9.2z",
    "P": "M15.6 2.5h2.8v3.1h3.1v2.8h-3.1v3.1h-2.8v-3.1h-3.1v-2.8h3.1z",
    "X": "M14 2.5l3 3l3 -3l1.5 1.5l-3 3l3 3l-1.5 1.5l-3 -3l-3 3l-1.5 -1.5l3 -3l-3 -3z",
    "<": "M12.4 7l8.4 -4.6v9.2z",
    ">": "M21.6 7l-8.4 -4.6v9.2z",
}


def swatch(look: Look) -> Markup:
    """Draw the line and the mark of a look, for the page; words stand beside it."""
    return Markup(
        '<svg class="swatch" width="34" height="14" viewBox="0 0 34 14" aria-hidden="true" style="--series: var(--series-{})">'
        '<path class="line" d="M1 7H33" stroke-dasharray="{}"/><path class="mark" d="{}"/></svg>'
    ).format(COLOURS.index(look.colour), _DASHES[look.line], _MARKS[look.marker])
