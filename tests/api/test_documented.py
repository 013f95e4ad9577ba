"""The examples of the documentation are true."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["api.md"])
def test_examples_run_from_top_to_bottom(page):
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    known = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, page, "exec"), known)
