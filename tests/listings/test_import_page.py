"""The listings in docs/guides/import.md were printed by Kafka."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "kafka-4.3"
PAGE = Path(__file__).parents[2] / "docs" / "guides" / "import.md"


def test_its_examples_are_real():
    printed = [line.rstrip() for path in FOLDER.iterdir() for line in path.read_text().splitlines()]
    shown = [
        line.rstrip()
        for block in re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
        for line in block.splitlines()
    ]
    assert len(shown) > 10
    for line in shown:
        start = line.removesuffix("...")
        assert any(one == line or (start != line and one.startswith(start)) for one in printed), line
