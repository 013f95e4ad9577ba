"""The tutorials are true: the files they show are written, their commands run, and their outputs compared.

- A line "`NAME`:" before a fenced block: the block is a file.
- ``sh``: commands, which run in a folder that has `examples/`; ``python``: run as it is; ``console``, ``properties``: not run.
- ``text``: what the last commands printed, 110 columns wide; a line ``...`` stands for lines left out.
"""

import contextlib
import io
import re
import shlex
from pathlib import Path

import hypothesis
import pytest
from whole import WHOLE

from kassay.cli import main
from kassay.reports.sweep.grid import parse_grid

ROOT = Path(__file__).parents[2]
PAGES = (
    "explanation/assignment.md",
    "explanation/concepts.md",
    "explanation/optimum.md",
    "tutorials/assignor.md",
    "tutorials/group.md",
    "guides/kip-848.md",
    "tutorials/research.md",
)
"""Pages whose blocks run from top to bottom. `python docs/scripts/outputs.py --write` writes their outputs."""
BLOCK = re.compile(r"(?:^`([\w.-]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
WRITTEN_WITH = "6.170."
"""The Hypothesis whose groups the pages show; with another one there may be more or fewer of them."""


def blocks(name):
    return BLOCK.findall((ROOT / "docs" / name).read_text())


def printed_by(commands):
    """Run commands line by line; return what a terminal would show."""
    out, status = io.StringIO(), None
    for line in commands.replace("\\\n", " ").splitlines():
        program, *words = shlex.split(line, comments=True)
        if (program, words) == ("echo", ["$?"]):
            out.write(f"{status}\n")
            continue
        assert program == "kassay", line
        words, file = (words[:-2], words[-1]) if ">" in words else (words, None)
        shown = io.StringIO() if file else out
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(out):
            status = main(words)
        assert status in {0, 1, 3}, out.getvalue()
        if file:
            Path(file).write_text(shown.getvalue())
    return out.getvalue()


def comparable(text):
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    if not hypothesis.__version__.startswith(WRITTEN_WITH):
        lines = [re.sub(r" +|─+", " ", re.sub(r"\d[\d,.]*", "9", line)) for line in lines]
    return lines


def missing(shown, printed):
    """Return the first lines shown that were not printed there, or None."""
    at, anywhere = 0, False
    parts = "\n".join(comparable(shown)).split("\n...\n") if shown else []
    for part in parts:
        wanted = [line for line in part.splitlines() if line != "..."]
        places = range(at, len(printed) + 1) if anywhere or part.startswith("...") else [at]
        found = next((n for n in places if printed[n : n + len(wanted)] == wanted), None)
        if found is None:
            return part
        at, anywhere = found + len(wanted), True
    return None if at == len(printed) or shown.rstrip().endswith("\n...") else "the end"


def test_the_comparison_itself():
    printed = ["a", "b", "", "c", "d"]
    for shown in ("a\nb\n\nc\nd\n", "a\n...\nc\nd\n", "...\nb\n...\nd\n", "a\nb\n...\n", "...\nc\n...\n"):
        assert missing(shown, printed) is None, shown
    for shown in ("a\nb\n", "b\n...\n", "a\nc\n...\n", "...\nd\n...\nb\n...\n", "...\nc\n"):
        assert missing(shown, printed) is not None, shown


SLOW = pytest.mark.skipif(not WHOLE, reason="Spark takes long")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=SLOW) if name == "tutorials/research.md" else name for name in PAGES]
)
def test_a_tutorial(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.delenv("KASSAY_REPLAY")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    printed, compared = None, 0
    for file, kind, text in blocks(name):
        if file:
            Path(file).write_text(text)
        elif kind == "sh":
            printed = printed_by(text)
        elif kind == "text":
            assert missing(text, comparable(printed)) is None, printed
            compared += 1
        elif kind == "python":
            exec(compile(text, name, "exec"), {"__name__": name})
        else:
            assert kind in {"console", "properties", "json"}, kind
    assert compared


def test_the_grid_and_the_figure_for_the_paper_are_read():
    texts = {kind: text for _, kind, text in blocks("tutorials/research.md")}
    assert sum(cell.groups for cell in parse_grid(texts["toml"]).cells) == 200
    compile(texts["python"], "tutorials/research.md", "exec")
