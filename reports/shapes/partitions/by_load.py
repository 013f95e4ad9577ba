"""The picture of a large group: a bar for each member, or for each few, as high as its load."""

from collections.abc import Iterator
from math import ceil

from markupsafe import Markup

from kassay.reports.shapes.partitions.marks import LEAVES, MOVES, NEW, STAYS, WRONG, Marks
from kassay.reports.tables.table import number_of

BARS = 60
WIDTH, LEFT, HEIGHT, BOTTOM = 420, 40, 140, 165
KINDS = (STAYS, MOVES, NEW, WRONG)


def by_load(found: Marks) -> Iterator[Markup]:
    """Draw the loads from the greatest to the least, what stays at the bottom; above 60 members one bar stands for several."""
    loads = {name: dict.fromkeys(KINDS, 0) for name in found.members}
    for (name, _), mark in found.at.items():
        if mark.kind != LEAVES:
            loads[name][mark.kind] += mark.times
    ordered = sorted(loads.values(), key=lambda load: -sum(load.values()))
    each = -(-len(ordered) // BARS) if ordered else 1
    greatest = max((sum(load.values()) for load in ordered), default=0)
    even = sum(map(len, found.topics.values())) / max(1, len(ordered))
    # the same in all pictures of a group, but where one member has more than twice its part
    top = max(greatest, 2 * ceil(even), 1)
    bars = [ordered[n : n + each] for n in range(0, len(ordered), each)]
    pitch = (WIDTH - LEFT) / max(1, len(bars))
    yield Markup('<path class="line" d="M{} {}H{}"/>').format(LEFT, BOTTOM, WIDTH)
    for load in sorted({top, greatest, 0}, reverse=True):
        if load == greatest and 0 < HEIGHT * (top - greatest) / top < 14:
            continue  # there is no room for both
        yield Markup('<text class="note end" x="{}" y="{:g}">{:,}</text>').format(
            LEFT - 6, BOTTOM - HEIGHT * load / top + 4, load
        )
    for n, bar in enumerate(bars):
        y = float(BOTTOM)
        for kind in KINDS:
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
    trouble = [
        f"{count:,} {what}"
        for what, count in (("lost", len(found.lost)), ("given more than once", len(found.doubled)))
        if count
    ]
    yield Markup('<text class="note" x="0" y="{}">{}</text>').format(
        BOTTOM + 16, f"loads of {number_of(len(ordered), 'member')}, from {most:,} to {least:,}"
    )
    yield Markup('<text class="{}" x="0" y="{}">{}</text>').format(
        "trouble" if trouble else "note", BOTTOM + 31, "; ".join([*few, *trouble])
    )
