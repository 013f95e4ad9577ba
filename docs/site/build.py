"""Build the site: ``python docs/site/build.py`` makes build/site/html from docs/, README and kassay itself; open its index.html.

docs/README.md has the pages in their order. Other linked files are copied. If KASSAY_REPOSITORY is set, as in https://HOST/OWNER/kassay,
such links lead there instead, and so do links to folders, which are plain text otherwise.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path

from home import TITLE, write_home
from sphinx.cmd.build import main as sphinx
from tree import MOVED, ROOT, Page, read_tree

from kassay.playground.folder import write_page
from kassay.playground.link import fragment, state
from reference import write_formats, write_python

MADE: dict[Page, Callable[[], str]] = {
    Page("Python", "reference/python.md", "What does `import kassay` have?"): write_python,
    Page(
        "File formats", "reference/formats.md", "What stands in JSON that kassay reads and writes?"
    ): write_formats,
}
"""Pages that lie in no folder; they come last in the tree."""
ENGINE = ROOT / "kassay-playground" / "engine"
"""The engine of the playground, if `nox -s playground` has built it."""
PLAYED = ("docs/results/findings.md", "docs/results/old-bugs.md")
"""Pages whose groups of consumers can be opened in it."""
GROUP = re.compile(r'`(\{"family": "consumer", "topics": .*?\})`')
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
MERMAID = re.compile(r"```mermaid\n(.*?)```\n", re.DOTALL)
MENDS = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<div id="search-results">': '<h1>Search</h1>\n<div id="search-results">',
}
"""The markup of Sphinx and its theme -> the markup that screen readers need."""
PARAMETERS = re.compile(r"<dl>\n((?:<dd>.*</dd>\n)+)</dl>")
"""The parameters of a long signature: Sphinx writes definitions without terms."""
REDIRECT = """<!doctype html>
<meta charset="utf-8"><title>This page has moved</title>
<meta http-equiv="refresh" content="0; url={target}"><link rel="canonical" href="{target}">
<p>This page has moved: <a href="{target}">{target}</a></p>
"""
REPOSITORY = os.environ.get("KASSAY_REPOSITORY", "").rstrip("/")


def stage_pages(source: Path) -> dict[str, list[Page]]:
    """Lay out all that Sphinx reads, and return the tree."""
    sections = read_tree()
    sections["Reference"] += MADE
    named = {page.file for pages in sections.values() for page in pages}
    texts = {page.file: make() for page, make in MADE.items()}
    for file in named - texts.keys():
        text = (ROOT / file).read_text(encoding="utf-8")
        texts[file] = MERMAID.sub(_list_imports, LINK.sub(_make_relink(file, named, source), text))
        if file.startswith(PLAYED):
            up = "../" * file.count("/")
            texts[file] = "\n".join(_link_playground(line, up) for line in texts[file].split("\n"))
    for page in chain.from_iterable(sections.values()):
        texts[page.file] = _add_description(page, texts[page.file])
    trees = [
        _write_toctree(title, [f"{page.title} </{page.name}>" for page in pages])
        for title, pages in sections.items()
    ]
    texts["index.md"] = write_home() + "".join(trees)
    for file, text in texts.items():
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        (source / file).write_text(text, encoding="utf-8")
    return sections


def _make_relink(page: str, pages: set[str], source: Path) -> Callable[[re.Match[str]], str]:
    """Return what makes of a page's link one that leads somewhere on the site, too."""

    def link(match: re.Match[str]) -> str:
        words, path, anchor = match[1], match[2], match[3] or ""
        there = ((ROOT / page).parent / path).resolve()
        file = there.relative_to(ROOT).as_posix()
        if f"{file}/README.md" in pages:
            return f"[{words}]({path.rstrip('/')}/README.md{anchor})"
        if file in pages:
            return match[0]
        if REPOSITORY:
            return f"[{words}]({REPOSITORY}/{'tree' if there.is_dir() else 'blob'}/main/{file}{anchor})"
        if there.is_dir() or there.suffix == ".md":
            return words
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(there, source / file)
        return f"[{words}]({path})"

    return link


def _add_description(page: Page, text: str) -> str:
    """Put the question of a page where search engines look."""
    head = f"---\nmyst:\n  html_meta:\n    description: {json.dumps(page.plain)}\n---\n\n"
    return head + text


def _link_playground(line: str, up: str) -> str:
    """Put a link into the playground behind each consumer group that a line shows, as the target answers it that the line names first."""

    def link(shown: re.Match[str]) -> str:
        opened = fragment(state(json.loads(shown[1]), line))
        return f'{shown[0]} <a href="{up}playground/index.html#{opened}">change it in the playground</a>'

    return GROUP.sub(link, line)


def _list_imports(drawn: re.Match[str]) -> str:
    """Write a drawing of arrows as lines, since a drawing would need a program from elsewhere."""
    names = dict(re.findall(r'(n\d+)\["(.+?)"\]', drawn[1]))
    to: dict[str, list[str]] = {}
    for one, other in re.findall(r"(n\d+) -.*?-> (n\d+)", drawn[1]):
        to.setdefault(names[one], []).append(names[other])
    rows = [f"| {name} | {'; '.join(others)} |" for name, others in to.items()]
    return "\n".join(["| part | imports |", "| --- | --- |", *rows, ""])


def _write_toctree(caption: str, entries: list[str]) -> str:
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["\n```{toctree}", *options, "", *entries, "```\n"])


def write_llms(sections: dict[str, list[Page]], source: Path, out: Path) -> None:
    """Write llms.txt, each page with its question, and llms-full.txt, all that are Markdown."""
    lines = ["# kassay", "", f"> {TITLE}.", ""]
    full = []
    for title, pages in sections.items():
        lines += [
            f"## {title}",
            "",
            *(f"- [{page.title}]({page.name}.html): {page.plain}" for page in pages),
            "",
        ]
        files = [source / page.file for page in pages]
        texts = [file.read_text(encoding="utf-8") for file in files]
        full += [text for text in texts if "{eval-rst}" not in text]
    (out / "llms.txt").write_text("\n".join(lines), encoding="utf-8")
    (out / "llms-full.txt").write_text("\n\n".join(full), encoding="utf-8")


def replace_markup(out: Path) -> None:
    """Make the pages readable for screen readers; raises SystemExit if Sphinx or its theme no longer writes what is replaced."""
    found = dict.fromkeys(MENDS, 0)
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for old, new in MENDS.items():
            found[old] += text.count(old)
            text = text.replace(old, new)
        text = PARAMETERS.sub(_list_parameters, text)
        page.write_text(text, encoding="utf-8")
    if lost := [old for old, times in found.items() if not times]:
        raise SystemExit(
            f"MENDS: no page has {lost}. Read what the theme writes now, and change docs/site/build.py."
        )


def _list_parameters(found: re.Match[str]) -> str:
    items = found[1].replace("<dd>", "<li>").replace("</dd>", "</li>")
    return f'<ul class="parameters">\n{items}</ul>'


def write_redirects(out: Path) -> None:
    """Write a page at each old address that leads to the new one."""
    for old, new in MOVED.items():
        page = out / Path(old).with_suffix(".html")
        target = os.path.relpath(out / Path(new).with_suffix(".html"), page.parent)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(REDIRECT.format(target=target), encoding="utf-8")


def build(into: Path = ROOT / "build" / "site") -> Path:
    """Build everything anew and return the folder of the site; a warning ends it."""
    source, out = into / "source", into / "html"
    shutil.rmtree(into, ignore_errors=True)
    sections = stage_pages(source)
    configured = ["-c", str(ROOT / "docs" / "site"), "-d", str(into / "doctrees")]
    if sphinx(["-q", "-W", "--keep-going", "-j", "2", *configured, str(source), str(out)]):
        raise SystemExit("the site has warnings, see above")
    replace_markup(out)
    for picture in ("hero.svg", "hero-narrow.svg"):
        shutil.copy(ROOT / "docs" / picture, out / "docs" / picture)
    write_page(out / "playground")
    if ENGINE.exists():
        shutil.copytree(ENGINE, out / "playground" / "engine")
    else:
        print(
            "The playground of this site has no engine. `nox -s site -- --engine` puts it in.",
            file=sys.stderr,
        )
    write_llms(sections, source, out)
    write_redirects(out)
    return out


if __name__ == "__main__":
    print(build() / "index.html")
