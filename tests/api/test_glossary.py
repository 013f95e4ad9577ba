"""The page of verdicts explains every word that verdicts and rows use, and no other."""

import re
from pathlib import Path

import pytest

from kassay.output.block import OUTCOMES
from kassay.reports.sweep.rows import STATUSES

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "verdicts.md").read_text()


@pytest.mark.parametrize(
    ("section", "words"),
    [("Verdicts", OUTCOMES), ("Statuses of a sweep", STATUSES)],
    ids=["outcomes", "statuses"],
)
def test_every_outcome_and_status_is_explained(section, words):
    text = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^- `([^`]+)`: \S", text, re.MULTILINE)) == sorted(words)
