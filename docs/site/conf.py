"""How Sphinx makes the site; docs/site/build.py lays out what it reads."""

from sphinx.application import Sphinx

import kassay

project = "kassay"
release = kassay.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "kassay"
html_static_path = ["site.css", "site.js"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_show_sphinx = False
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html", "sidebar/search.html", "playground.html", "sidebar/scroll-start.html", "sidebar/navigation.html", "sidebar/scroll-end.html",
    ]
}  # fmt: skip
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0a5aa8", "color-brand-content": "#0a5aa8"},
    "dark_css_variables": {"color-brand-primary": "#84bdf6", "color-brand-content": "#84bdf6"},
    "footer_icons": [],
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
myst_heading_anchors = 4
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88


def setup(app: Sphinx) -> None:
    """Write a default that a function makes as `...`, so that signatures can be read, and so be made short."""
    app.connect(
        "autodoc-process-signature",
        lambda _app, _what, _name, _object, _options, given, returned: (
            given and given.replace("<factory>", "..."),
            returned,
        ),
    )
