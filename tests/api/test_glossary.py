"""The glossary explains every word that verdicts and rows use."""

from pathlib import Path

import pytest

from kassay.engine.verdict import OUTCOMES
from kassay.reports.sweep.rows import STATUSES

GLOSSARY = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text()


@pytest.mark.parametrize("word", [*OUTCOMES, *STATUSES])
def test_every_outcome_and_status_is_explained(word):
    assert f"`{word}`" in GLOSSARY
