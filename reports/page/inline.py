"""Make an SVG of matplotlib part of a page: its own ids, the page's colours and text size, and words instead of sight."""

import re
from html import escape

from kassay.reports.figures.style import INK, PAPER, RULE

COLOURS = {INK: "currentColor", RULE: "var(--rule)", PAPER: "none"}


def inline(svg: str, name: str, says: str) -> str:
    """Return the SVG without its prologue and metadata, ids and references prefixed, with a label for screen readers."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->\s*", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', body)
    body = re.sub(r'(href="#|url\(#)', rf"\1{name}-", body)
    for colour, of_page in COLOURS.items():
        body = body.replace(colour, of_page)
    body = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", body, flags=re.DOTALL)
    size = re.search(r'viewBox="0 0 ([\d.]+) [\d.]+"', body)
    width = f"{float(size[1]) * 96 / 72:.0f}px" if size else "100%"
    head = f'<svg role="img" aria-label="{escape(says, quote=True)}" style="max-width:{width}"'
    body = re.sub(r'\s(width|height)="[\d.]+pt"', "", body, count=2)
    return re.sub(r"\n\s*", "\n", body.replace("<svg", head, 1))
