"""The examples of the documentation are true."""

import re
from pathlib import Path

import pytest

import kassay

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["docs/api.md", "README.md"])
def test_examples_run_from_top_to_bottom(page):
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    known = {"__name__": "example", "my_assignor": kassay.assign}
    for block in blocks:
        exec(compile(block, page, "exec"), known)
