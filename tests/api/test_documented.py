"""The examples of the documentation are true."""

import json
import re
import tomllib
from pathlib import Path

import pytest

import kassay

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["docs/reference/python.md", "README.md"])
def test_examples_run_from_top_to_bottom(page):
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    known = {"__name__": "example", "my_assignor": kassay.assign}
    for block in blocks:
        exec(compile(block, page, "exec"), known)


def read_json(text):
    """Read a document, or lines of such."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def test_examples_of_every_page_can_be_read():
    read = {"json": read_json, "toml": tomllib.loads, "python": lambda text: compile(text, "page", "exec")}
    seen = dict.fromkeys(read, 0)
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "fixtures").glob("*.md")]:
        for kind, text in re.findall(
            r"^```(json|toml|python)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE
        ):
            seen[kind] += 1
            try:
                read[kind](text)
            except (ValueError, SyntaxError) as wrong:
                pytest.fail(f"{page.relative_to(ROOT)}: {wrong}:\n{text}")
    assert min(seen.values()) >= 3, seen
