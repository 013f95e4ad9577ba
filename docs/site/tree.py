"""The tree of the site, read from docs/README.md: a section for each heading, a page for each row, with its question."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "README.md"
ROW = re.compile(r"^\| \[(.+?)\]\((\S+?)\) \| (.+) \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its title in the tree, its file from the root of the repository, and the question that it answers."""

    title: str
    file: str
    question: str

    @property
    def name(self) -> str:
        """The file without its ending, as Sphinx calls it."""
        return self.file.removesuffix(".md")

    @property
    def plain(self) -> str:
        """The question without links and emphasis."""
        return re.sub(r"\[(.+?)\]\(\S+?\)", r"\1", self.question).replace("*", "")


def tree(text: str = INDEX.read_text(encoding="utf-8")) -> dict[str, list[Page]]:
    """Return the pages of each section, in order."""
    found: dict[str, list[Page]] = {}
    for section in text.split("\n## ")[1:]:
        title, _, rows = section.partition("\n")
        found[title] = [
            Page(name, (INDEX.parent / path).resolve().relative_to(ROOT).as_posix(), question)
            for name, path, question in ROW.findall(rows)
        ]
    return found
