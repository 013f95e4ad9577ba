"""What is never said at a terminal: a line that is wider, and words that nobody knows who has not read kassay's own pages."""

import re

WIDTH = 80
COPIED = re.compile(r"  kassay |Next: kassay |\s*\S+=\S+$|\s*['\"]?[\w.]+['\"]?: \S+$|\S*/")
"""How a line to copy begins, which may be of any length."""
OUT = [
    "held against", "yet to give up", "is told of", "was told", "withhold", "provisional", "complete and legal", "known to be broken",
    "answers as", "assigns as", "misgive", "misgiven", "on the frontier", "prices", "certificate", "stays bounded", "the ratio", "superiority", "Holm",
    "not distinguishable", "is of the use", "is no JSON", "BROKEN", "in the time there was\n", "misses it", "square_imbalance",
    "squared", "gap in ", "imbalance",
]  # fmt: skip
"""Words that nobody knows who has not read kassay's own pages."""


def too_wide(lines):
    """Return the lines that are wider than 80 columns, but for those to copy."""
    return [line for line in lines if len(line) > WIDTH and not COPIED.match(line)]


def words_that_are_out(lines):
    """Return which of the words that are out stand in the lines."""
    said = "\n".join(lines)
    return [word for word in OUT if word in said]
