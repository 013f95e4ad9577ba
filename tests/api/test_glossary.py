"""The glossary explains every word that verdicts and rows use, and no other."""

import re
from pathlib import Path

import pytest

from kassay.output.block import OUTCOMES
from kassay.reports.sweep.rows import STATUSES

GLOSSARY = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text()


@pytest.mark.parametrize(
    ("section", "words"), [("Verdicts", OUTCOMES), ("Sweeps", STATUSES)], ids=["outcomes", "statuses"]
)
def test_every_outcome_and_status_is_explained(section, words):
    text = GLOSSARY.partition(f"## {section}\n")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^- `([^`]+)`: \S", text, re.MULTILINE)) == sorted(words)
