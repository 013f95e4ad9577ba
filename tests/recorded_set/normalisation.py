"""Normalisation: replace what differs between two runs of the same code, such as folders, versions and times."""

import re
from pathlib import Path

COMMIT = re.compile(r"\b[0-9a-f]{40}\b")
DATE = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")


def clean_text(text: str, root: Path, python: Path, place: Path, version: str) -> str:
    """Return the text of one recording without what depends on the machine, the day or the checkout's folder."""
    for path, name in (
        (place / "case", "<folder>"),
        (place, "<temporary>"),
        (python, "<python>"),
        (root, "<checkout>"),
    ):
        text = text.replace(str(path), name)
    text = re.sub(rf"(?<![\w.]){re.escape(version)}(?![\w.]*\d)", "<version>", text)
    text = COMMIT.sub("<commit>", text)
    return DATE.sub("<date>", text)
