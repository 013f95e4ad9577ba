"""Make an SVG of matplotlib part of a page: its own ids, the page's colours and text size, and words instead of sight."""

import re
from html import escape

from kassay.reports.figures.style import (
    BETTER,
    COLOURS,
    DARK,
    DARK_BETTER,
    DARK_WORSE,
    INK,
    PAPER,
    RULE,
    WORSE,
)

VARIABLES = {f"series-{n}": pair for n, pair in enumerate(zip(COLOURS, DARK, strict=True))} | {
    "better": (BETTER, DARK_BETTER),
    "worse": (WORSE, DARK_WORSE),
}
"""What a page calls colours, and how each looks on light and on dark paper."""
OF_PAGE = {light: f"var(--{name})" for name, (light, _) in VARIABLES.items()} | {
    INK: "currentColor",
    RULE: "var(--rule)",
    PAPER: "none",
}


def series_style() -> str:
    """Return the CSS of the colours that :func:`inline` leaves to the page, for light and dark paper."""
    light, dark = (" ".join(f"--{name}: {pair[n]};" for name, pair in VARIABLES.items()) for n in (0, 1))
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def inline(svg: str, name: str, says: str) -> str:
    """Return the SVG without its prologue and metadata, ids and references prefixed, with a label for screen readers.

    What belongs to a target has the class target-N, N its place, in all figures of a page.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->\s*", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="(target-\d+)"', r'class="\1"', body)
    body = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', body)
    body = re.sub(r'(href="#|url\(#)', rf"\1{name}-", body)
    for colour, of_page in OF_PAGE.items():
        body = body.replace(colour, of_page)
    body = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", body, flags=re.DOTALL)
    size = re.search(r'viewBox="0 0 ([\d.]+) [\d.]+"', body)
    width = f"{float(size[1]) * 96 / 72:.0f}px" if size else "100%"
    head = f'<svg role="img" aria-label="{escape(says, quote=True)}" style="max-width:{width}"'
    body = re.sub(r'\s(width|height)="[\d.]+pt"', "", body, count=2)
    return re.sub(r"\n\s*", "\n", body.replace("<svg", head, 1))
