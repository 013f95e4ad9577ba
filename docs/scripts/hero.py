"""The README's picture: a real group as range leaves it, and the best possible, drawn by what draws the pages."""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from kassay.comparison.measured import Measured, measure_all
from kassay.families import family
from kassay.files.reading import read_groups
from kassay.reports.page.inline import mark_trusted, read_colours
from kassay.reports.shapes import find_picture
from kassay.targets import Options, open_target

GROUP, TARGET = "examples/groups/kminion-104.members.txt", "consumer/range"
STYLE = """svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; } text { fill: var(--ink); }
.sheet { fill: var(--sheet); stroke: var(--rule); } .title { font-size: 20px; font-weight: 700; } .said { font-size: 15px; }
.off { fill: var(--moved); font-weight: 700; } .good { fill: var(--link); font-weight: 700; } .key { font-size: 12.5px; fill: var(--soft); }
"""


def draw_hero(root: Path, *, narrow: bool = False) -> str:
    """Return the picture as SVG, for light and dark paper; `narrow` puts one half under the other, for phones."""
    consumer = family("consumer")
    (read,) = read_groups([str(root / GROUP)], consumer, leader=False)
    group = consumer.leader_order(read.value)
    ((one,),) = measure_all([open_target(TARGET, Options())], consumer, [group])
    assert consumer.oracles is not None
    optima = consumer.oracles.optima(group)
    best = consumer.oracles.optimum(",".join(consumer.oracles.levels), group, None)
    found = Measured(
        "best", best.assignment, {}, tuple(optima.gaps(best.assignment)), settled=best.assignment
    )
    picture = find_picture(consumer.shape)
    halves = [
        _draw_half(
            "range, Kafka's default",
            _describe_numbers(one, "off"),
            picture.html("range", group, one.assignment),
        ),
        _draw_half(
            "The best possible",
            _describe_numbers(found, "good"),
            picture.html("the best possible", group, best.assignment),
        ),
    ]
    width, height = (500, 684) if narrow else (1000, 362)
    places = [(24, 0), (24, 324)] if narrow else [(24, 0), (524, 0)]
    drawn = Markup("").join(
        Markup('<g transform="translate({} {})">{}</g>').format(x, y, half)
        for (x, y), half in zip(places, halves, strict=True)
    )
    drawn += _draw_legend(picture.legend[:4], height - 18)
    says = f"A real group of {len(group.members)} members: range: {_words(one)}; the best possible: {_words(found)}."
    style = mark_trusted(read_colours() + picture.style + STYLE)
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}"><title>{2}</title>'
            '<style>{3}</style>\n<rect class="sheet" x=".5" y=".5" width="{4}" height="{5}" rx="12"/>{6}</svg>\n'
        ).format(width, height, says, style, width - 1, height - 1, drawn)
    )


def _draw_half(title: str, said: Markup, panel: Markup) -> Markup:
    """Put a title and what it comes to over a picture."""
    inner = mark_trusted(
        str(panel).replace('<svg class="panel"', '<svg x="0" y="78" width="452" height="250"', 1)
    )
    return Markup(
        '<text class="title" x="0" y="36">{}</text><text class="said" x="0" y="62">{}</text><g class="panel">{}</g>'
    ).format(title, said, inner)


def _draw_legend(entries: Sequence[tuple[str, str, str]], y: int) -> Markup:
    """Return the legend of the marks, in one line."""
    drawn, x = Markup(), 24
    for look, _, says in entries:
        drawn += Markup(
            '<rect class="{}" x="{}" y="{}" width="13" height="13" rx="3"/><text class="key" x="{}" y="{}">{}</text>'
        ).format(look, x, y - 11, x + 18, y, says)
        x += 36 + int(6.6 * len(says))
    return Markup('<g class="legend">{}</g>').format(drawn)


def _describe_numbers(one: Measured, look: str) -> Markup:
    return Markup(", ").join(
        Markup('<tspan class="{}">{}</tspan>').format(look, words) for words in _parts(one)
    )


def _words(one: Measured) -> str:
    return ", ".join(_parts(one))


def _parts(one: Measured) -> Sequence[str]:
    gaps = {gap.level: gap for gap in one.gaps}
    loads = sorted(map(len, one.settled.values()))
    moved = gaps["moves"].value
    return f"moves {moved} partition{'s' * (moved != 1)}", f"loads from {loads[0]} to {loads[-1]}"
