"""What is never said at a terminal, and the form of errors: a line that is wider, and words that nobody knows who has not read kassay's own pages."""

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


FIXES = re.compile(
    r"(Add|Allow|Append|Ask|Build|Check|Choose|Close|Compare|Connect|Continue|Copy|Correct|Create|Delete|Fetch|Fix|Free|"
    r"Give|Import|Install|Keep|Leave|Let|List|Make|Name|Open|Put|Quote|Read|Remove|Rename|Run|Save|Say|Set|Start|Store|Sweep|"
    r"Take|Try|Use|Wait|Widen|Write|Otherwise|To import)\b|Did you mean|Known are|The (levels|group) |It (has|is one of) |"
    r"If |For example|Expected `|`?kassay [a-z -]*`? (shows|lists) |kassay depends on it|\0"
)
"""How the last sentence of an error begins: an imperative, a question or the names to choose from."""


def find_form_errors(text: str) -> set[str]:
    """Return what an error lacks of `WHERE: PROBLEM. FIX.`; NUL stands for a value that is known at run time."""
    text = re.sub(r":$", "", text)
    if re.fullmatch(r"([^.]*: )?\0", re.sub(r"\.[a-z]", "", text)):
        return set()  # the place before a sentence that is read elsewhere
    first, *more = re.split(r"(?<=\S)[.?!] (?=[A-Z`\0]|kassay )", text)
    return {
        name
        for name, wrong in {
            "semicolon": re.search(r"; [\w\0]", text),
            "where": not (first.startswith("\0") or ": " in first),
            # A value at the end may be a sentence that suggests a name.
            "fix": not (FIXES.match(more[-1]) if more else re.search(r"[^: ]\0$|: Expected `", first)),
        }.items()
        if wrong
    }
