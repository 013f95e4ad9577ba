"""Render a page as one HTML file that needs no network, and embed SVGs of matplotlib in it.

An embedded SVG has unique ids, the page's colours and text size, and a label for screen readers.
"""

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kassay.output.block import LAYOUT, printable
from kassay.reports.figures.colours import (
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
"""Style variable -> its colour on light and on dark paper."""
OF_PAGE = {light: f"var(--{name})" for name, (light, _) in VARIABLES.items()} | {
    INK: "currentColor",
    RULE: "var(--rule)",
    PAPER: "none",
}


def series_style() -> str:
    """Return the CSS of the colours that :func:`inline` replaces by variables, for light and dark paper."""
    light, dark = (" ".join(f"--{name}: {pair[n]};" for name, pair in VARIABLES.items()) for n in (0, 1))
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def inline(svg: str, name: str, says: str) -> str:
    """Return the SVG without prologue and metadata, with prefixed ids and references, and with a label for screen readers.

    The parts of a target have the class target-N in all figures of a page, N being its place.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->\s*", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="(target-\d+)"', r'class="\1"', body)
    body = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', body)
    body = re.sub(r'(href="#|url\(#)', rf"\1{name}-", body)
    for colour, of_page in OF_PAGE.items():
        body = body.replace(colour, of_page)
    body = _shrink(re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", body, flags=re.DOTALL))
    size = re.search(r'viewBox="0 0 ([\d.]+) [\d.]+"', body)
    width = f"{float(size[1]) * 96 / 72:.0f}px" if size else "100%"
    head = f'<svg role="img" class="plot" aria-label="{escape(says, quote=True)}" style="max-width:{width}"'
    body = re.sub(r'\s(width|height)="[\d.]+pt"', "", body, count=2)
    return body.replace("<svg", head, 1)


def _shrink(body: str) -> str:
    """Remove what changes nothing in a browser: invisible digits, unused ids, empty groups, and fonts."""
    named = frozenset(re.findall(r'(?:href="|url\()#([^")]+)', body))
    body = re.sub(r"<[^>]+>", lambda tag: _shrink_tag(tag[0], named), body)  # never the text between tags
    body = re.sub(r"\s*\n\s*", "\n", body)
    count = 1
    while count:
        body, count = _ALONE.subn(r"\1", body)
    return body


def _shrink_tag(tag: str, named: frozenset[str]) -> str:
    tag = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in named else "", tag)
    tag = re.sub(r' style="([^"]*)"', lambda found: _as_attributes(found[1]), tag)
    tag = re.sub(r' transform="rotate\(-?0 [^"]*"', "", tag)
    tag = re.sub(r"-?\d+\.\d{2,}", lambda number: _format_length(float(number[0])), tag)
    tag = re.sub(r' d="([^"]*)"', lambda path: f' d="{_shrink_path(path[1])}"', tag)
    return tag.replace(' fill="currentColor"', "") if tag.startswith("<text") else tag


_ALONE = re.compile(
    r"<g/>\n|<g>\n((?:<(?:path|use)[^>]*/>\n|<text[^>]*>[^<]*</text>\n|<defs>\n<path[^>]*/>\n</defs>\n)*)</g>\n"
)
"""A group without attributes."""
_DEFAULTS = {"stroke-dashoffset": "0", "stroke-linejoin": "miter", "stroke-width": "1"}


def _format_length(number: float) -> str:
    """Return a length with one decimal, or two if it is below 10: markers are small."""
    return f"{number:.{1 if abs(number) >= 10 else 2}f}".rstrip("0").rstrip(".")


def _as_attributes(style: str) -> str:
    """Return a style as attributes, which the page's style sheet can override; the page has the font."""
    parts = [part.split(":", 1) for part in style.split(";") if ":" in part]
    said = {name.strip(): value.strip() for name, value in parts}
    kept = {
        name: value.removesuffix("px")
        for name, value in said.items()
        if name != "font-family" and _DEFAULTS.get(name) != value
    }
    return "".join(f' {name}="{value}"' for name, value in kept.items())


def _shrink_path(path: str) -> str:
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", re.sub(r"\s+", " ", path)).strip()


TEMPLATES = Path(__file__).parent / "templates"


def render_page(template: str, page: Mapping[str, Any]) -> str:
    """Return a page as HTML, from the template with that name."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["glued"] = lambda text: text.replace(" %", "\u00a0%")
    environment.filters["breakable"] = lambda text: Markup("<wbr>").join(re.split(r"(?<=[-/.:#_])", text))
    style = mark_trusted(read_colours() + _read_template("page.css"))
    text = environment.get_template(f"{template}.html").render(
        page=page, style=style, script=mark_trusted(_read_template("page.js"))
    )
    return printable(text, LAYOUT)


def read_colours() -> str:
    """Return the style sheet with the colours of pages and pictures, light and dark."""
    return _read_template("colours.css") + series_style()


def _read_template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def as_script(value: Any) -> Markup:
    """Return JSON for a script element; it is escaped so that no name can end the element."""
    text = json.dumps(value, ensure_ascii=False)
    return mark_trusted(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def mark_trusted(text: str) -> Markup:
    """Mark text of kassay or matplotlib as safe; external names must already be escaped in it."""
    return Markup(text)  # noqa: S704
