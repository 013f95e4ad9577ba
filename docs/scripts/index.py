"""Write docs/README.md, the index of all pages, from the first lines of the pages: the title, the question in bold, and the answer."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SECTIONS: Mapping[str, Sequence[str]] = {
    "Tutorials": ("group", "assignor", "client", "research"),
    "Guides": ("import", "changes", "kip-848", "weights", "ci", "wire", "simulate", "sweep", "report"),
    "Reference": (
        "commands", "client-settings", "python", "adapter", "verdicts", "glossary", "properties", "consumer", "broker", "streams", "connect",
        "simulation", "protocol", "kips",
    ),
    "Explanation": ("assignment", "concepts", "architecture", "optimum", "certificates", "solver", "tasks", "frontier", "equality"),
    "Results": ("findings", "scoreboard", "million", "kip-848", "topic-balance", "worst", "speed", "old-bugs"),
    "Upstream": ("kafka", "kip-topic-balance"),
}  # fmt: skip
"""Section -> its pages in order. The folder is the name of the section in lower case."""
REPOSITORY: Mapping[str, tuple[str, str, str]] = {
    "docs/README.md": ("All pages", "Which page answers my question?", "This index has the first lines of every page."),
    "README.md": ("kassay", "Where do I begin?", "kassay tests Kafka partition assignors."),
    "CHANGELOG.md": ("Changes", "Which changes do users see?", "One line for each change."),
    "CONTRIBUTING.md": ("Contributing", "How do I add something, and which tests must pass?", "One recipe for each kind of part."),
    "SECURITY.md": ("Security", "Is it safe to run?", "Only the command line is trusted. Targets have limits of time and memory."),
    "fixtures/README.md": ("Fixtures", "How do I use the test groups in my language?", "Copy the JSON files and the runner of your language."),
    "fixtures/TUTORIAL.md": ("Fixtures in five minutes", "How does my client test itself without kassay?", "Copy one folder and write one function."),
    "fixtures/STABILITY.md": ("Stability of the fixtures", "Can the fixtures change?", "Cases are added, and never changed."),
    "fixtures/kill-matrix.md": ("Kill matrix", "Does each fixture find a mistake?", "One row for each planted mistake."),
    "parity/README.md": ("Parity tests", "How is kassay compared with other code?", "One row for each command."),
}  # fmt: skip
"""Page outside docs/ -> its title, its question and its answer in the index."""
FIRST = re.compile(
    r"# (?P<title>.+)\n\n(?P<text>\*\*(?P<question>[^*]+\?)\*\* (?P<answer>[^\n]+(?:\n[^\n]+)*))\n"
)
"""The first lines of a page."""
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def read_first_lines(page: Path) -> re.Match[str]:
    """Return the match of a page's first lines; raises SystemExit if the page does not open with its question."""
    found = FIRST.match(page.read_text(encoding="utf-8"))
    if not found:
        raise SystemExit(
            f"{page.relative_to(ROOT)}: begin with a title, and then the question in bold and its answer"
        )
    return found


def list_pages() -> list[Path]:
    """Return the pages below docs/ in the order of the index, without the index."""
    return [DOCS / section.lower() / f"{name}.md" for section, names in SECTIONS.items() for name in names]


def write_index() -> str:
    """Return the tables of the index: one section for each folder, one row for each page."""
    return "\n".join(_write_lines())


def _write_lines() -> Iterator[str]:
    for section, names in SECTIONS.items():
        yield from _write_head(section)
        for name in names:
            path = f"{section.lower()}/{name}.md"
            found = read_first_lines(DOCS / path)
            text = LINK.sub(r"\1", " ".join(found["text"].split())).replace("|", "\\|")
            yield f"| [{found['title']}]({path}) | {text} |"
    yield from _write_head("Repository")
    for path, (title, question, answer) in REPOSITORY.items():
        yield f"| [{title}](../{path}) | **{question}** {answer} |"
    yield ""


def _write_head(section: str) -> list[str]:
    return ["", f"## {section}", "", "| page | question and answer |", "| --- | --- |"]
