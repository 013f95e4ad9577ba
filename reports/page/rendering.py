"""Render a page: its parts put into the template, with style and script inside, so that it needs no network."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kassay.output.block import LAYOUT, printable
from kassay.reports.page.inline import series_style

HERE = Path(__file__).parent


def rendered(page: Mapping[str, Any]) -> str:
    """Return the page as HTML."""
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["glued"] = lambda text: text.replace(" %", "\u00a0%")
    style, script = (ours((HERE / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    style = ours(series_style()) + style
    text = environment.get_template("template.html").render(page=page, style=style, script=script)
    return printable(text, LAYOUT)


def ours(text: str) -> Markup:
    """Let what we wrote ourselves, or matplotlib did, stand as it is; names from outside are escaped in it."""
    return Markup(text)  # noqa: S704
