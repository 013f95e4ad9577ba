"""Render a page: its parts put into the template, with style and script inside, so that it needs no network."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kassay.output.block import LAYOUT, printable
from kassay.reports.page.inline import series_style

TEMPLATES = Path(__file__).parent / "templates"


def rendered(template: str, page: Mapping[str, Any]) -> str:
    """Return a page as HTML, made with the template of that name."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["glued"] = lambda text: text.replace(" %", "\u00a0%")
    environment.filters["breakable"] = lambda text: Markup("<wbr>").join(re.split(r"(?<=[-/.:#_])", text))
    style = ours(colours() + _text("page.css"))
    text = environment.get_template(f"{template}.html").render(
        page=page, style=style, script=ours(_text("page.js"))
    )
    return printable(text, LAYOUT)


def colours() -> str:
    """Return the colours of pages and pictures, light and dark, as variables of a style sheet."""
    return _text("colours.css") + series_style()


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def as_script(value: Any) -> Markup:
    """Write JSON into a script element: no name in it can end the element."""
    text = json.dumps(value, ensure_ascii=False)
    return ours(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def ours(text: str) -> Markup:
    """Let what we wrote ourselves, or matplotlib did, stand as it is; names from outside are escaped in it."""
    return Markup(text)  # noqa: S704
