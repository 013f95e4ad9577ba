"""The small picture of loads in a table: a column for each owner."""

from collections.abc import Sequence

from markupsafe import Markup

COLUMNS = 40
"""Columns of a small picture; of more owners each column is the mean of some."""
WIDTH, HEIGHT = 116, 40


def columns(stays: Sequence[int], full: Sequence[int], most: int, limit: int = COLUMNS) -> Markup:
    """Draw a column for each owner, as high as all it holds against `most`: what stays, and on top of it what arrives.

    All columns of one look are one path, so that a page of many pictures stays small.
    """
    step = -(-len(full) // limit) or 1
    top, pitch = max(most, 1), WIDTH / max(1, -(-len(full) // step))
    wide = max(pitch - 2, pitch * 0.7)
    paths: dict[str, list[str]] = {"kept": [], "new": []}
    for n in range(0, len(full), step):
        many = len(full[n : n + step])
        high, kept = ((HEIGHT - 4) * sum(part[n : n + step]) / many / top for part in (full, stays))
        for look, y, height in (("kept", HEIGHT - kept, kept), ("new", HEIGHT - high, high - kept)):
            if height > 0:
                paths[look].append(f"M{pitch * n / step:.4g} {y:.4g}h{wide:.4g}v{height:.4g}h-{wide:.4g}z")
    drawn = Markup("").join(
        Markup('<path class="{}" d="{}"/>').format(look, "".join(parts))
        for look, parts in paths.items()
        if parts
    )
    return Markup('<svg class="mini" viewBox="0 0 {} {}" aria-hidden="true">{}</svg>').format(
        WIDTH, HEIGHT, drawn
    )
