"""The picture of a large group: a bar for each member or client, or for each few, as high as its load."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from markupsafe import Markup

from kassay.reports.numbers import number_of

BARS = 60
WIDTH, LEFT, HEIGHT, BOTTOM = 420, 40, 140, 165


def bars(
    loads: Sequence[Mapping[str, int]], items: int, trouble: Mapping[str, int], noun: str
) -> Iterator[Markup]:
    """Draw loads from the greatest to the least, by the kinds that they are made of, the first at the bottom.

    Above 60 members one bar stands for several. `items` are all that is given out; `trouble` says how many of them are lost or wrong.
    """
    ordered = sorted(loads, key=lambda load: -sum(load.values()))
    each = -(-len(ordered) // BARS) if ordered else 1
    greatest = max((sum(load.values()) for load in ordered), default=0)
    even = items / max(1, len(ordered))
    # the same in all pictures of a group, but where one member has more than twice its part
    top = max(greatest, 2 * ceil(even), 1)
    drawn = [ordered[n : n + each] for n in range(0, len(ordered), each)]
    pitch = (WIDTH - LEFT) / max(1, len(drawn))
    yield Markup('<path class="line" d="M{} {}H{}"/>').format(LEFT, BOTTOM, WIDTH)
    for load in sorted({top, greatest, 0}, reverse=True):
        if load == greatest and 0 < HEIGHT * (top - greatest) / top < 14:
            continue  # there is no room for both
        yield Markup('<text class="note end" x="{}" y="{:g}">{:,}</text>').format(
            LEFT - 6, BOTTOM - HEIGHT * load / top + 4, load
        )
    for n, bar in enumerate(drawn):
        y = float(BOTTOM)
        for kind in bar[0]:
            height = HEIGHT * sum(load[kind] for load in bar) / len(bar) / top
            y -= height
            if height:
                yield Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{:g}"/>').format(
                    kind,
                    round(LEFT + pitch * n + 0.5, 2),
                    round(y, 2),
                    round(max(0.6, pitch - 1), 2),
                    round(height, 2),
                )
    most, least = (sum(load.values()) for load in (ordered[0], ordered[-1])) if ordered else (0, 0)
    few = [f"each bar is the mean of {each:,}"] if each > 1 else []
    wrong = [f"{count:,} {what}" for what, count in trouble.items() if count]
    yield Markup('<text class="note" x="0" y="{}">{}</text>').format(
        BOTTOM + 16, f"loads of {number_of(len(ordered), noun)}, from {most:,} to {least:,}"
    )
    yield Markup('<text class="{}" x="0" y="{}">{}</text>').format(
        "trouble" if wrong else "note", BOTTOM + 31, "; ".join([*few, *wrong])
    )
