"""The picture of docs/results/topic-balance.md: sticky's assignment of a reported group, and the better one with the same moves."""

from hero import STYLE
from markupsafe import Markup
from spread import assign_new_group, replay_report

from kassay.families import family
from kassay.model import Assignment, Group
from kassay.oracles.partitions.optima import compute_dominance
from kassay.oracles.partitions.question import parse_question, remeasure
from kassay.reports.page.inline import mark_trusted, read_colours
from kassay.reports.shapes import find_picture

NAME = "results/topic-spread.svg"
DRAWN = "consumer/sticky"
ASKED = parse_question("moves,topic-spread")
HIGH, WIDE = 272, 500
"""The room of one answer."""


def draw_spread() -> str:
    """Return the picture as SVG, for light and dark paper: rows for one member and then two, for two and then three, and for two that are new."""
    rows = [
        (f"{members} to {members + 1} members: sticky", group, answer)
        for members, name, group, answer in replay_report()
        if name == DRAWN
    ]
    rows.append(("2 new members: uniform", *assign_new_group()))
    drawn, told = Markup(), []
    for n, (who, group, answer) in enumerate(rows):
        found = compute_dominance(group)(answer)
        assert found is not None
        assert found.verdict
        titles = (who, "Better, for the same moves")
        for place, (title, shown) in enumerate(zip(titles, (answer, found.better), strict=True)):
            values = remeasure(group, shown, ASKED)
            said = f"{values['moves']} moves, spread excess {values['topic-spread']}"
            told.append(f"{title}: {said}")
            drawn += Markup('<g transform="translate({} {})">{}</g>').format(
                24 + place * WIDE,
                n * HIGH,
                _draw_panel(title, said, "good" if place else "off", group, shown),
            )
    width, height = 2 * WIDE, HIGH * len(rows) + 12
    picture = find_picture(family("consumer").shape)
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}"><title>{2}</title>'
            '<style>{3}</style>\n<rect class="sheet" x=".5" y=".5" width="{4}" height="{5}" rx="12"/>{6}</svg>\n'
        ).format(
            width,
            height,
            "; ".join(told),
            mark_trusted(read_colours() + picture.style + STYLE),
            width - 1,
            height - 1,
            drawn,
        )
    )


def _draw_panel(title: str, said: str, look: str, group: Group, shown: Assignment) -> Markup:
    """Put a title and what it comes to over a picture."""
    panel = str(find_picture(family("consumer").shape).html(title, group, shown))
    inner = mark_trusted(
        panel.replace('<svg class="panel"', f'<svg x="0" y="72" width="452" height="{HIGH - 80}"', 1)
    )
    return Markup(
        '<text class="title" x="0" y="36">{}</text><text class="said" x="0" y="60"><tspan class="{}">{}</tspan></text><g class="panel">{}</g>'
    ).format(title, look, said, inner)
